"""An arm of a cell as bodies that move: its links' capsules, its tool, and what it carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from falsework.geometry.shapes.convex_pieces import rough_pieces_of
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.robots.arm import Arm
from falsework.model.robots.cell import CellArm
from falsework.model.robots.tool import Tool
from falsework.model.shapes import Shape
from falsework.robots.collision.bodies import Bodies, Piece, all_pairs, bodies_of, joined
from falsework.robots.collision.touching import in_the_way
from falsework.robots.kinematics.chain import Chain, turns_of
from falsework.robots.kinematics.forward import links_of
from falsework.robots.kinematics.known_chains import known_chain

LINK, TOOL, CARRIED = range(3)  # owners of an arm's own pieces
SAMPLES, SEED = 200, 20  # positions at which links are looked at that nobody has spoken about
NEARLY_ALWAYS = 0.9  # of them
LEVEL_M = 1e-6  # above its base, up to which what an arm stands on may reach


class ArmBodies:
    """What moves when an arm of a cell moves; `opening_m` is how far its tool is open, the most unless told.

    `carried` are shapes with their poses (4, 4) in the flange's frame.

    >>> from falsework import new_cell
    >>> bodies = ArmBodies(new_cell("two-panda").arms[0])
    >>> bool(bodies.touches_itself(bodies.placed.home[None])[0])
    False
    """

    def __init__(
        self, placed: CellArm, opening_m: float | None = None, carried: Sequence[tuple[Shape, Array]] = ()
    ) -> None:
        self.placed = placed
        self.opening_m = placed.tool.opening_m[1] if opening_m is None else opening_m
        placed.tool.refuse_opening(self.opening_m)
        self.chain: Chain = known_chain(placed.arm)._replace(base=np.array(placed.T_world_base[:3], order="C"))
        self._carried = tuple(carried)
        bare, load = _bare(placed.arm, placed.tool, self.opening_m), self._load()
        self.bodies: Bodies = joined(bare, bodies_of(load)) if load else bare
        self.own_pairs: Ints = _own_pairs(placed.arm, placed.tool, len(load))

    def carrying(self, shape: Shape, T_flange_part: Array, opening_m: float | None = None) -> ArmBodies:
        """The same arm with a part in its tool."""
        opening = self.opening_m if opening_m is None else opening_m
        return ArmBodies(self.placed, opening, (*self._carried, (shape, T_flange_part)))

    def links(self, positions: Array) -> Array:
        """(m, n + 2, 3, 4) base, links, flange in the world for positions (m, n), in the frames of compiled code."""
        return links_of(self.chain, np.array(positions, dtype=np.float64, order="C"))

    def touches_itself(self, positions: Array, margin_m: float = 0.0) -> Bools:
        """(m,) whether links, tool or load come nearer than the margin to each other."""
        links = self.links(positions)
        own = self.bodies._replace(owner=np.zeros_like(self.bodies.owner))
        found = in_the_way(self.bodies, links, own, links, self.own_pairs, max(margin_m, 1e-9), 1)
        flags: Bools = found[:, 0] != 0
        return flags

    def upright(self) -> bool:
        """Its first joint turns about an upright axis."""
        first = self.placed.arm.joints[0]
        axis = self.placed.T_world_base[:3, :3] @ first.T_parent_joint[:3, :3] @ first.axis
        return first.kind == "revolute" and abs(float(axis[2])) > 1 - 1e-9

    def pairs_with(self, others: Bodies, mounts: Bools) -> Ints:
        """(k, 2) pieces to compare with others; not the base with what it may be mounted on (`mounts`, by piece).

        What is behind an upright first joint is no nearer for turning to what lies below the base, as a table does; but
        a turret may run into what stands beside it.
        """
        pairs = all_pairs(self.bodies, others)
        link, other = self.bodies.link[pairs[:, 0]], pairs[:, 1]
        tops = (
            np.maximum.reduceat(others.points[:, 2], others.starts[:-1]) + others.radii if len(others.radii) else None
        )
        still = link == 0
        if self.upright() and tops is not None:
            still |= (link == 1) & (tops <= self.placed.T_world_base[2, 3] + LEVEL_M)[other]
        asked: Ints = pairs[~(still & mounts[other])]
        return asked

    @cached_property
    def flange_link(self) -> int:
        return len(self.placed.arm.joints) + 1

    def _load(self) -> list[Piece]:
        return [
            Piece(piece.vertices @ T[:3, :3].T + T[:3, 3], 0.0, self.flange_link, CARRIED)
            for shape, T in self._carried
            for piece in rough_pieces_of(shape).all
        ]


@lru_cache(maxsize=256)
def _bare(arm: Arm, tool: Tool, opening_m: float) -> Bodies:
    """Links and tool, in the frames of the links: the same wherever the arm stands."""
    turns = turns_of(arm)
    links = [
        Piece(np.array([one.start_m, one.end_m]) @ turns[one.link].T, one.radius_m, one.link, LINK)
        for one in arm.capsules
    ]
    flange = len(arm.joints) + 1
    return bodies_of([*links, *(Piece(body.at(opening_m), 0.0, flange, TOOL) for body in tool.bodies)])


@lru_cache(maxsize=256)
def _own_pairs(arm: Arm, tool: Tool, load: int) -> Ints:
    """(k, 2) pieces of one arm, `load` of them carried, that may meet.

    Not those of one link, of neighbours, or of links that always touch.
    """
    flange = len(arm.joints)  # what is on the flange counts as the last link
    link = [*(one.link for one in arm.capsules), *(flange for _ in tool.bodies), *(flange for _ in range(load))]
    bare = len(link) - load
    told = _usually_touching(arm) if arm.touching is None else arm.touching
    apart = {tuple(sorted(pair)) for pair in told}
    pairs = []
    for i, j in combinations(range(len(link)), 2):
        low, high = sorted((link[i], link[j]))
        if high - low > 1 and (j >= bare or (low, high) not in apart):
            pairs.append((i, j))
    return np.array(pairs, np.int64).reshape(-1, 2)


@lru_cache(maxsize=64)
def _usually_touching(arm: Arm) -> tuple[tuple[int, int], ...]:
    """Links of an arm of which nobody has said so that touch at home, or nearly always: it cannot be a collision."""
    tool = Tool("none", "suction", np.eye(4), ())
    bodies = ArmBodies(CellArm("sampled", replace(arm, touching=()), tool, np.eye(4)))
    rng = np.random.default_rng(SEED)
    drawn = rng.uniform(arm.lower, arm.upper, (SAMPLES, len(arm.joints)))
    links = bodies.links(np.concatenate([arm.home[None], drawn]))
    own = bodies.bodies._replace(owner=np.zeros_like(bodies.bodies.owner))
    found = set()
    for i, j in bodies.own_pairs.tolist():
        met = in_the_way(bodies.bodies, links, own, links, np.array([[i, j]]), 1e-9, 1)[:, 0] != 0
        if met[0] or met.mean() > NEARLY_ALWAYS:
            found.add((int(own.link[i]), int(own.link[j])))
    return tuple(sorted(found))
