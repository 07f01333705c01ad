"""Rotations as files write them."""

from __future__ import annotations

import math

import numpy as np

from falsework.formats.basics.node import Node
from falsework.model.arrays import Array

UNIT = 1e-3  # how far a written quaternion's length may be from 1


def from_quaternion(node: Node) -> Array:
    """(3, 3) rotation of a unit quaternion w, x, y, z."""
    w, x, y, z = node.numbers(4)
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if not abs(length - 1.0) <= UNIT:
        raise node.wrong(f"found a quaternion of length {length:.4g}, expected length 1 (w, x, y, z)")
    w, x, y, z = w / length, x / length, y / length, z / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def about(axis: int, degrees: float) -> Array:
    """(3, 3) rotation about a coordinate axis (0, 1, 2); multiples of 90 degrees without rounding."""
    quarters, rest = divmod(degrees, 90.0)
    if rest == 0:
        cosine, sine = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarters) % 4]
    else:
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    first, second = (axis + 1) % 3, (axis + 2) % 3
    rotation = np.eye(3)
    rotation[first, first] = rotation[second, second] = cosine
    rotation[first, second], rotation[second, first] = -sine, sine
    return rotation


def to_quaternion(rotation: Array) -> Array:
    """(…, 4) unit quaternions w, x, y, z of rotations (…, 3, 3), by their largest component, w never negative."""
    m = np.moveaxis(rotation, (-2, -1), (0, 1))
    doubled = np.array(  # 4 q qᵀ
        [
            [1 + m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], 1 - m[0, 0] + m[1, 1] - m[2, 2], m[1, 2] + m[2, 1]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 1 - m[0, 0] - m[1, 1] + m[2, 2]],
        ]
    )
    largest = np.argmax(np.einsum("ii...->i...", doubled), axis=0)
    rows = np.take_along_axis(doubled, largest[None, None], axis=0)[0]
    quaternions: Array = np.moveaxis(rows / np.linalg.norm(rows, axis=0), 0, -1)
    return np.where(quaternions[..., :1] < 0, -quaternions, quaternions)
