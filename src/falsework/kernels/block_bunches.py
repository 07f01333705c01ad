"""The factor of `block_cholesky` for large graphs, a bunch of columns at a time.

Columns that end in the same rows are taken together. What an earlier bunch takes from a later one is then a product of
two dense tables, with long rows that run along memory, which is where the processor is quick; single blocks of 6×6 are
too short for it. The factor is the same to rounding.
"""

# Kernels are typed by numba.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints

WIDEST = 8  # block columns of a bunch: as many as stay in the nearest cache with all their rows
TINY_PIVOT = 1e-15  # of its diagonal entry: what is left is rounding, and the direction is shut off
SHUT = 1e100


class Workbench(NamedTuple):
    """Which columns are taken together, and room to work in. What is on it between two parts belongs to one factor."""

    first: Ints  # (bunches + 1,) columns
    bunch: Ints  # (count,) of each column
    offset: Ints  # (bunches + 1,) where the panel of each bunch begins
    panels: Array  # of each bunch the rows below it, one long row per column
    now: Array
    work: Array
    size: Array
    seen: Ints  # (bunches,)


@compiled
def workbench(count, starts, rows):
    """For one pattern, whatever the numbers."""
    first, bunch = np.empty(count + 1, np.int64), np.empty(count, np.int64)
    bunches = _bunches(count, starts, rows, first, bunch)
    offset, longest = np.zeros(bunches + 1, np.int64), 0
    for s in range(bunches):
        columns, below = first[s + 1] - first[s], starts[first[s + 1]] - starts[first[s + 1] - 1]
        offset[s + 1] = offset[s] + 36 * columns * below
        longest = max(longest, columns + below)
    now, work = np.empty((6 * WIDEST, 6 * longest)), np.empty((6 * WIDEST, 6 * longest))
    size, seen = np.empty(6 * WIDEST), np.full(bunches, -1, np.int64)
    return Workbench(first[: bunches + 1].copy(), bunch, offset, np.empty(offset[bunches]), now, work, size, seen)


@compiled
def factor_bunches(count, starts, rows, row_starts, row_columns, diagonal, lower, where):
    """As `factor_blocks`, in place; returns how many directions were shut off. `where` (count) is workspace."""
    bench = workbench(count, starts, rows)
    last = len(bench.seen)
    return factor_some(bench, 0, last, starts, rows, row_starts, row_columns, diagonal, lower, where)


@compiled
def factor_some(bench, begin, end, starts, rows, row_starts, row_columns, diagonal, lower, where):
    """The bunches from begin to end, those before them done; returns how many directions were shut off."""
    first, bunch, offset, panels, seen, shut = bench.first, bench.bunch, bench.offset, bench.panels, bench.seen, 0
    now, work, size = bench.now, bench.work, bench.size
    for s in range(begin, end):
        a, b = first[s], first[s + 1]
        across, below = 6 * (b - a), starts[b] - starts[b - 1]
        for j in range(a, b):
            where[j] = 6 * (j - a)
        for e in range(starts[b - 1], starts[b]):
            where[rows[e]] = across + 6 * (e - starts[b - 1])
        _gather(a, b, starts, rows, diagonal, lower, where, now, size)
        for j in range(a, b):
            for e in range(row_starts[j], row_starts[j + 1]):
                k = bunch[row_columns[e]]
                if k < s and seen[k] != s:
                    seen[k] = s
                    _take(
                        first[k], first[k + 1], a, b, starts, rows, panels[offset[k] : offset[k + 1]], where, work, now
                    )
        shut += _factor(now, across, across + 6 * below, size)
        _keep(a, b, starts, rows, diagonal, lower, where, now)
        panel = panels[offset[s] : offset[s + 1]]
        for c in range(across):
            source, target = now[c, across:], panel[6 * c * below : 6 * (c + 1) * below]
            for i in range(len(target)):
                target[i] = source[i]
    return shut


@compiled
def products_of(bench, starts, rows, row_starts, row_columns):
    """(bunches,) how many products of blocks each bunch takes."""
    first, bunch = bench.first, bench.bunch
    products, seen = np.zeros(len(first) - 1), np.full(len(first) - 1, -1, np.int64)
    for s in range(len(products)):
        a, b = first[s], first[s + 1]
        for j in range(a, b):
            for e in range(row_starts[j], row_starts[j + 1]):
                k = bunch[row_columns[e]]
                if k < s and seen[k] != s:
                    seen[k] = s
                    top, bottom = _met(first[k + 1], a, b, starts, rows)
                    products[s] += (first[k + 1] - first[k]) * (bottom - top) * (starts[first[k + 1]] - top)
        products[s] += (b - a) * (b - a + starts[b] - starts[b - 1]) * (b - a) / 2
    return products


@inner
def _bunches(count, starts, rows, first, bunch):
    """Columns of which each has all rows of the next, and that one besides; returns how many bunches there are."""
    found = 0
    for j in range(count):
        goes_on = found > 0 and j - first[found - 1] < WIDEST
        goes_on = goes_on and starts[j] - starts[j - 1] == starts[j + 1] - starts[j] + 1 and rows[starts[j - 1]] == j
        if not goes_on:
            first[found] = j
            found += 1
        bunch[j] = found - 1
    first[found] = count
    return found


@inner
def _gather(a, b, starts, rows, diagonal, lower, where, now, size):
    """now ← the columns a to b, transposed: a row of it is a column of the matrix."""
    for j in range(a, b):
        top = 6 * (j - a)
        for q in range(6):
            size[top + q] = diagonal[j, q, q]
            for r in range(6):
                now[top + q, top + r] = diagonal[j, r, q]
        for e in range(starts[j], starts[j + 1]):
            at = where[rows[e]]
            for q in range(6):
                for r in range(6):
                    now[top + q, at + r] = lower[e, q, r]


@inner
def _keep(a, b, starts, rows, diagonal, lower, where, now):
    """The way back."""
    for j in range(a, b):
        top = 6 * (j - a)
        for q in range(6):
            for r in range(q, 6):
                diagonal[j, r, q] = now[top + q, top + r]
        for e in range(starts[j], starts[j + 1]):
            at = where[rows[e]]
            for q in range(6):
                for r in range(6):
                    lower[e, q, r] = now[top + q, at + r]


@inner
def _take(first, last, a, b, starts, rows, panel, where, work, now):
    """Subtract from the columns a to b what the bunch of the columns first to last takes from them."""
    begin, end = starts[last - 1], starts[last]
    top, bottom = _met(last, a, b, starts, rows)
    _products(panel, 6 * (end - begin), 6 * (top - begin), 6 * (last - first), 6 * (bottom - top), work)
    for s in range(top, bottom):
        for c in range(6):
            source, target = work[6 * (s - top) + c], now[6 * (rows[s] - a) + c]
            for t in range(s, end):
                at = where[rows[t]]
                left, right = target[at : at + 6], source[6 * (t - top) : 6 * (t - top) + 6]
                for r in range(6):
                    left[r] -= right[r]


@inner
def _met(last, a, b, starts, rows):
    """Which of the rows below the column before `last` are among a to b."""
    top, end = starts[last - 1], starts[last]
    while rows[top] < a:
        top += 1
    bottom = top
    while bottom < end and rows[bottom] < b:
        bottom += 1
    return top, bottom


@inner
def _products(panel, width, off, depth, across, work):
    """work[c, i] ← Σ_q panel[q, off + c] · panel[q, off + i], c below `across`; rows of six at a time, two by two."""
    for top in range(0, depth, 6):
        at = top * width
        x0 = panel[at + off : at + width]
        x1 = panel[at + width + off : at + 2 * width]
        x2 = panel[at + 2 * width + off : at + 3 * width]
        x3 = panel[at + 3 * width + off : at + 4 * width]
        x4 = panel[at + 4 * width + off : at + 5 * width]
        x5 = panel[at + 5 * width + off : at + 6 * width]
        for c in range(0, across, 2):
            d = c + 1
            one, two = work[c], work[d]
            a0, a1, a2, a3, a4, a5 = x0[c], x1[c], x2[c], x3[c], x4[c], x5[c]
            b0, b1, b2, b3, b4, b5 = x0[d], x1[d], x2[d], x3[d], x4[d], x5[d]
            if top == 0:
                for i in range(len(x0)):
                    one[i] = a0 * x0[i] + a1 * x1[i] + a2 * x2[i] + a3 * x3[i] + a4 * x4[i] + a5 * x5[i]
                    two[i] = b0 * x0[i] + b1 * x1[i] + b2 * x2[i] + b3 * x3[i] + b4 * x4[i] + b5 * x5[i]
            else:
                for i in range(len(x0)):
                    one[i] += a0 * x0[i] + a1 * x1[i] + a2 * x2[i] + a3 * x3[i] + a4 * x4[i] + a5 * x5[i]
                    two[i] += b0 * x0[i] + b1 * x1[i] + b2 * x2[i] + b3 * x3[i] + b4 * x4[i] + b5 * x5[i]


@inner
def _factor(now, across, end, size):
    """The dense columns of a bunch; diagonals are kept inverted, as everywhere in the factor."""
    shut = 0
    for x in range(across):
        pivot = now[x, x]
        if not pivot > TINY_PIVOT * size[x]:
            pivot = SHUT
            shut += 1
        inverse = 1.0 / np.sqrt(pivot)
        rest = now[x, x:end]
        for i in range(len(rest)):
            rest[i] *= inverse
        now[x, x] = inverse
        for y in range(x + 1, across):
            share, one, other = now[x, y], now[x, y:end], now[y, y:end]
            if share != 0.0:
                for i in range(len(one)):
                    other[i] -= share * one[i]
    return shut
