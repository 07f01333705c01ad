"""The least cut of a graph by Stoer and Wagner, in machine code: sixty nodes take milliseconds in Python.

Numba's own cache serves here: this kernel calls none of another file.
"""

# The kernel is typed by numba.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from falsework.kernels.compiled import numba


@numba.njit(cache=True, nogil=True, error_model="numpy")
def least_cut(table):
    """(n,) one side of the cut with the least weight; `table` (n, n) holds the weights of edges, and is used up.

    Again and again the node that is tied most to those taken before is taken. The last one's ties are a cut; it is then
    joined to the one before it, until one is left.
    """
    size = len(table)
    member = np.eye(size) > 0.0  # the nodes that each stands for
    alive = np.ones(size, np.bool_)
    side = np.zeros(size, np.bool_)
    best = np.inf
    for left in range(size, 1, -1):
        taken = ~alive
        tied = np.zeros(size)
        before = last = -1
        for _ in range(left):
            pick = -1
            for node in range(size):
                if not taken[node] and (pick < 0 or tied[node] > tied[pick]):
                    pick = node
            before, last = last, pick
            taken[pick] = True
            for node in range(size):
                if not taken[node]:
                    tied[node] += table[pick, node]
        if tied[last] < best:
            best = tied[last]
            side[:] = member[last]
        member[before] |= member[last]
        table[before] += table[last]
        table[:, before] += table[:, last]
        table[before, before] = 0.0
        alive[last] = False
    return side
