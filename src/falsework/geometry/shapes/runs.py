"""Runs: many lists of different lengths laid end to end in one array, list k from starts[k] to starts[k + 1]."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Ints


def starts_of(counts: Ints) -> Ints:
    """(k + 1,) where runs of these lengths (k,) start, and where the last ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])


def rows_of(starts: Ints, which: Ints) -> tuple[Ints, Ints]:
    """The rows of the chosen runs, one run after the other, and for each row the position of its run in `which`."""
    counts = starts[which + 1] - starts[which]  # of the chosen ones alone: there may be very many others
    owner = np.repeat(np.arange(len(which)), counts)
    moved = starts_of(counts)
    return np.arange(moved[-1]) + (starts[which] - moved[:-1])[owner], owner


def successors(starts: Ints) -> Ints:
    """(n,) the row after each row, around its own run."""
    ahead = np.arange(1, int(starts[-1]) + 1)
    full = starts[1:] > starts[:-1]
    ahead[starts[1:][full] - 1] = starts[:-1][full]
    return ahead
