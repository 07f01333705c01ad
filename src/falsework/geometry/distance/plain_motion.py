"""The proof of a motion with numpy, pair by pair of triangles: slow and clear; what the compiled one is tested against.

An interval of a screw is settled where every pair of triangles that could meet on it is kept apart by a plane across
the way between their nearest points in the middle: in half an interval h a corner that moves at ẋ goes along its normal
n by at most |n·ẋ| h + ½ |ω| |ẋ| h². Other intervals are halved.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from falsework.geometry.distance.plain import closer_than
from falsework.geometry.shapes.planes import cross
from falsework.model.arrays import Array
from falsework.model.checkpoints import checkpoint
from falsework.model.poses import exponential

Settled = tuple[Literal["free", "meets", "not settled"], float, float, tuple[int, int], int]


def swept_plainly(one: Array, other: Array, start: Array, twist: Array, shortest: float, gap_m: float) -> Settled:
    """For triangles (n, 3, 3) that move by start · exp(s·twist), s from 0 to 1, and others (m, 3, 3) that stand."""
    speeds = twist[:3] + cross(np.broadcast_to(twist[3:], one.shape), one)  # in the moving frame
    fastest = float(np.linalg.norm(speeds, axis=2).max())
    waiting, tests = [(0.0, 1.0)], 0
    while waiting:
        checkpoint()
        low, high = waiting.pop()
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        pose = start @ exponential(middle * twist)
        placed, moved = one @ pose[:3, :3].T + pose[:3, 3], speeds @ pose[:3, :3].T
        near = closer_than(placed, other, fastest * half + gap_m)
        tests += len(near.distances)
        if not len(near.distances):
            continue
        nearest = int(near.distances.argmin())
        faces = (int(near.faces[nearest, 0]), int(near.faces[nearest, 1]))
        if near.distances[nearest] == 0.0:
            return "meets", middle, middle, faces, tests
        normals = (near.points[:, 0] - near.points[:, 1]) / near.distances[:, None]
        going = moved[near.faces[:, 0]]  # (k, 3, 3)
        along, curved = np.abs(np.einsum("kci,ki->kc", going, normals)), np.linalg.norm(going, axis=2)
        drift = along * half + 0.5 * float(np.linalg.norm(twist[3:])) * curved * half**2
        above = np.einsum("kci,ki->kc", placed[near.faces[:, 0]], normals) - drift
        below = np.einsum("kci,ki->kc", other[near.faces[:, 1]], normals)
        kept = above.min(axis=1) - below.max(axis=1) > gap_m
        if kept.all():
            continue
        if half < shortest:
            worst = int(np.flatnonzero(~kept)[0])
            return "not settled", low, high, (int(near.faces[worst, 0]), int(near.faces[worst, 1])), tests
        waiting += [(middle, high), (low, middle)]
    return "free", 0.0, 1.0, (-1, -1), tests
