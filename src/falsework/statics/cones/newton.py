"""Semismooth Newton for forces: the least ones that balance the loads, through their dual.

min Σ |f|²/2k subject to Jᵀf = −b and Coulomb's cones has the dual min Φ(y) = Σ k/2 |Π(−Jy)|² − b·y without
constraints, and f = k Π(−Jy), with Π the projection onto the cone: every contact point is a spring that pushes, and
slips where its force would leave the cone. The gradient −Jᵀf − b is the unbalance itself. Newton's matrix is Jᵀ D J
with D the derivative of Π, regularised by ε M (a step of the proximal point method: the limit does not depend on ε).
Where no forces exist Φ has no lower bound and y runs away along a permitted motion.

Springs between light bodies are softer (k is the mean of the loads of the two, geometrically): what a feather presses
with is not lost in the rounding of what lies below it.
"""

from __future__ import annotations

import math

import numpy as np

from falsework.kernels.block_cholesky import solve_blocks
from falsework.kernels.compiled import inner
from falsework.model.arrays import Array, Ints
from falsework.statics.cones.contact_maps import (
    add_wrenches,
    dot,
    entering,
    factorise,
    part_speeds,
    relative_speeds,
    worst_share,
)
from falsework.statics.cones.room import Cones, Piece, Room

STABLE, UNSTABLE, RUNAWAY, SLOW = 1, 2, 3, 4
BALANCED = 1e-9  # unbalance, of each body's own load
TOLERATED = 5e-7  # the same where it cannot get smaller: balanced on an edge, as exactly as the points are given
EXACT = 1e-13  # not worth refining further
POWER = 2e-6  # least power of a motion, of each body's load × its speed
CHARGE = 1e6  # what entering a contact costs: this many times the loads
EPSILON = 1e-6
RUNAWAY_SPEED = 0.05 / EPSILON


@inner
def newton(
    cones: Cones, piece: Piece, b: Array, mass_scale: float, room: Room, refine: bool, limit: int, stop: Ints
) -> tuple[int, int]:
    """Returns (status, factorisations); forces in room.forces, a motion in room.x where UNSTABLE.

    `b` (m, 6) are the loads about the origin, scaled so that they sum to about 1.
    """
    count = piece.sizes[0]
    x, step, gradient = room.x, room.step, room.residual
    speeds, changes, forces = room.speeds, room.changes, room.forces
    _all_stick(cones, piece, room.tangents)
    factorise(cones, piece, EPSILON * mass_scale, room)
    for j in range(count):
        for q in range(6):
            x[j, q] = b[j, q]
    solve_blocks(count, piece.starts, piece.rows, room.diagonal, room.lower, x)
    relative_speeds(cones, piece, x, speeds)
    unbalance = _evaluate(cones, piece, b, speeds, forces, gradient)
    factors, stalls, best = 1, 0, unbalance
    while factors < limit and stop[0] == 0:
        if unbalance < BALANCED or (unbalance < TOLERATED and stalls > 1):
            return STABLE, factors
        if proves_fall(cones, piece, b, x, speeds):
            return (RUNAWAY if refine else UNSTABLE), factors
        largest, _ = part_speeds(cones, piece, x)
        if factors > 2 and largest > RUNAWAY_SPEED:
            return RUNAWAY, factors
        _set_tangents(cones, piece, speeds, room.tangents)
        factorise(cones, piece, EPSILON * mass_scale, room)
        factors += 1
        for refinement in range(4):
            for j in range(count):
                for q in range(6):
                    step[j, q] = -gradient[j, q]
            solve_blocks(count, piece.starts, piece.rows, room.diagonal, room.lower, step)
            relative_speeds(cones, piece, step, changes)
            t = _line_search(cones, piece, speeds, changes, dot(count, b, step))
            for j in range(count):
                for q in range(6):
                    x[j, q] += t * step[j, q]
            relative_speeds(cones, piece, x, speeds)
            before = unbalance
            unbalance = _evaluate(cones, piece, b, speeds, forces, gradient)
            if unbalance < EXACT or unbalance > 1e-2 * before or (unbalance > 1e-5 and refinement > 0):
                break
        stalls = stalls + 1 if unbalance > 0.3 * best else 0
        best = min(best, unbalance)
    return (STABLE if unbalance < TOLERATED else SLOW), factors


@inner
def proves_fall(cones: Cones, piece: Piece, b: Array, x: Array, speeds: Array) -> bool:
    """Whether the loads gain enough on a motion, after what entering contacts is charged with."""
    largest, mean = part_speeds(cones, piece, x)
    if not largest > 0.0:
        return False
    return dot(piece.sizes[0], b, x) - CHARGE * entering(cones, piece, speeds) >= POWER * mean


@inner
def _all_stick(cones: Cones, piece: Piece, tangents: Array) -> None:
    """D of springs that neither let go nor slip; without friction they resist along the normal only."""
    for k in range(piece.sizes[1]):
        patch, stiffness = piece.patches[k], piece.stiffness[k]
        sideways = stiffness if cones.friction[patch] > 0.0 else 0.0
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            tangents[r, 0], tangents[r, 3], tangents[r, 5] = stiffness, sideways, sideways
            tangents[r, 1] = tangents[r, 2] = tangents[r, 4] = 0.0


@inner
def _set_tangents(cones: Cones, piece: Piece, speeds: Array, tangents: Array) -> None:
    """D = k DΠ(−u): everything where a point sticks, nothing where it is open, along the cone where it slips."""
    for k in range(piece.sizes[1]):
        patch, stiffness = piece.patches[k], piece.stiffness[k]
        friction = cones.friction[patch]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            _tangent(friction, stiffness, -speeds[r, 0], -speeds[r, 1], -speeds[r, 2], tangents[r])


@inner
def _tangent(friction: float, stiffness: float, n: float, a: float, b: float, D: Array) -> None:
    side = math.sqrt(a * a + b * b)
    if side <= friction * n:
        D[0] = D[3] = D[5] = stiffness if n > 0.0 else 0.0
        D[1] = D[2] = D[4] = 0.0
        return
    pressed = n + friction * side
    if pressed <= 0.0:
        D[0] = D[1] = D[2] = D[3] = D[4] = D[5] = 0.0
        return
    if friction == 0.0:
        D[0] = stiffness
        D[1] = D[2] = D[3] = D[4] = D[5] = 0.0
        return
    # along the ray g = n + μ t: g gᵀ / |g|²; across it, s sᵀ times how far the slip is outside
    along = stiffness / (1.0 + friction * friction)
    across = along * friction * pressed / side
    ca, cb = a / side, b / side
    D[0] = along
    D[1], D[2] = along * friction * ca, along * friction * cb
    D[3] = along * friction * friction * ca * ca + across * cb * cb
    D[4] = along * friction * friction * ca * cb - across * ca * cb
    D[5] = along * friction * friction * cb * cb + across * ca * ca


@inner
def _project(friction: float, n: float, a: float, b: float) -> tuple[float, float, float]:
    """Π: the nearest force of the cone."""
    side = math.sqrt(a * a + b * b)
    if side <= friction * n:
        return max(n, 0.0), a, b
    pressed = n + friction * side
    if pressed <= 0.0:
        return 0.0, 0.0, 0.0
    normal = pressed / (1.0 + friction * friction)
    slips = friction * normal / side if side > 0.0 else 0.0
    return normal, slips * a, slips * b


@inner
def _evaluate(cones: Cones, piece: Piece, b: Array, speeds: Array, forces: Array, gradient: Array) -> float:
    """forces = k Π(−speeds); gradient = −Jᵀ forces − b; returns its worst share."""
    for k in range(piece.sizes[1]):
        patch, stiffness = piece.patches[k], piece.stiffness[k]
        friction = cones.friction[patch]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            n, first, second = _project(friction, -speeds[r, 0], -speeds[r, 1], -speeds[r, 2])
            forces[r, 0], forces[r, 1], forces[r, 2] = stiffness * n, stiffness * first, stiffness * second
    for j in range(piece.sizes[0]):
        for q in range(6):
            gradient[j, q] = b[j, q]
    add_wrenches(cones, piece, forces, gradient)
    for j in range(piece.sizes[0]):
        for q in range(6):
            gradient[j, q] = -gradient[j, q]
    return worst_share(cones, piece, gradient)


@inner
def _slope(cones: Cones, piece: Piece, speeds: Array, changes: Array, t: float) -> tuple[float, float]:
    """d/dt Σ k/2 |Π(−u − t du)|² and its derivative."""
    first, second = 0.0, 0.0
    D = np.empty(6)
    for k in range(piece.sizes[1]):
        patch, stiffness = piece.patches[k], piece.stiffness[k]
        friction = cones.friction[patch]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            x, y, z = changes[r, 0], changes[r, 1], changes[r, 2]
            n, a, b = -speeds[r, 0] - t * x, -speeds[r, 1] - t * y, -speeds[r, 2] - t * z
            u, v, w = _project(friction, n, a, b)
            if u > 0.0:
                first -= stiffness * (u * x + v * y + w * z)
                _tangent(friction, stiffness, n, a, b, D)
                second += D[0] * x * x + D[3] * y * y + D[5] * z * z
                second += 2.0 * (D[1] * x * y + D[2] * x * z + D[4] * y * z)
    return first, second


@inner
def _line_search(cones: Cones, piece: Piece, speeds: Array, changes: Array, gain: float) -> float:
    """The step that (nearly) minimises Φ along a direction on which the loads gain `gain`; Φ is convex.

    The full Newton step is taken when it does not overshoot the minimum by much.
    """
    start, _ = _slope(cones, piece, speeds, changes, 0.0)
    start -= gain
    t = 1.0
    low, high = 0.0, math.inf
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
