"""Rotations as files write them."""

from __future__ import annotations

import numpy as np

from falsework.formats.basics.node import Node
from falsework.model.arrays import Array
from falsework.model.poses import to_rotation

UNIT = 1e-3  # how far a written quaternion's length may be from 1


def read_quaternion(node: Node) -> Array:
    """(3, 3) rotation of a unit quaternion w, x, y, z."""
    quaternion = np.array(node.numbers(4))
    length = float(np.linalg.norm(quaternion))
    if not abs(length - 1.0) <= UNIT:
        raise node.wrong(f"found a quaternion of length {length:.4g}, expected length 1 (w, x, y, z)")
    return to_rotation(quaternion)
