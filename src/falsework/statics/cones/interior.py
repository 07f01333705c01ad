"""Interior point for motions: the least-squares motion of seed 002, eq. 13–14, and its forces.

min ½ vᵀMv − b·v subject to s = T J v in the second-order cone at every contact point, with multipliers z in the
same cone: M v = b + Jᵀ T z, s·z = 0. T = diag(1, μ, μ) makes Coulomb's cone the standard one: u_n ≥ μ |u_t| is
permitted, and T z is a force of the cone. Forces balance the loads iff the minimum is v = 0; otherwise v is a permitted
motion on which the loads gain b·v = vᵀMv > 0, and with μ = 0 it is the initial collapse of seed 003.

Mehrotra's predictor and corrector with the scaling of Nesterov and Todd: W z = W⁻¹ s = λ, and each step factorises
M + Jᵀ T W⁻² T J once. Products ∘ and their inverse are those of the cone's Jordan algebra.
"""

from __future__ import annotations

import math

from falsework.kernels.block_cholesky import solve_blocks
from falsework.kernels.compiled import inner
from falsework.model.arrays import Array, Ints
from falsework.statics.cones.contact_maps import (
    add_momenta,
    add_wrenches,
    dot,
    factorise,
    relative_speeds,
    worst_share,
)
from falsework.statics.cones.newton import SLOW, STABLE, TOLERATED, UNSTABLE, proves_fall
from falsework.statics.cones.room import Cones, Piece, Room

FIRST_SLACK = 0.1
FIRST_FORCES = 100.0  # their sum, of the loads'
SHORT_OF_ZERO = 0.99
VANISHED = 1e-24  # complementarity beyond which rounding is all that is left
LATE, REFINEMENTS = 1e-6, 2  # from this gap on
STUCK = 1e-9
GRAZING = 1e-12  # relative: rounding of a way through the tip of a cone, as without friction
OPTIMAL = 1e-13  # complementarity, of the power, and imbalance, of each body's load, at which a refined motion ends


@inner
def interior(
    cones: Cones, piece: Piece, b: Array, mass_scale: float, room: Room, refine: bool, limit: int, stop: Ints
) -> tuple[int, int]:
    """Returns (status, factorisations); a motion in room.x where UNSTABLE, forces in room.forces where STABLE."""
    count, v, residual = piece.sizes[0], room.x, room.residual
    s, z, speeds, forces = room.slacks, room.multipliers, room.speeds, room.forces
    total = _begin(cones, piece, room)
    factors, found, short, least = 0, SLOW, FIRST_SLACK, math.inf
    while stop[0] == 0:
        for j in range(count):
            for q in range(6):
                residual[j, q] = b[j, q]
        _as_forces(cones, piece, z, forces)
        add_wrenches(cones, piece, forces, residual)
        unbalance = worst_share(cones, piece, residual)
        if unbalance < TOLERATED:  # Newton found nothing better: on the very edge, and rounding takes over soon
            return STABLE, factors
        add_momenta(cones, piece, -mass_scale, v, residual)  # b + Jᵀ T z − M v
        gap = _gap(cones, piece, s, z)
        if proves_fall(cones, piece, b, v, speeds):
            if not refine:
                return UNSTABLE, factors
            missed = max(gap / dot(count, b, v), worst_share(cones, piece, residual))
            if missed < least:
                found, least = UNSTABLE, missed
                _copy(cones, piece, v, forces, room.best, room.best_forces)
            if missed < OPTIMAL:
                break
        if not gap > VANISHED * total or factors >= limit:
            break
        refinements = REFINEMENTS if gap < LATE else 0
        _scale(cones, piece, room)
        factorise(cones, piece, mass_scale, room)
        factors += 1
        _aim(cones, piece, room, 0.0, False)
        _direction(cones, piece, room, mass_scale, short, refinements)
        reach_s, reach_z = _reach(cones, piece, s, room.slack_changes), _reach(cones, piece, z, room.multiplier_changes)
        reach = min(1.0, reach_s, reach_z)
        _aim(cones, piece, room, (1.0 - reach) ** 3 * gap / total, True)
        _direction(cones, piece, room, mass_scale, short, refinements)
        reach_s = min(1.0, SHORT_OF_ZERO * _reach(cones, piece, s, room.slack_changes))
        reach_z = min(1.0, SHORT_OF_ZERO * _reach(cones, piece, z, room.multiplier_changes))
        reach = min(reach_s, reach_z)
        if reach < STUCK or not dot(count, room.step, room.step) < math.inf:
            break  # rounding is all that is left
        for j in range(count):
            for q in range(6):
                v[j, q] += reach * room.step[j, q]
        short *= 1.0 - reach
        _advance(cones, piece, s, room.slack_changes, reach)
        _advance(cones, piece, z, room.multiplier_changes, reach)
        relative_speeds(cones, piece, v, speeds)
    if found == UNSTABLE:  # where contacts can brace each other, forces grow for ever and rounding with them
        _copy(cones, piece, room.best, room.best_forces, v, forces)
    return found, factors


@inner
def _copy(cones: Cones, piece: Piece, v: Array, forces: Array, other_v: Array, other_forces: Array) -> None:
    for j in range(piece.sizes[0]):
        for q in range(6):
            other_v[j, q] = v[j, q]
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for i in range(3):
                other_forces[r, i] = forces[r, i]


@inner
def _weight(friction: float) -> tuple[float, float]:
    """T's entries, for the normal and for the tangents; large friction is scaled down."""
    return (1.0, friction) if friction <= 1.0 else (1.0 / friction, 1.0)


@inner
def _begin(cones: Cones, piece: Piece, room: Room) -> int:
    total = 0
    for k in range(piece.sizes[1]):
        total += cones.starts[piece.patches[k] + 1] - cones.starts[piece.patches[k]]
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for i in range(3):
                room.slacks[r, i] = FIRST_SLACK if i == 0 else 0.0
                room.multipliers[r, i] = FIRST_FORCES / total if i == 0 else 0.0
                room.speeds[r, i] = 0.0
    for j in range(piece.sizes[0]):
        for q in range(6):
            room.x[j, q] = 0.0
    return total


@inner
def _as_forces(cones: Cones, piece: Piece, z: Array, forces: Array) -> None:
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        normal, tangent = _weight(cones.friction[patch])
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            forces[r, 0], forces[r, 1], forces[r, 2] = normal * z[r, 0], tangent * z[r, 1], tangent * z[r, 2]


@inner
def _gap(cones: Cones, piece: Piece, s: Array, z: Array) -> float:
    """s·z over all points."""
    gap = 0.0
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            gap += s[r, 0] * z[r, 0] + s[r, 1] * z[r, 1] + s[r, 2] * z[r, 2]
    return gap


@inner
def _depth(x: Array) -> float:
    """x₀² − |x₁|²: how far inside the cone, as a square."""
    side = math.sqrt(x[1] * x[1] + x[2] * x[2])
    depth: float = (x[0] - side) * (x[0] + side)
    return depth


@inner
def _scale(cones: Cones, piece: Piece, room: Room) -> None:
    """W = η (w₀, w₁ᵀ; w₁, 1 + w₁w₁ᵀ/(1 + w₀)) at every point, kept as w and η; D = T W⁻² T."""
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        normal, tangent = _weight(cones.friction[patch])
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            s, z, w = room.slacks[r], room.multipliers[r], room.scaling[r]
            size_s, size_z = math.sqrt(max(_depth(s), 1e-300)), math.sqrt(max(_depth(z), 1e-300))
            a, b, c = s[0] / size_s, s[1] / size_s, s[2] / size_s
            d, e, f = z[0] / size_z, z[1] / size_z, z[2] / size_z
            gamma = math.sqrt(0.5 * (1.0 + a * d + b * e + c * f))
            w[1], w[2] = 0.5 * (b - e) / gamma, 0.5 * (c - f) / gamma
            w[0] = math.sqrt(1.0 + w[1] * w[1] + w[2] * w[2])
            w[3] = math.sqrt(size_s / size_z)
            per = 1.0 / (w[3] * w[3])
            D = room.tangents[r]
            D[0] = per * (2.0 * w[0] * w[0] - 1.0) * normal * normal
            D[1] = -2.0 * per * w[0] * w[1] * normal * tangent
            D[2] = -2.0 * per * w[0] * w[2] * normal * tangent
            D[3] = per * (2.0 * w[1] * w[1] + 1.0) * tangent * tangent
            D[4] = 2.0 * per * w[1] * w[2] * tangent * tangent
            D[5] = per * (2.0 * w[2] * w[2] + 1.0) * tangent * tangent


@inner
def _stretched(w: Array, sign: float, a: float, b: float, c: float) -> tuple[float, float, float]:
    """W x (sign 1) or W⁻¹ x (sign −1), but for the factor η or 1/η."""
    along = w[1] * b + w[2] * c
    tilt = sign * a + along / (1.0 + w[0])
    return w[0] * a + sign * along, b + tilt * w[1], c + tilt * w[2]


@inner
def _aim(cones: Cones, piece: Piece, room: Room, target: float, correct: bool) -> None:
    """aims = W⁻¹ (λ \\ (target·e − λ∘λ − second)), with the predictor's second-order term where `correct`."""
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            z, w = room.multipliers[r], room.scaling[r]
            eta = w[3]
            a, b, c = _stretched(w, 1.0, z[0], z[1], z[2])
            a, b, c = eta * a, eta * b, eta * c  # λ
            d, e, f = target - (a * a + b * b + c * c), -2.0 * a * b, -2.0 * a * c
            if correct:
                ds, dz = room.slack_changes[r], room.multiplier_changes[r]
                g, h, i = _stretched(w, -1.0, ds[0], ds[1], ds[2])
                p, q, o = _stretched(w, 1.0, dz[0], dz[1], dz[2])
                d -= g * p + h * q + i * o
                e -= g * q + p * h
                f -= g * o + p * i
            side = math.sqrt(b * b + c * c)
            depth = max((a - side) * (a + side), 1e-300)
            y0 = (a * d - b * e - c * f) / depth
            y1, y2 = (e - y0 * b) / a, (f - y0 * c) / a
            y0, y1, y2 = _stretched(w, -1.0, y0, y1, y2)
            room.aims[r, 0], room.aims[r, 1], room.aims[r, 2] = y0 / eta, y1 / eta, y2 / eta


@inner
def _direction(cones: Cones, piece: Piece, room: Room, mass_scale: float, short: float, refinements: int) -> None:
    """Newton's step towards the aims; what rounding leaves of it is solved for again.

    ds = T J dv + ρ with ρ = T J v − s, which is (−short, 0, 0) everywhere and never computed from v: slacks that close
    are far smaller than the speeds whose difference they are. dz = aim − W⁻² ds;
    (M + Jᵀ T W⁻² T J) dv = b + Jᵀ T z − M v + Jᵀ T (aim − W⁻² ρ).
    """
    step, ds, dz, pull = room.step, room.slack_changes, room.multiplier_changes, room.changes
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        normal, tangent = _weight(cones.friction[patch])
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            aim = room.aims[r]
            a, b, c = _weighed(room.scaling[r], -short, 0.0, 0.0)
            pull[r, 0], pull[r, 1], pull[r, 2] = normal * (aim[0] - a), tangent * (aim[1] - b), tangent * (aim[2] - c)
    rest, more = room.rest, room.more
    for j in range(piece.sizes[0]):
        for q in range(6):
            rest[j, q], step[j, q] = room.residual[j, q], 0.0
    add_wrenches(cones, piece, pull, rest)
    for _ in range(1 + refinements):
        for j in range(piece.sizes[0]):
            for q in range(6):
                more[j, q] = rest[j, q]
        solve_blocks(piece.sizes[0], piece.starts, piece.rows, room.diagonal, room.lower, more)
        for j in range(piece.sizes[0]):
            for q in range(6):
                step[j, q] += more[j, q]
        if refinements:
            _take_away(cones, piece, mass_scale, room, more, rest)
    relative_speeds(cones, piece, step, ds)
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        normal, tangent = _weight(cones.friction[patch])
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            ds[r, 0], ds[r, 1], ds[r, 2] = normal * ds[r, 0] - short, tangent * ds[r, 1], tangent * ds[r, 2]
            a, b, c = _weighed(room.scaling[r], ds[r, 0], ds[r, 1], ds[r, 2])
            dz[r, 0], dz[r, 1], dz[r, 2] = room.aims[r, 0] - a, room.aims[r, 1] - b, room.aims[r, 2] - c


@inner
def _take_away(cones: Cones, piece: Piece, mass_scale: float, room: Room, v: Array, out: Array) -> None:
    """out −= (M + Jᵀ T W⁻² T J) v."""
    push = room.slack_changes
    relative_speeds(cones, piece, v, push)
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            x, y, z, D = push[r, 0], push[r, 1], push[r, 2], room.tangents[r]
            push[r, 0] = -(D[0] * x + D[1] * y + D[2] * z)
            push[r, 1] = -(D[1] * x + D[3] * y + D[4] * z)
            push[r, 2] = -(D[2] * x + D[4] * y + D[5] * z)
    add_wrenches(cones, piece, push, out)
    add_momenta(cones, piece, -mass_scale, v, out)


@inner
def _weighed(w: Array, a: float, b: float, c: float) -> tuple[float, float, float]:
    """W⁻² x = (2 w̃ w̃ᵀ − J) x / η², w̃ = (w₀, −w₁)."""
    per = 1.0 / (w[3] * w[3])
    twice = 2.0 * (w[0] * a - w[1] * b - w[2] * c)
    return per * (twice * w[0] - a), per * (b - twice * w[1]), per * (c - twice * w[2])


@inner
def _reach(cones: Cones, piece: Piece, values: Array, changes: Array) -> float:
    """The step at which the first point leaves its cone, or a large one."""
    reach = 1e6
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            x, d = values[r], changes[r]
            a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2]
            b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2]
            c = _depth(x)
            under = b * b - a * c
            if under >= -GRAZING * b * b:
                below = math.sqrt(max(under, 0.0)) - b
                if below > 0.0 and c < reach * below:
                    reach = c / below
    return reach


@inner
def _advance(cones: Cones, piece: Piece, values: Array, changes: Array, t: float) -> None:
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for i in range(3):
                values[r, i] += t * changes[r, i]
