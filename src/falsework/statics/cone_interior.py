"""Interior point for motions: the least-squares motion of seed 002, eq. 13–14, and its forces.

min ½ vᵀMv − b·v subject to s = Aᵀv + h ≥ 0, with multipliers λ: M v = b + A λ, λ s = 0 (h is 1 for padding, which
so never binds, and 0 for contacts). Forces balance the loads iff the minimum is v = 0; otherwise v is a permitted
motion on which the loads gain b·v = vᵀMv > 0, and with μ = 0 it is the initial collapse of seed 003. Mehrotra's
predictor and corrector and one of Gondzio's; each step factorises M + A diag(λ / s) Aᵀ once.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.statics.block_cholesky import solve_blocks
from falsework.statics.compiled import inner
from falsework.statics.cone_kernels import (
    add_momenta,
    add_wrenches,
    dot,
    factorise,
    largest_entry,
    largest_part_speed,
    opening_speeds,
)
from falsework.statics.cone_newton import BALANCED, PERMITTED, SLOW, STABLE, UNSTABLE
from falsework.statics.cone_room import Cones, Piece, Room

FIRST_SLACK = 0.1
FIRST_WEIGHTS = 100.0  # their sum, of the loads'
SHORT_OF_ZERO = 0.99
VANISHED = 1e-22  # complementarity beyond which rounding is all that is left
OPTIMAL = 1e-17  # complementarity, of the power, at which a refined motion ends


@inner
def interior(
    cones: Cones,
    piece: Piece,
    b: Array,
    mass_scale: float,
    room: Room,
    power: float,
    tolerated: float,
    refine: bool,
    limit: int,
    stop: Ints,
) -> tuple[int, int]:
    """Returns (status, factorisations); a motion in room.x where UNSTABLE, weights in room.weights where STABLE."""
    count = piece.sizes[0]
    v, residual = room.x, room.residual
    s, weights, speeds, second = room.slacks, room.weights, room.speeds, room.second
    step, ds, dw = room.step, room.slack_changes, room.weight_changes
    step2, ds2, dw2 = room.gradient, room.slack_changes2, room.weight_changes2
    total = _begin(cones, piece, room)
    factors, unbalance, found = 0, np.inf, SLOW
    while factors < limit and stop[0] == 0:
        for j in range(count):
            for q in range(6):
                residual[j, q] = b[j, q]
        add_wrenches(cones, piece, weights, residual)
        unbalance = largest_entry(count, residual)
        if unbalance < BALANCED:
            return STABLE, factors
        add_momenta(cones, piece, -mass_scale, v, residual)  # b + A λ − M v
        mu, least = _gap(cones, piece, s, weights, speeds, total)
        largest = largest_part_speed(cones, piece, v)
        if largest > 0.0 and least >= -PERMITTED * largest and dot(count, b, v) >= power * largest:
            found = UNSTABLE
            if not refine or total * mu < OPTIMAL * dot(count, b, v):
                return UNSTABLE, factors
        if not mu > VANISHED:
            break
        _scale(cones, piece, s, weights, room.scales, second)
        factorise(cones, piece, mass_scale, room)
        factors += 1
        _direction(cones, piece, room, 0.0, step, ds, dw)
        reach_s, reach_w = _reach(cones, piece, s, ds, 1.0), _reach(cones, piece, weights, dw, 1.0)
        ratio = _predict(cones, piece, s, ds, weights, dw, reach_s, reach_w, second) / (total * mu)
        target = ratio * ratio * ratio * mu
        _direction(cones, piece, room, target, step, ds, dw)
        reach_s = _reach(cones, piece, s, ds, SHORT_OF_ZERO)
        reach_w = _reach(cones, piece, weights, dw, SHORT_OF_ZERO)
        if min(reach_s, reach_w) < 0.9:
            ahead_s, ahead_w = min(1.0, reach_s + 0.3), min(1.0, reach_w + 0.3)
            _recentre(cones, piece, s, ds, weights, dw, ahead_s, ahead_w, target, second)
            _direction(cones, piece, room, target, step2, ds2, dw2)
            again_s = _reach(cones, piece, s, ds2, SHORT_OF_ZERO)
            again_w = _reach(cones, piece, weights, dw2, SHORT_OF_ZERO)
            if min(again_s, again_w) > min(reach_s, reach_w) + 0.01:
                step, step2, ds, ds2, dw, dw2 = step2, step, ds2, ds, dw2, dw
                reach_s, reach_w = again_s, again_w
        for j in range(count):
            for q in range(6):
                v[j, q] += reach_s * step[j, q]
        _advance(cones, piece, s, ds, reach_s)
        _advance(cones, piece, weights, dw, reach_w)
        opening_speeds(cones, piece, v, speeds)
    if found == SLOW and unbalance < tolerated:
        found = STABLE
    return found, factors


@inner
def _begin(cones: Cones, piece: Piece, room: Room) -> int:
    total = 0
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        total += (cones.starts[patch + 1] - cones.starts[patch]) * room.slacks.shape[1]
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(room.slacks.shape[1]):
                room.slacks[r, e] = FIRST_SLACK
                room.weights[r, e] = FIRST_WEIGHTS / total
                room.speeds[r, e] = 0.0
    for j in range(piece.sizes[0]):
        for q in range(6):
            room.x[j, q] = 0.0
    return total


@inner
def _gap(cones: Cones, piece: Piece, s: Array, weights: Array, speeds: Array, total: int) -> tuple[float, float]:
    """Mean of λ s, and the least of Aᵀv."""
    gap, least = 0.0, 0.0
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(s.shape[1]):
                gap += weights[r, e] * s[r, e]
                least = min(least, speeds[r, e])
    return gap / total, least


@inner
def _scale(cones: Cones, piece: Piece, s: Array, weights: Array, scales: Array, second: Array) -> None:
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(s.shape[1]):
                scales[r, e] = weights[r, e] / s[r, e]
                second[r, e] = 0.0


@inner
def _predict(
    cones: Cones,
    piece: Piece,
    s: Array,
    ds: Array,
    weights: Array,
    dw: Array,
    reach_s: float,
    reach_w: float,
    second: Array,
) -> float:
    """Σ λ s after the predictor's step; its second-order term goes to `second`."""
    gap = 0.0
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(s.shape[1]):
                gap += (weights[r, e] + reach_w * dw[r, e]) * (s[r, e] + reach_s * ds[r, e])
                second[r, e] = ds[r, e] * dw[r, e]
    return gap


@inner
def _recentre(
    cones: Cones,
    piece: Piece,
    s: Array,
    ds: Array,
    weights: Array,
    dw: Array,
    reach_s: float,
    reach_w: float,
    target: float,
    second: Array,
) -> None:
    """Gondzio: products that a longer step would leave outside [0.1, 10] × target are pulled back to it."""
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(s.shape[1]):
                product = (weights[r, e] + reach_w * dw[r, e]) * (s[r, e] + reach_s * ds[r, e])
                pull = min(max(product, 0.1 * target), 10.0 * target) - product
                second[r, e] -= max(pull, -10.0 * target)


@inner
def _direction(cones: Cones, piece: Piece, room: Room, target: float, step: Array, ds: Array, dw: Array) -> None:
    """Newton's step towards λ s = target − second.

    ds = Aᵀdv + ρ with ρ = Aᵀv + h − s; dλ = c − (λ/s) ds with c = (target − second)/s − λ;
    (M + A (λ/s) Aᵀ) dv = b + A λ − M v + A (c − (λ/s) ρ).
    """
    s, weights, speeds, scales, pull = room.slacks, room.weights, room.speeds, room.scales, room.changes
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(s.shape[1]):
                c = (target - room.second[r, e]) / s[r, e] - weights[r, e]
                pull[r, e] = c - scales[r, e] * (speeds[r, e] + cones.padding[r, e] - s[r, e])
    for j in range(piece.sizes[0]):
        for q in range(6):
            step[j, q] = room.residual[j, q]
    add_wrenches(cones, piece, pull, step)
    solve_blocks(piece.sizes[0], piece.starts, piece.rows, room.diagonal, room.lower, step)
    opening_speeds(cones, piece, step, ds)
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(s.shape[1]):
                dw[r, e] = pull[r, e] - scales[r, e] * ds[r, e]
                ds[r, e] += speeds[r, e] + cones.padding[r, e] - s[r, e]


@inner
def _reach(cones: Cones, piece: Piece, values: Array, changes: Array, share: float) -> float:
    """The step, at most 1, that goes `share` of the way to the first value that would become zero."""
    worst = share
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(values.shape[1]):
                worst = max(worst, -changes[r, e] / values[r, e])
    return share / worst


@inner
def _advance(cones: Cones, piece: Piece, values: Array, changes: Array, t: float) -> None:
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(values.shape[1]):
                values[r, e] += t * changes[r, e]
