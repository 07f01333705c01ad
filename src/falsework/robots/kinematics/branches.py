"""The one entrance to inverse kinematics: which closed form fits an arm, and all answers for many poses at once."""

from __future__ import annotations

import numpy as np

from falsework.kernels.exact import compiled, inner
from falsework.model.arrays import Array, Ints
from falsework.robots.kinematics.chain import PARALLEL, Chain
from falsework.robots.kinematics.closed_forms import spherical_shoulder, spherical_wrist, three_parallel
from falsework.robots.kinematics.offset_wrist import offset_wrist
from falsework.robots.kinematics.refining import REACHED, accept, descend

NUMERIC, SPHERICAL_WRIST, THREE_PARALLEL, SPHERICAL_SHOULDER, OFFSET_WRIST = range(5)
FORMS = ("numeric", "spherical wrist", "three parallel axes", "spherical shoulder", "offset wrist")
STEPS = 60  # of one descent


def form_of(chain: Chain) -> int:
    """Which closed form fits: by which axes are parallel and which meet."""
    axes, steps = chain.axes, chain.steps
    if chain.sliding.any():
        return NUMERIC

    def parallel(i: int, j: int) -> bool:
        return bool(np.linalg.norm(np.cross(axes[i], axes[j])) < PARALLEL)

    def meets(i: int) -> bool:  # axis i and the next, in the point that both were given
        return not steps[i + 1].any() and not parallel(i, i + 1)

    if len(axes) == 7 and meets(0) and meets(1) and meets(4):
        return SPHERICAL_SHOULDER
    if len(axes) != 6 or not parallel(1, 2) or parallel(0, 1):
        return NUMERIC
    if parallel(2, 3):
        return THREE_PARALLEL if meets(4) else NUMERIC
    if not meets(3):
        return NUMERIC
    return SPHERICAL_WRIST if meets(4) else OFFSET_WRIST


@inner
def closed(chain: Chain, form: int, wanted: Array, near: Array, free: Array, enough: int, found: Array) -> int:
    """All answers of the closed form, or enough where each costs; `free` are angles of a seventh joint to look at."""
    count = 0
    if form == SPHERICAL_WRIST:
        count = spherical_wrist(chain, wanted, near, found, count)
    elif form == THREE_PARALLEL:
        count = three_parallel(chain, wanted, near, found, count)
    elif form == OFFSET_WRIST:
        count = offset_wrist(chain, wanted, near, found, count, enough)
    elif form == SPHERICAL_SHOULDER:
        for k in range(len(free)):
            count = spherical_shoulder(chain, wanted, near, free[k], found, count)
    return count


@inner
def _searched(chain: Chain, wanted: Array, near: Array, starts: Array, enough: int, found: Array, count: int) -> int:
    """Answers by descent from one start after the other, until there are enough."""
    q = np.empty(len(near))
    for k in range(len(starts)):
        if count >= enough:
            break
        q[:] = starts[k]
        if descend(chain, wanted, q, STEPS, True, REACHED) < REACHED:
            count = accept(chain, wanted, near, q, found, count)
    return count


@compiled
def all_branches(
    chain: Chain, form: int, wanted: Array, near: Array, free: Array, starts: Array, spare: int, most: int
) -> tuple[Array, Ints]:
    """(m, most, n) answers for poses (m, 3, 4) of the flange, and how many each has.

    `near` (n,) chooses among whole turns; `free` (g,) are angles of a seventh joint; `starts` (s, n) are joints to set
    out from where there is no closed form, `spare` of them where it finds nothing.
    """
    found = np.empty((len(wanted), most, len(near)))
    counts = np.zeros(len(wanted), np.int64)
    for k in range(len(wanted)):
        if form == NUMERIC:
            counts[k] = _searched(chain, wanted[k], near, starts, most, found[k], 0)
        else:
            counts[k] = closed(chain, form, wanted[k], near, free, most, found[k])
            if counts[k] == 0 and spare > 0:
                counts[k] = _searched(chain, wanted[k], near, starts[:spare], 1, found[k], 0)
    return found, counts


@compiled
def one_each(chain: Chain, form: int, wanted: Array, near: Array, free: Array, starts: Array) -> tuple[Array, Ints]:
    """(m, n) one answer for each pose (m, 3, 4), of those that are found first the nearest to `near`; 1 where there is.

    A seventh joint is tried where `near` has it, then at `free`, until it works.
    """
    n = len(near)
    best = np.zeros((len(wanted), n))
    there = np.zeros(len(wanted), np.int64)
    found = np.empty((64, n))
    for k in range(len(wanted)):
        count = 0
        if form == SPHERICAL_SHOULDER:
            count = spherical_shoulder(chain, wanted[k], near, near[n - 1], found, 0)
            for g in range(len(free)):
                if count > 0:
                    break
                count = spherical_shoulder(chain, wanted[k], near, free[g], found, 0)
        elif form != NUMERIC:
            count = closed(chain, form, wanted[k], near, free, 1, found)
        if count == 0 and form not in (SPHERICAL_WRIST, THREE_PARALLEL):
            count = _searched(chain, wanted[k], near, starts, 1, found, 0)
        least = np.inf
        for one in range(count):
            apart = 0.0
            for j in range(n):
                apart = max(apart, abs(found[one, j] - near[j]))
            if apart < least:
                least, there[k] = apart, 1
                best[k] = found[one]
    return best, there
