"""Bricks of one stud grid that touch without a clutch, or share space.

Sides that touch press on each other without friction (seed 000, VI-A); a brick on a tile rests on it with the
assembly's friction. Only bodies that fill their box are looked at here; slopes go by their faces.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.lattice import Lattice
from falsework.geometry.shapes.rectangles import Rectangles, overlapping
from falsework.model.arrays import Array, Ints
from falsework.model.interfaces import Patches


def brick_patches(lattice: Lattice, friction: float) -> Patches:
    """All patches between boxes of one stud grid, but for those that a clutch goes with."""
    low, high = lattice.boxes()
    boxes = np.flatnonzero(lattice.are_boxes())
    tables = []
    for axis in range(3):
        rising, falling = boxes, boxes
        if axis == 2:  # studs on top make it a clutch
            rising = boxes[[not lattice.kinds[n].has_studs for n in boxes]]
        i, j = _touching(low, high, axis, rising, falling)
        tables.append(_patches(lattice, low, high, axis, i, j, friction if axis == 2 else 0.0))
    return Patches.joined(tables)


def brick_overlaps(lattice: Lattice) -> list[tuple[int, int, float]]:
    """Pairs of bodies that share cells of the grid, and how deep in metres."""
    low, high = lattice.boxes()
    boxes = np.flatnonzero(lattice.are_boxes())
    layers = (high - low)[boxes, 2]
    row = np.repeat(boxes, layers)
    level = low[row, 2] + np.arange(len(row)) - np.repeat(np.cumsum(layers) - layers, layers)
    slabs = Rectangles(row, level, low[row, :2], high[row, :2])
    i, j = overlapping(slabs, slabs)
    pairs = np.column_stack([row[i], row[j]])[row[i] < row[j]]
    pairs = np.unique(pairs, axis=0) if len(pairs) else pairs
    scale = np.array([lattice.measures.pitch_m, lattice.measures.pitch_m, lattice.measures.plate_m])
    shared = (np.minimum(high[pairs[:, 0]], high[pairs[:, 1]]) - np.maximum(low[pairs[:, 0]], low[pairs[:, 1]])) * scale
    depths = shared.min(axis=1)
    return [(int(lattice.bodies[a]), int(lattice.bodies[b]), float(d)) for (a, b), d in zip(pairs, depths, strict=True)]


def _touching(low: Ints, high: Ints, axis: int, rising: Ints, falling: Ints) -> tuple[Ints, Ints]:
    """Boxes i whose upper face along an axis lies on the lower face of box j."""
    across = [other for other in range(3) if other != axis]
    upper = Rectangles(rising, high[rising, axis], low[rising][:, across], high[rising][:, across])
    lower = Rectangles(falling, low[falling, axis], low[falling][:, across], high[falling][:, across])
    i, j = overlapping(upper, lower)
    return rising[i], falling[j]


def _patches(lattice: Lattice, low: Ints, high: Ints, axis: int, i: Ints, j: Ints, friction: float) -> Patches:
    """Rectangular patches where the upper faces of boxes i press on the lower faces of boxes j."""
    count = len(i)
    first, second = lattice.bodies[i], lattice.bodies[j]
    corner_low, corner_high = np.maximum(low[i], low[j]).astype(float), np.minimum(high[i], high[j]).astype(float)
    corner_low[:, axis] = corner_high[:, axis] = high[i, axis]
    u, v = (axis + 1) % 3, (axis + 2) % 3  # u × v = axis: counter-clockwise about the normal from i into j
    corners = np.repeat(corner_low[:, None, :], 4, axis=1)
    corners[:, (1, 2), u] = corner_high[:, None, u]
    corners[:, (2, 3), v] = corner_high[:, None, v]
    normals: Array = np.tile(lattice.T_world_lattice[:3, axis], (count, 1))
    swapped = first > second  # normals go from the lower body number into the higher
    normals[swapped] *= -1.0
    corners[swapped] = corners[swapped][:, ::-1]
    bodies = np.sort(np.column_stack([first, second]), axis=1)
    points = lattice.to_world(corners.reshape(-1, 3))
    return Patches(bodies, normals, np.full(count, friction), np.arange(count + 1) * 4, points)
