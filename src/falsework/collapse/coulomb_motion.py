"""Motion and forces that obey Newton's and Coulomb's laws together.

    M (v − w) = Jᵀ f,   f = R(f − ρ(J v + bias))   at every contact                       (R: see `coulomb_law`)

Method of multipliers: f ← R(f − ρ(J v + bias)), the motion in between by Newton's method, whose matrix M + ρ Jᵀ R′ J is
not symmetric where contacts slide. With a large ρ a round or two end at rounding, if they begin near enough; where one
fails, ρ is lowered and sweeps (`sweeps.py`) come nearer first. Without friction the problem is convex and
`least_restraint` solves it. A beginning from rest is convex too, as if nothing were to slide: what can stand, stands,
and `collapse` agrees with `check`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from falsework.collapse.block_lu import factor_lu, solve_lu
from falsework.collapse.contacts import Contacts, relative, unbalanced
from falsework.collapse.coulomb_law import OPEN, SLIDES, resist, resist_slope
from falsework.collapse.curvature import Pattern, add_contact, start_blocks
from falsework.collapse.least_restraint import STIFF, least_restraint
from falsework.collapse.sweeps import sweeps
from falsework.kernels.block_cholesky import factor_blocks, solve_blocks
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints

SOFTEST, STIFFEST = 10.0, 1e7  # ρ of rounds, times the mass that a contact feels
SLOW = 0.2  # of the miss of the round before: contacts that close no faster are stiffened
NEWTON_STEPS = 15  # of a round
EASY = 5  # factors of a round: after one that takes more, sweeps are the cheaper way on
SHORTEST = 1.0 / 32.0  # of a Newton step: a round that must go shorter has failed
FINER = 1e-2  # of what is exact: how well a round solves Newton's equation, or to rounding
FEW_SWEEPS, MANY_SWEEPS = 50, 800  # after the first round that fails, then twice as many, and so on
POLISH = 3  # rounds towards what is exact, once it is enough
CONVEX_ROUNDS = 60  # of the convex problem: it ends when it is solved, and what stands must not be left to slide


class Solved(NamedTuple):
    """How well both laws hold, and the work it took."""

    motion: float  # worst |M(v − w) − Jᵀf| / m of a body
    contact: float  # worst |f − R(f − m(u + bias))| / m of a contact, m the mass it feels: a motion
    factors: int
    swept: int


@compiled
def coulomb_motion(
    contacts: Contacts,
    pattern: Pattern,
    mass: Array,
    w: Array,
    bias: Array,
    felt: Array,
    v: Array,
    forces: Array,
    from_rest: bool,
    exact: float,
    enough: float,
    most_factors: int,
    most_sweeps: int,
) -> Solved:
    """v (n, 6) and forces (k, 3) ← the solution, begun from what they hold; the residuals tell how well it is solved.

    Residuals are to be `enough`, and `exact` where rounds easily make them so: what stands must not creep.
    """
    smooth, factors = True, 0
    for k in range(felt.shape[0]):
        smooth = smooth and not contacts.friction[k] > 0.0
    if smooth or from_rest:
        shift, stiffness = np.zeros_like(felt), STIFF * felt
        effort = least_restraint(contacts, pattern, mass, w, bias, shift, stiffness, v, forces, exact, CONVEX_ROUNDS)
        factors = effort.newton
        if smooth:
            return Solved(effort.motion, effort.contact, factors, 0)
    return _multipliers(
        contacts, pattern, mass, w, bias, felt, v, forces, exact, enough, factors, factors + most_factors, most_sweeps
    )


@inner
def _multipliers(
    contacts: Contacts, pattern: Pattern, mass: Array, w: Array, bias: Array, felt: Array, v: Array, forces: Array,
    exact: float, enough: float, factors: int, most_factors: int, most_sweeps: int,
) -> Solved:  # fmt: skip
    """Rounds of Newton's method, and sweeps where they fail; ends with the best it met."""
    motion, contact = _judged(contacts, mass, w, bias, felt, v, forces)
    best_v, best_forces, best = v.copy(), forces.copy(), (motion, contact)
    rho, soft, swept, batch, miss = STIFF, 1.0, 0, FEW_SWEEPS, np.inf
    new, before = np.empty_like(forces), np.empty_like(v)
    worst, polished = max(motion, contact), 0
    while worst > enough or (worst > exact and polished < POLISH):
        if factors >= most_factors or swept >= most_sweeps:
            break
        polished += 1 if worst <= enough else 0
        before[:] = v
        good, spent = _round(contacts, pattern, mass, w, bias, rho * felt, v, forces, new, exact, enough)
        factors += spent
        if good:
            last, miss = miss, 0.0
            for k in range(forces.shape[0]):
                for i in range(3):
                    if felt[k] > 0.0:
                        miss = max(miss, abs(new[k, i] - forces[k, i]) / (rho * felt[k]))
                    forces[k, i] = new[k, i]
            if miss > SLOW * last:
                rho = min(10.0 * rho, STIFFEST)
        else:
            v[:] = before
            rho, miss = max(0.1 * rho, SOFTEST), np.inf
        if (not good or (spent > EASY and miss > enough)) and worst > enough:
            told = sweeps(contacts, pattern, mass, w, bias, felt, v, forces, soft, 0.3 * enough, batch)
            soft, factors, swept = told.rho, factors + told.factors, swept + batch
            batch = min(2 * batch, MANY_SWEEPS)
        motion, contact = _judged(contacts, mass, w, bias, felt, v, forces)
        if max(motion, contact) < worst:
            best_v[:], best_forces[:], best, worst = v, forces, (motion, contact), max(motion, contact)
    v[:], forces[:] = best_v, best_forces
    return Solved(best[0], best[1], factors, swept)


@inner
def _judged(
    contacts: Contacts, mass: Array, w: Array, bias: Array, felt: Array, v: Array, forces: Array
) -> tuple[float, float]:
    """The two residuals of `Solved`."""
    u, x, new = np.empty_like(forces), np.empty(3), np.empty(3)
    left, work = np.empty_like(v), np.empty_like(v)
    motion, contact = unbalanced(contacts, mass, v, w, forces, left, work), 0.0
    relative(contacts, v, u)
    for k in range(forces.shape[0]):
        if felt[k] > 0.0:
            for i in range(3):
                x[i] = forces[k, i] - felt[k] * (u[k, i] + bias[k, i])
            resist(x, contacts.friction[k], new)
            for i in range(3):
                contact = max(contact, abs(new[i] - forces[k, i]) / felt[k])
    return motion, contact


@inner
def _round(
    contacts: Contacts, pattern: Pattern, mass: Array, w: Array, bias: Array, stiffness: Array, v: Array, held: Array,
    forces: Array, exact: float, enough: float,
) -> tuple[bool, int]:  # fmt: skip
    """v and forces ← those of M (v − w) = Jᵀ f, f = R(held − ρ(J v + bias)); whether they were found, and factors."""
    count, size = contacts.bodies.shape[0], v.shape[0]
    u, tried = np.empty((count, 3)), np.empty((count, 3))
    left, work, step = np.empty((size, 6)), np.empty((size, 6)), np.empty((size, 6))
    blocks = pattern.rows.shape[0]
    diagonal, upper, lower = np.empty((size, 6, 6)), np.empty((blocks, 6, 6)), np.empty((blocks, 6, 6))
    where, kinds = np.empty(size, np.int64), np.full(count, -1, np.int64)
    gap = _pushed(contacts, mass, w, bias, stiffness, v, held, u, tried, forces, left, work)
    merit, factors, sliding = _size(mass, left), 0, False
    for _ in range(NEWTON_STEPS):
        if gap <= FINER * exact:
            return True, factors
        same, sliding = _kinds(contacts, tried, kinds)
        if not same:
            factors += 1
            if not _factored(contacts, pattern, mass, stiffness, tried, sliding, diagonal, upper, lower, where):
                return False, factors
        for b in range(size):
            step[pattern.place[b]] = -left[b]
        if sliding:
            solve_lu(size, pattern.starts, pattern.rows, diagonal, upper, lower, step)
        else:
            solve_blocks(size, pattern.starts, pattern.rows, diagonal, upper, step)
        share, moved, before = 1.0, 0.0, merit
        while True:
            for b in range(size):
                for i in range(6):
                    v[b, i] += (share - moved) * step[pattern.place[b], i]
            moved = share
            gap = _pushed(contacts, mass, w, bias, stiffness, v, held, u, tried, forces, left, work)
            merit = _size(mass, left)
            if merit <= (1.0 - 0.2 * share) * before:
                break
            if gap <= enough:  # as well as rounding lets it
                return True, factors
            share *= 0.5
            if not share >= SHORTEST:
                return False, factors
    return gap <= enough, factors


@inner
def _pushed(
    contacts: Contacts, mass: Array, w: Array, bias: Array, stiffness: Array, v: Array, held: Array, u: Array,
    tried: Array, forces: Array, left: Array, work: Array,
) -> float:  # fmt: skip
    """tried ← held − ρ(J v + bias), forces ← R(tried), left ← M (v − w) − Jᵀ f; returns the size of the latter."""
    relative(contacts, v, u)
    for k in range(u.shape[0]):
        for i in range(3):
            tried[k, i] = held[k, i] - stiffness[k] * (u[k, i] + bias[k, i])
        resist(tried[k], contacts.friction[k], forces[k])
    return unbalanced(contacts, mass, v, w, forces, left, work)


@inner
def _size(mass: Array, left: Array) -> float:
    """√(leftᵀ M⁻¹ left), nearly."""
    total = 0.0
    for b in range(left.shape[0]):
        turn = (mass[b, 3, 3] + mass[b, 4, 4] + mass[b, 5, 5]) / 3.0
        for i in range(3):
            total += left[b, i] ** 2 / mass[b, 0, 0] + left[b, 3 + i] ** 2 / turn
    return math.sqrt(total)


@inner
def _kinds(contacts: Contacts, tried: Array, kinds: Ints) -> tuple[bool, bool]:
    """Whether the last factor still holds, as no contact has changed its kind and none slides; whether any slides."""
    same, sliding = True, False
    for k in range(tried.shape[0]):
        friction, now = contacts.friction[k], 1
        if friction >= 0.0 and tried[k, 0] <= 0.0:
            now = OPEN
        elif friction > 0.0 and tried[k, 1] ** 2 + tried[k, 2] ** 2 >= (friction * tried[k, 0]) ** 2:
            now = SLIDES
            sliding = True
        same = same and now == kinds[k]
        kinds[k] = now
    return same and not sliding and tried.shape[0] > 0, sliding


@inner
def _factored(
    contacts: Contacts, pattern: Pattern, mass: Array, stiffness: Array, tried: Array, sliding: bool, diagonal: Array,
    upper: Array, lower: Array, where: Ints,
) -> bool:  # fmt: skip
    """The factor of M + ρ Jᵀ R′ J: symmetric while nothing slides."""
    size, kept = mass.shape[0], lower if sliding else lower[:0]
    start_blocks(pattern, mass, diagonal, upper, kept)
    bend, wide = np.empty((3, 3)), np.empty((2, 6, 3))
    for k in range(tried.shape[0]):
        if resist_slope(tried[k], contacts.friction[k], bend) != OPEN:
            add_contact(contacts, pattern, k, bend, stiffness[k], diagonal, upper, kept, wide)
    if not sliding:
        factor_blocks(
            size, pattern.starts, pattern.rows, pattern.row_starts, pattern.row_columns, pattern.row_slots,
            diagonal, upper, where,
        )  # fmt: skip
        return True
    return factor_lu(
        size, pattern.starts, pattern.rows, pattern.row_starts, pattern.row_columns, pattern.row_slots,
        diagonal, upper, lower, where,
    )  # fmt: skip
