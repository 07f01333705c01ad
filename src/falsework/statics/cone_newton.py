"""Semismooth Newton for forces: the least weights that balance the loads, through their dual.

min ½|λ|² subject to A λ = −b, λ ≥ 0 has the dual min Φ(y) = ½ Σ max(0, −aᵀy)² − b·y without constraints, and
λ = max(0, −Aᵀy). The gradient −A λ − b is the unbalance itself. Φ is piecewise quadratic: Newton's matrix is
A_act A_actᵀ over the generators that carry load, regularised by ε M (a step of the proximal point method, so that the
limit does not depend on ε). Where no forces exist Φ has no lower bound and y runs away along a permitted motion.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.statics.block_cholesky import solve_blocks
from falsework.statics.compiled import inner
from falsework.statics.cone_kernels import (
    add_wrenches,
    dot,
    factorise,
    largest_entry,
    largest_part_speed,
    least_speed,
    opening_speeds,
)
from falsework.statics.cone_room import Cones, Piece, Room

STABLE, UNSTABLE, RUNAWAY, SLOW = 1, 2, 3, 4
BALANCED = 1e-9  # unbalance, of the total load
TOLERATED = 2e-7  # the same where it cannot get smaller: balanced on an edge, as exactly as the points are given
EXACT = 1e-13  # not worth refining further
PERMITTED = 5e-11  # speed at which a motion may close a contact, of the largest part speed
POWER = 2e-6  # least power of a motion, of load × largest part speed
EPSILON = 1e-6
RUNAWAY_SPEED = 0.05 / EPSILON


@inner
def newton(
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
    """Returns (status, factorisations); weights in room.weights, a motion in room.x where UNSTABLE.

    `b` (m, 6) are the loads about the origin, scaled so that they sum to about 1; `power` is what a motion must gain
    for each unit of speed, `tolerated` the unbalance to put up with where Newton gets no further.
    """
    count = piece.sizes[0]
    x, step, gradient = room.x, room.step, room.gradient
    speeds, changes, weights, scales = room.speeds, room.changes, room.weights, room.scales
    _set_active(cones, piece, weights, scales, True)
    factorise(cones, piece, EPSILON * mass_scale, room)
    for j in range(count):
        for q in range(6):
            x[j, q] = b[j, q]
    solve_blocks(count, piece.starts, piece.rows, room.diagonal, room.lower, x)
    opening_speeds(cones, piece, x, speeds)
    unbalance = _evaluate(cones, piece, b, speeds, weights, gradient)
    factors, stalls, best = 1, 0, unbalance
    while factors < limit and stop[0] == 0:
        if unbalance < BALANCED or (unbalance < tolerated and stalls > 1):
            return STABLE, factors
        largest = largest_part_speed(cones, piece, x)
        if dot(count, b, x) >= power * largest and least_speed(cones, piece, speeds) >= -PERMITTED * largest:
            return (RUNAWAY if refine else UNSTABLE), factors
        if factors > 2 and largest > RUNAWAY_SPEED:
            return RUNAWAY, factors
        _set_active(cones, piece, weights, scales, False)
        factorise(cones, piece, EPSILON * mass_scale, room)
        factors += 1
        for refinement in range(4):
            for j in range(count):
                for q in range(6):
                    step[j, q] = -gradient[j, q]
            solve_blocks(count, piece.starts, piece.rows, room.diagonal, room.lower, step)
            opening_speeds(cones, piece, step, changes)
            t = _line_search(cones, piece, speeds, changes, dot(count, b, step))
            for j in range(count):
                for q in range(6):
                    x[j, q] += t * step[j, q]
            opening_speeds(cones, piece, x, speeds)
            before = unbalance
            unbalance = _evaluate(cones, piece, b, speeds, weights, gradient)
            if unbalance < EXACT or unbalance > 1e-2 * before or (unbalance > 1e-5 and refinement > 0):
                break
        stalls = stalls + 1 if unbalance > 0.3 * best else 0
        best = min(best, unbalance)
    return (STABLE if unbalance < tolerated else SLOW), factors


@inner
def _set_active(cones: Cones, piece: Piece, weights: Array, scales: Array, everything: bool) -> None:
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(scales.shape[1]):
                scales[r, e] = 1.0 if everything or weights[r, e] > 0.0 else 0.0


@inner
def _evaluate(cones: Cones, piece: Piece, b: Array, speeds: Array, weights: Array, gradient: Array) -> float:
    """weights = max(0, −speeds); gradient = −A weights − b; returns its largest entry."""
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(speeds.shape[1]):
                weights[r, e] = max(0.0, -speeds[r, e])
    for j in range(piece.sizes[0]):
        for q in range(6):
            gradient[j, q] = b[j, q]
    add_wrenches(cones, piece, weights, gradient)
    for j in range(piece.sizes[0]):
        for q in range(6):
            gradient[j, q] = -gradient[j, q]
    return largest_entry(piece.sizes[0], gradient)


@inner
def _slope(cones: Cones, piece: Piece, speeds: Array, changes: Array, t: float) -> tuple[float, float]:
    """d/dt ½ Σ max(0, −(s + t p))² and its derivative."""
    first, second = 0.0, 0.0
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(speeds.shape[1]):
                p = changes[r, e]
                s = speeds[r, e] + t * p
                active = 1.0 if s < 0.0 else 0.0
                first += active * s * p
                second += active * p * p
    return first, second


@inner
def _line_search(cones: Cones, piece: Piece, speeds: Array, changes: Array, gain: float) -> float:
    """The step that (nearly) minimises Φ along a direction on which the loads gain `gain`; Φ is convex.

    The full Newton step is taken when it does not overshoot the minimum by much.
    """
    start, _ = _slope(cones, piece, speeds, changes, 0.0)
    start -= gain
    t = 1.0
    low, high = 0.0, np.inf
    for _ in range(12):
        first, second = _slope(cones, piece, speeds, changes, t)
        first -= gain
        if abs(first) <= 0.3 * abs(start):
            return t
        if first < 0.0:
            low = t
            if t >= 1.0:
                return t
        else:
            high = t
        t = t - first / second if second > 0.0 else 0.5 * (low + high)
        if not low < t < high:
            t = 0.5 * (low + high)
    return low if low > 0.0 else t
