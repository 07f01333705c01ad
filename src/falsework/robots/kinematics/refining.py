"""From a guess to joints that reach a pose: within limits, polished until forward kinematics says so, each once."""

from __future__ import annotations

import math

import numpy as np

from falsework.kernels.exact import inner
from falsework.model.arrays import Array
from falsework.robots.kinematics.chain import Chain
from falsework.robots.kinematics.forward import miss, place, rates

REACHED = 1e-9  # m and rad: what is missed by less is reached
GOOD = 1e-7  # … and is as good as it gets where the arm is stretched out
SAME = 1e-4  # rad or m: joints nearer than this are the same
SLACK = 1e-9  # beyond a limit, through rounding
TURN = 2.0 * math.pi


@inner
def into_limits(chain: Chain, near: Array, q: Array) -> bool:
    """Add whole turns until every joint is within its limits, as near to `near` as it can be; False where none does."""
    for k in range(len(q)):
        if chain.sliding[k]:
            if not chain.lower[k] - SLACK <= q[k] <= chain.upper[k] + SLACK:
                return False
        else:
            value = q[k] - TURN * math.floor((q[k] - near[k]) / TURN + 0.5)
            if value < chain.lower[k] - SLACK:
                value += TURN * math.ceil((chain.lower[k] - SLACK - value) / TURN)
            elif value > chain.upper[k] + SLACK:
                value -= TURN * math.ceil((value - chain.upper[k] - SLACK) / TURN)
            if not chain.lower[k] - SLACK <= value <= chain.upper[k] + SLACK:
                return False
            q[k] = value
        q[k] = min(chain.upper[k], max(chain.lower[k], q[k]))
    return True


@inner
def step_towards(jacobian: Array, error: Array, damping: float, room: Array, step: Array) -> None:
    """Fill `step` (n,) = Jᵀ (J Jᵀ + λ 1)⁻¹ e, by Cholesky; `room` (6, 7) is scratch."""
    n = jacobian.shape[1]
    for i in range(6):
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                total += jacobian[i, k] * jacobian[j, k]
            room[i, j] = total
        room[i, i] += damping
    for i in range(6):
        for j in range(i + 1):
            total = room[i, j]
            for k in range(j):
                total -= room[i, k] * room[j, k]
            room[i, j] = math.sqrt(max(total, 1e-300)) if i == j else total / room[j, j]
    for i in range(6):
        total = error[i]
        for k in range(i):
            total -= room[i, k] * room[k, 6]
        room[i, 6] = total / room[i, i]
    for i in range(5, -1, -1):
        total = room[i, 6]
        for k in range(i + 1, 6):
            total -= room[k, i] * room[k, 6]
        room[i, 6] = total / room[i, i]
    for k in range(n):
        total = 0.0
        for i in range(6):
            total += jacobian[i, k] * room[i, 6]
        step[k] = total


@inner
def descend(chain: Chain, wanted: Array, q: Array, most: int, clamp: bool, enough: float) -> float:
    """Levenberg and Marquardt's way from `q`, in place; by how much the pose (3, 4) is missed in the end."""
    n = len(q)
    links, jacobian = np.empty((n + 2, 3, 4)), np.empty((6, n))
    error, trial_error = np.empty(6), np.empty(6)
    room, step, trial = np.empty((6, 7)), np.empty(n), np.empty(n)
    place(chain, q, links)
    missed = miss(links[n + 1], wanted, error)
    damping = 1e-3 * missed * missed
    for _ in range(most):
        if missed < enough:
            break
        rates(chain, links, jacobian)
        step_towards(jacobian, error, damping + 1e-14, room, step)
        for k in range(n):
            trial[k] = q[k] + step[k]
            if clamp:
                trial[k] = min(chain.upper[k], max(chain.lower[k], trial[k]))
        place(chain, trial, links)
        now = miss(links[n + 1], wanted, trial_error)
        if now < missed:
            stalled = now > 0.999 * missed
            missed = now
            for k in range(n):
                q[k] = trial[k]
            for i in range(6):
                error[i] = trial_error[i]
            damping *= 0.1
            if stalled and missed > GOOD:
                break
        else:
            place(chain, q, links)
            damping = max(4.0 * damping, 1e-10)
            if damping > 1e3:
                break
    return missed


@inner
def accept(chain: Chain, wanted: Array, near: Array, q: Array, found: Array, count: int) -> int:
    """Keep joints that reach the pose within limits and are not kept yet; how many are kept now."""
    if count >= len(found):
        return count
    if descend(chain, wanted, q, 8, False, REACHED) > GOOD or not into_limits(chain, near, q):
        return count
    for other in range(count):
        same = True
        for k in range(len(q)):
            apart = abs(found[other, k] - q[k])
            if not chain.sliding[k]:
                apart = abs(apart - TURN * math.floor(apart / TURN + 0.5))
            same = same and apart < SAME
        if same:
            return count
    for k in range(len(q)):
        found[count, k] = q[k]
    return count + 1


@inner
def propose(chain: Chain, wanted: Array, near: Array, q: Array, found: Array, count: int) -> int:
    """The same for what a closed form found about the axes as it sees them."""
    for k in range(len(q)):
        q[k] *= chain.signs[k]
    return accept(chain, wanted, near, q, found, count)
