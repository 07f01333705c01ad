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
    a non-negative least-squares problem in seven dimensions. Rows come in one at a time unless those before imply
    them, the longest levers first because they imply most others; then what later ones imply goes again, one at a
    time, so that of several equal rows one stays.
    """
    key = np.ascontiguousarray(np.column_stack([rows, limits]))
    return np.frombuffer(_needed(key.tobytes(), len(key)), dtype=np.bool_)


@lru_cache(maxsize=1024)
def _needed(content: bytes, count: int) -> bytes:
    table = np.frombuffer(content).reshape(count, 7).copy()
    for columns in (slice(0, 3), slice(3, 6)):  # forces and torques count alike
        table[:, columns] /= max(float(np.abs(table[:, columns]).max()), 1e-300)
    table /= np.maximum(np.linalg.norm(table[:, :6], axis=1), 1e-300)[:, None]
    table[:, 6] /= max(float(np.abs(table[:, 6]).max()), 1e-300)
    chosen: list[int] = []
    for row in np.argsort(-np.linalg.norm(table[:, 3:6], axis=1), kind="stable").tolist():
        if not _implied(table[row], table[chosen]):
            chosen.append(row)
    for row in tuple(chosen):
        others = [other for other in chosen if other != row]
        if _implied(table[row], table[others]):
            chosen = others
    keep = np.zeros(count, dtype=np.bool_)
    keep[chosen] = True
    return keep.tobytes()


def _implied(row: Array, others: Array) -> bool:
    """Whether a row (a, c) is a sum of others and of a larger c."""
    slack = np.zeros((1, 7))
    slack[0, 6] = 1.0
    left: float = nnls(np.vstack([others, slack]).T, row)[1]
    return left <= IMPLIED
