"""Where straight lines run over triangulated regions: intervals along them, and what two lines have in common."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array


def spans(across: Array, along: Array, slack: float, join: float) -> Array:
    """(m, 2) intervals of a line over triangles, ascending and apart.

    Triangles are given by how far their corners are to the side of the line (k, 3) and how far along it (k, 3). What
    is to the side by no more than `slack` is on it; intervals no further apart than `join` are one.
    """
    low, high = across.min(axis=1), across.max(axis=1)
    met = np.flatnonzero((low <= slack) & (high >= -slack))
    if not len(met):
        return np.zeros((0, 2))
    u, v = across[met], along[met]
    at = np.clip(0.0, u.min(axis=1), u.max(axis=1))[:, None]
    head_u, head_v = u[:, [1, 2, 0]], v[:, [1, 2, 0]]
    crossed = (np.minimum(u, head_u) <= at) & (np.maximum(u, head_u) >= at)
    rise = head_u - u
    share = np.where(rise != 0, (at - u) / np.where(rise != 0, rise, 1.0), 0.0)
    there, level = v + share * (head_v - v), rise == 0
    lows = np.where(crossed, np.where(level, np.minimum(v, head_v), there), np.inf).min(axis=1)
    highs = np.where(crossed, np.where(level, np.maximum(v, head_v), there), -np.inf).max(axis=1)
    order = np.argsort(lows, kind="stable")
    lows, reach = lows[order], np.maximum.accumulate(highs[order])
    first = np.flatnonzero(np.concatenate([[True], lows[1:] > reach[:-1] + join]))
    return np.stack([lows[first], reach[np.concatenate([first[1:] - 1, [len(lows) - 1]])]], axis=1)


def common(ones: Array, others: Array) -> Array:
    """(m, 2) what two sets of intervals share."""
    low = np.maximum(ones[:, None, 0], others[None, :, 0]).ravel()
    high = np.minimum(ones[:, None, 1], others[None, :, 1]).ravel()
    shared = low <= high
    return np.stack([low[shared], high[shared]], axis=1)


def contains(intervals: Array, place: float, slack: float) -> bool:
    """Whether one of some intervals reaches a place, but for `slack`."""
    return bool(((intervals[:, 0] <= place + slack) & (intervals[:, 1] >= place - slack)).any())
