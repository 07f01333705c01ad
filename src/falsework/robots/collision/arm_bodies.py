"""An arm of a cell as bodies that move: its links' capsules, its tool, and what it carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np

from falsework.geometry.shapes.convex_pieces import pieces_of
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.robots.arm import Arm
from falsework.model.robots.cell import CellArm
from falsework.model.robots.tool import Tool
from falsework.model.shapes import Shape
from falsework.robots.collision.bodies import Bodies, Piece, all_pairs, bodies_of
from falsework.robots.collision.touching import in_the_way
from falsework.robots.kinematics.chain import Chain, turns_of
from falsework.robots.kinematics.forward import links_of
from falsework.robots.kinematics.known_chains import known_chain

LINK, TOOL, CARRIED = range(3)  # owners of an arm's own pieces
SAMPLES, SEED = 200, 20  # positions at which links are looked at that nobody has spoken about
NEARLY_ALWAYS = 0.9  # of them


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
        pieces = [*self._links(), *self._tool(), *self._load()]
        self.bodies: Bodies = bodies_of(pieces)
        self.own_pairs: Ints = self._own_pairs()

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

        What is behind an upright first joint and turns about it is no nearer to a level table for turning.
        """
        pairs = all_pairs(self.bodies, others)
        still = self.bodies.link[pairs[:, 0]] <= (1 if self.upright() else 0)
        return pairs[~(still & mounts[pairs[:, 1]])]

    @cached_property
    def flange_link(self) -> int:
        return len(self.placed.arm.joints) + 1

    def _links(self) -> list[Piece]:
        turns = turns_of(self.placed.arm)
        return [
            Piece(
                np.array([capsule.start_m, capsule.end_m]) @ turns[capsule.link].T, capsule.radius_m, capsule.link, LINK
            )
            for capsule in self.placed.arm.capsules
        ]

    def _tool(self) -> list[Piece]:
        return [Piece(body.at(self.opening_m), 0.0, self.flange_link, TOOL) for body in self.placed.tool.bodies]

    def _load(self) -> list[Piece]:
        return [
            Piece(piece.vertices @ T[:3, :3].T + T[:3, 3], 0.0, self.flange_link, CARRIED)
            for shape, T in self._carried
            for piece in pieces_of(shape).all
        ]

    def _own_pairs(self) -> Ints:
        """(k, 2) pieces of one arm that may meet: not of one link, of neighbours, or of links that always touch."""
        link, owner = self.bodies.link, self.bodies.owner
        told = self.placed.arm.touching
        apart = {tuple(sorted(pair)) for pair in (_usually_touching(self.placed.arm) if told is None else told)}
        last = self.flange_link - 1
        pairs = []
        for i in range(len(link)):
            for j in range(i + 1, len(link)):
                first, second = min(int(link[i]), last), min(int(link[j]), last)  # what the flange carries is the last
                carried = owner[i] == CARRIED or owner[j] == CARRIED
                close = abs(first - second) <= 1 or (not carried and (min(first, second), max(first, second)) in apart)
                if not close:
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
