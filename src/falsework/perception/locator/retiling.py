"""Other ways to fill the same cells: what no picture of flush bricks of one colour can tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array

Size = tuple[int, int]  # studs along the two axes of a grid
Tile = tuple[int, int, int, int]  # first cell, and cells along the two axes

MOST_CELLS = 48  # more are not tried: a wall of that size has many tilings
_OFF_GRID = 0.22  # of the pitch


@dataclass(frozen=True, slots=True)
class Lying:
    """A brick of a group, from above."""

    corners_m: Array  # (4, 2)
    pitch_m: float


def tiles_of(group: Sequence[Lying]) -> list[Tile] | None:
    """The cells of each, on the grid of the first; None where they are not on one grid."""
    first = group[0]
    way = first.corners_m[1] - first.corners_m[0]
    way = way / np.hypot(*way)
    axes = np.column_stack([way, [-way[1], way[0]]])
    tiles = []
    for one in group:
        local = (one.corners_m - first.corners_m[0]) @ axes / first.pitch_m
        low, high = local.min(axis=0), local.max(axis=0)
        cells, size = np.rint(low), np.rint(high - low)
        if np.abs(low - cells).max() > _OFF_GRID or np.abs(high - low - size).max() > _OFF_GRID:
            return None
        tiles.append((int(cells[0]), int(cells[1]), int(size[0]), int(size[1])))
    return tiles


def other_tilings(tiles: Sequence[Tile], sizes: Sequence[Size]) -> Iterator[tuple[Tile, ...]]:
    """Every other way to fill the cells of `tiles`, either way round, in which no two tiles make up a third.

    >>> sorted(next(other_tilings([(0, 0, 2, 2), (2, 0, 4, 2)], [(2, 2), (2, 4)])))
    [(0, 0, 4, 2), (4, 0, 2, 2)]
    """
    cells = {(x + i, y + j) for x, y, along, across in tiles for i in range(along) for j in range(across)}
    if len(cells) > MOST_CELLS:
        return
    both = sorted({*sizes, *((b, a) for a, b in sizes)})
    for tiling in _fillings(frozenset(cells), both):
        if set(tiling) != set(tiles) and not any(
            merge(one, other, both) for at, one in enumerate(tiling) for other in tiling[:at]
        ):
            yield tiling


def merge(one: Tile, other: Tile, sizes: Sequence[Size]) -> bool:
    """Whether two tiles together are one of these sizes."""
    low = min(one[0], other[0]), min(one[1], other[1])
    high = max(one[0] + one[2], other[0] + other[2]), max(one[1] + one[3], other[1] + other[3])
    size = high[0] - low[0], high[1] - low[1]
    return size[0] * size[1] == one[2] * one[3] + other[2] * other[3] and size in sizes


def _fillings(cells: frozenset[tuple[int, int]], sizes: Sequence[Size]) -> Iterator[tuple[Tile, ...]]:
    if not cells:
        yield ()
        return
    x, y = min(cells)  # must be the first cell of a tile
    for along, across in sizes:
        mine = {(x + i, y + j) for i in range(along) for j in range(across)}
        if mine <= cells:
            for rest in _fillings(cells - mine, sizes):
                yield ((x, y, along, across), *rest)
