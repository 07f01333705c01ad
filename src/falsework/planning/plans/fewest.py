"""The fewest hands with which an assembly can be built, with proof that one less is too few."""

from __future__ import annotations

from dataclasses import replace

from falsework.planning.plans.alternatives import with_alternatives
from falsework.planning.plans.jobs import Job, Planned

MOST_HANDS = 8


def fewest_hands(job: Job, alternatives: int = 0, most: int = MOST_HANDS) -> Planned:
    """One hand more at a time, until there is a plan, and so many others; all of them share budget and timeout.

    `fewest` of the outcome says whether every smaller number of hands was proved to be too few.
    """
    planned = with_alternatives(replace(job, workshop=job.workshop.with_robots(1)), alternatives)
    proved, spent = True, planned.evaluations
    for robots in range(2, most + 1):
        if planned.status in ("complete", "timeout") or not job.workshop.stability.stands(job.goal.whole):
            break
        proved &= planned.status == "infeasible"
        tried = replace(job, workshop=job.workshop.with_robots(robots)).within(spent)
        if tried is None:
            planned = replace(planned, plan=replace(planned.plan, status="budget"), why="the budget ran out")
            break
        planned = with_alternatives(tried, alternatives)
        spent += planned.evaluations
    fewest = proved and planned.status == "complete"
    return replace(planned, evaluations=spent, wall_s=job.deadline.elapsed_s, fewest=fewest)
