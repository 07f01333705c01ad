"""Coulomb friction as a fixed point of convex problems: the clear way, beside which `coulomb_motion` is tested.

    u + bias + μ|u_t| n in K*,   f in K,   f ⟂ u + bias + μ|u_t| n                   (De Saxcé's form of Coulomb's law)

Each pass is `least_restraint` with the shift μ|u_t| of the pass before (Acary, Cadoux, Lemaréchal, Malick 2011). What
stands needs one pass: its shifts are zero. Sliding contacts need a few; the passes are extrapolated (Anderson), and
stop when shifts and motion agree to the tolerance. It agrees with `check`: what can stand, stands.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from falsework.collapse.contacts import Contacts, relative
from falsework.collapse.curvature import Pattern
from falsework.collapse.least_restraint import least_restraint
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array

ROUGH = 0.02  # of the last disagreement: how well a pass need be solved before the last
WORSE = 10.0  # times the least disagreement so far: what was extrapolated from is forgotten
MEMORY = 6  # passes that are extrapolated from


class Passes(NamedTuple):
    """How well Coulomb's law holds, and the work it took."""

    motion: float  # see `least_restraint.Effort`
    contact: float
    dilation: float  # worst |shift − μ|u_t|| of a contact: a motion
    passes: int
    newton: int


@compiled
def convex_passes(
    contacts: Contacts,
    pattern: Pattern,
    mass: Array,
    w: Array,
    bias: Array,
    stiffness: Array,
    v: Array,
    forces: Array,
    shift: Array,
    tolerance: float,
    slip_tolerance: float,
    most_passes: int,
    most_rounds: int,
) -> Passes:
    """v, forces and shift ← motion, forces and slip of Coulomb's law, begun from what they hold."""
    count = contacts.bodies.shape[0]
    u, slip = np.empty((count, 3)), np.empty(count)
    images, misses = np.zeros((MEMORY, count)), np.zeros((MEMORY, count))
    relative(contacts, v, u)
    dilation = _slips(contacts, u, bias, forces, shift, slip)
    total, passes, kept, best = 0, 0, 0, np.inf
    while True:
        passes += 1
        enough = max(tolerance, ROUGH * dilation)
        effort = least_restraint(contacts, pattern, mass, w, bias, shift, stiffness, v, forces, enough, most_rounds)
        total += effort.newton
        relative(contacts, v, u)
        dilation = _slips(contacts, u, bias, forces, shift, slip)
        solved = dilation <= slip_tolerance and effort.motion <= tolerance and effort.contact <= tolerance
        if solved or passes >= most_passes or (enough == tolerance and dilation <= slip_tolerance):
            break
        if dilation <= slip_tolerance:
            continue
        if dilation > WORSE * best:  # extrapolated too far: begin again from here
            kept = 0
        best = min(best, dilation)
        row = kept % MEMORY
        for k in range(count):
            images[row, k] = slip[k]
            misses[row, k] = slip[k] - shift[k]
        kept += 1
        _extrapolate(images, misses, min(kept, MEMORY), row, shift)
    return Passes(effort.motion, effort.contact, dilation, passes, total)


@inner
def _slips(contacts: Contacts, u: Array, bias: Array, forces: Array, shift: Array, slip: Array) -> float:
    """slip ← μ|u_t|; returns the worst that `shift` misses it by. Contacts that part take it over as it is."""
    worst = 0.0
    for k in range(u.shape[0]):
        slip[k] = 0.0
        if contacts.friction[k] > 0.0:
            a, b = u[k, 1] + bias[k, 1], u[k, 2] + bias[k, 2]
            slip[k] = contacts.friction[k] * math.sqrt(a * a + b * b)
        if forces[k, 0] > 0.0 or u[k, 0] + bias[k, 0] < 0.0:
            worst = max(worst, abs(slip[k] - shift[k]))
        else:
            shift[k] = slip[k]
    return worst


@inner
def _extrapolate(images: Array, misses: Array, kept: int, last: int, shift: Array) -> None:
    """shift ← Anderson's combination of the kept passes: that whose misses would cancel best, never negative."""
    count = shift.shape[0]
    if kept == 1:
        for k in range(count):
            shift[k] = images[last, k]
        return
    gram, right = np.zeros((kept - 1, kept - 1)), np.zeros(kept - 1)
    rows = np.empty(kept - 1, np.int64)
    at = 0
    for row in range(kept):
        if row != last:
            rows[at] = row
            at += 1
    for i in range(kept - 1):
        for j in range(i + 1):
            value = 0.0
            for k in range(count):
                value += (misses[last, k] - misses[rows[i], k]) * (misses[last, k] - misses[rows[j], k])
            gram[i, j] = gram[j, i] = value
        for k in range(count):
            right[i] += (misses[last, k] - misses[rows[i], k]) * misses[last, k]
    size = 0.0
    for i in range(kept - 1):
        size = max(size, gram[i, i])
    for i in range(kept - 1):
        gram[i, i] += 1e-14 * size + 1e-300
    weights = np.linalg.solve(gram, right)
    for k in range(count):
        value = images[last, k]
        for i in range(kept - 1):
            value -= weights[i] * (images[last, k] - images[rows[i], k])
        shift[k] = max(value, 0.0)
