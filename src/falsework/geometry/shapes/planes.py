"""Arithmetic of planes and loops in space."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array

TINY = np.finfo(float).tiny


def cross(a: Array, b: Array) -> Array:
    """a × b over the last axis; several times faster than numpy's on small arrays."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def dot(a: Array, b: Array) -> Array:
    """a · b over the last axis of three, in the order and to the bit of numpy's sum; several times faster."""
    total: Array = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
    return total


def unit(vectors: Array) -> Array:
    """Vectors (…, 3) scaled to length one; zero stays zero."""
    length = np.sqrt(dot(vectors, vectors))
    scaled: Array = vectors / np.maximum(length, TINY)[..., None]
    return scaled


def loop_area(corners: Array) -> Array:
    """(3,) vector area of a closed loop of corners (n, 3): Newell's normal, its length the area."""
    arms = corners - corners[0]
    area: Array = 0.5 * cross(arms[:-1], arms[1:]).sum(axis=0)
    return area


def plane_axes(normals: Array) -> tuple[Array, Array]:
    """Unit u, v, each (n, 3), with u × v along the normals (n, 3), which are nonzero but need not be unit."""
    least = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    u = unit(cross(normals, least))
    return u, unit(cross(normals, u))
