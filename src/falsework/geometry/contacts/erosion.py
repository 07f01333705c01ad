"""Solids made a little smaller, so that what only touches comes apart."""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.planes import unit
from falsework.model.arrays import Array, Ints

SHARPEST = 4.0  # depths: the furthest a vertex may move, where a knife's edge would have it move without end


def eroded(vertices: Array, triangles: Ints, normals: Array, depth_m: float) -> Array:
    """(n, 3) vertices after all triangles (t, 3) have moved inward along their normals (t, 3) by a depth.

    The motion x of a vertex solves n·x = −depth for the planes that meet there, in the sense of least squares; where
    they leave a direction open, it has no part along it.
    """
    sharing = triangles.ravel()
    facing = np.repeat(normals, 3, axis=0)
    planes = np.stack([np.bincount(sharing, facing[:, k], len(vertices)) for k in range(3)], axis=1)  # Σ n
    products = (facing[:, :, None] * facing[:, None, :]).reshape(-1, 9)  # n nᵀ
    metric = np.stack([np.bincount(sharing, products[:, k], len(vertices)) for k in range(9)], axis=1)
    motion = np.einsum("vij,vj->vi", np.linalg.pinv(metric.reshape(-1, 3, 3), rcond=1e-6, hermitian=True), planes)
    length = np.linalg.norm(motion, axis=1, keepdims=True)
    inward: Array = vertices - depth_m * np.where(length > SHARPEST, SHARPEST * unit(motion), motion)
    return inward
