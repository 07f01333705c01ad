"""Closed surfaces as cells of a grid: vertical rays, and how much of each cell lies inside.

A ray enters a solid where a surface faces down and leaves it where one faces up. The running sum of these signs is
the winding number; where it is positive, the ray is inside. Solids that overlap count once.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly

RAYS = 4  # a side of each cell
HALF = 0.5 - 1e-6  # of a cell's volume: with less it stays empty; rounding decides nothing
AT_ONCE = 2_000_000  # pairs of a ray and a triangle that are looked at together
NUDGES = 8  # tries with a ray that met an edge so closely that the signs do not add up
NUDGE = 1e-7  # of a cell


def voxels(assembly: Assembly, cell_m: tuple[float, float, float]) -> Bools:
    """(nx, ny, nz) whether each cell of a grid centred on the assembly, from its lowest point up, is mostly inside."""
    triangles = _triangles(assembly)
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    size = np.array(cell_m)
    counts = np.maximum(1, np.ceil((high - low) / size - 1e-9)).astype(np.int64)
    corner = (low + high - counts * size) / 2
    corner[2] = low[2]
    return coverage(triangles, corner, size, counts) >= HALF


def coverage(triangles: Array, corner: Array, size: Array, counts: Ints) -> Array:
    """(nx, ny, nz) the share of each cell inside a closed surface, by `RAYS`² rays a column of cells.

    `triangles` (m, 3, 3) corners, counter-clockwise seen from outside; the grid starts at `corner`.
    """
    steps = [(np.arange(RAYS * counts[axis]) + 0.5) / RAYS for axis in (0, 1)]
    grid = [corner[axis] + steps[axis] * size[axis] for axis in (0, 1)]
    ray, height, sign = _crossings(triangles, grid[0], grid[1])
    for attempt in range(1, NUDGES + 1):
        total = np.bincount(ray, weights=sign, minlength=len(grid[0]) * len(grid[1]))
        wrong = np.flatnonzero(total)
        if not len(wrong):
            break
        shift = attempt * NUDGE * size
        again = _crossings(triangles, grid[0] + shift[0], grid[1] - 0.7 * shift[1])
        kept, new = ~np.isin(ray, wrong), np.isin(again[0], wrong)
        ray, height, sign = (np.concatenate([a[kept], b[new]]) for a, b in zip((ray, height, sign), again, strict=True))
    lengths = _lengths_inside(
        ray, height, sign, corner[2] + size[2] * np.arange(counts[2] + 1), len(grid[0]) * len(grid[1])
    )
    shares = lengths.reshape(counts[0], RAYS, counts[1], RAYS, counts[2]) / size[2]
    mean: Array = shares.mean(axis=(1, 3))
    return mean


def _triangles(assembly: Assembly) -> Array:
    """(m, 3, 3) corners of all parts' surfaces in the world."""
    found = []
    for part in assembly.parts:
        mesh = surface(part.shape)
        world = mesh.vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
        found.append(world[mesh.triangles])
    return np.concatenate(found)


def _crossings(triangles: Array, xs: Array, ys: Array) -> tuple[Ints, Array, Array]:
    """Where vertical rays at (xs[i], ys[j]) cross triangles: ray i·len(ys) + j, height, +1 entering or −1 leaving."""
    low, high = triangles[:, :, :2].min(axis=1), triangles[:, :, :2].max(axis=1)
    first = np.column_stack([np.searchsorted(xs, low[:, 0]), np.searchsorted(ys, low[:, 1])])
    last = np.column_stack([np.searchsorted(xs, high[:, 0], "right"), np.searchsorted(ys, high[:, 1], "right")])
    spans = np.maximum(0, last - first)
    pairs = spans[:, 0] * spans[:, 1]
    groups = np.cumsum(pairs) // AT_ONCE
    found = []
    for group in np.unique(groups[pairs > 0]):
        chosen = np.flatnonzero((groups == group) & (pairs > 0))
        owner = np.repeat(chosen, pairs[chosen])
        place = np.arange(len(owner)) - np.repeat(np.cumsum(pairs[chosen]) - pairs[chosen], pairs[chosen])
        i = first[owner, 0] + place // spans[owner, 1]
        j = first[owner, 1] + place % spans[owner, 1]
        hit, height, sign = _hits(triangles[owner], xs[i], ys[j])
        found.append(((i * len(ys) + j)[hit], height[hit], sign[hit]))
    if not found:
        return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
    ray, height, sign = (np.concatenate(column) for column in zip(*found, strict=True))
    return ray, height, sign


def _hits(corners: Array, x: Array, y: Array) -> tuple[Bools, Array, Array]:
    """For pairs of a triangle (k, 3, 3) and a ray: whether they meet, at what height, and with what sign."""
    weights = np.empty((len(x), 3))
    inside = np.ones((len(x), 2), dtype=bool)  # counter-clockwise, clockwise, as seen from above
    for edge in range(3):
        a, b = corners[:, (edge + 1) % 3, :2], corners[:, (edge + 2) % 3, :2]
        # Both triangles of an edge compute the same number, so that a ray meets one of them or the other, never both.
        swapped = (a[:, 0] > b[:, 0]) | ((a[:, 0] == b[:, 0]) & (a[:, 1] > b[:, 1]))
        p, q = np.where(swapped[:, None], b, a), np.where(swapped[:, None], a, b)
        area = (q[:, 0] - p[:, 0]) * (y - p[:, 1]) - (q[:, 1] - p[:, 1]) * (x - p[:, 0])
        left = area >= 0
        inside[:, 0] &= left ^ swapped
        inside[:, 1] &= ~left ^ swapped
        weights[:, edge] = np.where(swapped, -area, area)
    total = weights.sum(axis=1)
    hit = inside.any(axis=1) & (total != 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        height = np.einsum("ke,ke->k", weights, corners[:, :, 2]) / total
    return hit, height, np.where(inside[:, 0], -1.0, 1.0)


def _lengths_inside(ray: Ints, height: Array, sign: Array, levels: Array, rays: int) -> Array:
    """(rays, layers) how much of each ray lies inside between two levels."""
    order = np.lexsort((height, ray))
    ray, height, sign = ray[order], height[order], sign[order]
    winding = np.cumsum(sign)  # every ray's signs add up to nothing, so that the next one starts at 0
    within = np.flatnonzero(winding[:-1] > 0.5)
    inside = np.zeros((rays, len(levels) - 1))
    for layer, (bottom, top) in enumerate(pairwise(levels.tolist())):
        ends = np.clip(height[within + 1], bottom, top) - np.clip(height[within], bottom, top)
        inside[:, layer] = np.bincount(ray[within], weights=ends, minlength=rays)
    return inside
