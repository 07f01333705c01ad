"""Distances between the points of a grid in blocks, compiled; see `fields.py`."""

from __future__ import annotations

import math

import numpy as np

from falsework.geometry.distance.trees import BLOCK, OFF, Blocks
from falsework.kernels.compiled import compiled
from falsework.model.arrays import Array, Ints


@compiled
def interpolated(
    low: Array, spacing: float, corners: Blocks, number: Ints, fine: Blocks, points: Array
) -> tuple[Array, Array, Array]:
    """(n,), (n, 3), (n,) distances, gradients and bounds of errors at points (n, 3); NaN where there is no grid."""
    count = len(points)
    distances, gradients, errors = np.full(count, np.nan), np.full((count, 3), np.nan), np.full(count, np.nan)
    block, cell, share, value = np.empty(3, np.int64), np.empty(3, np.int64), np.empty(3), np.empty(8)
    for at in range(count):
        inside = True
        for i in range(3):
            scaled = (points[at, i] - low[i]) / (spacing * BLOCK)
            block[i] = math.floor(scaled)
            share[i] = scaled - block[i]
            inside = inside and 0 <= block[i] < number.shape[i]
        if not inside:
            continue
        which, step = number[block[0], block[1], block[2]], spacing * BLOCK
        if which >= 0:
            step = spacing
            for i in range(3):
                share[i] *= BLOCK
                cell[i] = min(int(share[i]), BLOCK - 1)
                share[i] -= cell[i]
        for k in range(8):
            i, j, m = k >> 2, k >> 1 & 1, k & 1
            if which >= 0:
                value[k] = fine[which, cell[0] + i, cell[1] + j, cell[2] + m]
            else:
                value[k] = corners[block[0] + i, block[1] + j, block[2] + m]
        s, t, u = share[0], share[1], share[2]
        a0, a1 = value[0] + u * (value[1] - value[0]), value[2] + u * (value[3] - value[2])
        b0, b1 = value[4] + u * (value[5] - value[4]), value[6] + u * (value[7] - value[6])
        a, b = a0 + t * (a1 - a0), b0 + t * (b1 - b0)
        rise_a = (value[1] - value[0]) + t * ((value[3] - value[2]) - (value[1] - value[0]))
        rise_b = (value[5] - value[4]) + t * ((value[7] - value[6]) - (value[5] - value[4]))
        distances[at], errors[at] = a + s * (b - a), OFF * step
        gradients[at, 0] = (b - a) / step
        gradients[at, 1] = ((a1 - a0) + s * ((b1 - b0) - (a1 - a0))) / step
        gradients[at, 2] = (rise_a + s * (rise_b - rise_a)) / step
    return distances, gradients, errors
