"""Whether a plane keeps two sets of points apart while one of them moves on a screw, compiled.

On an interval −1 ≤ s ≤ 1 the one moves by exp(s·(v, ω)), in its own frame. Along a normal n that stands still with the
other, a point x of it is at f = n·x with f′ = n·(v + ω×x), f″ = (n×ω)·(v + ω×x), and |f‴| ≤ |ω|²·|v + ω×x|: numbers
that are linear in x, so that a plane costs three dot products a point. The plane may as well move along with the one:
then it is the other's points that move, by the opposite screw. That holds where something turns in a hollow: seen from
the hollow, points inside turn away from the plane that touches it.

A *row* is twelve numbers: of f, f′ and f″ three factors and a constant each. Arrays are passed whole, with the place to
look at: slices of them would cost more than the arithmetic.
"""

from __future__ import annotations

import math

import numpy as np

from falsework.geometry.distance.clouds import HALF, MIDDLE, REACH
from falsework.kernels.compiled import inner
from falsework.model.arrays import Array


@inner
def set_row(
    rows: Array, r: int, n0: float, n1: float, n2: float, offset: float, twist: Array, begin: int, sign: float
) -> None:
    """rows (r) ← f, f′, f″ along a normal of points that move by sign times the twist at a place of an array."""
    v0, v1, v2 = sign * twist[begin], sign * twist[begin + 1], sign * twist[begin + 2]
    w0, w1, w2 = sign * twist[begin + 3], sign * twist[begin + 4], sign * twist[begin + 5]
    m0, m1, m2 = n1 * w2 - n2 * w1, n2 * w0 - n0 * w2, n0 * w1 - n1 * w0
    rows[r, 0], rows[r, 1], rows[r, 2], rows[r, 3] = n0, n1, n2, offset
    rows[r, 4], rows[r, 5], rows[r, 6], rows[r, 7] = m0, m1, m2, n0 * v0 + n1 * v1 + n2 * v2
    rows[r, 8], rows[r, 9], rows[r, 10] = m1 * w2 - m2 * w1, m2 * w0 - m0 * w2, m0 * w1 - m1 * w0
    rows[r, 11] = m0 * v0 + m1 * v1 + m2 * v2


@inner
def lowest(points: Array, begin: int, end: int, rows: Array, r: int, sign: float) -> float:
    """The least sign·f of points where they are in the middle of the interval."""
    n0, n1, n2 = sign * rows[r, 0], sign * rows[r, 1], sign * rows[r, 2]
    least = np.inf
    for k in range(begin, end):
        least = min(least, n0 * points[k, 0] + n1 * points[k, 1] + n2 * points[k, 2])
    found: float = least + sign * rows[r, 3]
    return found


@inner
def lowest_moving(points: Array, begin: int, end: int, rows: Array, r: int, sign: float) -> float:
    """The same on the whole interval, but for f‴."""
    n0, n1, n2, n3 = sign * rows[r, 0], sign * rows[r, 1], sign * rows[r, 2], sign * rows[r, 3]
    m0, m1, m2, m3 = rows[r, 4], rows[r, 5], rows[r, 6], rows[r, 7]
    b0, b1, b2, b3 = sign * rows[r, 8], sign * rows[r, 9], sign * rows[r, 10], sign * rows[r, 11]
    least = np.inf
    for k in range(begin, end):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        f = n0 * x + n1 * y + n2 * z + n3
        slope = abs(m0 * x + m1 * y + m2 * z + m3)
        bend = b0 * x + b1 * y + b2 * z + b3
        # of f ± slope s + bend s²/2, s from 0 to 1
        least = min(least, f - 0.5 * slope * slope / bend if slope < bend else f - slope + 0.5 * bend)
    return least


@inner
def box_swing(rows: Array, r: int, nodes: Array, i: int) -> tuple[float, float]:
    """Of a box: f in its middle, and how far any of its points may be from that on the whole interval, but for f‴."""
    at, slope, bend, swing = rows[r, 3], rows[r, 7], rows[r, 11], 0.0
    for k in range(3):
        middle = nodes[i, MIDDLE + k]
        at += rows[r, k] * middle
        slope += rows[r, 4 + k] * middle
        bend += rows[r, 8 + k] * middle
        swing += (abs(rows[r, k]) + abs(rows[r, 4 + k]) + 0.5 * abs(rows[r, 8 + k])) * nodes[i, HALF + k]
    return at, swing + abs(slope) + 0.5 * abs(bend)


@inner
def speed(twist: Array, begin: int, nodes: Array, i: int, angle: float) -> float:
    """The most that a point of a node moves in half an interval, in which all turns by an angle, to first order."""
    x, y, z = nodes[i, MIDDLE], nodes[i, MIDDLE + 1], nodes[i, MIDDLE + 2]
    w0, w1, w2 = twist[begin + 3], twist[begin + 4], twist[begin + 5]
    v0, v1, v2 = twist[begin] + w1 * z - w2 * y, twist[begin + 1] + w2 * x - w0 * z, twist[begin + 2] + w0 * y - w1 * x
    fastest: float = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2) + angle * nodes[i, REACH]
    return fastest
