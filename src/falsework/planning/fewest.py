"""The fewest hands with which an assembly can be built, with proof that one less is too few."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from falsework.planning.solving import Planned, Progress, Settings, solve
from falsework.planning.workshop import Workshop

MOST_HANDS = 8


def fewest_hands(
    workshop: Workshop,
    settings: Settings,
    progress: Callable[[Progress], None] | None = None,
    started_s: float | None = None,
    most: int = MOST_HANDS,
) -> Planned:
    """One hand more at a time, until there is a plan; all of them share the timeout, each has the budget to itself.

    `fewest` of the outcome says whether every smaller number of hands was proved to be too few.
    """
    started = time.monotonic() if started_s is None else started_s
    proved, spent = True, 0
    for robots in range(1, most + 1):
        shop = workshop.with_robots(robots)
        planned = solve(shop, shop.everything, settings, progress=progress, started_s=started)
        spent += planned.evaluations
        if planned.status == "complete" or not shop.stability.stands(shop.everything.whole):
            break
        proved &= planned.status == "infeasible"
    fewest = proved and planned.status == "complete"
    return replace(planned, evaluations=spent, wall_s=time.monotonic() - started, fewest=fewest)
