"""A motion out of displacements that keep growing: where nothing balances the loads, springs yield without end.

A few of Newton's steps show the way, long before they would give up: on the displacements y the loads gain more than
the clutches take up. But pressed faces give way a little in them, which no motion may. So they are changed as little as
can be at the clutches until they enter nothing:

    minimise ½ε Σ |change of x₀|²  +  ½ Σ opening²      over the corners and generators entered so far

and again with what that enters, until nothing is. What is left is ε of what was entered.
"""

# Kernels take named tuples of arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.block_cholesky import factor_blocks, solve_blocks
from falsework.kernels.compiled import compiled, inner
from falsework.statics.clutches.direction import add_force, add_push_force, opening, relative
from falsework.statics.clutches.tangent import add_block, add_push

SOFT = 1e-8  # ε: of a clutch, where a face that must not be entered has 1
LOOSE = 1e-13  # of a body that no clutch holds
ENTERED = 1e-10  # of the largest speed
ROUNDS = 8


@compiled
def permit(net, y, diagonal, lower, where):
    """Change y (n, 6) until it enters nothing, of unit size; False if after a few rounds it still does."""
    closed = np.zeros((len(net.kind), 4), np.bool_)
    shut = np.zeros(len(net.push_slot), np.bool_)
    pull, step = np.empty_like(y), np.empty_like(y)
    for _ in range(ROUNDS):
        if not _scale(y):
            return False
        if _close(net, y, closed, shut) == 0:
            return True
        _stiffen(net, closed, shut, diagonal, lower)
        factor_blocks(
            *(len(y), net.fstarts, net.frows, net.row_starts, net.row_columns, net.row_slots),
            *(diagonal, lower, where),
        )
        _pull_open(net, y, closed, shut, pull)
        for j in range(len(y)):
            step[j] = pull[net.order[j]]
        solve_blocks(len(y), net.fstarts, net.frows, diagonal, lower, step)
        for j in range(len(y)):
            for q in range(6):
                y[net.order[j], q] -= step[j, q]
    return False


@inner
def _scale(y):
    """To a largest entry of 1; False if there is none."""
    most = 0.0
    for j in range(len(y)):
        for q in range(6):
            most = max(most, abs(y[j, q]))
    if not 0.0 < most < np.inf:
        return False
    for j in range(len(y)):
        for q in range(6):
            y[j, q] /= most
    return True


@inner
def _close(net, y, closed, shut):
    """Mark what y enters; returns how many corners and generators it enters."""
    count, seen = 0, np.empty(6)
    for k in range(len(net.kind)):
        relative(net, k, y, seen)
        for c in range(4):
            if _along(net.corners[net.kind[k], c], seen) < -ENTERED:
                closed[k, c] = True
                count += 1
    for g in range(len(net.push_slot)):
        if opening(net, g, y) < -ENTERED:
            shut[g] = True
            count += 1
    return count


@inner
def _stiffen(net, closed, shut, diagonal, lower):
    """The matrix of the least change, as block_cholesky keeps it."""
    diagonal[:] = 0.0
    lower[:] = 0.0
    for j in range(len(diagonal)):
        for q in range(6):
            diagonal[j, q, q] = LOOSE
    tangent = np.empty((6, 6))
    for k in range(len(net.kind)):
        tangent[:] = 0.0
        for p in range(6):
            tangent[p, p] = SOFT
        for c in range(4):
            if closed[k, c]:
                corner = net.corners[net.kind[k], c]
                for p in range(6):
                    for q in range(6):
                        tangent[p, q] += corner[p] * corner[q]
        add_block(net, k, tangent, diagonal, lower)
    for g in range(len(net.push_slot)):
        if shut[g]:
            add_push(net, g, 1.0, diagonal, lower)


@inner
def _pull_open(net, y, closed, shut, pull):
    """pull (n, 6) ← gradient of ½ Σ opening² over what is closed."""
    pull[:] = 0.0
    seen, total = np.empty(6), np.empty(6)
    for k in range(len(net.kind)):
        relative(net, k, y, seen)
        total[:] = 0.0
        for c in range(4):
            if closed[k, c]:
                corner = net.corners[net.kind[k], c]
                rate = _along(corner, seen)
                for q in range(6):
                    total[q] += rate * corner[q]
        add_force(net, k, total, 1.0, pull)
    for g in range(len(net.push_slot)):
        if shut[g]:
            add_push_force(net, g, opening(net, g, y), pull)


@inner
def _along(direction, vector):
    total = 0.0
    for q in range(6):
        total += direction[q] * vector[q]
    return total
