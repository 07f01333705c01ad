"""The middle of an interval of a screw, and the motion about it: all that tests on that interval need. Compiled."""

from __future__ import annotations

import math

import numpy as np

from falsework.geometry.distance.swept_axes import set_row
from falsework.kernels.compiled import inner
from falsework.model.arrays import Array

TURN, SHIFT, TWIST, SPATIAL, ANGLE, NUMBERS = 0, 9, 12, 18, 24, 25  # places in a moment; and how many there are


@inner
def set_moment(moment: Array, rows: Array, turn: Array, shift: Array, twist: Array, middle: float, half: float) -> None:
    """moment (NUMBERS,) ← start · exp(middle · twist) as turn and shift, and the twist in half an interval, in the
    frame of what moves and of what stands still; rows (6, 12) ← those of the axes of both frames.

    Of the rows the first three are of moving points along the axes of the still frame, the others of still points
    along those of the moving frame.
    """
    angle = middle * math.sqrt(twist[3] ** 2 + twist[4] ** 2 + twist[5] ** 2)
    w = np.zeros((3, 3))  # the turn's generator times the share
    w[2, 1], w[0, 2], w[1, 0] = middle * twist[3], middle * twist[4], middle * twist[5]
    w[1, 2], w[2, 0], w[0, 1] = -w[2, 1], -w[0, 2], -w[1, 0]
    a, b, c = _coefficients(angle)
    moment[:SHIFT] = 0.0
    for i in range(3):
        moment[SHIFT + i] = shift[i]
    for i in range(3):
        for j in range(3):
            square = w[i, 0] * w[0, j] + w[i, 1] * w[1, j] + w[i, 2] * w[2, j]
            unit = 1.0 if i == j else 0.0
            turned, carried = unit + a * w[i, j] + b * square, middle * (unit + b * w[i, j] + c * square)
            for k in range(3):
                moment[TURN + 3 * k + j] += turn[k, i] * turned
                moment[SHIFT + k] += turn[k, i] * carried * twist[j]
    _set_spatial(moment, twist, half)
    moment[ANGLE] = half * math.sqrt(twist[3] ** 2 + twist[4] ** 2 + twist[5] ** 2)
    for k in range(3):
        t = TURN + 3 * k
        set_row(rows, k, moment[t], moment[t + 1], moment[t + 2], moment[SHIFT + k], moment, TWIST, 1.0)
        n0, n1, n2 = moment[TURN + k], moment[TURN + 3 + k], moment[TURN + 6 + k]
        back = -(n0 * moment[SHIFT] + n1 * moment[SHIFT + 1] + n2 * moment[SHIFT + 2])
        set_row(rows, 3 + k, n0, n1, n2, back, moment, SPATIAL, -1.0)


@inner
def _set_spatial(moment: Array, twist: Array, half: float) -> None:
    for k in range(6):
        moment[TWIST + k] = half * twist[k]
    for part in range(0, 6, 3):
        for k in range(3):
            total = 0.0
            for i in range(3):
                total += moment[TURN + 3 * k + i] * moment[TWIST + part + i]
            moment[SPATIAL + part + k] = total
    w0, w1, w2 = moment[SPATIAL + 3], moment[SPATIAL + 4], moment[SPATIAL + 5]
    t0, t1, t2 = moment[SHIFT], moment[SHIFT + 1], moment[SHIFT + 2]
    moment[SPATIAL] -= w1 * t2 - w2 * t1
    moment[SPATIAL + 1] -= w2 * t0 - w0 * t2
    moment[SPATIAL + 2] -= w0 * t1 - w1 * t0


@inner
def _coefficients(angle: float) -> tuple[float, float, float]:
    """sin a / a, (1 − cos a) / a², (a − sin a) / a³."""
    if angle < 1e-2:
        square = angle * angle
        return (
            1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0)),
            0.5 - square / 24.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)),
            1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0)),
        )
    sine, whole = math.sin(0.5 * angle), math.sin(angle)
    return whole / angle, 2.0 * sine * sine / angle**2, (angle - whole) / angle**3
