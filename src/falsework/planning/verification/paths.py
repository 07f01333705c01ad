"""Whether a part can be carried along the path that a plan gives: swept anew, with no table of directions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from falsework.geometry.shapes.convex_pieces import Convex, Pieces, pieces_in_world, pieces_of
from falsework.geometry.shapes.lattice import lattices
from falsework.geometry.shapes.placed_solids import diameter
from falsework.geometry.ways.surfaces.choice import goes_by_surfaces
from falsework.geometry.ways.sweeping import is_straight, poses_along, resting_depth, swept_depth
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import shown
from falsework.model.part import Part
from falsework.planning.verification.surface_paths import SurfaceJudge

DEPTH = 1e-4  # of the assembly's size: how deep a moving part may reach into another
GRAZE = 1.5  # times the depth as assembled, for parts that reach into each other even then
BULGE = 0.05  # of a path's extent: how far a turning body may reach beyond the poses looked at
ARRIVED = 1e-6  # of the size, and rad: how far the last pose may be from the assembled one


class PathJudge:
    """Judges paths among the parts of one assembly."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self.size_m = diameter(assembly)
        self._depth_m = DEPTH * self.size_m
        self._surfaces = SurfaceJudge(assembly) if goes_by_surfaces(assembly) else None
        self._still: dict[int, Pieces] = {}
        self._axes = np.zeros((len(assembly.bodies), 3))  # of the studs, zero for parts that are no bricks
        self._grid = np.full(len(assembly.bodies), -1)
        for number, grid in enumerate(lattices(assembly)):
            self._axes[grid.bodies] = grid.T_world_lattice[:3, 2]
            self._grid[grid.bodies] = number

    def complaints(self, moved: list[int], installed: list[int], path: Array, table: Part | None) -> Iterator[str]:
        """What is wrong with the path of the first of the moved bodies; the others move with it.

        `table`: what it stands on, where that is not the assembly's own ground.
        """
        first, final = moved[0], self._assembly.poses[moved[0]]
        off = np.abs(path[-1] - final)
        if off[:3, 3].max() > ARRIVED * self.size_m or off[:3, :3].max() > ARRIVED:
            yield f"its path ends {off[:3, 3].max():.3g} m from where {shown(self._name(first))} belongs"
            return
        parts = [number for number in installed if number < len(self._assembly.parts)]
        if parts and not self._starts_clear(moved, parts, path[0]):
            yield "its path does not start clear of the installed parts' bounding box"
        if self._surfaces is not None:
            yield from self._surfaces.collisions(moved, installed, path)
            if table is not None and self._surfaces.enters_table(moved, table, path):
                yield "its path runs into the table"
            return
        carried = [(body, self._carried(body, first)) for body in moved]
        reach = _reach([pieces for _, pieces in carried], path)
        for other in installed:
            still = self._standing(other)
            if _apart(reach, still.box):
                continue
            for body, pieces in carried:
                segment = self._collision(pieces, still, path, self._stud_axis(body, other))
                if segment is not None:
                    where = "" if len(path) == 2 else f" (segment {segment})"
                    yield f"its path runs {shown(self._name(body))} into {shown(self._name(other))}{where}"
                    break
        if table is not None:
            slab = pieces_in_world(table)
            if any(self._reaches_into(pieces, slab, path) for _, pieces in carried):
                yield "its path runs into the table"

    def turns(self, path: Array) -> bool:
        """Whether the part is turned on its way."""
        return not _only_shifts(path)

    def _name(self, body: int) -> str:
        return self._assembly.bodies[body].name

    def _standing(self, body: int) -> Pieces:
        if body not in self._still:
            self._still[body] = pieces_in_world(self._assembly.bodies[body])
        return self._still[body]

    def _carried(self, body: int, first: int) -> Pieces:
        """A moved body in the frame of the first one."""
        poses = self._assembly.poses
        return pieces_of(self._assembly.bodies[body].shape).moved(np.linalg.inv(poses[first]) @ poses[body])

    def _stud_axis(self, body: int, other: int) -> Array | None:
        """The way studs enter holes, for two bricks of one grid."""
        same = self._grid[body] >= 0 and self._grid[body] == self._grid[other]
        axis: Array | None = self._axes[body] if same else None
        return axis

    def _starts_clear(self, moved: list[int], parts: list[int], pose: Array) -> bool:
        boxes = [self._box(number) for number in parts]
        low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
        own_low, own_high = self._box_of_group(moved, pose)
        slack = 1e-9 * self.size_m
        return bool(((own_low >= high - slack) | (own_high <= low + slack)).any())

    def _box(self, body: int) -> tuple[Array, Array]:
        """Around a body in its place."""
        if self._surfaces is None:
            return self._standing(body).box
        return self._surfaces.box(body, self._assembly.poses[body])

    def _box_of_group(self, moved: list[int], pose: Array) -> tuple[Array, Array]:
        """Around all bodies of a group, the first of which is at a pose."""
        if self._surfaces is None:
            return _reach([self._carried(number, moved[0]) for number in moved], pose[None])
        poses = self._assembly.poses
        boxes = [self._surfaces.box(n, pose @ np.linalg.inv(poses[moved[0]]) @ poses[n]) for n in moved]
        return np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)

    def _collision(self, carried: Pieces, still: Pieces, path: Array, stud_axis: Array | None) -> int | None:
        """The first segment of the path on which a carried body runs into one that stands still."""
        if _apart(_reach([carried], path), still.box):
            return None
        for number, (start, end) in enumerate(pairwise(path), start=1):
            bodies = [(a, b) for a in carried.body for b in still.body]
            studs = [] if carried.studs is None else [(carried.studs, b) for b in still.body]
            studs += [] if still.studs is None else [(a, still.studs) for a in carried.body]
            if stud_axis is not None and self._along(stud_axis, start, end, path[-1]):
                studs = []  # holes let them in
            if stud_axis is None:  # what is no brick is put onto a brick's top as if it had no studs
                bodies, studs = [*bodies, *studs], []
            if any(self._too_deep(a, b, start, end, path[-1]) for a, b in bodies):
                return number
            if any(swept_depth(a, b, start, end, self._depth_m) > self._depth_m for a, b in studs):
                return number
        return None

    def _reaches_into(self, carried: Pieces, slab: Pieces, path: Array) -> bool:
        """Whether a carried body gets into a table on its way or in its place; bricks as if they had no studs."""
        return not _apart(_reach([carried], path), slab.box) and any(
            swept_depth(a, b, start, end, self._depth_m) > self._depth_m
            for start, end in pairwise(path)
            for a in carried.body
            for b in slab.body
        )

    def _along(self, axis: Array, start: Array, end: Array, final: Array) -> bool:
        """Whether both poses are the final one shifted along the studs."""
        if not (is_straight(start, end) and is_straight(end, final)):
            return False
        shifts = np.stack([start[:3, 3], end[:3, 3]]) - final[:3, 3]
        aside = shifts - np.outer(shifts @ axis, axis)
        return bool(np.abs(aside).max() <= ARRIVED * self.size_m)

    def _too_deep(self, a: Convex, b: Convex, start: Array, end: Array, final: Array) -> bool:
        """Deeper than the tolerance, and than they reach into each other as assembled (corners graze)."""
        depth = swept_depth(a, b, start, end, self._depth_m)
        if depth <= self._depth_m:
            return False
        resting = resting_depth(a.moved(final), b)
        return bool(resting <= self._depth_m or depth > GRAZE * resting)


def _only_shifts(path: Array) -> bool:
    return all(is_straight(path[0], pose) for pose in path[1:])


def _reach(carried: list[Pieces], path: Array) -> tuple[Array, Array]:
    """The box around everything that is carried, all along the path."""
    corners = np.concatenate([piece.vertices for pieces in carried for piece in pieces.all])
    places = np.stack([corners @ pose[:3, :3].T + pose[:3, 3] for pose in poses_along(path)])
    low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
    bulge = 0.0 if _only_shifts(path) else BULGE * float((high - low).max())
    return low - bulge, high + bulge


def _apart(one: tuple[Array, Array], other: tuple[Array, Array]) -> bool:
    return bool(((one[1] <= other[0]) | (one[0] >= other[1])).any())
