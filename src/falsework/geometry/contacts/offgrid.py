"""Bricks that touch without sharing a stud grid: their studs would have to enter solid plastic."""

from __future__ import annotations

import itertools

import numpy as np

from falsework.geometry.shapes.lattice import Lattice
from falsework.geometry.shapes.rectangles import Rectangles
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown

_ANGLES = np.arange(8) * (np.pi / 4)
ROUND: Array = 0.999 * np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])  # of a stud's radius: a graze is none


def refuse_studs_off_grid(
    assembly: Assembly, grids: tuple[Lattice, ...], fitted: frozenset[tuple[int, int]] = frozenset()
) -> None:
    """Bad input if a stud of one grid's brick stands inside a brick of another grid, and not in one of its holes.

    `fitted`: pairs of bodies, the lower number first, whose studs and holes meet off a grid.
    """
    if assembly.as_drawn:
        return
    for lower, upper in itertools.permutations(grids, 2):
        studs = lower.stud_rectangles()
        for number in range(len(upper.bodies)):
            owner = _stud_inside(lower, studs, upper, number)
            if owner is not None:
                pair = sorted((int(lower.bodies[owner]), int(upper.bodies[number])))
                if (pair[0], pair[1]) in fitted:
                    continue
                below, above = assembly.bodies[lower.bodies[owner]].name, assembly.bodies[upper.bodies[number]].name
                raise BadInput(
                    f"a stud of part {shown(below)} stands in part {shown(above)} off its grid; "
                    "bricks sit on the stud grid: whole studs, whole plates, quarter turns"
                )


def _stud_inside(lower: Lattice, studs: Rectangles, upper: Lattice, number: int) -> int | None:
    """A brick of `lower` with a stud in brick `number` of `upper`, if there is one."""
    kind = upper.kinds[number]
    low, high = (corner[number] for corner in upper.footprints())
    bottom = upper.heights()[0][number]
    # A slope is solid up to its lip; studs enter from below, where every brick fills its box.
    top = bottom + (kind.plates if kind.family != "slope" else 0.5)
    corners = np.array(list(itertools.product((low[0], high[0]), (low[1], high[1]), (bottom, top))), dtype=float)
    there = _on(lower, upper.to_world(corners))
    height = 0.5 * lower.measures.stud_height_m / lower.measures.plate_m
    radius = lower.measures.stud_radius_m / lower.measures.pitch_m
    reach_low, reach_high = np.floor(there[:, :2].min(axis=0)), np.ceil(there[:, :2].max(axis=0))
    level = studs.level + height
    near = (level > there[:, 2].min()) & (level < there[:, 2].max())
    near &= (studs.low < reach_high).all(axis=1) & (studs.high > reach_low).all(axis=1)
    for row in np.flatnonzero(near):
        first = np.maximum(studs.low[row], reach_low)
        last = np.minimum(studs.high[row], reach_high)
        x, y = np.meshgrid(np.arange(first[0], last[0]) + 0.5, np.arange(first[1], last[1]) + 0.5)
        centres = np.column_stack([x.ravel(), y.ravel()])
        places = (centres[:, None] + np.concatenate([[(0.0, 0.0)], radius * ROUND])).reshape(-1, 2)
        points = np.column_stack([places, np.full(len(places), level[row])])
        inside = _on(upper, lower.to_world(points))
        if ((inside > [*low, bottom]) & (inside < [*high, top])).all(axis=1).any():
            return int(studs.owner[row])
    return None


def _on(lattice: Lattice, world: Array) -> Array:
    """(n, 3) world points in studs, studs, plates of a lattice."""
    scale = np.array([lattice.measures.pitch_m, lattice.measures.pitch_m, lattice.measures.plate_m])
    local: Array = ((world - lattice.T_world_lattice[:3, 3]) @ lattice.T_world_lattice[:3, :3]) / scale
    return local
