"""Normals of the smooth surface that facets stand for.

A round part made of facets turns in a round hole, and yet every facet, taken as a plane, is in the way. So normals are
mixed from those of the corners, each the mean of the faces around it that nearly agree; across an edge that is meant
as one nothing is mixed.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from falsework.geometry.distance.feature_normals import welded
from falsework.geometry.distance.surface import Surface
from falsework.geometry.shapes.planes import cross, unit
from falsework.model.arrays import Array, Ints, frozen

CREASE = 0.82  # cosine of the angle, 35 degrees, between faces from which an edge is meant as one
MOST_AROUND = 64  # faces at a corner: where there are more (the middle of a lid), it is flat


@lru_cache(maxsize=1024)
def corner_normals(surface: Surface) -> Array:
    """(m, 3, 3) at each corner of each face."""
    loops = welded(surface.vertices, surface.faces).ravel()
    order = np.argsort(loops, kind="stable")
    count = np.bincount(loops)
    starts = np.cumsum(count) - count
    few = count[loops] <= MOST_AROUND
    mine = np.flatnonzero(few)  # corners, as rows of the flattened faces
    repeats = count[loops[mine]]
    left = np.repeat(mine, repeats)
    step = np.arange(len(left)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    right = order[np.repeat(starts[loops[mine]], repeats) + step]
    corners = surface.corners
    angles = _angles(corners)
    normals = surface.face_normals
    agree = (normals[left // 3] * normals[right // 3]).sum(axis=1) > CREASE
    left, right = left[agree], right[agree]
    weighted = angles[right, None] * normals[right // 3]
    columns = [np.bincount(left, weights=weighted[:, i], minlength=len(loops)) for i in range(3)]
    sums = np.stack(columns, axis=1).astype(np.float64)
    mixed = np.where((np.abs(sums).max(axis=1) > 1e-12)[:, None], unit(sums), np.repeat(normals, 3, axis=0))
    told: Array = frozen(mixed.reshape(-1, 3, 3))
    return told


def _angles(corners: Array) -> Array:
    to_next, to_last = unit(np.roll(corners, -1, axis=1) - corners), unit(np.roll(corners, 1, axis=1) - corners)
    angles: Array = np.arccos(np.clip((to_next * to_last).sum(axis=2), -1.0, 1.0)).ravel()
    return angles


def smooth_normals(surface: Surface, faces: Ints, points: Array) -> Array:
    """(k, 3) unit, at points (k, 3) on faces (k,)."""
    a, b, c = (surface.corners[faces, i] for i in range(3))
    whole = cross(b - a, c - a)
    square = np.maximum((whole * whole).sum(axis=1), 1e-300)
    second = (cross(points - a, c - a) * whole).sum(axis=1) / square
    third = (cross(b - a, points - a) * whole).sum(axis=1) / square
    shares = np.clip(np.stack([1 - second - third, second, third], axis=1), 0.0, 1.0)
    return unit((shares[:, :, None] * corner_normals(surface)[faces]).sum(axis=1))
