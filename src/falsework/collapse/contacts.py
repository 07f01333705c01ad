"""Places where bodies act on each other: how they move there, what wrenches their forces make, how much they weigh."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints


class Contacts(NamedTuple):
    """Places where two bodies act on each other; bodies that do not move freely are −1."""

    bodies: Ints  # (k, 2)
    arms: Array  # (k, 2, 3) from the bodies' centres of mass
    frames: Array  # (k, 3, 3) rows n, t₁, t₂; n from the first body into the second
    friction: Array  # (k,) μ, or JOINT


@compiled
def relative(contacts: Contacts, v: Array, out: Array) -> None:
    """out (k, 3) ← J v, the motion of the second body against the first, in the contact's frame."""
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
def felt_masses(contacts: Contacts, mass_kg: Array, inverse_inertia: Array) -> Array:
    """(k,) the mass that a contact feels along its normal; masses (n,), inverse inertias (n, 3, 3)."""
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
        out[k] = 1.0 / give if give > 0.0 else 0.0
    return out


@inner
def times_mass(mass: Array, v: Array, w: Array, out: Array) -> None:
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
def unbalanced(contacts: Contacts, mass: Array, v: Array, w: Array, forces: Array, out: Array, work: Array) -> float:
    """out ← M (v − w) − Jᵀ f; returns the worst of it as a speed: of a centre, or a turn at the radius of gyration."""
    times_mass(mass, v, w, out)
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
