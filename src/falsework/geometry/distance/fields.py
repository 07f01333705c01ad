"""Distances on a grid: made once for a surface, kept on disk, and then a few additions a point.

Space around the surface is cut into blocks. Those near it have a fine grid of BLOCK³ cells, the others only their
corners; between grid points distances are interpolated along the three axes. A distance changes by no more than the way
that is gone, so an interpolated one is off by at most √3/2 of the grid's spacing, and mostly by far less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falsework.geometry.distance.surface import Surface, as_points, compiles
from falsework.geometry.distance.trees import BLOCK, OFF, Blocks
from falsework.kernels.keeping import kept
from falsework.model.arrays import Array, Ints
from falsework.model.checkpoints import checkpoint
from falsework.model.errors import BadInput

FINEST = 1024  # cells along the longest side of a surface's box
MOST, MOST_BLOCKS = 100_000_000, 1_000_000  # grid points, 400 MB; and blocks, most of them without any
AT_ONCE = 500_000  # grid points asked about between two checkpoints


class Sampled(NamedTuple):
    """For each point: a distance, negative inside, where it grows, and by how much the distance may be wrong."""

    distances: Array  # (n,) m
    gradients: Array  # (n, 3) of what was interpolated; of length near 1 but where the nearest feature changes
    errors: Array  # (n,) m


class Grid(NamedTuple):
    """Distances at grid points, m, and where they are."""

    low: Array  # (3,) the first grid point
    spacing_m: float  # of the fine grids; BLOCK times that is a block
    corners: Blocks  # (x, y, z) at the corners of blocks
    number: Ints  # (x − 1, y − 1, z − 1) of a block's fine grid, or −1
    fine: Blocks  # (k, BLOCK + 1, BLOCK + 1, BLOCK + 1)


@dataclass(frozen=True, eq=False)
class Field:
    """The distances from a surface, interpolated; outside of its grid they are asked from the surface itself.

    >>> from falsework.geometry.distance.surface import surface_of
    >>> from falsework.model.shapes import box
    >>> cube = field_of(surface_of(box((1, 1, 1))), 32)
    >>> cube.at([[0.5, 0.5, 1.125]]).distances.round(6).tolist()
    [0.125]
    """

    surface: Surface
    grid: Grid

    @property
    def error_m(self) -> float:
        """By how much distances may be wrong near the surface."""
        return OFF * self.grid.spacing_m

    def at(self, points: npt.ArrayLike) -> Sampled:
        """Distances at points (n, 3), m, in the surface's frame."""
        asked = as_points(points)
        if compiles():
            from falsework.geometry.distance.interpolation import interpolated

            grid = self.grid
            found = Sampled(*interpolated(grid.low, grid.spacing_m, grid.corners, grid.number, grid.fine, asked))
        else:
            found = interpolated_plainly(self.grid, asked)
        outside = np.flatnonzero(np.isnan(found.errors))
        if len(outside):
            exact = self.surface.signed(asked[outside])
            away = asked[outside] - exact.points
            found.distances[outside], found.errors[outside] = exact.distances, 0.0
            found.gradients[outside] = away / np.where(exact.distances == 0, 1.0, exact.distances)[:, None]
        return found


def field_of(surface: Surface, cells: int = 128, band: float = 0.05) -> Field:
    """The field of a surface, made now or earlier.

    cells   of the fine grids, along the longest side of the surface's box
    band    fine grids reach this far from the surface, as a share of that side
    """
    if not 8 <= cells <= FINEST:
        raise BadInput(f"expected 8 to {FINEST} cells along a distance field, found {cells}")
    if not 0 < band <= 1:
        raise BadInput(f"expected a band of 0 to 1 around a surface, found {band:g}")
    return _field(surface, cells, band)


@lru_cache(maxsize=64)
def _field(surface: Surface, cells: int, band: float) -> Field:
    content = (surface.digest.encode(), f"{cells} {band!r}".encode())
    grid = kept("distance field", content, lambda: _made(surface, cells, band))
    for array in (grid.low, grid.corners, grid.number, grid.fine):
        array.setflags(write=False)
    return Field(surface, grid)


def _made(surface: Surface, cells: int, band: float) -> Grid:
    used = surface.vertices[np.unique(surface.faces)]
    side = float(np.ptp(used, axis=0).max())
    spacing, reach = side / cells, band * side
    block = BLOCK * spacing
    count = np.ceil((np.ptp(used, axis=0) + 2 * reach) / block).astype(np.int64) + 1  # blocks along each axis
    if float(np.prod(count + 1.0)) > MOST_BLOCKS:
        raise BadInput(_too_many(cells))
    low = 0.5 * (used.min(axis=0) + used.max(axis=0)) - 0.5 * block * count
    places = np.stack(np.meshgrid(*(np.arange(k + 1) for k in count), indexing="ij"), axis=-1)
    corners = _asked(surface, (low + block * places).reshape(-1, 3)).reshape(places.shape[:3])
    middles = low + block * (places[:-1, :-1, :-1] + 0.5)
    near = np.isfinite(surface.unsigned(middles.reshape(-1, 3), reach + OFF * block).distances).reshape(tuple(count))
    number = np.full(tuple(count), -1, dtype=np.int64)
    number[near] = np.arange(int(near.sum()))
    if number.max() * (BLOCK + 1) ** 3 > MOST:
        raise BadInput(_too_many(cells))
    return Grid(low, spacing, corners, number, _fine(surface, low, spacing, np.argwhere(near)))


def _too_many(cells: int) -> str:
    return f"a distance field of {cells} cells would have more than {MOST:,} points; ask for fewer cells, or less band"


def _fine(surface: Surface, low: Array, spacing: float, blocks: Ints) -> Blocks:
    """Distances at the fine points of blocks (k, 3); points that blocks share are asked about once."""
    steps = np.stack(np.meshgrid(*[np.arange(BLOCK + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    points = (BLOCK * blocks[:, None] + steps).reshape(-1, 3)
    span = points.max(axis=0) + 1
    keys = (points[:, 0] * span[1] + points[:, 1]) * span[2] + points[:, 2]
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    found = _asked(surface, low + spacing * points[first])
    return found[which.reshape(-1)].reshape(len(blocks), *[BLOCK + 1] * 3)


def _asked(surface: Surface, points: Array) -> Blocks:
    found = np.empty(len(points), dtype=np.float32)
    for begin in range(0, len(points), AT_ONCE):
        checkpoint()
        found[begin : begin + AT_ONCE] = surface.signed(points[begin : begin + AT_ONCE]).distances
    return found


def interpolated_plainly(grid: Grid, points: Array) -> Sampled:
    """The same as the compiled one, with numpy; NaN where there is no grid."""
    scaled = (points - grid.low) / grid.spacing_m
    block = np.floor(scaled / BLOCK).astype(np.int64)
    inside = ((block >= 0) & (block < grid.number.shape)).all(axis=1)
    rows = np.flatnonzero(inside)
    number = np.full(len(points), -1)
    number[rows] = grid.number[tuple(block[rows].T)]
    distances, gradients, errors = (
        np.full(len(points), np.nan),
        np.full((len(points), 3), np.nan),
        np.full(len(points), np.nan),
    )
    for some, step in ((np.flatnonzero(number >= 0), 1.0), (np.flatnonzero(inside & (number < 0)), float(BLOCK))):
        within = scaled[some] - BLOCK * block[some] if step == 1.0 else scaled[some] / BLOCK
        cell = np.minimum(np.floor(within).astype(np.int64), BLOCK - 1) if step == 1.0 else block[some]
        share = within - cell
        values = np.empty((len(some), 2, 2, 2))
        for i, j, k in np.ndindex(2, 2, 2):
            at = (cell[:, 0] + i, cell[:, 1] + j, cell[:, 2] + k)
            values[:, i, j, k] = grid.fine[(number[some], *at)] if step == 1.0 else grid.corners[at]
        distances[some], slope = _trilinear(values, share)
        gradients[some], errors[some] = slope / (step * grid.spacing_m), OFF * step * grid.spacing_m
    return Sampled(distances, gradients, errors)


def _trilinear(values: Array, share: Array) -> tuple[Array, Array]:
    """(n,), (n, 3) of values (n, 2, 2, 2) at the corners of cells, and how they change from one side to the other."""
    low, high = values[:, :, :, 0], values[:, :, :, 1]
    s, t, u = (share[:, axis] for axis in range(3))
    flat, rise = low + u[:, None, None] * (high - low), high - low
    line, across = flat[:, :, 0] + t[:, None] * (flat[:, :, 1] - flat[:, :, 0]), flat[:, :, 1] - flat[:, :, 0]
    up = rise[:, :, 0] + t[:, None] * (rise[:, :, 1] - rise[:, :, 0])
    slopes = [
        line[:, 1] - line[:, 0],
        across[:, 0] + s * (across[:, 1] - across[:, 0]),
        up[:, 0] + s * (up[:, 1] - up[:, 0]),
    ]
    return line[:, 0] + s * slopes[0], np.stack(slopes, axis=1)
