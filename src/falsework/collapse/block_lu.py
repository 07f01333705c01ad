"""Sparse LU factors of matrices made of 6×6 blocks whose places, not whose numbers, are symmetric.

    H = L D U,   L_ij = (H_ij − Σ_k L_ik D_k U_kj) D_j⁻¹   for i > j,   D U the upper blocks,   D_j⁻¹ kept

The places are those of `statics.block_cholesky.BlockPattern`: friction that follows the pressure is not symmetric, but
acts between the same bodies. Within a diagonal block rows are exchanged for the largest pivot, between blocks never:
the blocks hold the masses.
"""

from __future__ import annotations

import numpy as np

from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints


@compiled
def factor_lu(
    count: int,
    starts: Ints,
    rows: Ints,
    row_starts: Ints,
    row_columns: Ints,
    row_slots: Ints,
    diagonal: Array,
    upper: Array,
    lower: Array,
    where: Ints,
) -> bool:
    """In place: `diagonal` (count, 6, 6) becomes the inverses D_j⁻¹; False where one is singular.

    `upper` and `lower` (blocks, 6, 6) hold the blocks (earlier, later) and (later, earlier).
    """
    work = np.empty((6, 12))
    product = np.empty((6, 6))
    for j in range(count):
        for e in range(starts[j], starts[j + 1]):
            where[rows[e]] = e
        for e in range(row_starts[j], row_starts[j + 1]):
            left = row_slots[e]
            _subtract(diagonal[j], lower[left], upper[left])
            for right in range(left + 1, starts[row_columns[e] + 1]):
                target = where[rows[right]]
                _subtract(lower[target], lower[right], upper[left])
                _subtract(upper[target], lower[left], upper[right])
        if not _invert(diagonal[j], work):
            return False
        for e in range(starts[j], starts[j + 1]):
            product[:] = 0.0
            for i in range(6):
                for q in range(6):
                    a = lower[e, i, q]
                    for r in range(6):
                        product[i, r] += a * diagonal[j, q, r]
            lower[e] = product
    return True


@inner
def _subtract(target: Array, left: Array, right: Array) -> None:
    """T ← T − A B."""
    for i in range(6):
        t0, t1, t2 = target[i, 0], target[i, 1], target[i, 2]
        t3, t4, t5 = target[i, 3], target[i, 4], target[i, 5]
        for q in range(6):
            a = left[i, q]
            t0 -= a * right[q, 0]
            t1 -= a * right[q, 1]
            t2 -= a * right[q, 2]
            t3 -= a * right[q, 3]
            t4 -= a * right[q, 4]
            t5 -= a * right[q, 5]
        target[i, 0], target[i, 1], target[i, 2] = t0, t1, t2
        target[i, 3], target[i, 4], target[i, 5] = t3, t4, t5


@inner
def _invert(block: Array, work: Array) -> bool:
    """A 6×6 block ← its inverse, by elimination with the largest pivot of each column; `work` (6, 12)."""
    for i in range(6):
        for j in range(6):
            work[i, j] = block[i, j]
            work[i, 6 + j] = 1.0 if i == j else 0.0
    for column in range(6):
        best = column
        for i in range(column + 1, 6):
            if abs(work[i, column]) > abs(work[best, column]):
                best = i
        if not abs(work[best, column]) > 0.0:
            return False
        for j in range(12):
            work[column, j], work[best, j] = work[best, j], work[column, j]
        scale = 1.0 / work[column, column]
        for j in range(12):
            work[column, j] *= scale
        for i in range(6):
            if i != column:
                a = work[i, column]
                for j in range(12):
                    work[i, j] -= a * work[column, j]
    for i in range(6):
        for j in range(6):
            block[i, j] = work[i, 6 + j]
    return True


@compiled
def solve_lu(count: int, starts: Ints, rows: Ints, diagonal: Array, upper: Array, lower: Array, x: Array) -> None:
    """x ← H⁻¹ x in place, x (count, 6)."""
    left = np.empty(6)
    for j in range(count):
        for e in range(starts[j], starts[j + 1]):
            i = rows[e]
            for r in range(6):
                value = 0.0
                for q in range(6):
                    value += lower[e, r, q] * x[j, q]
                x[i, r] -= value
    for j in range(count - 1, -1, -1):
        for r in range(6):
            left[r] = x[j, r]
        for e in range(starts[j], starts[j + 1]):
            i = rows[e]
            for r in range(6):
                value = 0.0
                for q in range(6):
                    value += upper[e, r, q] * x[i, q]
                left[r] -= value
        for r in range(6):
            value = 0.0
            for q in range(6):
                value += diagonal[j, r, q] * left[q]
            x[j, r] = value
