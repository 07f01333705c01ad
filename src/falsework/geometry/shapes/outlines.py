"""Convex outlines of points in planes, without corners that hardly turn."""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.planes import TINY, cross, plane_axes
from falsework.geometry.shapes.runs import starts_of, successors
from falsework.model.arrays import Array, Ints

STRAIGHT = 1e-3  # of an outline's reach: a corner this flat is no corner


def hulls(starts: Ints, points: Array, normals: Array, blurs_m: Array) -> tuple[Ints, Array]:
    """Convex hulls of runs of points (p, 3), each in its plane, counter-clockwise about its normal (k, 3).

    Corners that stand out from their neighbours' chord by less than `blurs_m` (k,), or STRAIGHT of the hull's reach
    if that is less, are left out, the flattest first. Points come back on the plane through each run's mean.
    """
    import shapely

    counts = np.diff(starts)
    owner = np.repeat(np.arange(len(counts)), counts)
    middles = np.add.reduceat(points, starts[:-1]) / counts[:, None] if len(counts) else normals
    axes = np.stack(plane_axes(normals), axis=2)  # (k, 3, 2)
    flat = np.einsum("pij,pi->pj", axes[owner], points - middles[owner])
    figures = shapely.convex_hull(shapely.multipoints(flat, indices=owner))
    rings = shapely.get_exterior_ring(figures)
    rings = np.where(shapely.is_ccw(rings), rings, shapely.reverse(rings))
    flat, owner = shapely.get_coordinates(rings, return_index=True)
    ends = np.concatenate([owner[1:] != owner[:-1], [True]])[: len(owner)]
    flat, owner = flat[~ends], owner[~ends]  # a ring repeats its first corner
    corners = middles[owner] + np.einsum("pij,pj->pi", axes[owner], flat)
    return _without_flat(owner, corners, normals, middles, blurs_m)


def _without_flat(owner: Ints, corners: Array, normals: Array, middles: Array, blurs_m: Array) -> tuple[Ints, Array]:
    """Outlines without flat corners: of each outline the flattest goes, until all stand out or three are left."""
    number = len(normals)
    reach = np.zeros(number)
    np.maximum.at(reach, owner, np.linalg.norm(corners - middles[owner], axis=1))
    limit = np.minimum(blurs_m, STRAIGHT * reach)
    while True:
        counts = np.bincount(owner, minlength=number)
        starts = starts_of(counts)
        ahead = successors(starts)
        behind = np.empty_like(ahead)
        behind[ahead] = np.arange(len(ahead))
        chord = corners[ahead] - corners[behind]
        doubled = (cross(corners - corners[behind], chord) * normals[owner]).sum(axis=1)
        height = doubled / np.maximum(np.linalg.norm(chord, axis=1), TINY)
        order = np.lexsort((height, owner))
        flattest = order[starts[:-1][counts > 3]]
        flattest = flattest[height[flattest] < limit[owner[flattest]]]
        if not len(flattest):
            return starts, corners
        kept = np.ones(len(owner), dtype=bool)
        kept[flattest] = False
        owner, corners = owner[kept], corners[kept]
