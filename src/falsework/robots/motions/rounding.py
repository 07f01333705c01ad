"""A way through corners as one smooth curve: straight, with every corner that is not a stop rounded off.

Around a corner the direction changes from u₀ to u₁ as

    q′(s) = u₀ + (u₁ − u₀) σ(x),     σ(x) = 3x² − 2x³,     x = (s − s_corner + l) / 2l

so position, direction and curvature are continuous, and the curve stays in the triangle of the corner: at most
0.19 l |u₁ − u₀| away from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.interpolate import CubicSpline

from falsework.model.arrays import Array, freeze
from falsework.model.travel import MadeAnew

HALVINGS = 4  # of a rounding that something is in the way of
CHORD_M = 0.0004  # how far the chords along which a rounding is certified may be from it


@dataclass(frozen=True, slots=True, eq=False)
class Curve(MadeAnew):
    """A way by its corners (k, n), each rounded off over so much of the ways before and after it.

    >>> corner = Curve(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0.0, 0.2, 0.0]))
    >>> corner.at(np.array([corner.length / 2]))[0].round(4).tolist()
    [[0.9625, 0.0375]]
    """

    corners: Array  # (k, n) no two in a row the same
    rounded: Array  # (k,) l; 0 at both ends, and where a stop is

    def __post_init__(self) -> None:
        freeze(self, corners=(None, None), rounded=(len(self.corners),))

    @property
    def places(self) -> Array:
        """(k,) how far along each corner is."""
        steps = np.linalg.norm(np.diff(self.corners, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    @property
    def marks(self) -> Array:
        """(m,) where roundings begin and end."""
        marks = np.unique(np.concatenate([self.places, self.places - self.rounded, self.places + self.rounded]))
        kept: Array = marks[np.concatenate([[True], np.diff(marks) > 1e-12])]
        return kept

    @property
    def length(self) -> float:
        return float(self.places[-1])

    def at(self, s: Array) -> tuple[Array, Array, Array]:
        """(m, n) positions, their first and their second derivatives by s, at (m,) lengths."""
        places = self.places
        steps = np.diff(self.corners, axis=0)
        directions = steps / np.diff(places)[:, None]
        edge = np.clip(np.searchsorted(places, s, side="right") - 1, 0, len(directions) - 1)
        q = self.corners[edge] + (s - places[edge])[:, None] * directions[edge]
        first, second = directions[edge].copy(), np.zeros_like(q)
        nearest = np.where(s - places[edge] > places[edge + 1] - s, edge + 1, edge)
        inside = np.abs(s - places[nearest]) < self.rounded[nearest]
        for m in np.flatnonzero(inside).tolist():
            i = int(nearest[m])
            wide, before, turn = self.rounded[i], directions[i - 1], directions[i] - directions[i - 1]
            x = (s[m] - places[i] + wide) / (2 * wide)
            q[m] = self.corners[i] + (s[m] - places[i]) * before + turn * 2 * wide * (x**3 - x**4 / 2)
            first[m] = before + turn * (3 * x**2 - 2 * x**3)
            second[m] = turn * (6 * x - 6 * x**2) / (2 * wide)
        return q, first, second

    def pieces(self) -> list[Curve | Smooth]:
        """From stop to stop."""
        stops = [0, *(np.flatnonzero(self.rounded[1:-1] == 0.0) + 1).tolist(), len(self.corners) - 1]
        return [
            Curve(self.corners[a : b + 1], np.concatenate([[0.0], self.rounded[a + 1 : b], [0.0]]))
            for a, b in pairwise(stops)
        ]

    def around(self, corner: int, reach_m: float) -> Array:
        """(m, n) chords around a corner, near enough to the curve that a certificate of theirs is one of it."""
        wide, place = self.rounded[corner], self.places[corner]
        sharp = float(np.linalg.norm(self._turn(corner)))
        count = max(2, int(np.ceil(np.sqrt(1.5 * sharp * 2 * wide * reach_m / (8 * CHORD_M)))))
        return self.at(place + np.linspace(-wide, wide, count + 1))[0]

    def _turn(self, corner: int) -> Array:
        before, after = np.diff(self.corners[corner - 1 : corner + 2], axis=0)
        turn: Array = after / np.linalg.norm(after) - before / np.linalg.norm(before)
        return turn


def rounded_off(corners: Array, free: Callable[[Array], bool], reach_m: float) -> Curve:
    """Corners of a free way rounded off as widely as is free; a corner that cannot be is a stop.

    `free` certifies straight ways from position to position, `reach_m` is how far the hand moves for a radian.
    """
    corners = without_repeats(corners)
    steps = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    rounded = np.zeros(len(corners))
    for i in range(1, len(corners) - 1):
        widest = 0.5 * min(steps[i - 1], steps[i])
        for halved in range(HALVINGS):
            alone = np.zeros(len(corners))
            alone[i] = widest * 0.5**halved
            if free(Curve(corners, alone).around(i, reach_m)):
                rounded[i] = alone[i]
                break
    return Curve(corners, rounded)


@dataclass(frozen=True, slots=True, eq=False)
class Smooth(MadeAnew):
    """A cubic spline through joints (k, n) that are close together along a smooth path.

    >>> line = Smooth(np.array([[0.0], [1.0], [2.0]]))
    >>> line.at(np.array([0.5]))[0].round(12).tolist()
    [[0.5]]
    """

    corners: Array  # (k, n)

    def __post_init__(self) -> None:
        freeze(self, corners=(None, None))

    @property
    def places(self) -> Array:
        """(k,) how far along each of them is, by the ways between them."""
        steps = np.linalg.norm(np.diff(self.corners, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    @property
    def marks(self) -> Array:
        """(m,) where its third derivative changes."""
        return self.places

    @property
    def length(self) -> float:
        return float(self.places[-1])

    def at(self, s: Array) -> tuple[Array, Array, Array]:
        """(m, n) positions, their first and their second derivatives by s, at (m,) lengths."""
        spline = CubicSpline(self.places, self.corners)
        return spline(s), spline(s, 1), spline(s, 2)


def followed(way: Array, sharpest: float = 0.35) -> list[Curve | Smooth]:
    """Joints close together along a path, as smooth ways with stops where it turns by more than `sharpest` rad."""
    way = without_repeats(way)
    steps = np.diff(way, axis=0)
    directions = steps / np.linalg.norm(steps, axis=1)[:, None]
    turns = np.linalg.norm(np.diff(directions, axis=0), axis=1)
    stops = [0, *(np.flatnonzero(turns > sharpest) + 1).tolist(), len(way) - 1]
    pieces = [way[a : b + 1] for a, b in pairwise(stops)]
    return [Curve(piece, np.zeros(2)) if len(piece) == 2 else Smooth(piece) for piece in pieces]


def without_repeats(corners: Array) -> Array:
    """(k, n) without positions that are the same as the one before."""
    kept = [corners[0]]
    for one in corners[1:-1]:
        if np.abs(one - kept[-1]).max() > 1e-9:
            kept.append(one)
    if len(kept) > 1 and np.abs(corners[-1] - kept[-1]).max() <= 1e-9:
        kept.pop()
    return np.array([*kept, corners[-1]])
