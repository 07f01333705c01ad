"""Interior-point method for the two exact programs of a snap-fit structure, on the blocks of its graph.

Least strength:   minimise τ·t      subject to  balance,  R·x + s = t·c,        s, p, λ ≥ 0
Least energy:     minimise ½|x|²    subject to  balance,  R·x + s = strength·c, s, p, λ ≥ 0

in the coordinates x of `yielding`; p are the pressed corners (opening rates C), λ the patch generators (rates
G). Balance: Σ Jᵀ(x − Cᵀp) − Gᵀλ = b, with multiplier y, a motion. Duals: z ≥ 0 of the rows (the slips), and the
opening rates themselves, q = C·J·y ≥ 0 and r = G·y ≥ 0. Eliminating all but y (and t) leaves, in each step, a matrix
of 6×6 blocks with the local tangent M⁻¹ + Σ (p/q) c·cᵀ, M = ε + Rᵀ(z/s)R, bordered by one column for t. Mehrotra's
predictor and corrector share its factor.
"""

# Kernels take named tuples of arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.kernels.compiled import compiled
from falsework.model.arrays import Array, Ints
from falsework.statics.clutches.direction import add_force, add_push_force, direction, prepare, relative, solved
from falsework.statics.clutches.network import Network

MAX_STEPS = 80
BALANCE = 5e-8  # imbalance of a body over the sum of all loads; rounding leaves about 1e-8


class Interior(NamedTuple):
    """An iterate, and workspace for one step. Rows of all clutches are concatenated, `first[k]:first[k + 1]`."""

    first: Ints
    x: Array  # (k, 6)
    s: Array
    z: Array
    p: Array  # (k, 4)
    q: Array
    weights: Array  # (g,)
    rates: Array  # (g,)
    y: Array  # (n, 6)
    dx: Array
    ds: Array
    dz: Array
    dp: Array
    dq: Array
    dweights: Array
    drates: Array
    dy: Array
    aim_z: Array  # wanted s·z minus what is there, and the same for p·q, λ·r
    aim_p: Array
    aim_w: Array
    inverse: Array  # (k, 6, 6) M⁻¹
    column: Array  # (k, 6) M⁻¹·m, m = RᵀWc
    right: Array  # (n, 6) workspace of the block solver
    border: Array  # (n, 6)
    diagonal: Array
    lower: Array
    where: Ints


def interior(network: Network, blocks: int, size: float = 1.0) -> Interior:
    """The start: all slacks and multipliers of one size."""
    k, g, n = network.clutches, len(network.pushes), network.bodies
    sizes = np.diff(network.kinds.starts)[network.kind]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    r = int(first[-1])
    return Interior(
        first,
        *(np.zeros((k, 6)), np.full(r, size), np.full(r, size), np.full((k, 4), size), np.full((k, 4), size)),
        *(np.full(g, size), np.full(g, size)),
        np.zeros((n, 6)),
        *(np.zeros((k, 6)), np.zeros(r), np.zeros(r), np.zeros((k, 4)), np.zeros((k, 4)), np.zeros(g), np.zeros(g)),
        np.zeros((n, 6)),
        *(np.zeros(r), np.zeros((k, 4)), np.zeros(g)),
        *(np.zeros((k, 6, 6)), np.zeros((k, 6)), np.zeros((n, 6)), np.zeros((n, 6))),
        np.zeros((n, 6, 6)),
        np.zeros((blocks, 6, 6)),
        np.zeros(n, dtype=np.int64),
    )


@compiled
def _longest(values, change, most):
    """Longest step ≤ most that keeps flat `values` ≥ 0."""
    for e in range(len(values)):
        if change[e] < 0.0:
            most = min(most, -values[e] / change[e])
    return most


@compiled
def _products(a, da, b, db, alpha, beta):
    total = 0.0
    for e in range(len(a)):
        total += (a[e] + alpha * da[e]) * (b[e] + beta * db[e])
    return total


@compiled
def _aim(a, da, b, db, centre, second, out):
    for e in range(len(a)):
        out[e] = centre - a[e] * b[e] - second * da[e] * db[e]


@compiled
def _advance(values, change, step):
    for e in range(len(values)):
        values[e] += step * change[e]


@compiled
def solve_interior(net, it, loads, strength, cost, elastic, tolerance, gap, most, gamma):
    """Run from the iterate in `it`. Returns (t, relative gap, steps); the gap tells how far it came.

    cost > 0: least strength with cost·t, elastic = 0. cost = 0: least energy at `strength`, elastic = 1. It ends when
    nothing more is to be gained, or after `most` steps: then it goes on from t, as `strength`, and the gap it had.
    `gamma` is what `tangents` gave where these are factored already for the first step, else NaN.
    """
    p, q, dp, dq, aim_p = it.p.ravel(), it.q.ravel(), it.dp.ravel(), it.dq.ravel(), it.aim_p.ravel()
    t = strength
    pairs = len(it.s) + len(p) + len(it.weights)
    reach = np.zeros_like(it.y)
    for taken in range(most):
        now = _products(it.s, it.ds, it.z, it.dz, 0.0, 0.0) + _products(p, dp, q, dq, 0.0, 0.0)
        now += _products(it.weights, it.dweights, it.rates, it.drates, 0.0, 0.0)
        if taken > 0 or np.isnan(gamma):
            gamma = prepare(net, it, elastic)
        bordered = 0.0
        if cost > 0.0:
            for j in range(len(reach)):
                for i in range(6):
                    reach[j, i] = it.border[j, i]
            solved(net, it, reach)
            for j in range(len(reach)):
                for i in range(6):
                    bordered += it.border[j, i] * reach[j, i]
        centre = 0.0
        second = 0.0
        alpha = beta = 1.0
        dt = 0.0
        for corrector in range(2):
            _aim(it.s, it.ds, it.z, it.dz, centre, second, it.aim_z)
            _aim(p, dp, q, dq, centre, second, aim_p)
            _aim(it.weights, it.dweights, it.rates, it.drates, centre, second, it.aim_w)
            dt = direction(net, it, loads, t, cost, elastic, gamma, reach, bordered)
            alpha = _longest(it.weights, it.dweights, _longest(p, dp, _longest(it.s, it.ds, 1e9)))
            beta = _longest(it.rates, it.drates, _longest(q, dq, _longest(it.z, it.dz, 1e9)))
            if corrector == 0:
                alpha, beta = min(1.0, alpha), min(1.0, beta)
                if elastic > 0.0:
                    alpha = beta = min(alpha, beta)
                then = _products(it.s, it.ds, it.z, it.dz, alpha, beta) + _products(p, dp, q, dq, alpha, beta)
                then += _products(it.weights, it.dweights, it.rates, it.drates, alpha, beta)
                centre = now / pairs * (then / now) ** 3
                second = 1.0
        back = max(0.9, 1.0 - 10.0 * now / pairs) if now < pairs else 0.9
        back = min(back, 0.9995)
        alpha, beta = min(1.0, back * alpha), min(1.0, back * beta)
        if elastic > 0.0:
            alpha = beta = min(alpha, beta)
        if not (alpha > 0.0 and beta > 0.0) or np.isnan(dt) or (gap < 1e-3 and min(alpha, beta) < 0.05):
            return t, gap, taken  # rounding has the upper hand: what is there is the best there is
        t += alpha * dt
        _advance(it.x.ravel(), it.dx.ravel(), alpha)
        _advance(it.s, it.ds, alpha)
        _advance(p, dp, alpha)
        _advance(it.weights, it.dweights, alpha)
        _advance(it.y.ravel(), it.dy.ravel(), beta)
        _advance(it.z, it.dz, beta)
        _advance(q, dq, beta)
        _advance(it.rates, it.drates, beta)
        primal, _, value = residuals(net, it, loads, t, cost, elastic)
        now = _products(it.s, it.ds, it.z, it.dz, 0.0, 0.0) + _products(p, dp, q, dq, 0.0, 0.0)
        now += _products(it.weights, it.dweights, it.rates, it.drates, 0.0, 0.0)
        gap = max(primal, now / value)
        if now / value < tolerance and primal < BALANCE:
            return t, gap, taken + 1
    return t, gap, most


@compiled
def residuals(net, it, loads, t, cost, elastic):
    """Imbalance over the loads, dual misfit over the motion, and the size of the objective (loads are near 1)."""
    right = it.right
    right[:] = loads
    twist = np.empty(6)
    force = np.empty(6)
    dual = size = slip_rate = energy = 0.0
    for k in range(len(net.kind)):
        kind = net.kind[k]
        base = net.starts[kind]
        relative(net, k, it.y, twist)
        for i in range(6):
            size = max(size, abs(twist[i]))
            twist[i] -= elastic * it.x[k, i]
            energy += it.x[k, i] * it.x[k, i]
            force[i] = it.x[k, i]
        for e in range(it.first[k], it.first[k + 1]):
            r = base + e - it.first[k]
            slip_rate += net.limits[r] * it.z[e]
            size = max(size, abs(it.z[e]))
            for i in range(6):
                twist[i] -= net.rows[r, i] * it.z[e]
        for i in range(6):
            dual = max(dual, abs(twist[i]))
        for c in range(4):
            for i in range(6):
                force[i] -= it.p[k, c] * net.corners[kind, c, i]
        add_force(net, k, force, -1.0, right)
    for g in range(len(net.push_slot)):
        add_push_force(net, g, it.weights[g], right)
    primal = total = 0.0
    for j in range(len(right)):
        for q in range(6):
            primal = max(primal, abs(right[j, q]))
            total += abs(loads[j, q])
    if cost > 0.0:
        return (
            primal / max(total, 1e-300),
            max(dual / max(size, 1e-300), abs(1.0 - slip_rate / cost)),
            cost * max(t, 1e-3),
        )
    return primal / max(total, 1e-300), dual / max(size, 1e-300), 0.5 * energy + 1e-2
