"""From facet to facet over a form, in machine code; see `growing`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from falsework.geometry.surfaces.compiled_fitting import CYLINDER, HALF, SPHERE, height, sides_of
from falsework.geometry.surfaces.growing import ALONG
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Bools, Ints

ALIKE = float(np.cos(ALONG))


class Linked(NamedTuple):
    """What `SmoothFacets` has, for machine code."""

    vertices: Array
    normals: Array
    centres: Array
    corner_starts: Ints
    corners: Ints
    link_starts: Ints
    links: Ints


@compiled
def grown_over(
    facets: Linked, free: Bools, known: Ints, kind: int, form: Array, sign: float, heights: tuple[float, float]
) -> Ints:
    """Known facets and those around them that are on a form; `free` (f,) says which may be, and is used up."""
    found = np.empty(len(free), np.int64)
    count = 0
    for facet in known:
        free[facet] = False
        found[count] = facet
        count += 1
    sides, at = sides_of(form[3:6]), 0
    while at < count:  # found ones wait until their neighbours are looked at
        here = found[at]
        for k in range(facets.link_starts[here], facets.link_starts[here + 1]):
            other = facets.links[k]
            if free[other]:
                free[other] = False
                if _is_on(facets, other, kind, form, sign, sides[0], heights):
                    found[count] = other
                    count += 1
        at += 1
    return np.sort(found[:count])


@inner
def _is_on(
    facets: Linked, facet: int, kind: int, form: Array, sign: float, side: Array, heights: tuple[float, float]
) -> bool:
    way = _outward(kind, form, facets.centres[facet], side)
    normal = facets.normals[facet]
    if not sign * (normal[0] * way[0] + normal[1] * way[1] + normal[2] * way[2]) > ALIKE:
        return False
    for k in range(facets.corner_starts[facet], facets.corner_starts[facet + 1]):
        above = height(kind, form, facets.vertices[facets.corners[k]])
        if above < heights[0] or above > heights[1]:
            return False
    return True


@inner
def _outward(kind: int, form: Array, point: Array, side: Array) -> Array:
    """(3,) unit, the way in which a point gets outside; any one on an axis or in a centre."""
    x, y, z = point[0] - form[0], point[1] - form[1], point[2] - form[2]
    if kind != SPHERE:
        along = x * form[3] + y * form[4] + z * form[5]
        x, y, z = x - along * form[3], y - along * form[4], z - along * form[5]
    length = math.sqrt(x * x + y * y + z * z)
    way = side.copy() if length < 1e-150 else np.array([x / length, y / length, z / length])
    if kind in (SPHERE, CYLINDER):
        return way
    return math.cos(form[HALF]) * way - math.sin(form[HALF]) * form[3:6]
