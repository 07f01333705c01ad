"""The motion between the rows of a track, as polynomials, and bounds on them.

Between two rows h apart, with u from 0 to 1, a joint is at Σ cₖ uᵏ, of degree five, with the values, speeds and
accelerations of both rows. A polynomial lies within the range of its Bernstein coefficients.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import comb

import numpy as np

from falsework.model.arrays import Array
from falsework.model.robots.motion import Track

_FIT = np.linalg.inv(
    np.array(
        [
            [1, 0, 0, 0, 0, 0],
            [0, 1, 0, 0, 0, 0],
            [0, 0, 2, 0, 0, 0],
            [1, 1, 1, 1, 1, 1],
            [0, 1, 2, 3, 4, 5],
            [0, 0, 2, 6, 12, 20],
        ],
        dtype=np.float64,
    )
)


class Rows:
    """The polynomials of a track: k − 1 of them for every joint."""

    def __init__(self, track: Track) -> None:
        self.times = track.times_s
        h = np.diff(self.times)[:, None]
        q, v, a = track.q, track.speed, track.acceleration
        ends = np.array([q[:-1], h * v[:-1], h**2 * a[:-1], q[1:], h * v[1:], h**2 * a[1:]])
        self.coefficients = np.einsum("ij,jkn->ikn", _FIT, ends)  # (6, k − 1, n)
        self.rest = q[0] if len(q) == 1 else q[-1]
        self.first = q[0]
        self._h = h
        self.bounds = [self._bound(order) for order in range(1, 4)]  # (k − 1, n) on speed, acceleration and jerk
        self._instants = self.times.tolist()
        self._derived = [
            np.ascontiguousarray(np.moveaxis(_derived(self.coefficients, order), 1, 0)) for order in range(3)
        ]  # (k − 1, 6 − order, n)

    def range(self) -> tuple[Array, Array]:
        """(k − 1, n) bounds on the least and the greatest position between rows."""
        points = _bernstein(self.coefficients)
        return points.min(axis=0), points.max(axis=0)

    def _bound(self, order: int) -> Array:
        bound: Array = np.abs(_bernstein(_derived(self.coefficients, order))).max(axis=0) / self._h**order
        return bound

    def at(self, time: float, order: int = 0) -> Array:
        """(n,) positions at a time, or speeds (order 1), or accelerations (2)."""
        if len(self._instants) == 1 or time <= self._instants[0] or time >= self._instants[-1]:
            still = self.first if time <= self._instants[0] else self.rest
            return still if order == 0 else np.zeros_like(still)
        k = bisect_right(self._instants, time) - 1
        h = self._instants[k + 1] - self._instants[k]
        u = (time - self._instants[k]) / h
        c = self._derived[order][k]
        value: Array = np.array([u**power for power in range(len(c))]) @ c / h**order
        return value

    def most(self, begin: float, end: float, order: int) -> Array:
        """(n,) the greatest bound on speeds (1) or accelerations (2) from one time to another."""
        n = len(self.rest)
        if len(self._instants) == 1 or end <= self._instants[0] or begin >= self._instants[-1]:
            return np.zeros(n)
        first = max(0, bisect_right(self._instants, begin) - 1)
        last = max(first + 1, bisect_left(self._instants, end))
        most: Array = self.bounds[order - 1][first:last].max(axis=0, initial=0.0)
        return most


def _derived(coefficients: Array, order: int) -> Array:
    for _ in range(order):
        powers = np.arange(1, len(coefficients))
        coefficients = coefficients[1:] * powers.reshape(-1, *(1 for _ in coefficients.shape[1:]))
    return coefficients


def _bernstein(coefficients: Array) -> Array:
    """Of polynomials by their powers of u in 0…1, the Bernstein coefficients; degree first."""
    degree = len(coefficients) - 1
    matrix = np.array(
        [[comb(i, j) / comb(degree, j) if j <= i else 0.0 for j in range(degree + 1)] for i in range(degree + 1)]
    )
    return np.tensordot(matrix, coefficients, axes=1)
