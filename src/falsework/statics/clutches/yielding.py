"""How one clutch answers a relative twist: elastic until its capacity rows stop it.

The energy-minimal wrench for a relative twist u is w = argmin ½wᵀQw − w·u with R·w ≤ c. With Q = L·Lᵀ, x = Lᵀw
and x₀ = L⁻¹u this is the point x of the polytope {R·L⁻ᵀ·x ≤ c} nearest to x₀: a problem in six dimensions for the
dual active-set method of Goldfarb and Idnani (1983). The active rows, orthonormalised, are kept from call to call;
most often they are still right and one pass over the rows proves it.
"""

# Kernels take named tuples of arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.compiled import compiled
from falsework.model.arrays import Array, Ints

TOLERANCE = 1e-12  # of 1 + |x₀|; rows have unit length
MAX_CHANGES = 100


@compiled
def orthonormalise(rows: Array, active: Ints, count: int, span: Array, lower: Array) -> bool:
    """Rows active[:count] = lower · span, span orthonormal (count, 6). False if they are dependent."""
    for i in range(count):
        for j in range(6):
            span[i, j] = rows[active[i], j]
        for j in range(i):
            lower[i, j] = 0.0
        for _ in range(2):  # twice is enough
            for j in range(i):
                along = 0.0
                for q in range(6):
                    along += span[j, q] * span[i, q]
                lower[i, j] += along
                for q in range(6):
                    span[i, q] -= along * span[j, q]
        size = 0.0
        for q in range(6):
            size += span[i, q] * span[i, q]
        size = np.sqrt(size)
        if size < 1e-7:
            return False
        lower[i, i] = size
        for q in range(6):
            span[i, q] /= size
    return True


@compiled
def _on_face(start, limits, strength, active, count, span, lower, x, multipliers):
    """Nearest point to `start` with the active rows as equations, and their multipliers."""
    for q in range(6):
        x[q] = start[q]
    for i in range(count):
        along = 0.0
        for q in range(6):
            along += span[i, q] * start[q]
        multipliers[i] = along
    for _ in range(2):
        for i in range(count):
            along = 0.0
            for q in range(6):
                along += span[i, q] * x[q]
            for q in range(6):
                x[q] -= along * span[i, q]
    wanted = np.empty(6)
    for i in range(count):
        value = strength * limits[active[i]]
        for j in range(i):
            value -= lower[i, j] * wanted[j]
        wanted[i] = value / lower[i, i]
        multipliers[i] -= wanted[i]
        for q in range(6):
            x[q] += wanted[i] * span[i, q]
    for i in range(count - 1, -1, -1):
        for j in range(i + 1, count):
            multipliers[i] -= lower[j, i] * multipliers[j]
        multipliers[i] /= lower[i, i]


@compiled
def _worst_row(rows, limits, strength, x, tolerance):
    worst, at = tolerance, -1
    for r in range(len(limits)):
        over = -strength * limits[r]
        for q in range(6):
            over += rows[r, q] * x[q]
        if over > worst:
            worst, at = over, r
    return at, worst


@compiled
def nearest(rows, limits, strength, start, active, count, span, lower, x):
    """Point x of {rows·x ≤ strength·limits} nearest to `start`; returns how many rows are active, or −1.

    `active`, `span` and `lower` hold the last call's active rows on entry and this one's on return.
    """
    multipliers = np.empty(6)
    _on_face(start, limits, strength, active, count, span, lower, x, multipliers)
    size = 1.0
    for q in range(6):
        size = max(size, abs(start[q]))
    tolerance = TOLERANCE * size
    kept = 0
    for i in range(count):
        if multipliers[i] >= 0.0:
            kept += 1
    row, over = _worst_row(rows, limits, strength, x, tolerance)
    if kept == count and row < 0:
        return count
    while kept < count:  # a valid pair for the dual method: the minimiser on rows whose multipliers are positive
        kept = 0
        for i in range(count):
            if multipliers[i] >= 0.0:
                active[kept] = active[i]
                kept += 1
        count = kept
        orthonormalise(rows, active, count, span, lower)
        _on_face(start, limits, strength, active, count, span, lower, x, multipliers)
        kept = 0
        for i in range(count):
            if multipliers[i] >= 0.0:
                kept += 1
    aside = np.empty(6)
    share = np.empty(6)
    for _ in range(MAX_CHANGES):
        row, over = _worst_row(rows, limits, strength, x, tolerance)
        if row < 0:
            _on_face(start, limits, strength, active, count, span, lower, x, multipliers)
            return count
        pushed = 0.0
        while True:
            for q in range(6):
                aside[q] = rows[row, q]
            for i in range(count):
                along = 0.0
                for q in range(6):
                    along += span[i, q] * aside[q]
                share[i] = along
                for q in range(6):
                    aside[q] -= along * span[i, q]
            for i in range(count - 1, -1, -1):
                for j in range(i + 1, count):
                    share[i] -= lower[j, i] * share[j]
                share[i] /= lower[i, i]
            free = 0.0
            for q in range(6):
                free += aside[q] * aside[q]
            full = over / free if free > 1e-12 and count < 6 else np.inf
            part, drop = np.inf, -1
            for i in range(count):
                if share[i] > 1e-14 and multipliers[i] / share[i] < part:
                    part, drop = multipliers[i] / share[i], i
            step = min(full, part)
            if step == np.inf:
                return -1
            for i in range(count):
                multipliers[i] -= step * share[i]
            pushed += step
            if full < np.inf:
                over -= step * free
                for q in range(6):
                    x[q] -= step * aside[q]
            if full <= part:
                active[count] = row
                multipliers[count] = pushed
                count += 1
                orthonormalise(rows, active, count, span, lower)
                break
            for i in range(drop, count - 1):
                active[i] = active[i + 1]
                multipliers[i] = multipliers[i + 1]
            count -= 1
            orthonormalise(rows, active, count, span, lower)
    return -1
