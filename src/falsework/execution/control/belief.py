"""What a controller believes: which bricks of the product are in their place, and what lies loose where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.perception.findings import Brick, Located, Refused
from falsework.model.poses import about
from falsework.model.robots.cell import Cell
from falsework.model.shapes import BrickShape
from falsework.robots.collision.surroundings import Surroundings

NEAR_M = 0.012  # bricks that are seen nearer to each other than this are one
BESIDE = 0.05  # of a pitch: how far aside of its place a brick comes down past another


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """Never changed, only replaced. Poses are of the world.

    `placed` are names of the product's bricks. `loose` is what was seen elsewhere, `unclear` what was refused.
    """

    product: Assembly
    T_world_structure: Array  # (4, 4) where the plate is believed to be
    placed: frozenset[str] = frozenset()
    loose: tuple[Located, ...] = ()
    unclear: tuple[Refused, ...] = ()

    def part(self, name: str) -> Part:
        """A brick of the product."""
        return self.product.parts[self.product.index[name]]

    def goal(self, name: str) -> Array:
        """(4, 4) where a brick of the product belongs."""
        T: Array = self.T_world_structure @ self.part(name).T_world_part
        return T

    def standing(self, *names: str) -> Belief:
        """With these in their place too."""
        return replace(self, placed=self.placed | set(names))

    def not_placed(self, found: Iterable[Located]) -> tuple[Located, ...]:
        """Those of the bricks that were seen which are none of the structure: what may be taken."""
        places = [(self.part(name), self.goal(name)) for name in self.placed]
        return tuple(one for one in found if not any(_is_at(part, goal, one) for part, goal in places))

    def lying(self, seen: Brick | None) -> Belief:
        """With a brick that lies near a place of the product, where the eyes found it in no other way."""
        loose = self.not_placed(self.loose)
        if seen is not None and not any(np.linalg.norm(one.middle_m - seen.middle_m) < NEAR_M for one in loose):
            loose = (*loose, Located(seen.kind, seen.color, seen.T_base_brick))
        return replace(self, loose=loose)

    def aside_m(self, name: str, along: Array) -> Array:
        """(3,) how far from its place a brick comes down, so that it passes by bricks that it will stand beside.

        `along` (3,) is the way it can slide in the fingers: as it snaps in it finds its place. Between two bricks it is
        left to chance.
        """
        step, sides = self._flanks(name, along)
        return -step * sides[0] * along if len(sides) == 1 else np.zeros(3)

    def supports(self, name: str) -> int:
        """How many bricks, the plate among them, carry a brick at its place."""
        shape = self.part(name).shape
        if not isinstance(shape, BrickShape):
            return 1
        low, high = _box(shape, self.goal(name))
        others = [(self.part(other).shape, self.goal(other)) for other in sorted(self.placed)]
        below = [_box(other, T) for other, T in others if isinstance(other, BrickShape)]
        half = 0.5 * shape.kind.measures.pitch_m
        carrying = [
            bool(abs(last[2] - low[2]) < half / 8)
            and bool((np.minimum(high, last) - np.maximum(low, first) > half)[:2].all())
            for first, last in below
        ]
        return max(1, carrying.count(True))

    def is_between(self, name: str, along: Array) -> bool:
        """Whether a brick comes down between two others, along a direction (3,)."""
        return len(self._flanks(name, along)[1]) == 2

    def _flanks(self, name: str, along: Array) -> tuple[float, list[float]]:
        """How far it is enough to come down aside, and on which sides others stand right beside its place."""
        shape = self.part(name).shape
        if not isinstance(shape, BrickShape):
            return 0.0, []
        step = BESIDE * shape.kind.measures.pitch_m
        low, high = _box(shape, self.goal(name))
        others = [(self.part(other).shape, self.goal(other)) for other in sorted(self.placed)]
        standing = [_box(other, T) for other, T in others if isinstance(other, BrickShape)]
        return step, [
            sign
            for sign in (-1.0, 1.0)
            if any(_beside(low, high, first, last, sign * along, step) for first, last in standing)
        ]

    def around(self, cell: Cell, taken: Located | None = None) -> Surroundings:
        """Everything that an arm may run into; without the brick that it takes."""
        parts = [replace(self.part(name), T_world_part=self.goal(name)) for name in sorted(self.placed)]
        for number, one in enumerate(self.loose):
            if one is not taken:
                parts.append(make_part(f"loose {number}", BrickShape(one.kind), one.T_base_brick))
        ground = self.product.ground_part
        if ground is not None:
            parts.append(replace(ground, T_world_part=self.T_world_structure @ ground.T_world_part))
        scene = Assembly(tuple(parts)) if parts else None
        return Surroundings.of(cell, scene, np.eye(4))


def _box(shape: BrickShape, T: Array) -> tuple[Array, Array]:
    """(3,), (3,) least and greatest corner of a brick's body."""
    ends = np.array([T[:3, 3], T[:3, :3] @ shape.kind.size_m + T[:3, 3]])
    return ends.min(axis=0), ends.max(axis=0)


def _beside(low: Array, high: Array, first: Array, last: Array, toward: Array, step: float) -> bool:
    """Whether one box is beside another, right next to it the way `toward` points; boxes are along the axes."""
    near = np.where(toward > 0.5, high - step / 4, np.where(toward < -0.5, low - step, low + step / 4))
    far = np.where(toward > 0.5, high + step, np.where(toward < -0.5, low + step / 4, high - step / 4))
    return bool(((first < far) & (last > near)).all())


def _is_at(part: Part, goal: Array, seen: Located) -> bool:
    """Whether a brick that was seen may be one of the structure: it overlaps its place."""
    size = np.array(part.shape.kind.size_m) if isinstance(part.shape, BrickShape) else np.zeros(3)
    middle = goal[:3, :3] @ (size * (0.5, 0.5, 0.0)) + goal[:3, 3]
    apart = np.abs(middle - seen.middle_m)
    return bool(apart[2] < 0.5 * size[2] and np.hypot(apart[0], apart[1]) < 0.5 * min(size[0], size[1]))


def fits(part: Part, seen: Located) -> bool:
    """Whether a brick that was seen can serve as a brick of the product."""
    return isinstance(part.shape, BrickShape) and part.shape.kind == seen.kind and part.color in (None, seen.color)


def alike(seen: Located) -> Sequence[Array]:
    """Poses (4, 4) of a brick that all look the same: half turns, for square kinds quarter turns."""
    length, width, _ = seen.kind.size_m
    turns = (0.0, 90.0, 180.0, 270.0) if seen.kind.length == seen.kind.width else (0.0, 180.0)
    poses = []
    for degrees in turns:
        spin = np.eye(4)
        spin[:3, :3] = about(2, degrees)
        middle = np.array([length / 2, width / 2, 0.0])
        spin[:3, 3] = middle - spin[:3, :3] @ middle
        poses.append(seen.T_base_brick @ spin)
    return poses
