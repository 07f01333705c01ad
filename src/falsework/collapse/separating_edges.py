"""Which corners must stay on which side of which edges: seed 003, 8.5, for convex polygons.

For each pair the edge of either polygon that separates it best from the other; of the two edges the better separating
one, with all corners of the other polygon. (The paper says to take the *less* satisfied of the two. That line need not
separate: a brick on another could never tip over its edge.)

Where both separate equally well, as when two edges touch along their length, both count, each with the corners that lie
over it: (S2)'s own condition, and no choice depends on the order of polygons or corners.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from falsework.collapse.framework import Framework, edges_of
from falsework.model.arrays import Array

TIE = 1e-9  # of the polygons' size: edges that separate equally well

Triple = tuple[int, int, int]  # edge i, j with the outside on its left, and corner k


def separating_triples(framework: Framework, points: Array) -> list[Triple]:
    """Sidedness constraints (i, j, k) of all pairs of polygons that share no point."""
    found: list[Triple] = []
    for one, other in combinations(framework.outlines, 2):
        if not set(one) & set(other) and not framework.fixed[[*one, *other]].all():
            found += _of_pair(points, one, other)
    return found


def _of_pair(points: Array, one: tuple[int, ...], other: tuple[int, ...]) -> list[Triple]:
    size = float(np.ptp(points[[*one, *other]], axis=0).max())
    sides = [_best_edges(points, one, other, TIE * size), _best_edges(points, other, one, TIE * size)]
    best = max(gap for gap, _, _ in sides)
    tied = [side for side in sides if side[0] >= best - TIE * size]
    if len(tied) == 1 and len(tied[0][1]) == 1:
        (i, j), corners = tied[0][1][0], tied[0][2]
        return [(i, j, k) for k in corners]
    return [
        (i, j, k)
        for _, edges, corners in tied
        for i, j in edges
        for k in corners
        if -TIE <= share(points, i, j, k) <= 1 + TIE
    ]


def _best_edges(
    points: Array, one: tuple[int, ...], other: tuple[int, ...], blur: float
) -> tuple[float, list[tuple[int, int]], tuple[int, ...]]:
    """The largest distance by which an edge of `one` separates `other`, the edges that do so, and the corners."""
    edges = edges_of(one)
    gaps = [min(distance(points, i, j, k) for k in other) for i, j in edges]
    best = max(gaps)
    return best, [edge for edge, gap in zip(edges, gaps, strict=True) if gap >= best - blur], other


def distance(points: Array, i: int, j: int, k: int) -> float:
    """How far corner k is from the line of an edge, on its left."""
    along = points[j] - points[i]
    return doubled_area(points[i], points[j], points[k]) / float(np.hypot(*along))


def doubled_area(p: Array, q: Array, r: Array) -> float:
    """A(p, q, r): twice the signed area of a triangle."""
    return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))


def share(points: Array, i: int, j: int, k: int) -> float:
    """α: where corner k projects on the edge, 0 at i and 1 at j."""
    along = points[j] - points[i]
    return float((points[k] - points[i]) @ along / (along @ along))
