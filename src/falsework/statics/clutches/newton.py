"""Newton's method on the potential of the springs: forces of least energy, or a hint of how it falls."""

# Kernels take named tuples of arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.block_cholesky import factor_blocks, solve_blocks
from falsework.kernels.compiled import compiled
from falsework.statics.clutches.springs import respond
from falsework.statics.clutches.tangent import assemble

CONVERGED, FALLING, STUCK = 0, 1, 2
DAMPING = 1e-10  # added to every diagonal entry, in units of a contact point's stiffness
COLD_HARDENING, WARM_HARDENING, LEAST_HARDENING, MOST_HARDENING = 1e-3, 1e-5, 1e-7, 1e-1
STRETCH = 1e6  # a step that still gains when it is this much longer leads nowhere


@compiled
def _dot(a, b):
    total = 0.0
    for i in range(len(a)):
        for q in range(6):
            total += a[i, q] * b[i, q]
    return total


@compiled
def _largest(a):
    most = 0.0
    for i in range(len(a)):
        for q in range(6):
            most = max(most, abs(a[i, q]))
    return most


@compiled
def _total(loads):
    """Sum of the force components."""
    total = 0.0
    for i in range(len(loads)):
        for q in range(3):
            total += abs(loads[i, q])
    return total + _largest(loads)


@compiled
def _pattern(answer):
    """A number that tells which rows are active and which corners and generators pressed."""
    total = np.uint64(0)
    prime = np.uint64(0x9E3779B97F4A7C15)
    for k in range(len(answer.used)):
        bits = np.uint64(0)
        for i in range(answer.used[k]):
            bits += (np.uint64(answer.active[k, i]) + np.uint64(1)) * (np.uint64(answer.active[k, i]) + prime)
        for c in range(4):
            if answer.pressure[k, c] > 0.0:
                bits += np.uint64(7919 << c)
        total = (total ^ bits) * prime
        total ^= total >> np.uint64(29)
    for g in range(len(answer.weights)):
        if answer.weights[g] > 0.0:
            total += (np.uint64(g) + np.uint64(3)) * prime
    return total


@compiled
def _is_stale(answer, hardening, factored, hardened):
    """Whether the factor belongs to other active rows than the answer's; from now on it counts as one of these."""
    pattern = _pattern(answer)
    if pattern == factored[0] and hardened[0] <= max(hardening, 1e-5):
        return False
    factored[0], hardened[0] = pattern, hardening
    return True


@compiled
def assembled(net, answer, loads, strength, y, tolerance, hardening, factored, hardened, diagonal, lower):
    """Whether the next step needs another factor: then its matrix is there, and must be factored before `relax`."""
    if np.isnan(respond(net, answer, loads, strength, y)) or _largest(answer.gradient) <= tolerance * _total(loads):
        return False
    if not _is_stale(answer, hardening[0], factored, hardened):
        return False
    assemble(net, answer, hardening[0], DAMPING, diagonal, lower)
    return True


@compiled
def newton_step(net, answer, hardening, factored, hardened, diagonal, lower, where, step):
    """step ← −tangent⁻¹ · gradient, with the last factor if it belongs to the same active rows."""
    count = len(step)
    if _is_stale(answer, hardening, factored, hardened):
        assemble(net, answer, hardening, DAMPING, diagonal, lower)
        factor_blocks(
            count, net.fstarts, net.frows, net.row_starts, net.row_columns, net.row_slots, diagonal, lower, where
        )
    turned = np.empty((count, 6))
    for j in range(count):
        for q in range(6):
            turned[j, q] = -answer.gradient[net.order[j], q]
    solve_blocks(count, net.fstarts, net.frows, diagonal, lower, turned)
    for j in range(count):
        for q in range(6):
            step[net.order[j], q] = turned[j, q]


@compiled
def relax(
    net, answer, loads, strength, y, step, tolerance, max_steps, hardening, factored, hardened, diagonal, lower, where
):
    """Minimise φ from y, in place. Returns (CONVERGED | FALLING | STUCK, steps taken).

    Each step is followed by a search along it for a zero of the slope: doubling while φ still falls steeply,
    then regula falsi. FALLING: `step` still gains after being stretched by STRETCH; it hints at a motion.
    A tangent that has yielded too far to be of use keeps a share `hardening` (1,) of its stiffness; the share falls as
    steps turn out well, and is left there for whoever goes on. `factored` and `hardened` tell what `diagonal` and
    `lower` hold the factor of.
    """
    phi = respond(net, answer, loads, strength, y)
    if np.isnan(phi):
        return STUCK, 0
    goal = tolerance * _total(loads)
    trial = np.empty_like(y)
    for taken in range(max_steps):
        if _largest(answer.gradient) <= goal:
            return CONVERGED, taken
        newton_step(net, answer, hardening[0], factored, hardened, diagonal, lower, where, step)
        slope = _dot(answer.gradient, step)
        if not slope < 0.0:
            return STUCK, taken
        low, low_slope = 0.0, slope
        high, high_slope = np.inf, 0.0
        length = 1.0
        now = 0.0
        for _ in range(40):
            for i in range(len(y)):
                for q in range(6):
                    trial[i, q] = y[i, q] + length * step[i, q]
            if np.isnan(respond(net, answer, loads, strength, trial)):
                return STUCK, taken
            now = _dot(answer.gradient, step)
            if abs(now) <= 0.3 * abs(slope) or _largest(answer.gradient) <= goal:
                break
            if now < 0.0:
                low, low_slope = length, now
                if length >= STRETCH:
                    return FALLING, taken + 1
                length = 10.0 * length if high == np.inf else length
            else:
                high, high_slope = length, now
            if high < np.inf:
                guess = low - low_slope * (high - low) / (high_slope - low_slope)
                length = min(max(guess, low + 0.1 * (high - low)), high - 0.1 * (high - low))
        if length < 1.0:
            hardening[0] = min(hardening[0] * 10.0, MOST_HARDENING)
        else:
            share = 0.001 if abs(now) < 0.05 * abs(slope) else 0.1
            hardening[0] = max(hardening[0] * share, LEAST_HARDENING)
        for i in range(len(y)):
            for q in range(6):
                y[i, q] = trial[i, q]
    return (CONVERGED if _largest(answer.gradient) <= goal else STUCK), max_steps
