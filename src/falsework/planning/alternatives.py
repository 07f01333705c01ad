"""Other plans for the same thing, as different from each other as can be found.

How different two plans are: the mean of two shares, both between 0 and 1. Order: of all pairs of parts, those that
come in the opposite order. Holds: of all parts placed, those upon whose arrival other parts are held beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from falsework.model.plan import Plan
from falsework.planning.plan import Planned, Progress, Settings, build
from falsework.planning.workshop import Goal, Workshop

TRIES = 3  # for each plan wanted
ORDERLY = ("outside-in", "least-blocked", "degree", "volume")  # tried before any order at all


def alternatives(
    workshop: Workshop,
    goal: Goal,
    settings: Settings,
    first: Planned,
    count: int,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Planned, ...]:
    """Up to `count` further plans: of those that are found, one after the other the one that differs most.

    Each search is as long as the first at most ten times over, so that an unlucky order does not hold up the others.
    """
    seeds = np.random.default_rng(settings.seed).spawn(TRIES * count)
    found: list[Planned] = []
    for number, rng in enumerate(seeds):
        selector = ORDERLY[number] if number < min(len(ORDERLY), count) else "random"
        tried = replace(
            settings,
            selector=selector,
            budget=10 * max(first.evaluations, 10),
            seed=int(rng.integers(2**62)),
        )
        other = build(workshop, goal, tried, progress=progress)
        if other.status == "complete":
            found.append(other)
    return _spread([first], found, count)


def _spread(chosen: list[Planned], found: list[Planned], count: int) -> tuple[Planned, ...]:
    """Again and again the plan whose nearest chosen one is farthest."""
    begun = len(chosen)
    while found and len(chosen) - begun < count:
        distances = [min(difference(one.plan, other.plan) for other in chosen) for one in found]
        farthest = int(np.argmax(distances))
        if distances[farthest] == 0:
            break
        chosen.append(found.pop(farthest))
    return tuple(chosen[begun:])


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
