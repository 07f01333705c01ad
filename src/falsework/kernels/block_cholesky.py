"""Sparse Cholesky factors of symmetric matrices made of 6×6 blocks, one block row for each rigid body.

    pattern = BlockPattern.of(count, edges)             which blocks the factor has, once for a graph
    factor = pattern.factor(diagonal, edge_blocks)      H = L Lᵀ, for any numbers on that graph
    x = factor.solve(b)                                 (count, 6)

H has the block `diagonal[i]` at (i, i) and, for each edge (i, j), the block `edge_blocks[e]` at (i, j) and its
transpose at (j, i); repeated edges add up. Blocks are eliminated in an order of least degree, columns from left to
right: L_jj L_jjᵀ = H_jj − Σ_k L_jk L_jkᵀ and L_ij = (H_ij − Σ_k L_ik L_jkᵀ) L_jj⁻ᵀ. Off-diagonal blocks are kept
transposed, so that the innermost loops run along memory.

The lower-case functions work on plain arrays, for callers that are compiled themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.kernels.block_bunches import SHUT, TINY_PIVOT, factor_bunches
from falsework.kernels.block_ordering import columns_of_factor, least_degree_order, rows_of_factor, slots_of
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints

MANY = 1000  # blocks of a factor, from which on bunches of columns are quicker than single ones


@compiled
def factor_blocks(
    count: int,
    starts: Ints,
    rows: Ints,
    row_starts: Ints,
    row_columns: Ints,
    row_slots: Ints,
    diagonal: Array,
    lower: Array,
    where: Ints,
) -> int:
    """H = L Lᵀ in place: `diagonal` (count, 6, 6) and `lower` (blocks, 6, 6), the latter holding transposed blocks.

    The diagonal of each L_jj is kept inverted. Returns how many directions were shut off for want of a pivot.
    `where` (count) is workspace.
    """
    if starts[count] >= MANY:
        return int(factor_bunches(count, starts, rows, row_starts, row_columns, diagonal, lower, where))  # type: ignore[no-untyped-call]
    shut = 0
    size = np.empty(6)
    for j in range(count):
        for q in range(6):
            size[q] = diagonal[j, q, q]
        for e in range(starts[j], starts[j + 1]):
            where[rows[e]] = e
        for e in range(row_starts[j], row_starts[j + 1]):
            left = row_slots[e]
            for c in range(6):
                t0, t1, t2 = diagonal[j, c, 0], diagonal[j, c, 1], diagonal[j, c, 2]
                t3, t4, t5 = diagonal[j, c, 3], diagonal[j, c, 4], diagonal[j, c, 5]
                for q in range(6):
                    a = lower[left, q, c]
                    t0 -= a * lower[left, q, 0]
                    t1 -= a * lower[left, q, 1]
                    t2 -= a * lower[left, q, 2]
                    t3 -= a * lower[left, q, 3]
                    t4 -= a * lower[left, q, 4]
                    t5 -= a * lower[left, q, 5]
                diagonal[j, c, 0], diagonal[j, c, 1], diagonal[j, c, 2] = t0, t1, t2
                diagonal[j, c, 3], diagonal[j, c, 4], diagonal[j, c, 5] = t3, t4, t5
            for right in range(left + 1, starts[row_columns[e] + 1]):
                _subtract_product(lower, where[rows[right]], left, right)
        shut += factor_small(diagonal, j, size)
        for e in range(starts[j], starts[j + 1]):
            for q in range(6):
                for p in range(q):
                    a = diagonal[j, q, p]
                    for r in range(6):
                        lower[e, q, r] -= a * lower[e, p, r]
                a = diagonal[j, q, q]
                for r in range(6):
                    lower[e, q, r] *= a
    return shut


@inner
def _subtract_product(lower: Array, target: int, left: int, right: int) -> None:
    """T ← T − Sᵀ X: the transposed form of H_ij ← H_ij − L_ik L_jkᵀ."""
    for c in range(6):
        t0, t1, t2 = lower[target, c, 0], lower[target, c, 1], lower[target, c, 2]
        t3, t4, t5 = lower[target, c, 3], lower[target, c, 4], lower[target, c, 5]
        for q in range(6):
            a = lower[left, q, c]
            t0 -= a * lower[right, q, 0]
            t1 -= a * lower[right, q, 1]
            t2 -= a * lower[right, q, 2]
            t3 -= a * lower[right, q, 3]
            t4 -= a * lower[right, q, 4]
            t5 -= a * lower[right, q, 5]
        lower[target, c, 0], lower[target, c, 1], lower[target, c, 2] = t0, t1, t2
        lower[target, c, 3], lower[target, c, 4], lower[target, c, 5] = t3, t4, t5


@inner
def factor_small(diagonal: Array, j: int, size: Array) -> int:
    """One 6×6 Cholesky factor in place, lower triangle, inverted diagonal."""
    shut = 0
    for q in range(6):
        pivot = diagonal[j, q, q]
        for p in range(q):
            pivot -= diagonal[j, q, p] * diagonal[j, q, p]
        if not pivot > TINY_PIVOT * size[q]:
            pivot = SHUT
            shut += 1
        inverse = 1.0 / np.sqrt(pivot)
        diagonal[j, q, q] = inverse
        for r in range(q + 1, 6):
            value = diagonal[j, r, q]
            for p in range(q):
                value -= diagonal[j, r, p] * diagonal[j, q, p]
            diagonal[j, r, q] = value * inverse
    return shut


@compiled
def solve_blocks(count: int, starts: Ints, rows: Ints, diagonal: Array, lower: Array, x: Array) -> None:
    """x ← L⁻ᵀ L⁻¹ x in place, x (count, 6)."""
    for j in range(count):
        for q in range(6):
            value = x[j, q]
            for p in range(q):
                value -= diagonal[j, q, p] * x[j, p]
            x[j, q] = value * diagonal[j, q, q]
        for e in range(starts[j], starts[j + 1]):
            i = rows[e]
            for q in range(6):
                a = x[j, q]
                for r in range(6):
                    x[i, r] -= a * lower[e, q, r]
    for j in range(count - 1, -1, -1):
        for e in range(starts[j], starts[j + 1]):
            i = rows[e]
            for q in range(6):
                value = 0.0
                for r in range(6):
                    value += lower[e, q, r] * x[i, r]
                x[j, q] -= value
        for q in range(5, -1, -1):
            value = x[j, q]
            for p in range(q + 1, 6):
                value -= diagonal[j, p, q] * x[j, p]
            x[j, q] = value * diagonal[j, q, q]


@dataclass(frozen=True, slots=True, eq=False)
class BlockPattern:
    """Which blocks the factor has, for one graph; nodes are renumbered by `order` (new -> old)."""

    order: Ints  # (count,)
    place: Ints  # (count,) old -> new
    starts: Ints  # (count + 1,) column j has the blocks starts[j]:starts[j + 1]
    rows: Ints  # (blocks,) their rows, ascending in each column
    row_starts: Ints  # (count + 1,) the same by row
    row_columns: Ints  # (blocks,)
    row_slots: Ints  # (blocks,)
    edges: Ints  # (m, 2) as given
    slots: Ints  # (m,) where each edge's block is kept
    turned: Ints  # (m,) 1 where the edge's block goes in as it is given, 0 where its transpose does

    @staticmethod
    def of(count: int, edges: Ints, order: Ints | None = None) -> BlockPattern:
        """The pattern of `count` nodes joined by `edges` (m, 2); `order` is by least degree unless given."""
        edges = np.array(edges, np.int64).reshape(-1, 2)  # a copy: read-only arrays are a type of their own to numba
        order = least_degree_order(count, edges) if order is None else np.array(order, np.int64)
        place = np.empty(count, np.int64)
        place[order] = np.arange(count)
        ends = place[edges]
        both = np.concatenate([ends, ends[:, ::-1]])
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        first = np.searchsorted(both[:, 0], np.arange(count + 1)).astype(np.int64)
        others = np.ascontiguousarray(both[:, 1])
        starts, parent, mark = np.zeros(count + 1, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
        rows = np.empty(4 * len(edges) + count, np.int64)
        while (found := columns_of_factor(count, first, others, starts, rows, parent, mark)) < 0:
            rows = np.empty(2 * max(-found, len(rows)), np.int64)
        rows = rows[:found].copy()
        row_starts, columns, slots = np.zeros(count + 1, np.int64), np.empty_like(rows), np.empty_like(rows)
        rows_of_factor(count, starts, rows, row_starts, columns, slots)
        kept = slots_of(starts, rows, ends)
        turned = (ends[:, 0] < ends[:, 1]).astype(np.int64)
        return BlockPattern(order, place, starts, rows, row_starts, columns, slots, edges, kept, turned)

    def factor(self, diagonal: Array, edge_blocks: Array) -> BlockFactor:
        """H = L Lᵀ for `diagonal` (count, 6, 6), symmetric, and `edge_blocks` (m, 6, 6)."""
        inner = np.ascontiguousarray(diagonal[self.order], np.float64)
        lower = np.zeros((len(self.rows), 6, 6))
        put = np.where(self.turned[:, None, None] == 1, edge_blocks, np.swapaxes(edge_blocks, 1, 2))
        np.add.at(lower, self.slots, put)
        shut = factor_blocks(
            len(self.order),
            self.starts,
            self.rows,
            self.row_starts,
            self.row_columns,
            self.row_slots,
            inner,
            lower,
            np.empty(len(self.order), np.int64),
        )
        return BlockFactor(self, inner, lower, shut)


@dataclass(frozen=True, slots=True, eq=False)
class BlockFactor:
    """A factorised matrix; `shut` counts the directions in which it was singular, where solutions are zero."""

    pattern: BlockPattern
    diagonal: Array  # (count, 6, 6) L_jj, diagonal inverted
    lower: Array  # (blocks, 6, 6) transposed L_ij
    shut: int

    def solve(self, b: Array) -> Array:
        """x with H x = b, both (count, 6)."""
        x = np.ascontiguousarray(b[self.pattern.order], np.float64)
        solve_blocks(len(x), self.pattern.starts, self.pattern.rows, self.diagonal, self.lower, x)
        return x[self.pattern.place]
