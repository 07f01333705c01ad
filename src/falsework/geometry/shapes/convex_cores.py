"""A convex body inside a solid that is not convex: its hull, with a plane cut across each of its dents.

A dent is a connected patch of faces that lie inside the hull. Beyond a plane that touches a dent at its deepest, across
its mean normal, lies all of it. What is left of the hull on the near side of all these planes has no face of the solid
inside, so it belongs to the solid entirely.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.planes import cross
from falsework.model.arrays import Array, Ints
from falsework.model.shapes import Mesh

INSIDE = 1e-9  # of a body's size: what is this deep inside the hull is not on it
MOST_DENTS = 16
ONE_WAY = 0.1  # of a dent's area, which its area vector must have: holes face all ways
THIN = 1e-3  # of a body's size: cores that are less thick are of no use


def core_planes(mesh: Mesh, vertices: Array, normals: Array) -> list[tuple[Array, float]] | None:
    """Planes n·x ≤ offset that cut the hull of a mesh down to a core, by the hull's corners and facets.

    None where a dent has no such plane, or there are too many.
    """
    size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    offsets = (vertices @ normals.T).max(axis=0)
    corners = mesh.vertices[mesh.triangles]
    probes = np.concatenate([corners, corners.mean(axis=1, keepdims=True)], axis=1)  # (m, 4, 3)
    depth = (offsets - probes @ normals.T).min(axis=2)
    dented = np.flatnonzero((depth > INSIDE * size).any(axis=1))
    areas = 0.5 * cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    dents = _connected(mesh.triangles[dented])
    if len(dents) > MOST_DENTS:
        return None
    planes = [_across(areas[dented[dent]], corners[dented[dent]]) for dent in dents]
    found = [plane for plane in planes if plane is not None]
    return found if len(found) == len(planes) else None


def clipped(vertices: Array, edges: Ints, normal: Array, offset: float) -> Array | None:
    """(k, 3) corners of what is left of a convex body below a plane; None where that is nothing, or thin."""
    height = vertices @ normal - offset
    if height.min() > -THIN * float(np.linalg.norm(np.ptp(vertices, axis=0))):
        return None
    i, j = edges[:, 0], edges[:, 1]
    cut = np.flatnonzero(height[i] * height[j] < 0)
    share = (height[i[cut]] / (height[i[cut]] - height[j[cut]]))[:, None]
    met = vertices[i[cut]] + share * (vertices[j[cut]] - vertices[i[cut]])
    return np.concatenate([vertices[height <= 0], met])


def _connected(triangles: Ints) -> list[Ints]:
    """Triangles that share corners, as rows."""
    if not len(triangles):
        return []
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = int(triangles.max()) + 1
    ends = np.roll(triangles, -1, axis=1)
    joined = coo_array((np.ones(triangles.size, np.int8), (triangles.ravel(), ends.ravel())), shape=(count, count))
    piece = connected_components(joined, directed=False)[1][triangles[:, 0]]
    return [np.flatnonzero(piece == number) for number in np.unique(piece)]


def _across(areas: Array, corners: Array) -> tuple[Array, float] | None:
    """A plane n·x = offset with a dent beyond it; None where it does not face one way."""
    total = areas.sum(axis=0)
    length = float(np.linalg.norm(total))
    if length <= ONE_WAY * float(np.linalg.norm(areas, axis=1).sum()):
        return None
    return total / length, float((corners @ (total / length)).min())
