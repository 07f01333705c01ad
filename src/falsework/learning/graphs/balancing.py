"""A few rounds of balancing forces: how much still moves where so many rounds have not balanced it.

With M masses and moments of inertia, G what forces at contacts do to bodies, and g gravity, what stands has forces f
within the cones of friction with v = g + M⁻¹G f = 0 for all bodies that nobody holds. This walks down the energy
½ vᵀM v: two sweeps over the contacts a round, one down and one up, each contact moved to the force that stops it best;
between rounds the forces go on as they went (Nesterov), unless the energy grew. Rounds are few and nothing is proved:
what stands may still move a little, and what falls may hardly have begun to.
"""

# Kernels are typed by numba.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.kernels.optional import compiled, inner
from falsework.model.arrays import Array, Bools, Ints


class Touching(NamedTuple):
    """Contact points from the top down; lengths and masses in units of the assembly's own, gravity is 1."""

    bodies: Ints  # (p, 2)
    normals: Array  # (p, 3) unit, from the first body into the second
    friction: Array  # (p,) negative: it holds whatever pulls
    arms: Array  # (p, 2, 3) from the centre of mass of each
    masses: Array  # (n,)
    inertias: Array  # (n,) about any axis
    fixed: Bools  # (n,)


@compiled
def unrest(touching, installed, held, half, speeds):
    """Of each held part, how fast the fastest of the rest is without it: (states, bodies, 2) after `half` of the
    rounds and after all; where it rests is left as it is."""
    count, bodies = len(touching.bodies), installed.shape[1]
    light, slack = np.zeros(bodies), np.zeros(bodies)
    forces, before = np.zeros((count, 3)), np.zeros((count, 3))
    v, v_before = np.zeros((bodies, 6)), np.zeros((bodies, 6))
    there = np.zeros(count, np.int64)
    for state in range(len(installed)):
        for b in range(bodies):
            free = installed[state, b] and not held[state, b] and not touching.fixed[b]
            light[b] = 1.0 / touching.masses[b] if free else 0.0
            slack[b] = 1.0 / touching.inertias[b] if free else 0.0
        for gone in range(bodies):
            if not (installed[state, gone] and held[state, gone]) or touching.fixed[gone]:
                continue
            found = 0
            for p in range(count):
                a, b = touching.bodies[p, 0], touching.bodies[p, 1]
                if installed[state, a] and installed[state, b] and a != gone and b != gone and light[a] + light[b] > 0:
                    there[found] = p
                    found += 1
            _begin(light, forces, before, v, v_before)
            momentum, energy = _rounds(
                touching, there[:found], light, slack, forces, before, v, v_before, half, 1.0, np.inf
            )
            speeds[state, gone, 0] = _fastest(touching, light, v)
            _rounds(touching, there[:found], light, slack, forces, before, v, v_before, half, momentum, energy)
            speeds[state, gone, 1] = _fastest(touching, light, v)


@inner
def _begin(light, forces, before, v, v_before):
    """No forces: everything that is free falls."""
    forces[:], before[:], v[:] = 0.0, 0.0, 0.0
    for b in range(len(light)):
        if light[b] > 0:
            v[b, 2] = -1.0
    v_before[:] = v


@inner
def _rounds(touching, there, light, slack, forces, before, v, v_before, rounds, momentum, energy):
    """So many rounds; returns how far the momentum has come, and the energy, so that it can go on."""
    for _ in range(rounds):
        onward = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum))
        more = (momentum - 1.0) / onward
        for p in there:
            for k in range(3):
                now = forces[p, k]
                forces[p, k] = now + more * (now - before[p, k])
                before[p, k] = now
        for b in range(len(v)):
            for k in range(6):
                now = v[b, k]
                v[b, k] = now + more * (now - v_before[b, k])
                v_before[b, k] = now
        for n in range(len(there)):
            _settle(touching, there[n], light, slack, forces, v)
        for n in range(len(there) - 1, -1, -1):
            _settle(touching, there[n], light, slack, forces, v)
        left = _energy(light, slack, v)
        momentum, energy = 1.0 if left > energy else onward, left
    return momentum, energy


@inner
def _settle(touching, p, light, slack, forces, v):
    """One contact: its force goes against its relative velocity, as far as its friction allows."""
    a, b = touching.bodies[p, 0], touching.bodies[p, 1]
    ra, rb, n, f, va, vb = touching.arms[p, 0], touching.arms[p, 1], touching.normals[p], forces[p], v[a], v[b]
    stiff = light[a] + light[b]
    stiff += slack[a] * (ra[0] * ra[0] + ra[1] * ra[1] + ra[2] * ra[2])
    stiff += slack[b] * (rb[0] * rb[0] + rb[1] * rb[1] + rb[2] * rb[2])
    x = f[0] - (vb[0] + vb[4] * rb[2] - vb[5] * rb[1] - va[0] - va[4] * ra[2] + va[5] * ra[1]) / stiff
    y = f[1] - (vb[1] + vb[5] * rb[0] - vb[3] * rb[2] - va[1] - va[5] * ra[0] + va[3] * ra[2]) / stiff
    z = f[2] - (vb[2] + vb[3] * rb[1] - vb[4] * rb[0] - va[2] - va[3] * ra[1] + va[4] * ra[0]) / stiff
    friction = touching.friction[p]
    if friction >= 0:
        pressed = x * n[0] + y * n[1] + z * n[2]
        tx, ty, tz = x - pressed * n[0], y - pressed * n[1], z - pressed * n[2]
        along = np.sqrt(tx * tx + ty * ty + tz * tz)
        if friction * along <= -pressed:
            x = y = z = 0.0
        elif along > friction * pressed:
            pressed = (pressed + friction * along) / (1.0 + friction * friction)
            share = friction * pressed / along
            x, y, z = pressed * n[0] + share * tx, pressed * n[1] + share * ty, pressed * n[2] + share * tz
    dx, dy, dz = x - f[0], y - f[1], z - f[2]
    f[0], f[1], f[2] = x, y, z
    _push(va, ra, -light[a], -slack[a], dx, dy, dz)
    _push(vb, rb, light[b], slack[b], dx, dy, dz)


@inner
def _push(v, r, light, slack, x, y, z):
    v[0] += light * x
    v[1] += light * y
    v[2] += light * z
    v[3] += slack * (r[1] * z - r[2] * y)
    v[4] += slack * (r[2] * x - r[0] * z)
    v[5] += slack * (r[0] * y - r[1] * x)


@inner
def _energy(light, slack, v):
    total = 0.0
    for b in range(len(light)):
        if light[b] > 0:
            total += (v[b, 0] * v[b, 0] + v[b, 1] * v[b, 1] + v[b, 2] * v[b, 2]) / light[b]
            total += (v[b, 3] * v[b, 3] + v[b, 4] * v[b, 4] + v[b, 5] * v[b, 5]) / slack[b]
    return total


@inner
def _fastest(touching, light, v):
    """1 is as fast as what falls freely; turning counts as fast as it moves contacts."""
    most = 0.0
    for b in range(len(light)):
        if light[b] > 0:
            turning = v[b, 3] * v[b, 3] + v[b, 4] * v[b, 4] + v[b, 5] * v[b, 5]
            moving = v[b, 0] * v[b, 0] + v[b, 1] * v[b, 1] + v[b, 2] * v[b, 2]
            most = max(most, moving + turning * touching.inertias[b] / touching.masses[b])
    return np.sqrt(most)
