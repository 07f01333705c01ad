"""The most power a clutch can take up on a given relative twist, and the slips that prove it.

For one clutch, h(x) = max {w·x : R·w ≤ c} = min {c·z : Rᵀz = x, z ≥ 0}. The right-hand side has six equations:
a simplex method with a 6×6 basis solves it to rounding error.
"""

# Kernels take named tuples of arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.compiled import compiled
from falsework.model.arrays import Array, Ints

MAX_PIVOTS = 400
BLAND_AFTER = 60


@compiled
def _solve6(matrix: Array, rhs: Array, transposed: bool) -> Array:
    """Gaussian elimination with row exchanges."""
    a = matrix.T.copy() if transposed else matrix.copy()
    x = rhs.copy()
    for i in range(6):
        best = i
        for r in range(i + 1, 6):
            if abs(a[r, i]) > abs(a[best, i]):
                best = r
        if best != i:
            for c in range(6):
                a[i, c], a[best, c] = a[best, c], a[i, c]
            x[i], x[best] = x[best], x[i]
        for r in range(i + 1, 6):
            factor = a[r, i] / a[i, i]
            if factor != 0.0:
                for c in range(i, 6):
                    a[r, c] -= factor * a[i, c]
                x[r] -= factor * x[i]
    for i in range(5, -1, -1):
        for c in range(i + 1, 6):
            x[i] -= a[i, c] * x[c]
        x[i] /= a[i, i]
    return x


@compiled
def _least_slips(rows: Array, limits: Array, twist: Array, slips: Array) -> bool:
    """Fill `slips` (r,) with the minimiser of limits·z, rowsᵀz = twist, z ≥ 0. False if pivots ran out.

    The basis starts with one artificial column ±e_i a row at a cost that no true column needs (big M).
    """
    count = len(limits)
    slips[:] = 0.0
    size = 0.0
    for i in range(6):
        size = max(size, abs(twist[i]))
    if size == 0.0:
        return True
    basis = np.empty((6, 6))
    basis[:] = 0.0
    members = np.empty(6, dtype=np.int64)
    costs = np.empty(6)
    big = 1e7 * (1.0 + np.abs(limits).max())
    right = twist / size
    for i in range(6):
        basis[i, i] = 1.0 if right[i] >= 0.0 else -1.0
        members[i] = -1
        costs[i] = big
    for pivot in range(MAX_PIVOTS):
        amount = _solve6(basis, right, False)
        price = _solve6(basis, costs, True)
        enter = -1
        worst = -1e-11 * big if (members < 0).any() else -1e-12
        for j in range(count):
            reduced = limits[j]
            for i in range(6):
                reduced -= price[i] * rows[j, i]
            if reduced < worst:
                enter = j
                if pivot >= BLAND_AFTER:
                    break
                worst = reduced
        if enter < 0:
            for i in range(6):
                if members[i] >= 0:
                    slips[members[i]] = max(0.0, amount[i]) * size
                elif amount[i] > 1e-13:
                    return False
            return True
        change = _solve6(basis, rows[enter], False)
        leave = -1
        ratio = np.inf
        for i in range(6):
            if change[i] > 1e-11:
                here = max(0.0, amount[i]) / change[i]
                if here < ratio - 1e-15 or (here <= ratio + 1e-15 and leave >= 0 and members[i] < members[leave]):
                    ratio = here
                    leave = i
        if leave < 0:
            return False
        members[leave] = enter
        costs[leave] = limits[enter]
        for i in range(6):
            basis[i, leave] = rows[enter, i]
    return False


@compiled
def least_slips(kind: Ints, starts: Ints, rows: Array, limits: Array, twists: Array, slips: Array) -> bool:
    """Slips of every clutch, concatenated in clutch order (thinned rows). False if one was not found."""
    place = 0
    found = True
    for k in range(len(kind)):
        first, last = starts[kind[k]], starts[kind[k] + 1]
        found &= _least_slips(rows[first:last], limits[first:last], twists[k], slips[place : place + last - first])
        place += last - first
    return found
