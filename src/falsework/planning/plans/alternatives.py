"""Other plans for the same thing, as different from each other as can be found.

How different two plans are: the mean of two shares, both between 0 and 1. Order: of all pairs of parts, those that
come in the opposite order. Holds: of all parts placed, those upon whose arrival other parts are held beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from falsework.model.plan import Plan
from falsework.planning.plans.improving import PATIENCE, improved
from falsework.planning.plans.jobs import Job, Planned
from falsework.planning.plans.solving import solve

TRIES = 3  # for each plan wanted
ORDERLY = ("outside-in", "least-blocked", "degree", "volume")  # selectors that are tried before chance


def with_alternatives(job: Job, count: int = 0) -> Planned:
    """A plan and up to `count` others: of those that are found, one after the other the one that differs most.

    A search for another plan takes at most PATIENCE times the evaluations of the first, so that an unlucky order does
    not hold up the rest, and all of them share budget and timeout.
    """
    first = improved(job) if job.settings.planner == "anytime" else solve(job)
    if first.status != "complete" or not count:
        return first
    found: list[Planned] = []
    spent, limit = first.evaluations, PATIENCE * max(first.evaluations, 10)
    for number, rng in enumerate(np.random.default_rng(job.settings.seed).spawn(TRIES * count)):
        selector = ORDERLY[number] if number < min(len(ORDERLY), count) else "random"
        order = replace(job.settings, selector=selector, seed=int(rng.integers(2**62)))
        tried = replace(job, settings=order).within(spent, limit)
        if tried is None:
            break
        other = solve(tried)
        spent += other.evaluations
        if other.status == "complete":
            found.append(other)
        if other.status == "timeout":
            break
    others = _spread(first, found, count)
    return replace(
        first,
        alternatives=tuple(other.plan for other in others),
        evaluations=spent,
        wall_s=job.deadline.elapsed_s,
    )


def _spread(first: Planned, found: list[Planned], count: int) -> list[Planned]:
    """Again and again the plan whose nearest chosen one is farthest."""
    chosen = [first]
    while found and len(chosen) <= count:
        distances = [min(difference(one.plan, other.plan) for other in chosen) for one in found]
        farthest = int(np.argmax(distances))
        if distances[farthest] == 0:
            break
        chosen.append(found.pop(farthest))
    return chosen[1:]


def difference(one: Plan, other: Plan) -> float:
    """How different two plans for the same parts are, from 0 to 1."""
    first, second = _arrivals(one), _arrivals(other)
    shared = [name for name in first if name in second]
    if not shared:
        return 0.0
    places = np.array([[first[name][0], second[name][0]] for name in shared])
    signs = np.sign(places[:, None, :] - places[None, :, :])
    opposite = (signs[..., 0] * signs[..., 1] < 0).sum() / max(len(shared) * (len(shared) - 1), 1)
    held = sum(first[name][1] != second[name][1] for name in shared) / len(shared)
    return float(opposite + held) / 2


def diversity(plans: Sequence[Plan]) -> float:
    """The mean difference between two of several plans."""
    pairs = [difference(one, other) for n, one in enumerate(plans) for other in plans[:n]]
    return float(np.mean(pairs)) if pairs else 0.0


def _arrivals(plan: Plan) -> dict[str, tuple[int, frozenset[str]]]:
    """Of every part placed: when, and what else is held then."""
    placed = [step for step in plan.steps if step.action == "place"]
    return {
        name: (number, frozenset(step.held) - set(step.parts))
        for number, step in enumerate(placed)
        for name in step.parts
    }
