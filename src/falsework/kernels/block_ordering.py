"""Which blocks a sparse Cholesky factor has: an elimination order of least degree, and the fill that it leaves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Ints


@compiled
def least_degree_order(count: int, edges: Ints) -> Ints:
    """An elimination order (new -> old): always the node with the fewest neighbours left, ties by number."""
    words = (count + 63) // 64
    neighbours = np.zeros((count, words), np.uint64)
    for e in range(edges.shape[0]):
        i, j = edges[e, 0], edges[e, 1]
        if i != j:
            neighbours[i, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
            neighbours[j, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    degree = np.zeros(count, np.int64)
    for i in range(count):
        degree[i] = _bits(neighbours, i)
    order = np.empty(count, np.int64)
    done = np.zeros(count, np.bool_)
    for step in range(count):
        pick = -1
        for i in range(count):
            if not done[i] and (pick < 0 or degree[i] < degree[pick]):
                pick = i
        order[step] = pick
        done[pick] = True
        for i in range(count):
            if not done[i] and (neighbours[pick, i >> 6] >> np.uint64(i & 63)) & np.uint64(1):
                for w in range(words):
                    neighbours[i, w] |= neighbours[pick, w]
                neighbours[i, i >> 6] &= ~(np.uint64(1) << np.uint64(i & 63))
                neighbours[i, pick >> 6] &= ~(np.uint64(1) << np.uint64(pick & 63))
                degree[i] = _bits(neighbours, i)
    return order


@inner
def _bits(sets: npt.NDArray[np.uint64], row: int) -> int:
    total = 0
    for w in range(sets.shape[1]):
        word = sets[row, w]
        while word:
            word &= word - np.uint64(1)
            total += 1
    return total


@compiled
def columns_of_factor(count: int, first: Ints, others: Ints, starts: Ints, rows: Ints, parent: Ints, mark: Ints) -> int:
    """The rows of each column of L, ascending: struct(j) = later neighbours of j ∪ struct(children of j) − {j}.

    `others[first[j]:first[j + 1]]` are the neighbours of node j in the elimination order, in any order, with or
    without repeats. Fills `starts` (count + 1) and `rows`; returns the number of rows, or −1 − the number needed so
    far when `rows` is too short. `parent` (count) and `mark` (count) are workspace.
    """
    fill = 0
    for j in range(count):
        mark[j] = -1
        parent[j] = -1
    # Children of j are the columns whose first row is j: they are chained through `parent` and `mark`.
    child = mark  # child[j]: the last child of j seen so far, −1 for none; sibling chain in `parent`
    for j in range(count):
        starts[j] = fill
        needed = first[j + 1] - first[j]
        k = child[j]
        while k >= 0:
            needed += starts[k + 1] - starts[k]
            k = parent[k]
        if fill + needed > rows.shape[0]:
            return int(-1 - fill - needed)
        begin = fill
        for e in range(first[j], first[j + 1]):
            if others[e] > j:
                rows[fill] = others[e]
                fill += 1
        k = child[j]
        while k >= 0:
            for e in range(starts[k] + 1, starts[k + 1]):
                rows[fill] = rows[e]
                fill += 1
            k = parent[k]
        fill = _sorted_set(rows, begin, fill)
        starts[j + 1] = fill
        if fill > begin:
            top = rows[begin]
            parent[j] = child[top]
            child[top] = j
    return fill


@inner
def _sorted_set(values: Ints, begin: int, end: int) -> int:
    """Sort values[begin:end] in place and drop repeats; returns the new end."""
    gap = 1
    while 3 * gap < end - begin:
        gap = 3 * gap + 1
    while gap > 0:  # Shell's sort: columns are short
        for e in range(begin + gap, end):
            value = values[e]
            at = e
            while at >= begin + gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
        gap //= 3
    kept = begin
    for e in range(begin, end):
        if e == begin or values[e] != values[kept - 1]:
            values[kept] = values[e]
            kept += 1
    return kept


@compiled
def rows_of_factor(count: int, starts: Ints, rows: Ints, row_starts: Ints, row_columns: Ints, row_slots: Ints) -> None:
    """The same blocks by row: for each row j the columns k < j, ascending, and where the block (j, k) is kept."""
    for j in range(count + 1):
        row_starts[j] = 0
    for e in range(starts[count]):
        row_starts[rows[e] + 1] += 1
    for j in range(count):
        row_starts[j + 1] += row_starts[j]
    for k in range(count):
        for e in range(starts[k], starts[k + 1]):
            at = row_starts[rows[e]]
            row_columns[at] = k
            row_slots[at] = e
            row_starts[rows[e]] = at + 1
    for j in range(count, 0, -1):
        row_starts[j] = row_starts[j - 1]
    row_starts[0] = 0


@inner
def slot_of(starts: Ints, rows: Ints, i: int, j: int) -> int:
    """Where the block of rows max(i, j), column min(i, j) is kept."""
    low, high = min(i, j), max(i, j)
    a, b = starts[low], starts[low + 1]
    while b - a > 1:
        middle = (a + b) // 2
        if rows[middle] <= high:
            a = middle
        else:
            b = middle
    return int(a)


@compiled
def slots_of(starts: Ints, rows: Ints, pairs: Ints) -> Ints:
    """The same for pairs (m, 2)."""
    slots = np.empty(len(pairs), np.int64)
    for e in range(len(pairs)):
        slots[e] = slot_of(starts, rows, pairs[e, 0], pairs[e, 1])
    return slots
