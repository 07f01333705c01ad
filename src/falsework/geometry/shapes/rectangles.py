"""Which rectangles of integers overlap: the question behind every contact on a stud grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Ints

WIDE = 1024  # cells: a rectangle larger than this is compared, not spread over its cells


@dataclass(frozen=True, slots=True, eq=False)
class Rectangles:
    """Rectangles low ≤ x < high, each on a level and belonging to an owner."""

    owner: Ints  # (n,)
    level: Ints  # (n,)
    low: Ints  # (n, 2)
    high: Ints  # (n, 2)

    def __len__(self) -> int:
        return len(self.owner)


def overlapping(first: Rectangles, second: Rectangles) -> tuple[Ints, Ints]:
    """Pairs (i, j) with first[i] and second[j] on one level sharing a cell, each once, in order of (i, j).

    Small rectangles meet where their cells have equal keys; wide ones are compared with all of the other side.
    """
    wide_first, wide_second = _cells(first) > WIDE, _cells(second) > WIDE
    pairs = [_compared(first, np.flatnonzero(wide_first), second, np.arange(len(second)))]
    pairs.append(_compared(first, np.flatnonzero(~wide_first), second, np.flatnonzero(wide_second)))
    pairs.append(_by_cells(first, np.flatnonzero(~wide_first), second, np.flatnonzero(~wide_second)))
    i, j = (np.concatenate(side) for side in zip(*pairs, strict=True))
    order = np.lexsort((j, i))
    return i[order], j[order]


def _cells(rectangles: Rectangles) -> Array:
    sides = (rectangles.high - rectangles.low).astype(float)
    area: Array = sides[:, 0] * sides[:, 1]
    return area


def _compared(first: Rectangles, rows: Ints, second: Rectangles, columns: Ints) -> tuple[Ints, Ints]:
    """All against all, a row at a time: for the few rectangles that are too wide to spread out."""
    found_i, found_j = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    if len(rows) > len(columns):
        j, i = _compared(second, columns, first, rows)
        return i, j
    for row in rows:
        low = np.maximum(first.low[row], second.low[columns])
        high = np.minimum(first.high[row], second.high[columns])
        hit = columns[(first.level[row] == second.level[columns]) & (low < high).all(axis=1)]
        found_i.append(np.full(len(hit), row))
        found_j.append(hit)
    return np.concatenate(found_i), np.concatenate(found_j)


def _by_cells(first: Rectangles, rows: Ints, second: Rectangles, columns: Ints) -> tuple[Ints, Ints]:
    """Pairs that share a cell, by sorting the cells of both sides."""
    owner_i, cells_i = _spread(first, rows)
    owner_j, cells_j = _spread(second, columns)
    if not len(owner_i) or not len(owner_j):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    keys_i, keys_j = _keys(cells_i, cells_j)
    order = np.argsort(keys_j, kind="stable")
    keys_j, owner_j = keys_j[order], owner_j[order]
    begin = np.searchsorted(keys_j, keys_i, side="left")
    count = np.searchsorted(keys_j, keys_i, side="right") - begin
    i = np.repeat(owner_i, count)
    j = owner_j[np.repeat(begin, count) + _ramps(count)]
    pairs = np.unique(i * np.int64(len(second)) + j)
    return pairs // len(second), pairs % len(second)


def _spread(rectangles: Rectangles, rows: Ints) -> tuple[Ints, Ints]:
    """The cells of the chosen rectangles: (c,) which rectangle, (c, 3) level, x, y."""
    sides = (rectangles.high - rectangles.low)[rows]
    count = sides.prod(axis=1)
    row = np.repeat(rows, count)
    step = _ramps(count)
    across = np.repeat(sides[:, 0], count)
    x = rectangles.low[row, 0] + step % across
    y = rectangles.low[row, 1] + step // across
    return row, np.column_stack([rectangles.level[row], x, y])


def _ramps(count: Ints) -> Ints:
    """0, 1, …, count[0] − 1, 0, 1, …, count[1] − 1, …"""
    ends = np.cumsum(count)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - count, count)


def _keys(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """One integer per cell, equal where the cells are; ranks instead of coordinates when those are too large."""
    both = np.concatenate([first, second])
    both = both - both.min(axis=0)
    spans = [int(top) + 1 for top in both.max(axis=0)]
    if spans[0] * spans[1] * spans[2] >= 2**62:
        both = np.column_stack([np.unique(column, return_inverse=True)[1] for column in both.T])
        spans = [int(top) + 1 for top in both.max(axis=0)]
    keys = (both[:, 0] * spans[1] + both[:, 1]) * spans[2] + both[:, 2]
    return keys[: len(first)], keys[len(first) :]
