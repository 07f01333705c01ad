"""Free ways of one arm: among what stands while it moves, with what it carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from falsework.model.arrays import Array
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.bodies import Bodies, Piece, bodies_of
from falsework.robots.collision.surroundings import WORLD, standing_chain
from falsework.robots.collision.touching import in_the_way
from falsework.robots.kinematics.chain import Chain
from falsework.robots.motions.connecting import Traffic, all_free, connect, shortened

STEP = 0.3  # of an edge, in metres that the hand moves
ROUNDS = (200, 2000, 10000)  # samples of one try after the other
SHORTCUTS = 60


@dataclass(frozen=True, slots=True)
class Standing:
    """Bodies that stand while an arm moves: convex pieces in the world, and which of them a base may stand on.

    >>> Standing(()).bodies.radii.shape
    (0,)
    """

    pieces: tuple[Piece, ...]  # `owner`: the number of a name
    mounts: tuple[bool, ...] = ()  # of the first so many pieces; all others: no
    names: tuple[str, ...] = ()

    @property
    def bodies(self) -> Bodies:
        return bodies_of([piece._replace(link=0) for piece in self.pieces])

    def and_arm(self, arm: ArmBodies, q: Array) -> Standing:
        """With another arm that stands still at positions (n,)."""
        links = arm.links(q[None])[0]
        own, pieces = arm.bodies, []
        for number, link in enumerate(own.link):
            points = own.points[own.starts[number] : own.starts[number + 1]]
            T = links[link]
            pieces.append(Piece(points @ T[:, :3].T + T[:, 3], float(own.radii[number]), 0, len(self.names)))
        return replace(self, pieces=(*self.pieces, *pieces), names=(*self.names, f"arm {arm.placed.name!r}"))


class Ways:
    """The free ways of an arm among what stands.

    >>> from falsework import new_cell
    >>> one = ArmBodies(new_cell("panda").arms[0])
    >>> ways = Ways(one, Standing(()))
    >>> ways.between(one.placed.home, one.placed.home + 0.1, np.random.default_rng(0)).shape
    (2, 7)
    """

    def __init__(self, arm: ArmBodies, standing: Standing, margin_m: float = 0.002) -> None:
        others = standing.bodies
        mounts = np.array([*standing.mounts, *(False for _ in standing.pieces[len(standing.mounts) :])], bool)
        movers = arm.bodies._replace(owner=np.zeros_like(arm.bodies.owner))
        self.arm = arm
        self.traffic = Traffic(
            arm.chain, movers, arm.own_pairs, standing_chain(), others._replace(owner=np.zeros_like(others.owner)),
            arm.pairs_with(others, mounts), margin_m,
        )  # fmt: skip
        self._named, self._names = others, standing.names
        self.weights = reaches(arm.chain)

    def free(self, path: Sequence[Array] | Array) -> bool:
        """Whether straight ways from each position to the next keep the margin all along."""
        return bool(all_free(self.traffic, _own(path)))

    def in_the_way_at(self, q: Array) -> tuple[str, ...]:
        """The names of what the arm comes too near to at a position (n,); `itself` among them."""
        links, t = self.arm.links(np.array(q)[None]), self.traffic
        words = max(1, -(-len(self._names) // 64))
        found = in_the_way(self.arm.bodies, links, self._named, WORLD, t.pairs, t.margin, words)
        mask = int.from_bytes(found[0].astype("<u8").tobytes(), "little")
        itself = ("itself",) if self.arm.touches_itself(np.array(q)[None], t.margin)[0] else ()
        return (*(name for number, name in enumerate(self._names) if mask >> number & 1), *itself)

    def between(self, begin: Array, end: Array, rng: np.random.Generator) -> Array | None:
        """(k, n) corners of a free way between two positions, short; None where none was found."""
        begin, end = _own(begin), _own(end)
        if not (self.free([begin, begin]) and self.free([end, end])):
            return None
        chain = self.arm.chain
        path = np.empty((0, len(begin)))
        for rounds in ROUNDS:
            samples = rng.uniform(chain.lower, chain.upper, (rounds, len(begin)))
            path = connect(self.traffic, begin, end, self.weights, samples, STEP)
            if len(path):
                break
        if len(path) > 2:
            path = shortened(self.traffic, path, rng.uniform(0.0, 1.0, (SHORTCUTS, 2)))
        return path if len(path) else None


def reaches(chain: Chain) -> Array:
    """(n,) m by which the hand can be away from each joint's axis: what a radian, or a metre, moves it at most."""
    n = len(chain.frames)
    found = np.ones(n)
    far = float(np.linalg.norm(chain.flange[:, 3])) + 0.1
    for k in range(n - 1, -1, -1):
        if not chain.sliding[k]:
            found[k] = far
        far += float(np.linalg.norm(chain.frames[k][:, 3]))
        if chain.sliding[k]:
            far += max(abs(float(chain.lower[k])), abs(float(chain.upper[k])))
    return found


def _own(positions: object) -> Array:
    """One of its own: code is compiled for arrays that may change."""
    return np.array(positions, dtype=np.float64, order="C")
