"""Bricks that are pressed onto each other lie on one grid: what is seen of one says where the other is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from falsework.model.arrays import Array
from falsework.perception.locator.packing import footprints_overlap
from falsework.perception.locator.solids import placed
from falsework.perception.locator.supposed import Supposed

_PLAY_M, _PLAY_RAD = 2e-4, 2e-3  # of studs in their sockets, as standard deviations
_OFF_PITCH, _OFF_RAD = 0.25, 0.1  # a brick that is farther off a grid is not pressed onto it
_JAMS_PITCH, _JAMS_RAD = 0.3, 0.06  # one that is farther off cannot be

Placed = tuple[Supposed, Array, Array]  # a brick, its pose (4, 4), and the covariance (3, 3) of x, y (m) and yaw (rad)


def by_its_neighbours(one: Placed, others: Sequence[Placed]) -> tuple[Array, Array]:
    """Pose and covariance of a brick: its own or, where it is clutched to one that is known better, by that one."""
    best = one[1], one[2]
    for other in others:
        touch = carries(one[0], other[0]) or carries(other[0], one[0])
        if touch and _spread(other[2]) < _spread(best[1]):
            told = _on_the_grid_of(one, other)
            if told is not None and _spread(told[1]) < _spread(best[1]):
                best = told
    return best


def _spread(covariance: Array) -> float:
    return float(covariance[0, 0] + covariance[1, 1])


def carries(one: Supposed, upper: Supposed) -> bool:
    """Whether the other stands on it, over half a stud or more."""
    touch = abs(upper.bottom_m - one.top_m) < 1e-3
    return touch and footprints_overlap(one.corners_m, upper.corners_m, 0.5 * one.kind.measures.pitch_m)


def jams(one: Supposed, upper: Supposed) -> bool:
    """Whether the other, which overlaps it, cannot be pressed onto it: on another grid, studs would be in its walls."""
    turn = upper.yaw - one.yaw
    if not one.kind.has_studs or abs((turn + math.pi / 4) % (math.pi / 2) - math.pi / 4) > _JAMS_RAD:
        return one.kind.has_studs
    corner = (upper.corners_m[0] - one.corners_m[0]) @ one.T_base_brick[:2, :2] / one.kind.measures.pitch_m
    return bool(np.abs(corner - np.rint(corner)).max() > _JAMS_PITCH)


def _on_the_grid_of(one: Placed, other: Placed) -> tuple[Array, Array] | None:
    """Pose and covariance of a brick where the studs of another hold it; None where it lies on no grid of that."""
    supposed, pose, _ = one
    _, grid, known = other
    pitch = supposed.kind.measures.pitch_m
    yaw = math.atan2(grid[1, 0], grid[0, 0])
    turn = math.atan2(pose[1, 0], pose[0, 0]) - yaw
    quarter = round(turn / (math.pi / 2)) * math.pi / 2
    axes = grid[:2, :2]
    corner = (pose[:2, 3] - grid[:2, 3]) @ axes / pitch
    if abs(turn - quarter) > _OFF_RAD or np.abs(corner - np.rint(corner)).max() > _OFF_PITCH:
        return None
    at = grid[:2, 3] + axes @ (np.rint(corner) * pitch)
    length, width, _ = supposed.kind.size_m
    c, s = math.cos(yaw + quarter), math.sin(yaw + quarter)
    middle = at + np.array([c * length - s * width, s * length + c * width]) / 2
    T = placed(supposed.kind, float(middle[0]), float(middle[1]), supposed.bottom_m, yaw + quarter)
    away = middle - other[0].middle_m
    lever = np.array([[1.0, 0.0, -away[1]], [0.0, 1.0, away[0]], [0.0, 0.0, 1.0]])
    play = np.diag([_PLAY_M**2, _PLAY_M**2, _PLAY_RAD**2])
    return T, np.asarray(lever @ known @ lever.T + play)
