"""Convex hulls of points in space: by trying all planes where there are few points, by Qhull where there are many.

Most parts are convex with a dozen corners, or are cut into such cells. For these all triples of points are tried at
once. Qhull would be five times as fast, but comes with scipy, which takes as long to import as a thousand such hulls.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise

import numpy as np

from falsework.geometry.shapes.planes import cross
from falsework.model.arrays import Array, Bools, Ints

FEW = 24  # points up to which all planes are tried
MANY = 64  # points up to which it is looked whether some are the same
IN_PLANE = 1e-7  # of the points' size: how far from a plane still is in it
THIN = 1e-5  # of the points' size: triangles and bodies that are no thicker are left to Qhull


class FlatHull(ValueError):
    """The points lie in a plane, or are too few."""


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """Triangles around points, as `scipy.spatial.ConvexHull` names them; those of one facet share its equation."""

    points: Array  # (n, 3) those given, or without some that are there twice
    vertices: Ints  # (v,) which of them are corners
    simplices: Ints  # (t, 3) corners of the triangles
    neighbors: Ints  # (t, 3) the triangle opposite to each corner
    equations: Array  # (t, 4) outward unit normal and offset: n·x + c = 0
    volume: float


def convex_hull(points: Array) -> Hull:
    """The hull of points (n, 3); FlatHull where they have none."""
    distinct = _distinct(points) if len(points) <= MANY else points
    few = _by_planes(distinct) if 4 <= len(distinct) <= FEW else None
    return _by_qhull(points) if few is None else few


def _distinct(points: Array) -> Array:
    """Of points in the same place, the first."""
    apart = points[:, None] - points[None, :]
    same = (apart * apart).sum(axis=2) <= (IN_PLANE * float(np.ptp(points, axis=0).max(initial=0.0))) ** 2
    distinct: Array = points[np.unique(same.argmax(axis=1))]
    return distinct


def _by_qhull(points: Array) -> Hull:
    from scipy.spatial import ConvexHull, QhullError

    try:
        made = ConvexHull(points)
    except QhullError as why:
        raise FlatHull(str(why)) from why
    corners, triangles, others = (table.astype(np.int64) for table in (made.vertices, made.simplices, made.neighbors))
    return Hull(points, corners, triangles, others, made.equations, float(made.volume))


def _by_planes(points: Array) -> Hull | None:
    """The same by trying all planes; None where points are so nearly in one that rounding decides."""
    size = float(np.ptp(points, axis=0).max())
    facets, normals = _facets(points, size)
    facets_of_corners = facets & (facets.sum(axis=0) >= 3)  # what lies in fewer lies on an edge or within one
    if (facets_of_corners.sum(axis=1) < 3).any():  # a needle, whose ends are too small for a plane
        return None
    loops = [_loop(points, np.flatnonzero(of), normal) for of, normal in zip(facets_of_corners, normals, strict=True)]
    simplices = np.array([(loop[0], *edge) for loop in loops for edge in pairwise(loop[1:])], dtype=np.int64)
    neighbors = _neighbors(simplices)
    if neighbors is None:
        return None
    owner = np.repeat(np.arange(len(loops)), [len(loop) - 2 for loop in loops])
    offsets = [-float(normal @ points[loop].mean(axis=0)) for loop, normal in zip(loops, normals, strict=True)]
    equations = np.column_stack([normals, offsets])[owner]
    corners = points[simplices] - points.mean(axis=0)
    volume = float((corners[:, 0] * cross(corners[:, 1], corners[:, 2])).sum()) / 6
    return Hull(points, np.unique(simplices), simplices, neighbors, equations, volume)


def _facets(points: Array, size: float) -> tuple[Bools, Array]:
    """The planes with all points behind them: which points lie in each (f, n), and outward normals (f, 3)."""
    i, j, k = _triples(len(points))
    normals = cross(points[j] - points[i], points[k] - points[i])
    lengths = np.linalg.norm(normals, axis=1)
    wide = lengths > THIN * size * size
    normals, first = normals[wide] / lengths[wide, None], i[wide]
    heights = normals @ points.T - (normals * points[first]).sum(axis=1)[:, None]
    above, below = heights.max(axis=1, initial=0.0), -heights.min(axis=1, initial=0.0)
    if len(normals) and float((above + below).max()) <= IN_PLANE * size:
        raise FlatHull(f"{len(points)} points in a plane")
    behind = (np.minimum(above, below) <= IN_PLANE * size) & (np.maximum(above, below) > THIN * size)
    signs = np.where(above <= below, 1.0, -1.0)
    members = np.abs(heights[behind]) <= IN_PLANE * size
    _, kept = np.unique(members @ (1 << np.arange(len(points))), return_index=True)
    return members[kept], (signs[:, None] * normals)[behind][kept]


@cache
def _triples(count: int) -> Ints:
    """(3, k) all ways to choose three of so many."""
    return np.array(list(combinations(range(count), 3))).T


def _loop(points: Array, corners: Ints, normal: Array) -> Ints:
    """The corners of a facet, counter-clockwise as seen from outside."""
    spokes = points[corners] - points[corners].mean(axis=0)
    across = cross(normal, spokes[0])
    turns: Ints = np.argsort(np.arctan2(spokes @ across, spokes @ spokes[0]))
    return corners[turns]


def _neighbors(simplices: Ints) -> Ints | None:
    """(t, 3) the triangle on the other side of the edge opposite to each corner; None where they do not close."""
    rows = simplices.tolist()
    owner = {edge: number for number, (a, b, c) in enumerate(rows) for edge in ((a, b), (b, c), (c, a))}
    if not rows or len(owner) < 3 * len(rows) or any((b, a) not in owner for a, b in owner):
        return None
    return np.array([[owner[c, b], owner[a, c], owner[b, a]] for a, b, c in rows], dtype=np.int64)
