"""On which side of a surface a point is, by the normal of what is nearest to it.

For a face that is its normal, for an edge the sum of both faces' normals, for a corner the sum of all its faces'
normals, weighted by their angles there: with these the sign is right wherever the point is (Bærentzen and Aanæs,
Signed distance computation using the angle weighted pseudo-normal). It takes a closed surface in which faces share
corners that have the same place.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.planes import cross
from falsework.model.arrays import Array, Ints, frozen


def welded(vertices: Array, faces: Ints) -> Ints:
    """The faces (m, 3) with one number for all corners that have exactly the same place."""
    rows = np.ascontiguousarray(vertices + 0.0).view([("", vertices.dtype)] * 3).ravel()
    _, number = np.unique(rows, return_inverse=True)
    joined: Ints = number.reshape(-1)[faces]
    return joined


def feature_normals(vertices: Array, faces: Ints) -> tuple[Array, bool]:
    """(m, 7, 3) unit normals of each face, of its edges ab, bc, ca and its corners; and whether the surface is closed.

    Zero where a face has no area, or an edge does not have two faces that walk it opposite ways: nothing can be told.
    """
    loops = welded(vertices, faces)
    corners = vertices[faces]  # (m, 3, 3)
    normals = _unit(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    table = np.zeros((len(faces), 7, 3))
    table[:, 0] = normals
    table[:, 1:4], closed = _edge_normals(loops, normals)
    table[:, 4:7] = _corner_normals(loops, corners, normals)
    return frozen(table), closed


def _edge_normals(loops: Ints, normals: Array) -> tuple[Array, bool]:
    starts, ends = loops, loops[:, [1, 2, 0]]
    span = np.int64(loops.max()) + 1
    low, high = np.minimum(starts, ends).ravel(), np.maximum(starts, ends).ravel()
    real = low != high  # an edge between two corners in one place is none
    _, number = np.unique(low * span + high, return_inverse=True)
    number = number.reshape(-1)
    walked = np.where(starts < ends, 1, -1).ravel() * real
    count, balance = np.bincount(number), np.bincount(number, weights=walked)
    owners = np.repeat(np.arange(len(loops)), 3)
    sums = _summed(number, normals[owners])
    plain = (count == 2) & (balance == 0)
    told = np.where(plain[:, None], _unit(sums), 0.0)
    return told[number].reshape(-1, 3, 3), bool((balance == 0).all())


def _corner_normals(loops: Ints, corners: Array, normals: Array) -> Array:
    to_next, to_last = _unit(np.roll(corners, -1, axis=1) - corners), _unit(np.roll(corners, 1, axis=1) - corners)
    angles = np.arccos(np.clip((to_next * to_last).sum(axis=2), -1.0, 1.0))  # (m, 3)
    weighted = angles[:, :, None] * normals[:, None, :]
    number = loops.ravel()
    told: Array = _unit(_summed(number, weighted.reshape(-1, 3)))[loops]
    return told


def _summed(number: Ints, vectors: Array) -> Array:
    """(k, 3) sums of the vectors (n, 3) that have the same number."""
    sums = [np.bincount(number, weights=vectors[:, axis]) for axis in range(3)]
    return np.stack(sums, axis=1).astype(np.float64)


def _unit(vectors: Array) -> Array:
    """Of length 1, or zero where there is next to none."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    safe = np.where(length > 0, length, 1.0)
    return np.where(length > 0, vectors / safe, 0.0)
