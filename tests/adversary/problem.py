"""The question of equilibrium as the judges see it: free bodies, what loads them, and where they can be borne.

Made from a scene by `touching` and `brick_grid`; nothing of falsework has a say in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tests.adversary.brick_grid import STUD_RADIUS, Brick, Clutch, faces, joints
from tests.adversary.scene import Block, Scene, Unclear
from tests.adversary.solids import box
from tests.adversary.touching import clip, hull, touch

TOUCHES = 1e-10  # of the assembly's size, and rounding of the coordinates on top
CLEAR = 3e-3  # of the smaller part's size: gaps and overlaps between the two leave open what touches
RIM = 12  # corners of the polygons inside and around the top of a stud, on the axes: the documented studs are the inner


@dataclass(frozen=True, eq=False)
class Contact:
    """A region in which two bodies press on each other; −1 is a body that never moves.

    What is surely inside it is `sure`, what is surely not outside `possible`: a judge proves standing with the former
    and falling with the latter. Where the normal is open, as where corners meet, nothing is sure, any force possible.
    """

    first: int
    second: int
    normal: np.ndarray | None  # from the first into the second
    friction: float
    sure: np.ndarray  # (k, 3)
    possible: np.ndarray  # (m, 3)


@dataclass(frozen=True, eq=False)
class Problem:
    """Free bodies and their interfaces."""

    names: tuple[str, ...]
    centres: np.ndarray  # (n, 3)
    radii: np.ndarray  # (n,)
    scales: np.ndarray  # (n,) N: own weight and the loads on it
    loads: np.ndarray  # (n, 6) force, torque about the centre
    contacts: tuple[Contact, ...]
    clutches: tuple[tuple[int, int, Clutch], ...]  # body with the studs, body with the holes
    hinges: tuple[tuple[int, int, np.ndarray, np.ndarray], ...]  # bodies, place, axis

    def pieces(self) -> np.ndarray:
        """(n,) which connected piece each body belongs to; bodies that never move connect nothing."""
        label = np.arange(len(self.names))
        pairs = [(c.first, c.second) for c in self.contacts] + [(a, b) for a, b, _ in self.clutches]
        pairs += [(a, b) for a, b, _, _ in self.hinges]
        for a, b in pairs:
            if a >= 0 and b >= 0 and label[a] != label[b]:
                label[label == max(label[a], label[b])] = min(label[a], label[b])
        return label

    @cached_property
    def piece_loads(self) -> np.ndarray:
        """(n,) the load of the connected piece that each body belongs to, N."""
        piece = self.pieces()
        return np.bincount(piece, weights=self.scales, minlength=len(piece))[piece]


def problem_of(scene: Scene) -> Problem:
    """What has to be balanced, and by what; `Unclear` where that hangs on tolerances."""
    whole, scene = scene, scene.asked()
    free = [part for part in scene.parts if not part.fixed]
    number = {part.name: row for row, part in enumerate(free)}
    masses, centres = zip(*(part.weight_and_centre for part in free), strict=True)
    radii = [
        max(float(np.linalg.norm(solid.corners - centre, axis=1).max()) for solid in part.solids)
        for part, centre in zip(free, centres, strict=True)
    ]
    loads = np.zeros((len(free), 6))
    loads[:, :3] = np.outer(masses, scene.gravity)
    scales = np.array(masses) * np.linalg.norm(scene.gravity)
    for load in scene.loads:
        if load.part in number:
            row = number[load.part]
            loads[row, :3] += load.force
            scales[row] += np.linalg.norm(load.force)
            if load.at is not None:
                loads[row, 3:] += np.cross(load.at - centres[row], load.force)
    grid = [part for part in scene.parts if isinstance(part, Brick)]
    bottom = min((part.at[2] for part in whole.parts if isinstance(part, Brick)), default=0)
    clutches = joints(grid, bottom if scene.ground == "baseplate" else None)
    return Problem(
        tuple(number),
        np.array(centres),
        np.array(radii),
        scales,
        loads,
        tuple(_contacts(scene, number, _table(whole))),
        tuple((number.get(one.lower, -1), number.get(one.upper, -1), one) for one in clutches),
        tuple((number.get(one.first, -1), number.get(one.second, -1), one.at, one.axis) for one in scene.hinges),
    )


def _contacts(scene: Scene, number: dict[str, int], table: list[Block]) -> list[Contact]:
    grid = [part for part in scene.parts if isinstance(part, Brick)]
    found = []
    for face in faces(grid):
        friction = scene.friction if face.upright else 0.0
        pair = number.get(face.first, -1), number.get(face.second, -1)
        found.append(Contact(*pair, face.normal, friction, face.points, face.points))
    hinged = {frozenset((one.first, one.second)) for one in scene.hinges}
    parts = [*scene.parts, *table]
    slack = TOUCHES * scene.size() + 1e-15 * float(np.abs(np.array(scene.bounds())).max())
    lows = np.array([np.min([s.corners.min(axis=0) for s in part.solids], axis=0) for part in parts])
    highs = np.array([np.max([s.corners.max(axis=0) for s in part.solids], axis=0) for part in parts])
    for k, one in enumerate(parts):
        for n in range(k + 1, len(parts)):
            other = parts[n]
            if isinstance(one, Brick) and isinstance(other, Brick):
                continue
            if frozenset((one.name, other.name)) in hinged:
                continue
            rubbing = scene
            if table and other is table[0] and scene.table_friction is not None:
                rubbing = scene.changed(friction=scene.table_friction)
            near = CLEAR * min(_size(one), _size(other))
            if (lows[k] - near <= highs[n]).all() and (lows[n] - near <= highs[k]).all():
                pair = number.get(one.name, -1), number.get(other.name, -1)
                found += _between(rubbing, one, other, pair, slack, near)
            found += _on_studs(scene, one, other, number, slack, near)
    return [contact for contact in found if contact.first >= 0 or contact.second >= 0]


def _size(part: Block | Brick) -> float:
    return max(solid.size for solid in part.solids)


def _table(scene: Scene) -> list[Block]:
    """The slab under everything."""
    if scene.ground != "table":
        return []
    low, high = scene.bounds()
    margin = 0.5 * float((high - low).max())
    slab = box(low - margin, (*(high - low + 2 * margin)[:2], margin))
    slab.corners[4:, 2] = low[2]  # exactly
    return [Block("ground", (slab,), fixed=True)]


def _between(
    scene: Scene, one: Block | Brick, other: Block | Brick, pair: tuple[int, int], slack: float, near: float
) -> list[Contact]:
    """Contacts of two parts, solid by solid; where they have no normal of their own they are only possible."""
    found, open_ones = [], []
    for first in one.solids:
        for second in other.solids:
            met = touch(first, second, slack)
            if met.overlap > max(slack, scene.allow_overlap):
                raise Unclear(f"{one.name} and {other.name} overlap by {met.overlap:g}")
            if met.nearly < near and not scene.slivers and max(pair) >= 0:
                raise Unclear(f"{one.name} and {other.name} nearly touch, or nearly do not: {met.nearly:g}")
            if len(met.normals) == 1:
                found.append(Contact(*pair, met.normals[0], scene.friction, met.points, met.points))
            elif len(met.normals):
                open_ones.append(Contact(*pair, None, scene.friction, np.zeros((0, 3)), met.points))
    return found + [contact for contact in open_ones if not _within(contact.possible, found, slack)]


def _within(points: np.ndarray, contacts: list[Contact], slack: float) -> bool:
    """Whether all points lie in one of the contacts: where two pieces of a part meet in a face, nothing is open."""
    for contact in contacts:
        if len(contact.sure) < 3:
            continue
        ring = contact.sure
        ways = np.roll(ring, -1, axis=0) - ring
        outward = np.cross(ways, contact.normal)
        outward *= np.sign(np.einsum("ki,ki->k", outward, ring - ring.mean(axis=0)))[:, None]
        outward /= np.linalg.norm(outward, axis=1, keepdims=True)
        beyond = np.einsum("pki,ki->pk", points[:, None] - ring[None], outward)
        flat = np.abs((points - ring[0]) @ contact.normal)
        if (beyond <= 10 * slack).all() and (flat <= 10 * slack).all():
            return True
    return False


def _on_studs(
    scene: Scene, one: Block | Brick, other: Block | Brick, number: dict[str, int], slack: float, near: float
) -> list[Contact]:
    """A block on the tops of a brick's studs: discs, between polygons inside and around them.

    Studs that a block misses by little leave open what touches.
    """
    if isinstance(one, Brick) == isinstance(other, Brick):
        return []
    brick, block = (one, other) if isinstance(one, Brick) else (other, one)
    assert isinstance(brick, Brick)
    assert isinstance(block, Block)
    studs = brick.studs()
    if not len(studs) or abs(min(solid.corners[:, 2].min() for solid in block.solids) - studs[0, 2]) > slack:
        return []
    angles = 2 * np.pi * np.arange(RIM) / RIM
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    sure, possible = (
        outermost(np.concatenate([np.zeros((0, 2)), *_shared(studs[:, :2], radius * ring, undersides)]))
        for radius, undersides in (
            (STUD_RADIUS, block.undersides(slack)[0]),
            (STUD_RADIUS / np.cos(np.pi / RIM), block.undersides(slack)[1]),
        )
    )
    around, wider = (STUD_RADIUS / np.cos(np.pi / RIM) + more for more in (0.0, near))
    reached = [_reached(studs[:, :2], radius * ring, block.undersides(slack)[1]) for radius in (around, wider)]
    if reached[0] != reached[1]:
        raise Unclear(f"{block.name} nearly lies on a stud of {brick.name}")
    if not len(possible):
        return []
    pair = number.get(brick.name, -1), number.get(block.name, -1)
    lifted = [np.column_stack([flat, np.full(len(flat), studs[0, 2])]) for flat in (sure, possible)]
    return [Contact(*pair, np.array([0.0, 0, 1]), scene.friction, *lifted)]


def _reached(centres: np.ndarray, ring: np.ndarray, undersides: list[np.ndarray]) -> int:
    """How many of the discs around centres share anything with an underside."""
    return sum(any(len(one) for one in _shared(centre[None], ring, undersides)) for centre in centres)


def _shared(centres: np.ndarray, ring: np.ndarray, undersides: list[np.ndarray]) -> list[np.ndarray]:
    """Corners of what discs around centres share with the undersides above them."""
    found = []
    for flat in undersides:
        slack = 1e-9 * float(np.ptp(flat, axis=0).max())
        window, reach = hull(flat, slack), float(np.abs(ring).max())
        near = (centres > flat.min(axis=0) - reach).all(axis=1) & (centres < flat.max(axis=0) + reach).all(axis=1)
        found += [clip(centre + ring, window, slack) for centre in centres[near]]
    return found


def outermost(points: np.ndarray) -> np.ndarray:
    """Corners of the hull of points (n, 2): forces inside it are sums of forces there."""
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 4:
        return points
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:  # all in a line: what is there is kept
        return points
