"""What a controller believes: which bricks of the product are in their place, and what lies loose where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from falsework.execution.control.unclear import extent_of, overlap
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.perception.findings import Brick, Extent, Located, Refused
from falsework.model.poses import about, inverse
from falsework.model.robots.cell import Cell
from falsework.model.shapes import BrickShape
from falsework.model.shapes import box as solid_box
from falsework.robots.collision.surroundings import Surroundings

NEAR_M = 0.012  # bricks that are seen nearer to each other than this are one
LEVEL_M = 1e-4  # bricks that are nearer in height than this are level
MOVED_M = 2e-3  # farther from where it was seen than this a brick was moved: six times what sight errs by
OCCUPIED_M = 4e-3  # by which something must reach into a place to be in the way there
BESIDE = 0.05  # of a pitch: how far aside of its place a brick comes down past another


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Bricks of the product that are put together apart, on a tray, before they are placed as one."""

    names: frozenset[str]
    T_world_piece: Array  # (4, 4) where the product's frame would be, had it been built there
    there: frozenset[str] = frozenset()  # of the names: those that are together by now


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
    piece: Piece | None = None

    def part(self, name: str) -> Part:
        """A brick of the product."""
        return self.product.parts[self.product.index[name]]

    def goal(self, name: str) -> Array:
        """(4, 4) where a brick of the product belongs: in the structure, or in the piece that is put together apart."""
        T: Array = self.frame_of(name) @ self.part(name).T_world_part
        return T

    def frame_of(self, name: str) -> Array:
        """(4, 4) the product's frame, as a brick is to stand in it now."""
        return self.piece.T_world_piece if self._is_apart(name) and self.piece else self.T_world_structure

    def _is_apart(self, name: str) -> bool:
        return self.piece is not None and name in self.piece.names

    def _with(self, name: str) -> frozenset[str]:
        """Bricks that are there already of what a brick is built into."""
        return self.piece.there if self._is_apart(name) and self.piece else self.placed

    def standing(self, *names: str) -> Belief:
        """With these in their place too, or in the piece that they are put together to."""
        apart = {name for name in names if self._is_apart(name)}
        piece = replace(self.piece, there=self.piece.there | apart) if self.piece and apart else self.piece
        return replace(self, placed=self.placed | (set(names) - apart), piece=piece)

    @property
    def _all_standing(self) -> frozenset[str]:
        return self.placed if self.piece is None else self.placed | self.piece.there

    def not_placed(self, found: Iterable[Located]) -> tuple[Located, ...]:
        """Those of the bricks that were seen which are none of the structure: what may be taken."""
        places = [(self.part(name), self.goal(name)) for name in self._all_standing]
        return tuple(one for one in found if not any(_is_at(part, goal, one) for part, goal in places))

    def lying(self, seen: Brick | None, sure: bool) -> Belief:
        """With a brick that lies near a place of the product, where the eyes found it in no other way.

        Where that is only the best guess, what is unclear there stays so.
        """
        belief = replace(self, loose=self.not_placed(self.loose))
        if seen is None or any(np.linalg.norm(one.middle_m - seen.middle_m) < NEAR_M for one in belief.loose):
            return belief
        if not sure and any(_is_of(one, seen) for one in self.unclear):
            return belief
        return belief.without(seen).beside(seen)

    def beside(self, room: Brick | Extent) -> Belief:
        """With something more that lies there; what is known already is not known twice."""
        if any(one is room for one in self.rooms):
            return self
        if isinstance(room, Extent):
            return replace(self, unclear=(*self.unclear, Refused("put there", room.middle_m, extent=room)))
        return replace(self, loose=(*self.loose, Located(room.kind, room.color, room.T_base_brick)))

    def without(self, room: Brick | Extent) -> Belief:
        """Without what lies there: that, or what was unclear of it."""
        loose = tuple(one for one in self.loose if one is not room)
        return replace(self, loose=loose, unclear=tuple(one for one in self.unclear if not _is_of(one, room)))

    @property
    def rooms(self) -> tuple[Brick | Extent, ...]:
        """What lies beside the structure takes up."""
        return (*self.loose, *(one.extent for one in self.unclear if one.extent is not None))

    def occupying(self, name: str) -> list[Brick | Extent]:
        """What lies where a brick of the product belongs."""
        brick = self._brick(name)
        if brick is None:
            return []
        return [room for room in self.rooms if overlap(extent_of(brick), extent_of(room), OCCUPIED_M)]

    def is_built_into(self, room: Extent) -> bool:
        """Whether a room is one with the structure's own: it may be a part of that, seen badly."""
        standing = (self._brick(name) for name in self._all_standing)
        return any(overlap(extent_of(one), room, OCCUPIED_M) for one in standing if one is not None)

    def _brick(self, name: str) -> Brick | None:
        """A brick of the product, at its place."""
        part = self.part(name)
        if not isinstance(part.shape, BrickShape):
            return None
        return Brick(part.shape.kind, part.color or "white", self.goal(name))

    def aside_m(self, name: str, along: Array) -> Array:
        """(3,) how far from its place a brick comes down, so that it passes by bricks that it will stand beside.

        `along` (3,) is the way it can slide in the fingers: as it snaps in it finds its place. Between two bricks it is
        left to chance.
        """
        step, sides = self._flanks(name, along)
        return -step * sides[0] * along if len(sides) == 1 else np.zeros(3)

    def supports(self, name: str) -> int:
        """How many bricks carry a brick at its place; none where that is the plate."""
        return len(self._joints(name))

    def on_top(self) -> list[str]:
        """Bricks of the structure on which no other stands."""
        carrying = {
            below
            for name in self.placed
            for below in self.placed - {name}
            if self._stands_on(self.part(name), self.part(below))
        }
        return sorted(self.placed - carrying)

    @staticmethod
    def _stands_on(upper: Part, lower: Part) -> bool:
        (low, high), (first, last) = box(upper), box(lower)
        over = (np.minimum(high, last) - np.maximum(low, first))[:2]
        return bool(abs(low[2] - last[2]) < LEVEL_M and (over > LEVEL_M).all())

    def _joints(self, name: str) -> list[tuple[Array, Array]]:
        """(2,), (2,) each: least and greatest corner, level, of where a brick at its place lies on others."""
        shape = self.part(name).shape
        if not isinstance(shape, BrickShape):
            return []
        low, high = box(self.part(name))
        below = [box(self.part(other)) for other in sorted(self._with(name))]
        half = 0.5 * shape.kind.measures.pitch_m
        meets = [
            (np.maximum(low, first)[:2], np.minimum(high, last)[:2])
            for first, last in below
            if abs(last[2] - low[2]) < half / 8
        ]
        return [(least, most) for least, most in meets if (most - least > half).all()]

    def carries(self, names: Iterable[str], point_m: Array) -> bool:
        """Whether a point (3,) of the world is over what carries one of these bricks; the plate carries everywhere."""
        joints = [joint for name in names for joint in self._joints(name)]
        x = (inverse(self.T_world_structure) @ np.append(point_m, 1.0))[:2]
        return not joints or any((least < x).all() and (x < most).all() for least, most in joints)

    def bears(self, name: str, point_m: Array) -> bool:
        """Whether a brick may be pressed at a point (3,) of the world: nothing holds a piece on its tray."""
        if not self._is_apart(name) or self.piece is None or not self.piece.there:
            return True
        boxes = [box(self.part(other)) for other in self.piece.there]
        foot = min(low[2] for low, _ in boxes)
        x, y = (inverse(self.frame_of(name)) @ np.append(point_m, 1.0))[:2]
        return any(low[0] < x < high[0] and low[1] < y < high[1] for low, high in boxes if low[2] < foot + LEVEL_M)

    def is_between(self, name: str, along: Array) -> bool:
        """Whether a brick comes down between two others, along a direction (3,)."""
        return len(self._flanks(name, along)[1]) == 2

    def _flanks(self, name: str, along: Array) -> tuple[float, list[float]]:
        """How far it is enough to come down aside, and on which sides others stand right beside its place."""
        shape = self.part(name).shape
        if not isinstance(shape, BrickShape):
            return 0.0, []
        step = BESIDE * shape.kind.measures.pitch_m
        low, high = box(self.part(name))
        standing = [box(self.part(other)) for other in sorted(self._with(name))]
        along = self.frame_of(name)[:3, :3].T @ along
        return step, [
            sign
            for sign in (-1.0, 1.0)
            if any(_beside(low, high, first, last, sign * along, step) for first, last in standing)
        ]

    def around(self, cell: Cell, taken: Located | None = None) -> Surroundings:
        """Everything that an arm may run into; without the brick that it takes."""
        parts = [replace(self.part(name), T_world_part=self.goal(name)) for name in sorted(self._all_standing)]
        for number, one in enumerate(self.loose):
            if one is not taken:
                parts.append(make_part(f"loose {number}", BrickShape(one.kind), one.T_base_brick))
        for number, unclear in enumerate(self.unclear):
            if (room := unclear.extent) is not None:
                parts.append(make_part(f"unclear {number}", solid_box(room.size_m), room.T_base_extent))
            bricks = [brick for rival in unclear.rivals for brick in rival]
            parts += [
                make_part(f"unclear {number} or {at}", BrickShape(brick.kind), brick.T_base_brick)
                for at, brick in enumerate(bricks)
            ]
        ground = self.product.ground_part
        if ground is not None:
            parts.append(replace(ground, T_world_part=self.T_world_structure @ ground.T_world_part))
        scene = Assembly(tuple(parts)) if parts else None
        return Surroundings.of(cell, scene, np.eye(4))


def box(part: Part) -> tuple[Array, Array]:
    """(3,), (3,) least and greatest corner of a brick's body, in the product's coordinates; bricks lie along its axes.

    >>> from falsework.gallery import make
    >>> [corner.round(4).tolist() for corner in box(make("duplo-single").parts[0])]
    [[0.0, 0.0, 0.0], [0.064, 0.032, 0.0192]]
    """
    T, size = part.T_world_part, part.shape.kind.size_m if isinstance(part.shape, BrickShape) else (0.0, 0.0, 0.0)
    ends = np.array([T[:3, 3], T[:3, :3] @ size + T[:3, 3]])
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


def _is_of(unclear: Refused, room: Brick | Extent) -> bool:
    """Whether something unclear may be what takes up that room: its middle is there."""
    if unclear.extent is room:
        return True
    reach = 0.5 * float(np.linalg.norm(room.size_m))
    middle = room.T_base_brick @ (*(0.5 * np.array(room.size_m)), 1.0) if isinstance(room, Brick) else room.middle_m
    return bool(np.linalg.norm((unclear.where_m - middle[:3])[:2]) < reach)


def fits(part: Part, seen: Located) -> bool:
    """Whether a brick that was seen can serve as a brick of the product."""
    return isinstance(part.shape, BrickShape) and part.shape.kind == seen.kind and part.color in (None, seen.color)


def moved(
    before: Sequence[Located], after: Sequence[Located], handled: Sequence[Array]
) -> Iterator[tuple[Located, float]]:
    """Bricks that are seen elsewhere than at the last look, though no hand closed on them, and how far (m).

    `handled` (3,) each: where hands did.
    """
    new = [one for one in after if not any(_is_still(one, other) for other in before)]
    for one in before:
        reach = 0.5 * float(np.hypot(*one.kind.size_m[:2]))
        ours = any(np.linalg.norm((one.middle_m - place)[:2]) < reach for place in handled)
        if ours or any(_is_still(one, other) for other in after):
            continue
        like = [other for other in new if (other.kind, other.color) == (one.kind, one.color)]
        if like:
            there = min(like, key=lambda other: float(np.linalg.norm(other.middle_m - one.middle_m)))
            new.remove(there)
            yield there, float(np.linalg.norm(there.middle_m - one.middle_m))


def _is_still(one: Located, other: Located) -> bool:
    """Whether two bricks of two looks are one that lies where it lay."""
    near = float(np.linalg.norm(one.middle_m - other.middle_m)) < MOVED_M
    return near and (one.kind, one.color) == (other.kind, other.color)


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
