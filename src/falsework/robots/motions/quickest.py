"""`plan(…, cell=…, minimise="makespan")`: of several plans, the one that the arms carry out in the least time.

How long a plan takes is known once its motions are, as arms wait for each other. So plans of different orders are
found, all with one table of keyframes, and each is put into motion. Nothing is proved of plans that were not tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from falsework.model.errors import Undecided
from falsework.planning.plans.jobs import Job, Planned
from falsework.planning.plans.qualities import Quality
from falsework.planning.plans.solving import solve
from falsework.robots.keyframes.cell_planning import Arms, in_cell
from falsework.robots.motions.making import motions_of

ORDERS = ("least-blocked", "outside-in", "volume", "degree")  # tried beside the one that was asked for
AT_RANDOM = 4  # orders more


def quickest(job: Job, arms: Arms) -> Planned:
    """The plan with the least makespan of those tried; the first one's answer where it is no plan."""
    best, least_s, seen = solve(job), np.inf, set()
    for found in (best, *_others(job)) if best.status == "complete" else ():
        order = tuple((move.parts, move.way) for move in found.moves)
        seconds = np.inf if order in seen else _makespan_s(job, found, arms)
        seen.add(order)
        if seconds < least_s:
            best, least_s = found, seconds
    quality = None if np.isinf(least_s) else Quality("makespan", least_s)
    return replace(best, quality=quality, wall_s=job.deadline.elapsed_s)


def _others(job: Job) -> Iterator[Planned]:
    """Plans by other orders, while there is time."""
    at_random = [replace(job.settings, selector="random", seed=job.settings.seed + k) for k in range(AT_RANDOM)]
    for settings in [*(replace(job.settings, selector=name) for name in ORDERS), *at_random]:
        if job.deadline.is_past:
            return
        found = solve(replace(job, settings=settings))
        if found.status == "complete":
            yield found


def _makespan_s(job: Job, planned: Planned, arms: Arms) -> float:
    """Infinite where no free way was found."""
    told = in_cell(planned, arms).in_cell
    assert told is not None, "the plan is complete"
    try:
        return motions_of(told, job.workshop.assembly, np.random.default_rng(job.settings.seed)).makespan_s
    except Undecided:
        return np.inf
