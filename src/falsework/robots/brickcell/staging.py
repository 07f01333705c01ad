"""Where on the table bricks are put together apart: as near to the structure as there is room."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import Undecided
from falsework.model.shapes import corners
from falsework.robots.brickcell.cell_world import CellWorld

ROOM_M = 0.04  # around bricks: fingers and their play
STEP_M = 0.02  # between places that are looked at
FARTHEST_M = 0.4  # from the structure


def free_place(cell: CellWorld, assembly: Assembly, parts: Sequence[str]) -> Array:
    """(4, 4) T_world_assembly with which parts of an assembly lie on the table, nothing near them, an arm within reach.

    They lie as they will in the structure. Undecided where the table is full.
    """
    table = cell.cell.table
    top = 0.0 if table is None else table.top_m[2]
    T = cell.cell.T_world_structure.copy()
    low, high = _bounds(assembly, parts, T)
    taken = [_box(cell, k) for k in range(len(cell.world.assembly.bodies))]
    for x, y in _places():
        shift = np.array([x, y, top - low[2]])
        first, last = low + shift, high + shift
        apart = [(lo[:2] > last[:2] + ROOM_M).any() or (hi[:2] < first[:2] - ROOM_M).any() for lo, hi in taken]
        if all(apart) and _on_table(cell, first, last) and _within_reach(cell, (first + last) / 2):
            T[:3, 3] += shift
            return T
    raise Undecided("there is no free place on the table to put bricks together; make it larger, or feeders smaller")


def _places() -> list[tuple[float, float]]:
    """The nearest first."""
    steps = np.arange(-FARTHEST_M, FARTHEST_M + STEP_M / 2, STEP_M)
    found = [(float(x), float(y)) for x in steps for y in steps]
    return sorted(found, key=lambda place: (round(np.hypot(*place), 9), place))


def _within_reach(cell: CellWorld, middle: Array) -> bool:
    """Between a fifth and four fifths of some arm's reach from its base."""
    for one in cell.cell.arms:
        far = float(np.linalg.norm(middle[:2] - one.T_world_base[:2, 3]))
        reach = one.arm.reach_m or np.inf
        if 0.25 * reach <= far <= 0.75 * reach:
            return True
    return False


def _on_table(cell: CellWorld, low: Array, high: Array) -> bool:
    table = cell.cell.table
    if table is None:
        return True
    middle, half = np.array(table.top_m[:2]), np.array(table.size_m) / 2
    return bool((low[:2] >= middle - half).all() and (high[:2] <= middle + half).all())


def _bounds(assembly: Assembly, parts: Sequence[str], T: Array) -> tuple[Array, Array]:
    points = [
        corners(body.shape) @ (T @ body.T_world_part)[:3, :3].T + (T @ body.T_world_part)[:3, 3]
        for body in assembly.parts
        if body.name in parts
    ]
    together = np.concatenate(points)
    return together.min(axis=0), together.max(axis=0)


def _box(cell: CellWorld, number: int) -> tuple[Array, Array]:
    T = cell.world.poses()[number]
    points = corners(cell.world.assembly.bodies[number].shape) @ T[:3, :3].T + T[:3, 3]
    return points.min(axis=0), points.max(axis=0)
