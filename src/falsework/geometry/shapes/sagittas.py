"""How far the triangles of a curved surface may be from it."""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.facets import twins_of
from falsework.geometry.shapes.planes import cross, dot, unit
from falsework.model.arrays import Array, Ints

SMOOTH = np.radians(24.5)  # what bends by more at an edge has an edge there: prisms of up to 14 sides are prisms
ARC = 8.0  # the far edge of the next facet lies this many sagittas behind the plane of a facet


def sagittas(vertices: Array, triangles: Ints) -> Array:
    """(t,) how far the true surface may stand before each triangle, m: zero where it is flat or ends in edges.

    A facet of width c that bends by an angle b into the next is off their common arc by c·b/8 in its middle, and the
    far edge of the next is c·b behind its plane.
    """
    corners = vertices[triangles]
    normals = unit(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    twins = twins_of(triangles)
    half = np.flatnonzero(twins >= 0)
    one, other, far = half // 3, twins[half] // 3, (twins[half] + 2) % 3
    smooth = dot(normals[one], normals[other]) > np.cos(SMOOTH)
    one, other, far = one[smooth], other[smooth], far[smooth]
    behind = np.abs(dot(corners[other, far] - corners[one, 0], normals[one]))
    found = np.zeros(len(triangles))
    np.maximum.at(found, one, behind / ARC)
    return found
