"""How deep pairs of bodies reach into each other along directions: the separating-axis test, over whole assemblies."""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.placed_solids import Scene
from falsework.geometry.shapes.planes import cross, unit
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.model.arrays import Array, Ints

MOST_AXES = 64  # a body: its largest facets; fewer axes only let more pairs pass
CHUNK = 1_000_000  # projections made together, to bound memory
LARGE = 50_000  # projections of a pair from which on it is worth a product of matrices of its own
SAME_AXIS = 6  # digits to which two directions agree


def reach_along_facets(scene: Scene, pairs: Ints) -> Array:
    """(k,) the least depth of pairs (k, 2) along the facet normals of both; not positive where one separates them.

    The depth along an axis is how far one body must move along it to leave the other's shadow. Bodies that need not
    be convex are judged by their hulls, so what is positive here may still be apart.
    """
    starts, axes = _axes(scene)
    depth = np.full(len(pairs), np.inf)
    work = np.diff(starts)[pairs].sum(axis=1) * np.diff(scene.vertex_starts)[pairs].sum(axis=1)
    for large in np.flatnonzero(work > LARGE):
        first, second = (scene.vertices[scene.vertex_starts[k] : scene.vertex_starts[k + 1]] for k in pairs[large])
        tried = axes[rows_of(starts, pairs[large])[0]]
        depth[large] = _depth_along(first, second, tried)
    small = np.flatnonzero(work <= LARGE)
    for chunk in np.split(small, np.flatnonzero(np.diff(np.cumsum(work[small]) // CHUNK)) + 1):
        if len(chunk):
            depth[chunk] = _least_depth(scene, pairs[chunk], starts, axes)
    return depth


def depth_of_convex(first: Array, second: Array, axes: Array, edges: tuple[Array, Array]) -> float:
    """Penetration depth of two convex bodies by their vertices (n, 3), facet normals and edge directions (a, 3).

    The axes of least depth of convex polyhedra are facet normals or normal to an edge of each (Minkowski sum).
    """
    crossed = cross(edges[0][:, None], edges[1][None]).reshape(-1, 3)
    crossed = unit(crossed[(crossed * crossed).sum(axis=1) > 1e-12])
    return _depth_along(first, second, np.concatenate([axes, crossed]))


def distinct_axes(directions: Array) -> Array:
    """Unit directions (n, 3), one for all that are parallel or opposite."""
    return directions[_first_of_each(directions, np.zeros(len(directions), dtype=np.int64))]


def _depth_along(first: Array, second: Array, axes: Array) -> float:
    """The least depth of two clouds of vertices (n, 3) along axes (a, 3), a few axes at a time."""
    blocks = np.array_split(axes, 1 + len(axes) * (len(first) + len(second)) // CHUNK)
    least = np.inf
    for block in blocks:
        one, other = first @ block.T, second @ block.T  # (n, a)
        ahead, behind = one.max(axis=0) - other.min(axis=0), other.max(axis=0) - one.min(axis=0)
        least = min(least, float(np.minimum(ahead, behind).min(initial=np.inf)))
    return least


def _first_of_each(directions: Array, body: Ints) -> Ints:
    """Rows that hold the first of each body's parallel or opposite directions."""
    rounded = np.round(directions, SAME_AXIS) + 0.0
    leading = np.take_along_axis(rounded, (rounded != 0).argmax(axis=1)[:, None], axis=1)
    keys = np.column_stack([body, rounded * np.where(leading < 0, -1.0, 1.0) + 0.0])
    return np.sort(np.unique(keys, axis=0, return_index=True)[1])


def _axes(scene: Scene) -> tuple[Ints, Array]:
    """Distinct facet normals of each body, the largest facets first: starts (bodies + 1,), axes (a, 3)."""
    bodies = len(scene.facet_starts) - 1
    body = np.repeat(np.arange(bodies), np.diff(scene.facet_starts))
    order = scene.facet_order[np.lexsort((-scene.facets.areas[scene.facet_order], body))]
    rank = np.arange(len(body)) - scene.facet_starts[body]
    order, body = order[rank < MOST_AXES], body[rank < MOST_AXES]
    kept = _first_of_each(scene.facets.normals[order], body)
    return starts_of(np.bincount(body[kept], minlength=bodies)), scene.facets.normals[order[kept]]


def _least_depth(scene: Scene, pairs: Ints, starts: Ints, axes: Array) -> Array:
    """The depth of some pairs, all projections at once."""
    sides = [rows_of(starts, pairs[:, side]) for side in (0, 1)]
    rows, pair = (np.concatenate(columns) for columns in zip(*sides, strict=True))
    low, high = [], []
    for side in (0, 1):
        vertex, row = rows_of(scene.vertex_starts, pairs[pair, side])
        along = (scene.vertices[vertex] * axes[rows[row]]).sum(axis=1)
        begins = np.searchsorted(row, np.arange(len(rows)))
        low.append(np.minimum.reduceat(along, begins))
        high.append(np.maximum.reduceat(along, begins))
    depth = np.minimum(high[0] - low[1], high[1] - low[0])
    least = np.full(len(pairs), np.inf)
    np.minimum.at(least, pair, depth)
    return least
