"""How near is touching: by default a fraction of sizes, or a distance that was asked for (`Assembly.gap_m`).

By default faces touch that are no further apart than their files are exact. Those who know that theirs are less exact
say so: then faces touch up to that distance, whether open or sunk into each other, and may lean as that distance lets
them. What is in one place, seen along a normal, does not change with it: where edges are, files still say.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from falsework.geometry.shapes.planes import TINY, cross
from falsework.geometry.shapes.sagittas import sagittas
from falsework.geometry.shapes.solids import outer_surface
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.shapes import BrickShape, Shape

GAP = 1e-4  # of the smaller part's size: faces nearer than this touch
LEAN = 1e-2  # rad: normals of touching facets may differ by this from opposite; within it, the gap decides
MOST_LEAN = 0.2  # rad: the same where a gap was asked for; staggered joints of a dome of 16 stones a ring lean so
WIDER = 2.5  # times as far as facets are off an arc across one edge: a ball bends across two, and facets differ
FEWEST_CURVED = 20  # triangles of a closed surface of which some are curved: a box with one edge rounded has more
SINGLE = 1e-7  # of the longest coordinate: what single precision leaves of a corner, the usual one of mesh files
ROUNDING = 1e-9  # of a part's size: what is added to a gap that is asked for, so that 0.0001 is as good as written


def usual_gaps(sizes_m: Array) -> Array:
    """(n,) how far from a part of each size something may be and touch, whatever else there is in the assembly."""
    return GAP * sizes_m


def gaps_of(assembly: Assembly, sizes_m: Array) -> Array:
    """(bodies,) how far from each body something may be and touch; of a pair the lesser counts.

    A gap that is asked for is at most half as wide as the thinnest part is thick, so that what is on one side of a
    part does not touch what is on the other.
    """
    if assembly.gap_m is None:
        return usual_gaps(sizes_m)
    return np.minimum(assembly.gap_m + ROUNDING * sizes_m, widest_gap_m(assembly))


def widest_gap_m(assembly: Assembly) -> float:
    """The widest gap that can be asked for: half as wide as the thinnest body is thick."""
    return 0.5 * min(_thickness_m(body.shape) for body in assembly.bodies)


@lru_cache(maxsize=4096)
def bulge_m(shape: Shape) -> float:
    """How far a true surface may stand before the triangles of a shape, where these bend by little; a bit too much."""
    if isinstance(shape, BrickShape):
        return 0.0
    mesh = outer_surface(shape)
    if len(mesh.triangles) < FEWEST_CURVED:
        return 0.0
    return WIDER * float(sagittas(mesh.vertices, mesh.triangles).max(initial=0.0))


@lru_cache(maxsize=4096)
def _thickness_m(shape: Shape) -> float:
    """Twice the volume over the surface: how thick a plate is; of a cube a third of its side."""
    mesh = outer_surface(shape)
    corners = mesh.vertices[mesh.triangles] - mesh.vertices[0]
    doubled = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = 0.5 * float(np.linalg.norm(doubled, axis=1).sum())
    volume = float((corners[:, 0] * doubled).sum()) / 6
    return 2 * abs(volume) / max(area, TINY)
