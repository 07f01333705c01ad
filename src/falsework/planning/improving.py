"""A plan first, then better ones while there is time: fewer hands, fewer turns, shorter holds, shorter ways."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from falsework.model.plan import Plan
from falsework.planning.solving import Planned, Progress, Settings, solve
from falsework.planning.workshop import Goal, Workshop

ROUNDS = 20  # other orders that are tried where there is no timeout
PATIENCE = 10  # times the evaluations of the first plan that one try may take


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """What makes a plan worse, the weightiest first."""

    hands: int  # in use at once
    turns: int
    holds: int  # parts held beside the one that is placed, summed over the placements
    way_m: float

    @staticmethod
    def of(plan: Plan) -> Cost:
        placed = [step for step in plan.steps if step.action == "place"]
        paths = [step.path for step in placed if step.path is not None]
        return Cost(
            plan.max_held,
            sum(step.action == "reorient" for step in plan.steps),
            sum(len(set(step.held) - set(step.parts)) for step in placed),
            float(sum(np.linalg.norm(np.diff(path[:, :3, 3], axis=0), axis=1).sum() for path in paths)),
        )


def improved(
    workshop: Workshop,
    goal: Goal,
    settings: Settings,
    progress: Callable[[Progress], None] | None = None,
    started_s: float | None = None,
) -> Planned:
    """The cheapest plan found until the timeout, or in `ROUNDS` tries: never a worse one than the first."""
    started = time.monotonic() if started_s is None else started_s
    quick = replace(settings, planner="auto")
    best = solve(workshop, goal, quick, progress=progress, started_s=started)
    if best.status != "complete":
        return best
    spent, first = best.evaluations, best
    limit = PATIENCE * max(first.evaluations, 10)
    for shop, tried in _tries(workshop, quick, limit, best.plan.max_held):
        if settings.budget is not None and spent >= settings.budget:
            break
        other = solve(shop, goal, tried, progress=progress, started_s=started)
        spent += other.evaluations
        if other.status == "complete" and Cost.of(other.plan) < Cost.of(best.plan):
            best = replace(other, plan=replace(other.plan, rules=workshop.rules))
        if other.status == "timeout":
            break
    return replace(best, evaluations=spent, wall_s=time.monotonic() - started, tree=first.tree)


def _tries(workshop: Workshop, settings: Settings, limit: int, hands: int) -> list[tuple[Workshop, Settings]]:
    """First the same with fewer hands, fewest first, then other orders."""
    tries = [(workshop.with_robots(fewer), replace(settings, budget=limit, groups=False)) for fewer in range(1, hands)]
    for rng in np.random.default_rng(settings.seed).spawn(ROUNDS):
        order = replace(settings, selector="random", budget=limit, seed=int(rng.integers(2**62)))
        tries.append((workshop, order))
    return tries
