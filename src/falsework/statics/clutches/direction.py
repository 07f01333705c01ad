"""One Newton direction of the interior-point method: local elimination, block factor, and back.

Names are those of `interior`; `it` is its Interior, `net` the Springs.
"""

# Kernels take named tuples of arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.block_cholesky import factor_blocks, solve_blocks
from falsework.kernels.compiled import compiled
from falsework.kernels.weighted_rows import weighted_inverse
from falsework.statics.clutches.tangent import add_block, add_push


@compiled
def relative(net, k, y, out):
    """out = J·y of clutch k."""
    for q in range(6):
        out[q] = 0.0
    for side in range(2):
        body = net.pairs[k, side]
        if body >= 0:
            for q in range(6):
                value = 0.0
                for i in range(6):
                    value += net.gain[k, side, q, i] * y[body, i]
                out[q] += value


@compiled
def add_force(net, k, force, sign, into):
    """into += sign · Jᵀ·force of clutch k."""
    for side in range(2):
        body = net.pairs[k, side]
        if body >= 0:
            for i in range(6):
                value = sign * force[i]
                for q in range(6):
                    into[body, q] += net.gain[k, side, i, q] * value


@compiled
def opening(net, g, y):
    total = 0.0
    for side in range(2):
        body = net.pushes[g, side]
        if body >= 0:
            for q in range(6):
                total += net.push_gain[g, side, q] * y[body, q]
    return total


@compiled
def add_push_force(net, g, amount, into):
    for side in range(2):
        body = net.pushes[g, side]
        if body >= 0:
            for q in range(6):
                into[body, q] += amount * net.push_gain[g, side, q]


@compiled
def tangents(net, it, elastic):
    """Local tangents, their sum, which is to be factored, and the border of t. Returns γ."""
    it.diagonal[:] = 0.0
    it.lower[:] = 0.0
    it.border[:] = 0.0
    gamma = 0.0
    tangent = np.empty((6, 6))
    for k in range(len(net.kind)):
        kind = net.kind[k]
        first, last, base = it.first[k], it.first[k + 1], net.starts[kind]
        gamma += weighted_inverse(
            net.rows[base : base + last - first],
            net.limits[base : base + last - first],
            it.z[first:last],
            it.s[first:last],
            elastic,
            it.inverse[k],
            it.column[k],
        )
        tangent[:] = it.inverse[k]
        for c in range(4):
            weight = it.p[k, c] / it.q[k, c]
            for i in range(6):
                value = weight * net.corners[kind, c, i]
                for j in range(6):
                    tangent[i, j] += value * net.corners[kind, c, j]
        add_block(net, k, tangent, it.diagonal, it.lower)
        add_force(net, k, it.column[k], 1.0, it.border)
    for g in range(len(net.push_slot)):
        add_push(net, g, it.weights[g] / it.rates[g], it.diagonal, it.lower)
    for j in range(len(it.diagonal)):
        most = 0.0
        for i in range(6):
            most = max(most, it.diagonal[j, i, i])
        for i in range(6):
            it.diagonal[j, i, i] += 1e-14 * most
    return max(gamma, 0.0)


@compiled
def prepare(net, it, elastic):
    """The tangents, factored; returns γ."""
    gamma = tangents(net, it, elastic)
    factor_blocks(
        len(it.y),
        net.fstarts,
        net.frows,
        net.row_starts,
        net.row_columns,
        net.row_slots,
        it.diagonal,
        it.lower,
        it.where,
    )
    return gamma


@compiled
def solved(net, it, right):
    turned = np.empty_like(right)
    for j in range(len(right)):
        for q in range(6):
            turned[j, q] = right[net.order[j], q]
    solve_blocks(len(right), net.fstarts, net.frows, it.diagonal, it.lower, turned)
    for j in range(len(right)):
        for q in range(6):
            right[net.order[j], q] = turned[j, q]


@compiled
def direction(net, it, loads, t, cost, elastic, gamma, reach, bordered):
    """Newton direction for the aims in `aim_*`. `reach` is A⁻¹·border, `bordered` its product with the border."""
    right = it.right
    right[:] = loads
    slip_rate = 0.0  # Σ c·z
    side = 0.0  # right-hand side of the row of t
    twist = np.empty(6)
    h = np.empty(6)
    force = np.empty(6)
    for k in range(len(net.kind)):
        kind = net.kind[k]
        base = net.starts[kind]
        relative(net, k, it.y, twist)
        for i in range(6):
            h[i] = twist[i] - elastic * it.x[k, i]
        for e in range(it.first[k], it.first[k + 1]):
            r = base + e - it.first[k]
            gap = t * net.limits[r] - it.s[e]
            for i in range(6):
                gap -= net.rows[r, i] * it.x[k, i]
            it.ds[e] = gap  # primal residual, finished below
            value = (it.z[e] * gap - it.aim_z[e]) / it.s[e]
            slip_rate += net.limits[r] * it.z[e]
            side += net.limits[r] * value
            for i in range(6):
                h[i] += net.rows[r, i] * (value - it.z[e])
        for i in range(6):
            value = 0.0
            for j in range(6):
                value += it.inverse[k, i, j] * h[j]
            it.dx[k, i] = value
            force[i] = it.x[k, i] + value
        for i in range(6):
            side -= it.column[k, i] * h[i]
        for c in range(4):
            rate = -it.q[k, c]
            for i in range(6):
                rate += net.corners[kind, c, i] * twist[i]
            it.dq[k, c] = rate
            value = it.p[k, c] + (it.aim_p[k, c] - it.p[k, c] * rate) / it.q[k, c]
            for i in range(6):
                force[i] -= value * net.corners[kind, c, i]
        add_force(net, k, force, -1.0, right)
    for g in range(len(net.push_slot)):
        rate = opening(net, g, it.y) - it.rates[g]
        it.drates[g] = rate
        value = it.weights[g] + (it.aim_w[g] - it.weights[g] * rate) / it.rates[g]
        add_push_force(net, g, value, right)
    solved(net, it, right)
    dt = 0.0
    if cost > 0.0:
        side += cost - slip_rate
        along = 0.0
        for j in range(len(right)):
            for q in range(6):
                along += it.border[j, q] * right[j, q]
        dt = (along - side) / (gamma + bordered)
    for j in range(len(right)):
        for q in range(6):
            it.dy[j, q] = right[j, q] - dt * reach[j, q]
    for k in range(len(net.kind)):
        kind = net.kind[k]
        base = net.starts[kind]
        relative(net, k, it.dy, twist)
        for i in range(6):
            value = dt * it.column[k, i]
            for j in range(6):
                value += it.inverse[k, i, j] * twist[j]
            it.dx[k, i] += value
        for e in range(it.first[k], it.first[k + 1]):
            r = base + e - it.first[k]
            value = it.ds[e] + dt * net.limits[r]
            for i in range(6):
                value -= net.rows[r, i] * it.dx[k, i]
            it.ds[e] = value
            it.dz[e] = (it.aim_z[e] - it.z[e] * value) / it.s[e]
        for c in range(4):
            value = it.dq[k, c]
            for i in range(6):
                value += net.corners[kind, c, i] * twist[i]
            it.dq[k, c] = value
            it.dp[k, c] = (it.aim_p[k, c] - it.p[k, c] * value) / it.q[k, c]
    for g in range(len(net.push_slot)):
        value = it.drates[g] + opening(net, g, it.dy)
        it.drates[g] = value
        it.dweights[g] = (it.aim_w[g] - it.weights[g] * value) / it.rates[g]
    return dt
