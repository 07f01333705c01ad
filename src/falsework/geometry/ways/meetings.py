"""Pairs of convex pieces that may run into each other, looked at no closer than a question needs.

Whether a shifted piece runs into another is whether a ray meets their Minkowski difference. Its box is there at once,
its facets that come from facets cost a projection, and those that come from pairs of edges many times that. Each is
made when a ray meets what was there before: boxes and facets alone only make the difference larger, so what misses
them misses it.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from falsework.geometry.shapes.convex_pieces import Convex, Pieces
from falsework.geometry.ways.minkowski import Difference, difference, facet_difference
from falsework.model.arrays import Array, Bools

FEW = 4  # pairs of pieces that are sooner asked one by one than their hulls and cores


class Meeting:
    """Two pieces, A that moves and B that stands, and how deep they may reach into each other."""

    def __init__(self, a: Convex, b: Convex, depth_m: float, *, studs: bool = False, grazing: bool = True) -> None:
        """`studs`: one of them is a brick's studs, which holes take. `grazing`: where they reach into each other as
        they stand (corners that graze), they may go on doing so, no deeper.
        """
        self._a, self._b, self._depth_m, self._grazing = a, b, depth_m, grazing
        self.studs = studs
        self.low: Array = b.box[0] - a.box[1] + depth_m  # of the shifts at which the boxes meet
        self.high: Array = b.box[1] - a.box[0] - depth_m

    @cached_property
    def _roughly(self) -> Difference:
        return facet_difference(self._a, self._b)

    @cached_property
    def shape(self) -> Difference:
        """B − A."""
        return difference(self._a, self._b)

    @cached_property
    def allowed_m(self) -> float:
        if not self._grazing or self._roughly.depth_m <= self._depth_m:
            return self._depth_m
        return max(self._depth_m, self.shape.depth_m * (1 + 1e-6))

    def met(self, directions: Array) -> Bools:
        """(m,) along which unit directions (m, 3) A would reach too deep into B; those whose boxes met."""
        met = self._roughly.met(directions, self.allowed_m)
        if met.any():
            met[met] = self.shape.met(directions[met], self.allowed_m)
        return met

    def entry(self, place: Array, directions: Array) -> Array:
        """(m,) how far A, shifted to a place (3,), gets along unit directions before it reaches that deep into B."""
        far = np.full(len(directions), np.inf)
        rows = np.flatnonzero(rays_meet((self.low - place)[None], (self.high - place)[None], directions)[0])
        if len(rows):
            rows = rows[np.isfinite(self._roughly.entry(place, directions[rows], self.allowed_m))]
        if len(rows):
            far[rows] = self.shape.entry(place, directions[rows], self.allowed_m)
        return far


class Meetings:
    """All pairs of pieces of two bodies, those nearest to each other first; each is made when it is asked for."""

    def __init__(self, one: Pieces, other: Pieces, depth_m: float, same_grid: bool) -> None:
        self._one, self._other, self._depth_m, self._same_grid = one, other, depth_m, same_grid
        self._made: dict[int, Meeting] = {}
        (low_a, high_a), (low_b, high_b) = _boxes(one), _boxes(other)
        lows = (low_b[None] - high_a[:, None] + depth_m).reshape(-1, 3)
        highs = (high_b[None] - low_a[:, None] - depth_m).reshape(-1, 3)
        i, j = (rows.ravel() for rows in np.indices((len(one.all), len(other.all))))
        bodies = (i < len(one.body)) & (j < len(other.body))
        real = bodies | (i < len(one.body)) | (j < len(other.body))  # studs do not run into studs
        gaps = np.maximum(lows, -highs).max(axis=1)
        order = np.lexsort((np.arange(len(gaps)), ~bodies, gaps))
        order = order[real[order]]
        self.lows, self.highs = lows[order], highs[order]  # (k, 3) of the shifts at which boxes meet
        self._pairs = np.stack([i, j], axis=1)[order]

    def __len__(self) -> int:
        return len(self._pairs)

    def meeting(self, place: int) -> Meeting:
        """The pair at a place of the order."""
        if place not in self._made:
            i, j = self._pairs[place]
            studs = i >= len(self._one.body) or j >= len(self._other.body)
            self._made[place] = Meeting(
                self._one.all[i],
                self._other.all[j],
                self._depth_m,
                studs=bool(studs) and self._same_grid,
                grazing=not self._same_grid,
            )
        return self._made[place]

    def hulls_met(self, directions: Array) -> Bools:
        """(m,) along which unit directions (m, 3) the hulls of the bodies meet: what they do not, no piece does."""
        if len(self) <= FEW:
            return np.ones(len(directions), dtype=bool)
        met = self._roughly.met(directions, self._depth_m)
        if met.any():
            met[met] = self._exactly.met(directions[met], self._depth_m)
        return met

    def cores_met(self, directions: Array) -> Bools:
        """(m,) along which convex bodies inside both meet: along these, some pieces do.

        Nothing is told where the bodies may reach into each other as they stand, which pieces may go on doing.
        """
        cores = self._cores
        if cores is None or self._roughly.depth_m > self._depth_m:
            return np.zeros(len(directions), dtype=bool)
        return cores.met(directions, self._depth_m)

    @cached_property
    def _roughly(self) -> Difference:
        return facet_difference(self._one.hull, self._other.hull)

    @cached_property
    def _exactly(self) -> Difference:
        return difference(self._one.hull, self._other.hull)

    @cached_property
    def _cores(self) -> Difference | None:
        if len(self) <= FEW or self._same_grid:
            return None
        one, other = (pieces.body[0] if len(pieces.body) == 1 else pieces.core for pieces in (self._one, self._other))
        return None if one is None or other is None else difference(one, other)


def _boxes(pieces: Pieces) -> tuple[Array, Array]:
    """(k, 3), (k, 3) lowest and highest corners of all pieces."""
    return np.array([piece.box[0] for piece in pieces.all]), np.array([piece.box[1] for piece in pieces.all])


def rays_meet(lows: Array, highs: Array, directions: Array) -> Bools:
    """(n, m) whether rays from the origin along directions (m, 3) meet open boxes (n, 3), (n, 3)."""
    enters, leaves = np.zeros((len(lows), len(directions))), np.full((len(lows), len(directions)), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for axis in range(3):
            along = directions[:, axis]
            first, last = lows[:, axis, None] / along, highs[:, axis, None] / along
            first, last = np.minimum(first, last), np.maximum(first, last)
            level = along == 0
            within = (lows[:, axis, None] < 0) & (highs[:, axis, None] > 0)
            first[:, level] = np.where(within, -np.inf, np.inf)
            last[:, level] = np.where(within, np.inf, -np.inf)
            np.maximum(enters, first, out=enters)
            np.minimum(leaves, last, out=leaves)
    met: Bools = enters < leaves
    return met
