"""The tangent of the springs: second derivatives of φ as 6×6 blocks on the graph of bodies, ready to be factored."""

# Kernels take named tuples of arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.compiled import compiled


@compiled
def _local(net, answer, k, hardening, tangent):
    """(6, 6) derivative of a clutch's answer: the projector on the face it is on, plus its pressed corners.

    `hardening` is what is left of the stiffness across the face: 0 for the true derivative.
    """
    kind = net.kind[k]
    for p in range(6):
        for q in range(6):
            tangent[p, q] = 0.0
        tangent[p, p] = 1.0
    for i in range(answer.used[k]):
        for p in range(6):
            value = (1.0 - hardening) * answer.span[k, i, p]
            for q in range(6):
                tangent[p, q] -= value * answer.span[k, i, q]
    for c in range(4):
        if answer.pressure[k, c] > 0.0:
            for p in range(6):
                value = net.stiffness[kind] * net.corners[kind, c, p]
                for q in range(6):
                    tangent[p, q] += value * net.corners[kind, c, q]


@compiled
def _times(left, right, into):
    """into = left · right, 6×6."""
    for i in range(6):
        t0 = t1 = t2 = t3 = t4 = t5 = 0.0
        for q in range(6):
            a = left[i, q]
            t0 += a * right[q, 0]
            t1 += a * right[q, 1]
            t2 += a * right[q, 2]
            t3 += a * right[q, 3]
            t4 += a * right[q, 4]
            t5 += a * right[q, 5]
        into[i, 0], into[i, 1], into[i, 2], into[i, 3], into[i, 4], into[i, 5] = t0, t1, t2, t3, t4, t5


@compiled
def _add_product(left, right, into):
    """into += leftᵀ · right, 6×6."""
    for i in range(6):
        t0, t1, t2, t3, t4, t5 = into[i, 0], into[i, 1], into[i, 2], into[i, 3], into[i, 4], into[i, 5]
        for q in range(6):
            a = left[q, i]
            t0 += a * right[q, 0]
            t1 += a * right[q, 1]
            t2 += a * right[q, 2]
            t3 += a * right[q, 3]
            t4 += a * right[q, 4]
            t5 += a * right[q, 5]
        into[i, 0], into[i, 1], into[i, 2], into[i, 3], into[i, 4], into[i, 5] = t0, t1, t2, t3, t4, t5


@compiled
def assemble(net, answer, hardening, damping, diagonal, lower):
    """Tangent plus damping·1 into `diagonal` (n, 6, 6) and `lower` (blocks, 6, 6), as block_cholesky keeps them."""
    diagonal[:] = 0.0
    lower[:] = 0.0
    for j in range(len(diagonal)):
        for q in range(6):
            diagonal[j, q, q] = damping
    tangent = np.empty((6, 6))
    for k in range(len(net.kind)):
        _local(net, answer, k, hardening, tangent)
        add_block(net, k, tangent, diagonal, lower)
    for g in range(len(net.push_slot)):
        if answer.weights[g] > 0.0:
            add_push(net, g, net.push_stiffness, diagonal, lower)


@compiled
def add_block(net, k, tangent, diagonal, lower):
    """One clutch's share Jᵀ·tangent·J."""
    a, b = net.pairs[k, 0], net.pairs[k, 1]
    product = np.empty((6, 6))
    if a >= 0:
        _times(tangent, net.gain[k, 0], product)
        _add_product(net.gain[k, 0], product, diagonal[net.place[a]])
        if net.slot[k] >= 0 and not net.as_given[k]:
            _add_product(net.gain[k, 1], product, lower[net.slot[k]])
    if b >= 0:
        _times(tangent, net.gain[k, 1], product)
        _add_product(net.gain[k, 1], product, diagonal[net.place[b]])
        if net.slot[k] >= 0 and net.as_given[k]:
            _add_product(net.gain[k, 0], product, lower[net.slot[k]])


@compiled
def add_push(net, g, stiffness, diagonal, lower):
    """One patch generator's rank-one share."""
    for side in range(2):
        body = net.pushes[g, side]
        if body >= 0:
            block = diagonal[net.place[body]]
            for p in range(6):
                value = stiffness * net.push_gain[g, side, p]
                for q in range(6):
                    block[p, q] += value * net.push_gain[g, side, q]
    if net.push_slot[g] >= 0:
        first = 0 if net.push_as_given[g] else 1
        block = lower[net.push_slot[g]]
        for p in range(6):
            value = stiffness * net.push_gain[g, first, p]
            for q in range(6):
                block[p, q] += value * net.push_gain[g, 1 - first, q]
