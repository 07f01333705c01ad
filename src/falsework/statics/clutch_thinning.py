"""Capacity rows that say nothing new: dropped once per kind of clutch."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.optimize import nnls

from falsework.model.arrays import Array, Bools

IMPLIED = 1e-10  # of a row's own length


def needed_rows(rows: Array, limits: Array) -> Bools:
    """(r,) which rows of {rows·w ≤ limits} describe it on their own.

    By Farkas' lemma a row (a, c) is implied by others (aᵢ, cᵢ) if a = Σ zᵢaᵢ and c ≥ Σ zᵢcᵢ with some z ≥ 0:
    a non-negative least-squares problem in seven dimensions. Rows are dropped one at a time, so that of several
    equal ones one stays.
    """
    key = np.ascontiguousarray(np.column_stack([rows, limits]))
    return np.frombuffer(_needed(key.tobytes(), len(key)), dtype=np.bool_)


@lru_cache(maxsize=1024)
def _needed(content: bytes, count: int) -> bytes:
    lengths = np.linalg.norm(np.frombuffer(content).reshape(count, 7)[:, :3], axis=1)
    table = np.frombuffer(content).reshape(count, 7) / np.maximum(lengths, 1e-300)[:, None]
    table[:, 3:6] /= max(float(np.abs(table[:, 3:6]).max()), 1e-300)
    table[:, 6] /= max(float(np.abs(table[:, 6]).max()), 1e-300)
    keep = np.ones(count, dtype=np.bool_)
    slack = np.zeros((7, 1))
    slack[6] = 1.0
    for row in range(count):
        keep[row] = False
        others = np.hstack([table[keep].T, slack])
        keep[row] = bool(nnls(others, table[row])[1] > IMPLIED)
    return keep.tobytes()
