"""Gauss' principle as one convex problem over the motion of all free bodies, solved to rounding.

    minimise ½|v − w|²_M   subject to   u + bias + shift·n in K*   at every contact         (seed 003, Q and Q′)

w is the motion of the bodies without any contact, u = J v the motion of the second body against the first in the
contact's frame (n, t₁, t₂), K* the dual of the friction cone K; the multipliers are the contact forces f in K. With
shift 0 and friction this is the associated motion, which dilates; `coulomb` chooses shifts that take that away.

Method of multipliers: f ← P_K(f − ρ(u + bias + shift·n)), the motion in between by Newton's method on

    M (v − w) = Jᵀ P_K(f − ρ(J v + bias + shift·n)),

whose derivative M + ρ Jᵀ P′ J is symmetric and positive definite on 6×6 blocks, one for each body: many redundant
contacts are no harder than few. Near the end each Newton step only refines, so ρ can be large.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from falsework.collapse.friction_cone import project, slope
from falsework.model.arrays import Array, Ints
from falsework.statics.block_cholesky import factor_blocks, solve_blocks
from falsework.statics.compiled import compiled, inner


class Contacts(NamedTuple):
    """Places where two bodies act on each other; bodies that do not move freely are −1."""

    bodies: Ints  # (k, 2)
    arms: Array  # (k, 2, 3) from the bodies' centres of mass
    frames: Array  # (k, 3, 3) rows n, t₁, t₂; n from the first body into the second
    friction: Array  # (k,) μ, or JOINT


class Pattern(NamedTuple):
    """Where the blocks of the factor are, see `statics.block_cholesky.BlockPattern`."""

    order: Ints
    place: Ints
    starts: Ints
    rows: Ints
    row_starts: Ints
    row_columns: Ints
    row_slots: Ints
    slots: Ints  # (k,) where the block of each contact's two bodies is kept, −1 where one of them is not free
    turned: Ints  # (k,) 1 where that block is of (first, second), 0 where of (second, first)


@compiled
def relative(contacts: Contacts, v: Array, out: Array) -> None:
    """out (k, 3) ← the motion of the second body against the first, in the contact's frame."""
    bodies, arms, frames = contacts.bodies, contacts.arms, contacts.frames
    for k in range(bodies.shape[0]):
        x, y, z = 0.0, 0.0, 0.0
        for side in range(2):
            b = bodies[k, side]
            if b < 0:
                continue
            sign = 1.0 if side == 1 else -1.0
            r0, r1, r2 = arms[k, side, 0], arms[k, side, 1], arms[k, side, 2]
            x += sign * (v[b, 0] + v[b, 4] * r2 - v[b, 5] * r1)
            y += sign * (v[b, 1] + v[b, 5] * r0 - v[b, 3] * r2)
            z += sign * (v[b, 2] + v[b, 3] * r1 - v[b, 4] * r0)
        for i in range(3):
            out[k, i] = frames[k, i, 0] * x + frames[k, i, 1] * y + frames[k, i, 2] * z


@compiled
def add_wrenches(contacts: Contacts, forces: Array, out: Array) -> None:
    """out (n, 6) += Jᵀ f."""
    bodies, arms, frames = contacts.bodies, contacts.arms, contacts.frames
    for k in range(bodies.shape[0]):
        f0, f1, f2 = forces[k, 0], forces[k, 1], forces[k, 2]
        if f0 == 0.0 and f1 == 0.0 and f2 == 0.0:
            continue
        x = frames[k, 0, 0] * f0 + frames[k, 1, 0] * f1 + frames[k, 2, 0] * f2
        y = frames[k, 0, 1] * f0 + frames[k, 1, 1] * f1 + frames[k, 2, 1] * f2
        z = frames[k, 0, 2] * f0 + frames[k, 1, 2] * f1 + frames[k, 2, 2] * f2
        for side in range(2):
            b = bodies[k, side]
            if b < 0:
                continue
            sign = 1.0 if side == 1 else -1.0
            r0, r1, r2 = arms[k, side, 0], arms[k, side, 1], arms[k, side, 2]
            out[b, 0] += sign * x
            out[b, 1] += sign * y
            out[b, 2] += sign * z
            out[b, 3] += sign * (r1 * z - r2 * y)
            out[b, 4] += sign * (r2 * x - r0 * z)
            out[b, 5] += sign * (r0 * y - r1 * x)


@compiled
def stiffnesses(contacts: Contacts, mass_kg: Array, inverse_inertia: Array, factor: float) -> Array:
    """(k,) ρ: `factor` × the mass that a contact feels along its normal; masses (n,), inverse inertias (n, 3, 3)."""
    count = contacts.bodies.shape[0]
    out = np.empty(count)
    for k in range(count):
        give = 0.0
        n = contacts.frames[k, 0]
        for side in range(2):
            b = contacts.bodies[k, side]
            if b < 0:
                continue
            r = contacts.arms[k, side]
            x, y, z = r[1] * n[2] - r[2] * n[1], r[2] * n[0] - r[0] * n[2], r[0] * n[1] - r[1] * n[0]
            turn = inverse_inertia[b]
            give += 1.0 / mass_kg[b]
            give += x * (turn[0, 0] * x + turn[0, 1] * y + turn[0, 2] * z)
            give += y * (turn[1, 0] * x + turn[1, 1] * y + turn[1, 2] * z)
            give += z * (turn[2, 0] * x + turn[2, 1] * y + turn[2, 2] * z)
        out[k] = factor / give if give > 0.0 else 0.0
    return out


@inner
def _pushed(
    contacts: Contacts, u: Array, bias: Array, shift: Array, stiffness: Array, held: Array, tried: Array, forces: Array
) -> None:
    """tried ← held − ρ(u + bias + shift·n), forces ← its projection."""
    for k in range(u.shape[0]):
        tried[k, 0] = held[k, 0] - stiffness[k] * (u[k, 0] + bias[k, 0] + shift[k])
        tried[k, 1] = held[k, 1] - stiffness[k] * (u[k, 1] + bias[k, 1])
        tried[k, 2] = held[k, 2] - stiffness[k] * (u[k, 2] + bias[k, 2])
        project(tried[k], contacts.friction[k], forces[k])


@inner
def _times_mass(mass: Array, v: Array, w: Array, out: Array) -> None:
    """out ← M (v − w); masses are a number and a 3×3 inertia for each body."""
    for b in range(v.shape[0]):
        m = mass[b, 0, 0]
        for i in range(3):
            out[b, i] = m * (v[b, i] - w[b, i])
            value = 0.0
            for j in range(3):
                value += mass[b, 3 + i, 3 + j] * (v[b, 3 + j] - w[b, 3 + j])
            out[b, 3 + i] = value


@inner
def _left(contacts: Contacts, mass: Array, v: Array, w: Array, forces: Array, out: Array, work: Array) -> float:
    """out ← M (v − w) − Jᵀ f; returns its size against that of the momenta it is the difference of."""
    _times_mass(mass, v, w, out)
    for b in range(v.shape[0]):
        for i in range(6):
            work[b, i] = 0.0
    add_wrenches(contacts, forces, work)
    worst = 0.0
    for b in range(v.shape[0]):
        for i in range(6):
            out[b, i] -= work[b, i]
        m = mass[b, 0, 0]
        push = math.sqrt(out[b, 0] ** 2 + out[b, 1] ** 2 + out[b, 2] ** 2) / m
        turn = out[b, 3] ** 2 + out[b, 4] ** 2 + out[b, 5] ** 2
        reach = math.sqrt((mass[b, 3, 3] + mass[b, 4, 4] + mass[b, 5, 5]) / m)
        worst = max(worst, push, math.sqrt(turn) / (m * reach))
    return worst


@inner
def _same_slopes(contacts: Contacts, tried: Array, active: Ints) -> bool:
    """Whether the last factor still holds: no slope has changed, and none is of the kind that varies.

    active ← 1 where a cone's slope is the identity, 0 where it is nothing, −1 where it varies.
    """
    same = bool(tried.shape[0] > 0)
    for k in range(tried.shape[0]):
        friction = contacts.friction[k]
        now = -1
        if friction < 0.0:
            now = 1
        elif friction == 0.0:
            now = 1 if tried[k, 0] > 0.0 else 0
        else:
            across = math.sqrt(tried[k, 1] ** 2 + tried[k, 2] ** 2)
            if tried[k, 0] >= 0.0 and across <= friction * tried[k, 0]:
                now = 1
            elif friction * across <= -tried[k, 0]:
                now = 0
        if now != active[k] or now < 0:
            same = False
        active[k] = now
    return same


@inner
def _curvature(
    contacts: Contacts, pattern: Pattern, mass: Array, stiffness: Array, tried: Array, diagonal: Array, lower: Array
) -> None:
    """M + ρ Jᵀ P′ J in the order of the pattern."""
    order = pattern.order
    for j in range(order.shape[0]):
        diagonal[j] = mass[order[j]]
    lower[:] = 0.0
    bend = np.empty((3, 3))
    spread = np.empty((3, 3))
    wide = np.empty((2, 6, 3))
    for k in range(tried.shape[0]):
        if not slope(tried[k], contacts.friction[k], bend):
            continue
        frame = contacts.frames[k]
        for i in range(3):  # Fᵀ P′ F, in world axes
            for j in range(3):
                value = 0.0
                for p in range(3):
                    for q in range(3):
                        value += frame[p, i] * bend[p, q] * frame[q, j]
                spread[i, j] = stiffness[k] * value
        for side in range(2):  # Wᵀ S with W = [1, −r×]
            r0, r1, r2 = contacts.arms[k, side, 0], contacts.arms[k, side, 1], contacts.arms[k, side, 2]
            for j in range(3):
                s0, s1, s2 = spread[0, j], spread[1, j], spread[2, j]
                wide[side, 0, j], wide[side, 1, j], wide[side, 2, j] = s0, s1, s2
                wide[side, 3, j] = r1 * s2 - r2 * s1
                wide[side, 4, j] = r2 * s0 - r0 * s2
                wide[side, 5, j] = r0 * s1 - r1 * s0
        a, b = contacts.bodies[k, 0], contacts.bodies[k, 1]
        if a >= 0:
            _add(diagonal[pattern.place[a]], wide[0], contacts.arms[k, 0], 1.0)
        if b >= 0:
            _add(diagonal[pattern.place[b]], wide[1], contacts.arms[k, 1], 1.0)
        if a >= 0 and b >= 0:
            if pattern.turned[k] == 1:
                _add(lower[pattern.slots[k]], wide[0], contacts.arms[k, 1], -1.0)
            else:
                _add(lower[pattern.slots[k]], wide[1], contacts.arms[k, 0], -1.0)


@inner
def _add(block: Array, wide: Array, arm: Array, sign: float) -> None:
    """block += sign · wide W with W = [1, −r×]."""
    r0, r1, r2 = arm[0], arm[1], arm[2]
    for i in range(6):
        a, b, c = sign * wide[i, 0], sign * wide[i, 1], sign * wide[i, 2]
        block[i, 0] += a
        block[i, 1] += b
        block[i, 2] += c
        block[i, 3] += r1 * c - r2 * b
        block[i, 4] += r2 * a - r0 * c
        block[i, 5] += r0 * b - r1 * a


class Effort(NamedTuple):
    """How a problem was solved: what is left of Newton's equation and of the contacts', and the work it took."""

    motion: float  # worst |M(v − w) − Jᵀf| / m of a body
    contact: float  # worst |f − P(f − ρ(…))| / ρ of a contact: a motion
    newton: int  # factorisations
    rounds: int


@compiled
def least_restraint(
    contacts: Contacts,
    pattern: Pattern,
    mass: Array,
    w: Array,
    bias: Array,
    shift: Array,
    stiffness: Array,
    v: Array,
    forces: Array,
    tolerance: float,
    most_rounds: int,
) -> Effort:
    """v (n, 6) and forces (k, 3) ← the solution, begun from what they hold; residuals at most `tolerance` or told."""
    count, size = contacts.bodies.shape[0], v.shape[0]
    u, tried, held = np.empty((count, 3)), np.empty((count, 3)), forces.copy()
    new, left, work, step = np.empty((count, 3)), np.empty((size, 6)), np.empty((size, 6)), np.empty((size, 6))
    diagonal, lower = np.empty((size, 6, 6)), np.empty((pattern.rows.shape[0], 6, 6))
    where, active = np.empty(size, np.int64), np.full(count, -2, np.int64)
    stiff, growth = stiffness.copy(), 1.0
    total, gap, miss, round_number = 0, np.inf, np.inf, 0
    while round_number < most_rounds:
        round_number += 1
        gap, steps = _stationary(
            contacts, pattern, mass, w, bias, shift, stiff, v, held, FINER * tolerance, growth * tolerance,
            u, tried, new, left, work, step, diagonal, lower, where, active,
        )  # fmt: skip
        total += steps
        before, miss = miss, 0.0
        for k in range(count):
            for i in range(3):
                if stiff[k] > 0.0:
                    miss = max(miss, abs(new[k, i] - held[k, i]) / stiff[k])
                held[k, i] = new[k, i]
        if miss <= tolerance and gap <= growth * tolerance:
            break
        if miss > SLOW * before and miss > 10.0 * tolerance and growth < STIFFEST:  # long chains give way slowly
            growth *= 10.0
            for k in range(count):
                stiff[k] *= 10.0
                active[k] = -2
    forces[:] = held
    return Effort(gap, miss, total, round_number)


SLOW = 0.2  # of the miss of the round before: contacts that close no faster are stiffened
STIFFEST = 1e3  # times: more, and forces would be rounded too much
NEWTON_STEPS = 60
SEARCHES = 30
FINER = 1e-3  # of the tolerance: Newton's equation is solved so much better than the contacts', or to rounding


@inner
def _stationary(
    contacts: Contacts, pattern: Pattern, mass: Array, w: Array, bias: Array, shift: Array, stiffness: Array,
    v: Array, held: Array, tolerance: float, rounded: float,
    u: Array, tried: Array, forces: Array, left: Array, work: Array, step: Array, diagonal: Array, lower: Array,
    where: Ints, active: Ints,
) -> tuple[float, int]:  # fmt: skip
    """v with M (v − w) = Jᵀ P(held − ρ(J v + …)), by Newton's method with a line search."""
    relative(contacts, v, u)
    _pushed(contacts, u, bias, shift, stiffness, held, tried, forces)
    gap = _left(contacts, mass, v, w, forces, left, work)
    steps, factors = 0, 0
    while gap > tolerance and steps < NEWTON_STEPS:
        steps += 1
        before = gap
        if not _same_slopes(contacts, tried, active):
            factors += 1
            _curvature(contacts, pattern, mass, stiffness, tried, diagonal, lower)
            factor_blocks(
                v.shape[0], pattern.starts, pattern.rows, pattern.row_starts, pattern.row_columns, pattern.row_slots,
                diagonal, lower, where,
            )  # fmt: skip
        for b in range(v.shape[0]):
            step[pattern.place[b]] = -left[b]
        solve_blocks(v.shape[0], pattern.starts, pattern.rows, diagonal, lower, step)
        start = 0.0
        for b in range(v.shape[0]):
            for i in range(6):
                start += left[b, i] * step[pattern.place[b], i]
        share, moved = 1.0, 0.0
        for search in range(SEARCHES):
            rate = 0.0
            for b in range(v.shape[0]):
                for i in range(6):
                    v[b, i] += (share - moved) * step[pattern.place[b], i]
            moved = share
            relative(contacts, v, u)
            _pushed(contacts, u, bias, shift, stiffness, held, tried, forces)
            gap = _left(contacts, mass, v, w, forces, left, work)
            for b in range(v.shape[0]):
                for i in range(6):
                    rate += left[b, i] * step[pattern.place[b], i]
            if gap <= tolerance or rate <= -0.1 * start:  # start < 0: short of the minimum, or just beyond it
                break
            if search < SEARCHES - 1:
                share *= min(0.9, max(0.1, start / (start - rate)))
        if gap > 0.5 * before and gap <= rounded:
            break
    return gap, factors
