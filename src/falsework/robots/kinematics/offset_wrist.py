"""Six axes, 2 and 3 parallel, 4 and 5 through one point but 6 beside it: all answers by one search along joint 6.

With joint 6 given, the place of the point is known, and so are joints 1, 2 and 3, in four ways. What is left of the
turn, R35, must be one about axis 4 and then one about axis 5; that leaves the angle of h5 with h4 as it was:

    e(q6) = h4 · R35 h5 − h4 · h5 = 0

Zeros of e are bracketed on a grid and closed in by regula falsi (Illinois); where it comes near 0 and turns back, the
guess is refined as it is. So answers closer together than the grid may be missed.
"""

from __future__ import annotations

import numpy as np

from falsework.kernels.exact import inner
from falsework.model.arrays import Array
from falsework.robots.kinematics.chain import Chain
from falsework.robots.kinematics.closed_forms import last_turn, shoulder_angles
from falsework.robots.kinematics.refining import TURN, propose
from falsework.robots.kinematics.vectors import (
    across,
    angle_between,
    applied,
    column,
    dot,
    minus,
    plus,
    row,
    turned,
)

GRID = 72  # joint angles at which e is looked at
NEAR = 0.05  # of e: a minimum below this may touch 0
LOST = 9.0  # e where the arm does not reach; it is at most 2 elsewhere


@inner
def offset_wrist(chain: Chain, wanted: Array, near: Array, found: Array, count: int, enough: int) -> int:
    """At most sixteen answers; stops when there are enough. Looks near joint 6 of `near` first."""
    R06 = last_turn(chain, wanted)
    values = np.empty(GRID)
    q = np.empty(6)
    begin = near[5] * chain.signs[5]
    for one in range(4):
        for k in range(GRID):
            values[k] = _missed(chain, wanted, R06, begin + TURN * k / GRID, one, q)
        for turn in range(GRID):
            k = (turn + 1) // 2 if turn % 2 else (GRID - turn // 2) % GRID  # outward, to both sides
            here, there, before = values[k], values[(k + 1) % GRID], values[(k - 1) % GRID]
            low = begin + TURN * k / GRID
            guess = low
            if (here == LOST) != (there == LOST):  # the arm is stretched out somewhere between
                guess = low if there == LOST else low + TURN / GRID
                if abs(min(here, there)) > 1.0:
                    continue
            elif here == LOST:
                continue
            elif here * there <= 0.0:
                guess = _closed_in(chain, wanted, R06, one, low, low + TURN / GRID, here, there, q)
            elif abs(here) > NEAR or abs(here) > abs(there) or abs(here) > abs(before):
                continue
            if _missed(chain, wanted, R06, guess, one, q) != LOST:
                _finish(chain, R06, q)
                count = propose(chain, wanted, near, q, found, count)
                if count >= enough:
                    return count
    return count


@inner
def _missed(chain: Chain, wanted: Array, R06: Array, q6: float, one: int, q: Array) -> float:
    """e at an angle of joint 6, LOST where the arm does not reach; fills joints 1, 2, 3 and 6 of q (6,)."""
    h1, h2, h4 = row(chain.axes, 0), row(chain.axes, 1), row(chain.axes, 3)
    h5, h6 = row(chain.axes, 4), row(chain.axes, 5)
    at6 = minus(column(wanted, 3), applied(R06, row(chain.steps, 6)))
    p15 = minus(minus(at6, applied(R06, turned(h6, -q6, row(chain.steps, 5)))), row(chain.steps, 0))
    lift = row(chain.steps, 3)
    offset = dot(h2, plus(plus(row(chain.steps, 1), row(chain.steps, 2)), lift))
    there, q1, q2, q3 = shoulder_angles(chain, p15, offset, lift, one)
    if not there:
        return LOST
    q[0], q[1], q[2], q[5] = q1, q2, q3, q6
    seen = turned(h2, -q2 - q3, turned(h1, -q1, applied(R06, turned(h6, -q6, h5))))  # R35 h5
    return dot(h4, seen) - dot(h4, h5)


@inner
def _finish(chain: Chain, R06: Array, q: Array) -> None:
    """Fill joints 4 and 5 of q (6,)."""
    h1, h2, h4 = row(chain.axes, 0), row(chain.axes, 1), row(chain.axes, 3)
    h5, h6 = row(chain.axes, 4), row(chain.axes, 5)
    q23 = q[1] + q[2]
    seen = turned(h2, -q23, turned(h1, -q[0], applied(R06, turned(h6, -q[5], h5))))
    q[3] = angle_between(h4, h5, seen)
    side = across(h5)
    hand = turned(h2, -q23, turned(h1, -q[0], applied(R06, turned(h6, -q[5], side))))
    q[4] = angle_between(h5, side, turned(h4, -q[3], hand))


@inner
def _closed_in(
    chain: Chain, wanted: Array, R06: Array, one: int, low: float, high: float, at_low: float, at_high: float, q: Array
) -> float:
    """A zero of e between two angles where it has different signs."""
    for _ in range(20):
        if at_high == at_low:
            break
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        value = _missed(chain, wanted, R06, middle, one, q)
        if value == LOST or abs(value) < 1e-4 or abs(high - low) < 1e-9:
            return middle
        if value * at_high < 0.0:
            low, at_low = high, at_high
        else:
            at_low *= 0.5
        high, at_high = middle, value
    return 0.5 * (low + high)
