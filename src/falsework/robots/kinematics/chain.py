"""An arm's geometry as arrays for compiled code.

Frames of joints are turned so that every joint moves about, or along, its own z axis: turning is then two columns of a
matrix. `turns` leads back to the frames in which the arm's file speaks.

The same geometry at position 0, as axes and the steps between points on them, is what the closed forms need:

    R = R₁ R₂ … Rₙ R_flange        p = s₀ + R₁ (s₁ + R₂ (s₂ + … Rₙ sₙ))

with Rᵢ the turn about hᵢ. Which point of an axis is taken is free: where neighbouring axes meet, it is the same point
for both, and the step between them is 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.robots.arm import Arm

MEET = 1e-9  # m: axes nearer than this meet, and lengths below this are none
PARALLEL = 1e-9  # sine of the angle between axes that are parallel


class Chain(NamedTuple):
    """What compiled kinematics takes; n joints."""

    base: Array  # (3, 4) where it stands: in its own frame, unless it is a cell's
    frames: Array  # (n, 3, 4) each joint's frame in that of the link before, turned so that it moves about z
    sliding: Ints  # (n,) 1 where a joint slides
    flange: Array  # (3, 4) in the frame of the last link
    lower: Array  # (n,)
    upper: Array  # (n,)
    axes: Array  # (n, 3) in the base's frame at position 0
    steps: Array  # (n + 1, 3) between points on the axes, from the base to the flange, in the base's frame
    turn: Array  # (3, 3) of the flange at position 0
    signs: Array  # (n,) −1 where `axes` has an axis turned about, so that it points as axis 2 does


def chain_of(arm: Arm, T_last_tool: Array | None = None) -> Chain:
    """The chain from an arm's base to its flange, or to another frame of the last link."""
    flange = arm.T_last_flange if T_last_tool is None else T_last_tool
    before = np.eye(3)
    frames = []
    for joint in arm.joints:
        own = turn_to(joint.axis)
        frame = joint.T_parent_joint[:3].copy()
        frame[:, :3] = before.T @ frame[:, :3] @ own
        frame[:, 3] = before.T @ frame[:, 3]
        frames.append(frame)
        before = own
    last = flange[:3].copy()
    last[:, :3], last[:, 3] = before.T @ last[:, :3], before.T @ last[:, 3]
    axes, steps, turn = _at_rest(arm, flange)
    signs = np.ones(len(axes))
    for k in (2, 3):
        if k < len(axes) and axes[1] @ axes[k] < -1 + PARALLEL:
            signs[k] = -1.0
    sliding = np.array([joint.kind == "prismatic" for joint in arm.joints], np.int64)
    turned = axes * signs[:, None]
    base = np.eye(4)[:3]
    return Chain(base, np.array(frames), sliding, last, arm.lower, arm.upper, turned, steps, turn, signs)


def turns_of(arm: Arm) -> Array:
    """(n + 1, 3, 3) from the frames in which the chain moves to those of the arm's links, the base's first."""
    return np.array([np.eye(3), *(turn_to(joint.axis).T for joint in arm.joints)])


def turn_to(axis: Array) -> Array:
    """(3, 3) a rotation that takes z to the axis; none, where the axis is z."""
    z = np.array([0.0, 0.0, 1.0])
    if axis @ z > 1 - 1e-15:
        return np.eye(3)
    across = np.eye(3)[int(np.argmin(np.abs(axis)))]
    y = np.cross(axis, across)
    y /= np.linalg.norm(y)
    return np.column_stack([np.cross(y, axis), y, axis])


def _at_rest(arm: Arm, flange: Array) -> tuple[Array, Array, Array]:
    """Axes, steps between their points, and the flange's turn, with all joints at 0."""
    T = np.eye(4)
    axes, points = [], []
    for joint in arm.joints:
        T = T @ joint.T_parent_joint
        axes.append(T[:3, :3] @ joint.axis)
        points.append(T[:3, 3].copy())
    T = T @ flange
    _share_points(axes, points)
    stations = np.array([np.zeros(3), *points, T[:3, 3]])
    steps = np.diff(stations, axis=0)
    steps[np.abs(steps) < 1e-15] = 0.0
    return np.array(axes), steps, T[:3, :3].copy()


def _share_points(axes: list[Array], points: list[Array]) -> None:
    """Move points along their axes until neighbours share one, if they can: threes first, then twos from the hand."""
    free = [True] * len(axes)
    for run in (3, 2):
        for first in reversed(range(len(axes) - run + 1)):
            chosen = range(first, first + run)
            place = _common_point([axes[k] for k in chosen], [points[k] for k in chosen])
            if place is not None and all(free[k] for k in chosen):
                for k in chosen:
                    points[k], free[k] = place, False


def _common_point(axes: list[Array], points: list[Array]) -> Array | None:
    """The point in which lines meet; None where they do not, or are all one line or parallel."""
    across = [np.eye(3) - np.outer(axis, axis) for axis in axes]
    matrix = np.sum(across, axis=0)
    if np.linalg.svd(matrix, compute_uv=False)[-1] < 1e-6:
        return None
    place: Array = np.linalg.solve(matrix, np.sum([P @ p for P, p in zip(across, points, strict=True)], axis=0))
    misses = [float(np.linalg.norm(P @ (place - p))) for P, p in zip(across, points, strict=True)]
    return place if max(misses) < MEET else None
