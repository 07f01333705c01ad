"""Coulomb's law by alternating directions: one factor, and many cheap sweeps that come near from anywhere.

    (M + ρ JᵀJ) v = M w + Jᵀ(f + ρ(z − bias)),    f ← R(f − ρ u),    z ← u + (f − f_before)/ρ,    u = J v + bias

The splitting of Carpentier, Le Lidec and Montaut (2024), with Coulomb's law as `coulomb_law.resist` in place of a cone
projection that is shifted in every sweep: the fixed points are the same and fewer sweeps lead there. ρ is kept where
what the contacts miss and what their motion still changes by are alike.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from falsework.collapse.contacts import Contacts, add_wrenches, relative, times_mass
from falsework.collapse.coulomb_law import resist
from falsework.collapse.curvature import Pattern, add_contact, start_blocks
from falsework.kernels.block_cholesky import factor_blocks, solve_blocks
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array

RELAXED = 1.6
LOPSIDED = 5.0  # ratio of what is missed and what changes, from which ρ is changed
FIRST_LOOK = 10  # sweeps until that is looked at first; then after twice as many, and so on
LEAST_RHO, MOST_RHO = 1e-3, 1e4


class Swept(NamedTuple):
    missed: float  # worst |u − z|: a motion
    changed: float  # worst ρ|z − z_before| / m
    rho: float
    factors: int


@compiled
def sweeps(
    contacts: Contacts, pattern: Pattern, mass: Array, w: Array, bias: Array, felt: Array, v: Array, forces: Array,
    rho: float, tolerance: float, most: int,
) -> Swept:  # fmt: skip
    """v (n, 6) and forces (k, 3) ← nearer to the solution, by at most so many sweeps with stiffness ρ × `felt` (k,)."""
    count, size = contacts.bodies.shape[0], v.shape[0]
    u, z, push = np.empty((count, 3)), np.zeros((count, 3)), np.empty((count, 3))
    x, new, still = np.empty(3), np.empty(3), np.zeros((size, 6))
    diagonal, upper = np.empty((size, 6, 6)), np.empty((pattern.rows.shape[0], 6, 6))
    momenta, step, free = np.empty((size, 6)), np.empty((size, 6)), np.empty((size, 6))
    times_mass(mass, w, still, free)
    relative(contacts, v, u)
    for k in range(count):
        if felt[k] > 0.0:
            for i in range(3):
                x[i] = forces[k, i] - rho * felt[k] * (u[k, i] + bias[k, i])
            resist(x, contacts.friction[k], new)
            for i in range(3):
                z[k, i] = (new[i] - x[i]) / (rho * felt[k])
    _factor(contacts, pattern, mass, rho, felt, diagonal, upper)
    factors, look, missed, changed = 1, FIRST_LOOK, np.inf, np.inf
    for sweep in range(1, most + 1):
        momenta[:] = free
        for k in range(count):
            for i in range(3):
                push[k, i] = forces[k, i] + rho * felt[k] * (z[k, i] - bias[k, i])
        add_wrenches(contacts, push, momenta)
        for b in range(size):
            step[pattern.place[b]] = momenta[b]
        solve_blocks(size, pattern.starts, pattern.rows, diagonal, upper, step)
        for b in range(size):
            v[b] = step[pattern.place[b]]
        relative(contacts, v, u)
        missed, changed = 0.0, 0.0
        for k in range(count):
            if felt[k] == 0.0:
                continue
            stiffness = rho * felt[k]
            for i in range(3):
                x[i] = forces[k, i] - stiffness * (RELAXED * (u[k, i] + bias[k, i]) + (1.0 - RELAXED) * z[k, i])
            resist(x, contacts.friction[k], new)
            for i in range(3):
                value = (new[i] - x[i]) / stiffness
                missed = max(missed, abs(u[k, i] + bias[k, i] - value))
                changed = max(changed, rho * abs(value - z[k, i]))
                z[k, i], forces[k, i] = value, new[i]
        if missed <= tolerance and changed <= tolerance:
            break
        if sweep == look and sweep < most:
            look *= 2
            better = rho * math.sqrt(missed / max(changed, 1e-300))
            if missed > LOPSIDED * changed or changed > LOPSIDED * missed:
                rho = min(max(better, 0.01 * rho, LEAST_RHO), 100.0 * rho, MOST_RHO)
                _factor(contacts, pattern, mass, rho, felt, diagonal, upper)
                factors += 1
    return Swept(missed, changed, rho, factors)


@inner
def _factor(
    contacts: Contacts, pattern: Pattern, mass: Array, rho: float, felt: Array, diagonal: Array, upper: Array
) -> None:
    """The Cholesky factor of M + ρ JᵀJ."""
    none, whole, wide = np.empty((0, 6, 6)), np.eye(3), np.empty((2, 6, 3))
    start_blocks(pattern, mass, diagonal, upper, none)
    for k in range(felt.shape[0]):
        add_contact(contacts, pattern, k, whole, rho * felt[k], diagonal, upper, none, wide)
    factor_blocks(
        mass.shape[0], pattern.starts, pattern.rows, pattern.row_starts, pattern.row_columns, pattern.row_slots,
        diagonal, upper, np.empty(mass.shape[0], np.int64),
    )  # fmt: skip
