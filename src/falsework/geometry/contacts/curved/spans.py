"""Where straight lines run over triangulated regions: intervals along them, and what two lines have in common."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Ints

ROUNDING = 1e-9  # of the width of a triangle


def spans(across: Array, along: Array, slack: float, join: float) -> Array:
    """(m, 2) intervals of a line over triangles, ascending and apart.

    Triangles are given by how far their corners are to the side of the line (k, 3) and how far along it (k, 3). What
    is to the side by no more than `slack` is on it; intervals no further apart than `join` are one.
    """
    return spans_of_lines(across, along, np.zeros(len(across), dtype=np.int64), 1, slack, join)[0]


def spans_of_lines(across: Array, along: Array, line: Ints, count: int, slack: float, join: float) -> list[Array]:
    """The same of so many lines at once: `line` (k,) says over which of them each triangle is looked at."""
    low, high = across.min(axis=1), across.max(axis=1)
    met = np.flatnonzero((low <= slack) & (high >= -slack))
    if not len(met):
        return [np.zeros((0, 2))] * count
    u, v, line = across[met], along[met], line[met]
    at = np.clip(0.0, u.min(axis=1), u.max(axis=1))[:, None]
    head_u, head_v = u[:, [1, 2, 0]], v[:, [1, 2, 0]]
    rounding = ROUNDING * np.ptp(u, axis=1)[:, None]
    crossed = (np.minimum(u, head_u) <= at + rounding) & (np.maximum(u, head_u) >= at - rounding)
    rise = head_u - u
    level = np.abs(rise) <= rounding  # along the line: all of the edge is on it
    share = np.clip((at - u) / np.where(level, 1.0, rise), 0.0, 1.0)
    there = v + share * (head_v - v)
    lows = np.where(crossed, np.where(level, np.minimum(v, head_v), there), np.inf).min(axis=1)
    highs = np.where(crossed, np.where(level, np.maximum(v, head_v), there), -np.inf).max(axis=1)
    order = np.lexsort((lows, line))
    lows, line = lows[order], line[order]
    reach = _reach(highs[order], line)
    new = line[1:] != line[:-1]
    first = np.flatnonzero(np.concatenate([[True], new | (lows[1:] > reach[:-1] + join)]))
    found = np.stack([lows[first], reach[np.concatenate([first[1:] - 1, [len(lows) - 1]])]], axis=1)
    return np.split(found, np.searchsorted(line[first], np.arange(1, count)))


def _reach(highs: Array, line: Ints) -> Array:
    """(k,) the highest so far, of each line by itself; lines (k,) ascend."""
    by_height = np.lexsort((highs, line))
    rank = np.empty(len(highs), dtype=np.int64)
    rank[by_height] = np.arange(len(highs))  # those of a line are above all of the line before
    reach: Array = highs[by_height[np.maximum.accumulate(rank)]]
    return reach


def common(ones: Array, others: Array) -> Array:
    """(m, 2) what two sets of intervals share."""
    low = np.maximum(ones[:, None, 0], others[None, :, 0]).ravel()
    high = np.minimum(ones[:, None, 1], others[None, :, 1]).ravel()
    shared = low <= high
    return np.stack([low[shared], high[shared]], axis=1)


def contains(intervals: Array, place: float, slack: float) -> bool:
    """Whether one of some intervals reaches a place, but for `slack`."""
    return bool(((intervals[:, 0] <= place + slack) & (intervals[:, 1] >= place - slack)).any())
