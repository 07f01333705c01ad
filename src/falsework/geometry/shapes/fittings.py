"""Studs, holes, pins and bores of all bodies in the world, whatever way they point.

Bricks of the catalogue have theirs by their grid, other parts by their mould. Holes of a brick are its cells, and,
where it is two studs wide or more, the insides of the tubes between them, which take a stud as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from falsework.geometry.shapes.lattice import grids_of, lattices
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickType, systems
from falsework.model.mould import Mould
from falsework.model.shapes import BrickShape

MOST = 20_000  # fittings of one brick; of larger ones only those near other parts are looked at
SEATED_M = 4e-4  # how far the base of a stud may be from the mouth of its hole: files round poses
STRAIGHT = np.cos(np.deg2rad(2.5))  # of the angle between them
REACH_M = 1e-3  # about the boxes of other parts: how near a fitting must be to count


@dataclass(frozen=True, slots=True, eq=False)
class Fittings:
    """Fittings of one sort, of all bodies, in world axes."""

    body: Ints  # (n,)
    points: Array  # (n, 3) m
    directions: Array  # (n, 3) unit; of rods half of the axle

    def __len__(self) -> int:
        return len(self.body)


def fitted_bodies(assembly: Assembly) -> Ints:
    """Bodies whose fittings may meet others off a common grid: none where all bricks share one."""
    grids = lattices(assembly)
    moulded = [number for number, body in enumerate(assembly.bodies) if body.mould is not None]
    if not moulded and len(grids) < 2:
        return np.zeros(0, dtype=np.int64)
    return np.array(sorted({*moulded, *(number for grid in grids for number in grid.bodies.tolist())}), dtype=np.int64)


@lru_cache(maxsize=2)
def world_fittings(assembly: Assembly) -> dict[str, Fittings]:
    """Studs, holes, pins, bores and rods of the bodies that `fitted_bodies` names."""
    from falsework.geometry.shapes.studs import reach_in_world

    bodies = fitted_bodies(assembly)
    boxes = {int(number): _box(reach_in_world(assembly.bodies[number])) for number in bodies}
    rows: dict[str, list[tuple[int, Array]]] = {sort: [] for sort in ("studs", "holes", "pins", "bores", "rods")}
    for number in bodies.tolist():
        part = assembly.bodies[number]
        mould = part.mould if part.mould is not None else _of_brick(part.shape, assembly, number, boxes)
        for sort, found in rows.items():
            local = getattr(mould, sort)
            if len(local):
                found.append((number, local))
    return {sort: _placed(assembly, found) for sort, found in rows.items()}


@lru_cache(maxsize=2)
def fitted_pairs(assembly: Assembly) -> frozenset[tuple[int, int]]:
    """Pairs of bodies, the lower number first, without a common grid, whose studs or pins stand in holes or bores."""
    if not len(fitted_bodies(assembly)):
        return frozenset()
    world, found = world_fittings(assembly), set()
    grid = grids_of(assembly, lattices(assembly))
    for males, females in (("studs", "holes"), ("pins", "bores"), ("studs", "bores")):
        for male, female in met(world[males], world[females], grid).tolist():
            found.add((int(world[males].body[male]), int(world[females].body[female])))
    return frozenset((min(pair), max(pair)) for pair in found)


def met(studs: Fittings, holes: Fittings, grid: Ints) -> Ints:
    """(k, 2) studs and the holes that they stand in; each stud in one hole of a body, the nearest."""
    from scipy.spatial import cKDTree

    if not len(studs) or not len(holes):
        return np.zeros((0, 2), dtype=np.int64)
    near = cKDTree(studs.points).query_ball_tree(cKDTree(holes.points), SEATED_M)
    pairs = np.array([(s, h) for s, found in enumerate(near) for h in found], dtype=np.int64).reshape(-1, 2)
    stud, hole = studs.body[pairs[:, 0]], holes.body[pairs[:, 1]]
    apart = (stud != hole) & ((grid[stud] < 0) | (grid[stud] != grid[hole]))
    facing = np.einsum("ki,ki->k", studs.directions[pairs[:, 0]], holes.directions[pairs[:, 1]]) < -STRAIGHT
    pairs = pairs[apart & facing]
    return _nearest(pairs, np.linalg.norm(studs.points[pairs[:, 0]] - holes.points[pairs[:, 1]], axis=1), holes)


def _nearest(pairs: Ints, far: Array, holes: Fittings) -> Ints:
    order = np.lexsort((pairs[:, 1], far, pairs[:, 0]))
    taken: set[tuple[int, int]] = set()
    kept = []
    for row in order.tolist():
        key = int(pairs[row, 0]), int(holes.body[pairs[row, 1]])
        if key not in taken:
            taken.add(key)
            kept.append(row)
    return pairs[np.sort(np.array(kept, dtype=np.int64))]


def _placed(assembly: Assembly, found: list[tuple[int, Array]]) -> Fittings:
    counts = [len(local) for _, local in found]
    body = np.repeat(np.array([number for number, _ in found], dtype=np.int64), counts)
    local = np.concatenate([np.zeros((0, 6)), *(rows for _, rows in found)])
    T = assembly.poses[body]
    points = np.einsum("nij,nj->ni", T[:, :3, :3], local[:, :3]) + T[:, :3, 3]
    return Fittings(body, points, np.einsum("nij,nj->ni", T[:, :3, :3], local[:, 3:]))


def _box(points: Array) -> tuple[Array, Array]:
    return points.min(axis=0) - REACH_M, points.max(axis=0) + REACH_M


def _of_brick(shape: object, assembly: Assembly, number: int, boxes: dict[int, tuple[Array, Array]]) -> Mould:
    assert isinstance(shape, BrickShape), "bodies on a grid are bricks"
    kind = shape.kind
    if kind.length * kind.width <= MOST:
        return brick_fittings(kind)
    cells = _cells_near(kind, assembly.poses[number], [box for other, box in boxes.items() if other != number])
    return _by_cells(kind, cells, np.zeros((0, 2)))


def _cells_near(kind: BrickType, pose: Array, boxes: list[tuple[Array, Array]]) -> Array:
    """(n, 2) cells of a large brick under the boxes of other bodies."""
    found: set[tuple[int, int]] = set()
    for low, high in boxes:
        corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        local = (corners - pose[:3, 3]) @ pose[:3, :3]
        if local[:, 2].min() > kind.size_m[2] + REACH_M:
            continue
        first = np.maximum(np.floor(local[:, :2].min(axis=0) / kind.measures.pitch_m), 0).astype(int)
        last = np.minimum(np.ceil(local[:, :2].max(axis=0) / kind.measures.pitch_m), (kind.flat, kind.width)).astype(
            int
        )
        found.update((x, y) for x in range(first[0], last[0]) for y in range(first[1], last[1]))
    return np.array(sorted(found), dtype=float).reshape(-1, 2)


@lru_cache(maxsize=1024)
def brick_fittings(kind: BrickType) -> Mould:
    """The fittings of a brick of the catalogue, in its frame."""
    cells = np.array(list(np.ndindex(kind.length, kind.width)), dtype=float)
    tubes = np.array(list(np.ndindex(kind.length - 1, kind.width - 1)), dtype=float).reshape(-1, 2) + 0.5
    return _by_cells(kind, cells, tubes)


def _by_cells(kind: BrickType, cells: Array, tubes: Array) -> Mould:
    pitch, top = kind.measures.pitch_m, kind.size_m[2]
    studded = cells[cells[:, 0] < kind.flat] if kind.has_studs else cells[:0]
    open_below = np.concatenate([cells, tubes]) if kind.has_holes else cells[:0]
    return Mould(
        str(kind),
        studs=_rows((studded + 0.5) * pitch, top, 1.0),
        holes=_rows((open_below + 0.5) * pitch, 0.0, -1.0),
    )


def _rows(places: Array, height: float, up: float) -> Array:
    count = len(places)
    zeros = np.zeros(count)
    return np.column_stack([places, np.full(count, height), zeros, zeros, np.full(count, up)])


def pitch_of(assembly: Assembly, body: int) -> float:
    """The stud pitch of a body's make, m."""
    shape = assembly.bodies[body].shape
    return shape.kind.measures.pitch_m if isinstance(shape, BrickShape) else systems()["system"].pitch_m
