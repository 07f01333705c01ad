"""A plan first, then better ones while there is time: fewer hands, fewer turns, shorter holds, shorter ways."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.model.plan import Plan
from falsework.planning.plans.jobs import Job, Planned
from falsework.planning.plans.solving import solve

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


def improved(job: Job) -> Planned:
    """The cheapest plan found until the timeout, or in `ROUNDS` tries: never a worse one than the first."""
    quick = replace(job, settings=replace(job.settings, planner="auto"))
    best = solve(quick)
    if best.status != "complete":
        return best
    spent, first = best.evaluations, best
    limit = PATIENCE * max(first.evaluations, 10)
    for one in _tries(quick, best.plan.max_held):
        tried = one.within(spent, limit)
        if tried is None:
            break
        other = solve(tried)
        spent += other.evaluations
        if other.status == "complete" and Cost.of(other.plan) < Cost.of(best.plan):
            best = replace(other, plan=replace(other.plan, rules=job.workshop.rules))
        if other.status == "timeout":
            break
    return replace(best, evaluations=spent, wall_s=job.deadline.elapsed_s, tree=first.tree, refused=first.refused)


def _tries(job: Job, hands: int) -> list[Job]:
    """First the same with fewer hands, fewest first, then other orders."""
    alone = replace(job, settings=replace(job.settings, groups=False))
    tries = [replace(alone, workshop=job.workshop.with_robots(fewer)) for fewer in range(1, hands)]
    for rng in np.random.default_rng(job.settings.seed).spawn(ROUNDS):
        order = replace(job.settings, selector="random", seed=int(rng.integers(2**62)))
        tries.append(replace(job, settings=order))
    return tries
