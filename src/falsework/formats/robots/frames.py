"""Frames as arm and tool files write them: `at`, and `turn`, three angles about the fixed axes x, y, z."""

from __future__ import annotations

import math

import numpy as np

from falsework.formats.basics.node import Node
from falsework.model.arrays import Array
from falsework.model.poses import about, fixed_axes_rotation


def read_frame(node: Node | None, also: tuple[str, ...] = ()) -> Array:
    """(4, 4) the frame that a mapping states, in m and degrees; `also`: other keys that it may have."""
    pose = np.eye(4)
    if node is None:
        return pose
    node.only(("at", "turn", *also))
    at, turn = node.get("at"), node.get("turn")
    if at is not None:
        pose[:3, 3] = at.numbers(3)
    if turn is not None:
        x, y, z = turn.numbers(3)
        pose[:3, :3] = about(2, z) @ about(1, y) @ about(0, x)  # exact for quarter turns
    return pose


def frame(at: list[float], angles: list[float]) -> Array:
    """(4, 4) a frame at a place, turned by three angles in radians about the fixed axes x, y, z."""
    pose = np.eye(4)
    pose[:3, 3] = at
    quarters = [angle / (0.5 * math.pi) for angle in angles]
    if all(abs(quarter - round(quarter)) < 1e-6 for quarter in quarters):  # 1.5708 in a file is a quarter turn
        x, y, z = (90.0 * round(quarter) for quarter in quarters)
        pose[:3, :3] = about(2, z) @ about(1, y) @ about(0, x)
    else:
        pose[:3, :3] = fixed_axes_rotation(angles)
    return pose
