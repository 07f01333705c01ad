"""How fast along a way: as fast as the joints may, without leaving it.

With q(s) the way and v = ṡ,  q̇ = q′v  and  q̈ = q′v̇ + q″v².  Half of what a joint may accelerate is kept for turning,
|q″|v² ≤ A/2, and the rest for speeding up, so that braking is always possible: one pass forwards and one backwards give
the fastest profile. Averaged over a short time it has no jumps of acceleration. What is sampled from it is a row of
polynomials of degree five, that every row (time, position, speed, acceleration) joins to the next; bounds on these,
not on the samples, are brought within limits by going slower as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from falsework.kernels.exact import compiled
from falsework.model.arrays import Array, freeze
from falsework.model.robots.limits import JointLimits
from falsework.model.robots.motion import Track
from falsework.model.travel import MadeAnew
from falsework.robots.motions.rounding import Curve, Smooth

SMOOTH_S = 0.04  # over which speeds are averaged; longer where jerk is limited
SAMPLE_S = 0.02  # between rows of curved ways
TURNING = 0.5  # of the acceleration
GRID, MOST_GRID = 12, 400  # points on every rounding and on every straight way between two, and in all


@dataclass(frozen=True, slots=True, eq=False)
class Timed(MadeAnew):
    """Rows of one arm's motion from rest to rest, beginning at time 0.

    >>> import numpy as np
    >>> Timed(np.array([0.0, 1.0]), *(np.zeros((2, 3)) for _ in range(3))).seconds
    1.0
    """

    times: Array  # (k,)
    q: Array  # (k, n)
    speed: Array
    acceleration: Array

    def __post_init__(self) -> None:
        shape = (len(self.times), self.q.shape[1])
        freeze(self, times=(None,), q=shape, speed=shape, acceleration=shape)

    @property
    def seconds(self) -> float:
        return float(self.times[-1])

    def slower(self, times: float) -> Timed:
        """The same in so many times the time."""
        return Timed(self.times * times, self.q, self.speed / times, self.acceleration / times**2)

    def many(self, times: Array) -> Array:
        """(m, n) positions at (m,) times."""
        return Track("", self.times, self.q, self.speed, self.acceleration).many(times)


def retimed(pieces: list[Curve | Smooth], limits: JointLimits, caps: list[Array] | None = None) -> Timed:
    """Ways one after the other, from rest to rest each; caps (k − 1,) on how fast the edges of each are passed."""
    done = []
    for number, piece in enumerate(pieces):
        own = np.full(len(piece.corners) - 1, np.inf) if caps is None else caps[number]
        timed = _straight(piece, limits, own) if len(piece.corners) == 2 else _curved(piece, limits, own)
        done.append(_within(timed, limits))
    return joined(done)


def joined(parts: list[Timed]) -> Timed:
    """One after the other."""
    begins = np.concatenate([[0.0], np.cumsum([one.seconds for one in parts])])
    skip = [0, *(1 for _ in parts[1:])]  # the first row is the last one before
    return Timed(
        np.concatenate([one.times[k:] + t for one, k, t in zip(parts, skip, begins, strict=False)]),
        np.concatenate([one.q[k:] for one, k in zip(parts, skip, strict=True)]),
        np.concatenate([one.speed[k:] for one, k in zip(parts, skip, strict=True)]),
        np.concatenate([one.acceleration[k:] for one, k in zip(parts, skip, strict=True)]),
    )


def bounds(times: Array, q: Array, speed: Array, acceleration: Array) -> tuple[Array, Array, Array]:
    """(k − 1, n) bounds on speed, acceleration and jerk of the polynomials between rows: their control points'."""
    h = np.diff(times)[:, None]
    control = control_points(h, q, speed, acceleration)
    rates = [5.0 / h * np.diff(control, axis=0), 20.0 / h**2 * np.diff(control, 2, axis=0)]
    rates.append(60.0 / h**3 * np.diff(control, 3, axis=0))
    highest = [np.abs(one).max(axis=0) for one in rates]
    return highest[0], highest[1], highest[2]


def control_points(h: Array, q: Array, v: Array, a: Array) -> Array:
    """(6, k − 1, n) Bernstein's points of the polynomials of degree five that have the rows' values; h (k − 1, 1)."""
    q0, q1, v0, v1, a0, a1 = q[:-1], q[1:], v[:-1], v[1:], a[:-1], a[1:]
    return np.array(
        [
            q0,
            q0 + h * v0 / 5,
            q0 + 2 * h * v0 / 5 + h**2 * a0 / 20,
            q1 - 2 * h * v1 / 5 + h**2 * a1 / 20,
            q1 - h * v1 / 5,
            q1,
        ]
    )


def smoothing_s(limits: JointLimits) -> float:
    """Over how long speeds are averaged so that no joint exceeds its jerk on straight ways."""
    return max(SMOOTH_S, float((limits.acceleration / limits.jerk).max()))


def _straight(piece: Curve | Smooth, limits: JointLimits, caps: Array) -> Timed:
    """A trapezoid of speed, averaged: eight rows, and cubics between them."""
    length = piece.length
    direction = np.abs(piece.corners[1] - piece.corners[0]) / length
    used = direction > 1e-12
    top = min(float((limits.speed[used] / direction[used]).min()), float(caps[0]))
    most = float((limits.acceleration[used] / direction[used]).min())
    top = min(top, np.sqrt(length * most))
    ramp, whole = top / most, length / top
    flat = whole - ramp > 1e-9  # else it brakes as soon as it is at its fastest
    kinks = np.array([0.0, ramp, whole, whole + ramp] if flat else [0.0, ramp, 2 * ramp])
    law = _Law(kinks, np.array([0.0, top, top, 0.0] if flat else [0.0, top, 0.0]))
    half = 0.5 * smoothing_s(limits)
    times = np.unique(np.concatenate([kinks - half, kinks + half]))
    return _rows(piece, law, times[np.concatenate([[True], np.diff(times) > 1e-9])], half)


def _curved(piece: Curve | Smooth, limits: JointLimits, caps: Array) -> Timed:
    places, marks = piece.places, piece.marks
    between = max(2, min(GRID, MOST_GRID // len(marks)))
    grid = np.unique(np.concatenate([np.linspace(a, b, between + 1) for a, b in pairwise(marks.tolist())]))
    grid = grid[np.concatenate([[True], np.diff(grid) > 1e-12])]
    _, first, second = piece.at(grid)
    first, second = np.abs(first), np.abs(second)
    with np.errstate(divide="ignore"):
        most = np.minimum(
            (limits.speed / first).min(axis=1), np.sqrt((TURNING * limits.acceleration / second).min(axis=1))
        )
    edge = np.clip(np.searchsorted(places, grid, side="right") - 1, 0, len(caps) - 1)
    before = np.clip(np.searchsorted(places, grid, side="left") - 1, 0, len(caps) - 1)
    most = np.minimum(most, np.minimum(caps[edge], caps[before]))
    speeds = fastest(grid, most, first, second, np.array(limits.acceleration))
    times = np.concatenate([[0.0], np.cumsum(2 * np.diff(grid) / (speeds[1:] + speeds[:-1]))])
    half = 0.5 * smoothing_s(limits)
    count = max(8, int(np.ceil((times[-1] + 2 * half) / SAMPLE_S)))
    return _rows(piece, _Law(times, speeds), np.linspace(-half, times[-1] + half, count + 1), half)


@compiled
def fastest(grid: Array, most: Array, first: Array, second: Array, acceleration: Array) -> Array:
    """(k,) the greatest speeds on a grid from rest to rest; `first`, `second` (k, n) derivatives without signs."""
    k, n = first.shape
    squared = most * most
    squared[0] = squared[-1] = 0.0
    for sense in range(2):
        for m in range(k - 1):
            here, there = (m, m + 1) if sense == 0 else (k - 1 - m, k - 2 - m)
            push = np.inf
            for j in range(n):
                turning = max(second[here, j] * squared[here], second[there, j] * squared[there])
                along = max(first[here, j], first[there, j])
                if along > 1e-12:
                    push = min(push, max(acceleration[j] - turning, 0.25 * acceleration[j]) / along)
            squared[there] = min(squared[there], squared[here] + 2.0 * push * abs(grid[there] - grid[here]))
    return np.sqrt(squared)


class _Law:
    """Length over time, with speeds (k,) at times (k,) and linear between them; at rest before and after."""

    def __init__(self, times: Array, speeds: Array) -> None:
        self.times, self.speeds = times, speeds
        h = np.diff(times)
        self.slopes = np.diff(speeds) / h
        self.lengths = np.concatenate([[0.0], np.cumsum(0.5 * h * (speeds[1:] + speeds[:-1]))])
        areas = self.lengths[:-1] * h + speeds[:-1] * h**2 / 2 + self.slopes * h**3 / 6
        self.areas = np.concatenate([[0.0], np.cumsum(areas)])  # of the length over time

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Area under the length, length and speed at (m,) times."""
        inside = np.clip(t, self.times[0], self.times[-1])
        k = np.clip(np.searchsorted(self.times, inside, side="right") - 1, 0, len(self.slopes) - 1)
        u = inside - self.times[k]
        v, a = self.speeds[k], self.slopes[k]
        area = self.areas[k] + self.lengths[k] * u + v * u**2 / 2 + a * u**3 / 6
        area = area + self.lengths[-1] * np.maximum(t - self.times[-1], 0.0)
        speed = np.where((t > self.times[0]) & (t < self.times[-1]), v + a * u, 0.0)
        return area, self.lengths[k] + v * u + a * u**2 / 2, speed


def _rows(piece: Curve | Smooth, law: _Law, times: Array, half: float) -> Timed:
    """What the averaged law gives at (k,) times."""
    late, early = law.at(times + half), law.at(times - half)
    s, v, a = ((one - other) / (2 * half) for one, other in zip(late, early, strict=True))
    s = np.clip(s, 0.0, piece.length)
    s[0], s[-1], v[0], v[-1], a[0], a[-1] = 0.0, piece.length, 0.0, 0.0, 0.0, 0.0
    q, first, second = piece.at(s)
    q[0], q[-1] = piece.corners[0], piece.corners[-1]
    speed = first * v[:, None]
    return Timed(times - times[0], q, speed, first * a[:, None] + second * (v**2)[:, None])


def _within(timed: Timed, limits: JointLimits) -> Timed:
    """The same, slower as a whole until bounds on its polynomials are within the limits."""
    speed, acceleration, jerk = bounds(timed.times, timed.q, timed.speed, timed.acceleration)
    slower = max(
        1.0,
        float((speed / limits.speed).max()),
        float(np.sqrt((acceleration / limits.acceleration).max())),
        float(np.cbrt((jerk / limits.jerk).max())),
    )
    return timed.slower(slower)
