"""Seed 003's bodies: points with masses, bars of fixed length between them, and the polygons they outline.

Coordinates are x, z. Two polygons that share a point are hinged there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from falsework.model.arrays import Array, Bools, Ints, freeze, freeze_ints
from falsework.model.errors import BadInput

Masses = Literal["nine points", "four corners"]


@dataclass(frozen=True, slots=True, eq=False)
class Framework:
    """Points, bars and convex outlines; `fixed` points never move."""

    points: Array  # (n, 2) x, z in m
    masses_kg: Array  # (n,)
    bars: Ints  # (m, 2)
    outlines: tuple[tuple[int, ...], ...]  # corners of each polygon, counter-clockwise
    fixed: Bools  # (n,)

    def __post_init__(self) -> None:
        freeze(self, points=(None, 2), masses_kg=(None,))
        freeze_ints(self, bars=(None, 2))
        if not (len(self.masses_kg) == len(self.fixed) == len(self.points)) or not (self.masses_kg > 0).all():
            raise BadInput("a framework needs one positive mass for each point")

    @staticmethod
    def joined(
        several: list[Framework], same: list[tuple[tuple[int, int], tuple[int, int]]] | None = None
    ) -> Framework:
        """Several as one; `same` names pairs of (framework, point) that are one point: a hinge."""
        before = np.cumsum([0] + [len(one.points) for one in several])
        number = np.arange(before[-1])
        for (a, i), (b, j) in same or []:
            number[before[b] + j] = number[before[a] + i]
        kept, place = np.unique(number, return_inverse=True)
        masses = np.zeros(len(kept))
        np.add.at(masses, place, np.concatenate([one.masses_kg for one in several]))
        bars = np.concatenate([one.bars + shift for one, shift in zip(several, before[:-1], strict=True)])
        outlines = [
            tuple(int(place[corner + shift]) for corner in loop)
            for one, shift in zip(several, before[:-1], strict=True)
            for loop in one.outlines
        ]
        fixed = np.zeros(len(kept), dtype=bool)
        np.logical_or.at(fixed, place, np.concatenate([one.fixed for one in several]))
        points = np.concatenate([one.points for one in several])[kept]
        return Framework(points, masses, place[bars], tuple(outlines), fixed)


def rectangle(
    corner: tuple[float, float],
    size: tuple[float, float],
    mass_kg: float,
    *,
    masses: Masses = "nine points",
    minimal: bool = True,
    fixed: bool = False,
) -> Framework:
    """A brick (8.1, Fig. 10): nine points with Simpson's weights have its mass, centre and inertia exactly.

    Four equal corner masses, which the paper's animation used, have three times its inertia. Not `minimal`: with one
    bar more than rigidity needs (8.4).
    """
    x, z = corner
    w, h = size
    if masses == "four corners":
        points = np.array([(x, z), (x + w, z), (x + w, z + h), (x, z + h)])
        bars = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), *([] if minimal else [(1, 3)])]
        return Framework(points, np.full(4, mass_kg / 4), np.array(bars), ((0, 1, 2, 3),), np.full(4, fixed))
    points = np.array([(x + w * i / 2, z + h * j / 2) for j in range(3) for i in range(3)])
    thirds = np.array([1 / 6, 4 / 6, 1 / 6])
    rows = [(0, 2), (0, 6), (2, 8), (6, 8), (0, 8)]  # the corners, rigid
    braces = [(1, 0), (1, 6), (3, 0), (3, 2), (5, 2), (5, 0), (7, 6), (7, 0), (4, 0), (4, 2)]  # others, two bars each
    bars = [*rows, *braces, *([] if minimal else [(2, 6)])]
    return Framework(
        points, mass_kg * np.outer(thirds, thirds).ravel(), np.array(bars), ((0, 2, 8, 6),), np.full(9, fixed)
    )


def polygon(outline: Array, mass_kg: float, *, fixed: bool = False) -> Framework:
    """A convex polygon whose mass, centre and inertia are those of the homogeneous figure.

    Masses: each triangle about the first corner has thirds of its mass in the middles of its sides, which is exact for
    polynomials of degree two. Bars: a fan over the corners, two bars for every other point.
    """
    corners = np.asarray(outline, dtype=float)
    count = len(corners)
    points, masses = [*corners], [0.0] * count
    bars = [(0, 1), *((k, end) for k in range(2, count) for end in (0, k - 1))]
    areas = []
    for k in range(1, count - 1):
        a, b, c = corners[0], corners[k], corners[k + 1]
        areas.append(0.5 * float((b - a)[0] * (c - a)[1] - (b - a)[1] * (c - a)[0]))
    for k, area in enumerate(areas, start=1):
        a, b, c = corners[0], corners[k], corners[k + 1]
        for middle in ((a + b) / 2, (b + c) / 2, (c + a) / 2):
            points.append(middle)
            masses.append(mass_kg * area / sum(areas) / 3)
            bars += [(len(points) - 1, end) for end in _two_off_line(middle, corners)]
    light = 1e-9 * mass_kg  # massless corners would leave the problem without a unique solution
    masses = [mass or light for mass in masses]
    loop = tuple(range(count))
    return Framework(np.array(points), np.array(masses), np.array(bars), (loop,), np.full(len(points), fixed))


def _two_off_line(point: Array, corners: Array) -> tuple[int, int]:
    """Two corners seen from a point under the angle nearest to a right one: bars to them pin it."""
    arms = corners - point
    units = arms / np.linalg.norm(arms, axis=1)[:, None]
    cosines = np.abs(units @ units.T) + 2 * np.eye(len(corners))
    best = int(np.argmin(cosines))
    return best // len(corners), best % len(corners)


def edges_of(loop: tuple[int, ...]) -> list[tuple[int, int]]:
    """Edges with the outside of a polygon on their left, as sidedness constraints have them."""
    return [(j, i) for i, j in pairwise((*loop, loop[0]))]
