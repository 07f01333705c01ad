"""Gauss' principle as one convex problem over the motion of all free bodies, solved to rounding.

    minimise ½|v − w|²_M   subject to   u + bias + shift·n in K*   at every contact         (seed 003, Q and Q′)

w is the motion of the bodies without any contact, u = J v the motion of the second body against the first in the
contact's frame (n, t₁, t₂), K* the dual of the friction cone K; the multipliers are the contact forces f in K. With
shift 0 and friction this is the associated motion, which dilates; `convex_passes` finds shifts that take that away.

Method of multipliers: f ← P_K(f − ρ(u + bias + shift·n)), the motion in between by Newton's method on

    M (v − w) = Jᵀ P_K(f − ρ(J v + bias + shift·n)),

whose derivative M + ρ Jᵀ P′ J is symmetric and positive definite on 6×6 blocks, one for each body: many redundant
contacts are no harder than few. Near the end each Newton step only refines, so ρ can be large.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from falsework.collapse.contacts import Contacts, relative, unbalanced
from falsework.collapse.curvature import Pattern, add_contact, start_blocks
from falsework.collapse.friction_cone import project, slope
from falsework.kernels.block_cholesky import factor_blocks, solve_blocks
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints


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
    contacts: Contacts, pattern: Pattern, mass: Array, stiffness: Array, tried: Array, diagonal: Array, upper: Array,
    none: Array,
) -> None:  # fmt: skip
    """M + ρ Jᵀ P′ J in the order of the pattern."""
    start_blocks(pattern, mass, diagonal, upper, none)
    bend, wide = np.empty((3, 3)), np.empty((2, 6, 3))
    for k in range(tried.shape[0]):
        if slope(tried[k], contacts.friction[k], bend):
            add_contact(contacts, pattern, k, bend, stiffness[k], diagonal, upper, none, wide)


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
    diagonal, upper = np.empty((size, 6, 6)), np.empty((pattern.rows.shape[0], 6, 6))
    none = np.empty((0, 6, 6))
    where, active = np.empty(size, np.int64), np.full(count, -2, np.int64)
    stiff, growth = stiffness.copy(), 1.0
    total, gap, miss, round_number = 0, np.inf, np.inf, 0
    while round_number < most_rounds:
        round_number += 1
        gap, steps = _stationary(
            contacts, pattern, mass, w, bias, shift, stiff, v, held, FINER * tolerance, growth * tolerance,
            u, tried, new, left, work, step, diagonal, upper, none, where, active,
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


STIFF = 1e4  # ρ against the mass that a contact feels
SLOW = 0.2  # of the miss of the round before: contacts that close no faster are stiffened
STIFFEST = 1e3  # times: more, and forces would be rounded too much
NEWTON_STEPS = 60
SEARCHES = 30
FINER = 1e-3  # of the tolerance: Newton's equation is solved so much better than the contacts', or to rounding


@inner
def _stationary(
    contacts: Contacts, pattern: Pattern, mass: Array, w: Array, bias: Array, shift: Array, stiffness: Array,
    v: Array, held: Array, tolerance: float, rounded: float,
    u: Array, tried: Array, forces: Array, left: Array, work: Array, step: Array, diagonal: Array, upper: Array,
    none: Array, where: Ints, active: Ints,
) -> tuple[float, int]:  # fmt: skip
    """v with M (v − w) = Jᵀ P(held − ρ(J v + …)), by Newton's method with a line search."""
    relative(contacts, v, u)
    _pushed(contacts, u, bias, shift, stiffness, held, tried, forces)
    gap = unbalanced(contacts, mass, v, w, forces, left, work)
    steps, factors = 0, 0
    while gap > tolerance and steps < NEWTON_STEPS:
        steps += 1
        before = gap
        if not _same_slopes(contacts, tried, active):
            factors += 1
            _curvature(contacts, pattern, mass, stiffness, tried, diagonal, upper, none)
            factor_blocks(
                v.shape[0], pattern.starts, pattern.rows, pattern.row_starts, pattern.row_columns, pattern.row_slots,
                diagonal, upper, where,
            )  # fmt: skip
        for b in range(v.shape[0]):
            step[pattern.place[b]] = -left[b]
        solve_blocks(v.shape[0], pattern.starts, pattern.rows, diagonal, upper, step)
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
            gap = unbalanced(contacts, mass, v, w, forces, left, work)
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
