"""Seed 001's Table I: how many assemblies are planned within a budget of evaluations, holding so many parts.

The gallery's planning set stands for its 240 assemblies, which cannot be had. A (part, pose) that is tried is one
evaluation. By default those of up to SMALL parts, which are 64; the eight largest take as long as all others.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator

from falsework.bench.rows import Row
from falsework.gallery import planning_set
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.removal import StraightRemovals
from falsework.model.assembly import Assembly
from falsework.planning.plans.jobs import Job, Planner, Settings
from falsework.planning.plans.solving import solve
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for

SMALL = 37
PARTS_HELD, BUDGETS = (2, 3, 4), (50, 400)
COLUMNS = tuple(f"{held} held, {budget} evaluations (%)" for budget in BUDGETS for held in PARTS_HELD)
METHODS: dict[str, tuple[Planner, str]] = {
    "outside-in": ("depth-first", "outside-in"),
    "height": ("depth-first", "height"),
    "volume": ("depth-first", "volume"),
    "degree": ("depth-first", "degree"),
    "least-blocked": ("depth-first", "least-blocked"),
    "best-first": ("best-first", "outside-in"),
    "random": ("depth-first", "random"),
    "random permutation": ("random-permutation", "random"),
    "genetic": ("genetic", "random"),
    "stability-blind": ("stability-blind", "random"),
}
SEED_001 = {  # percent of its 240 assemblies, in the order of COLUMNS
    "outside-in": (51.25, 61.25, 68.75, 66.67, 74.17, 80.83),
    "random permutation": (14.58, 25.42, 41.25, 27.92, 43.33, 55.42),
    "genetic": (14.17, 25.83, 40.00, 30.83, 41.25, 51.25),
    "stability-blind": (19.17, 27.08, 35.42, 30.42, 46.25, 56.67),
}


def table_one(most_parts: int | None = SMALL) -> Iterator[Row]:
    """Success by method, parts held and budget; `ours` is the mean time of one search."""
    solved: Counter[tuple[str, int, int]] = Counter()
    spent: defaultdict[str, float] = defaultdict(float)
    count = 0
    for specimen in planning_set():
        assembly = specimen.make()
        if most_parts is not None and len(assembly.parts) > most_parts:
            continue
        count += 1
        for key, took, done in _success(assembly):
            solved[key] += done
            spent[key[0]] += took
    for method in METHODS:
        rates = [100.0 * solved[method, held, budget] / count for budget in BUDGETS for held in PARTS_HELD]
        notes = {"assemblies": count, **dict(zip(COLUMNS, rates, strict=True))}
        theirs = SEED_001.get(method)
        yield Row(
            f"Table I, {method}",
            1e3 * spent[method] / (count * len(rates)),
            notes=notes,
            figure=_percents(rates),
            target="not in seed 001" if theirs is None else f"seed 001: {_percents(theirs)}",
        )


def _percents(rates: tuple[float, ...] | list[float]) -> str:
    return " ".join(f"{rate:.0f}" for rate in rates) + " %"


def _success(assembly: Assembly) -> Iterator[tuple[tuple[str, int, int], float, bool]]:
    """Whether each method plans one assembly, by parts held and budget, and how long it took."""
    joints = interfaces(assembly)
    shop = Workshop(
        assembly, rules_for(assembly, "reorient", 1), joints=joints, removals=StraightRemovals(assembly, joints)
    )
    for held in PARTS_HELD:
        workshop = shop.with_robots(held + 1)
        for method, (planner, selector) in METHODS.items():
            for budget in BUDGETS:
                start = time.perf_counter()
                planned = solve(Job(workshop, workshop.everything, Settings(planner, selector, budget)))
                yield (method, held, budget), time.perf_counter() - start, planned.status == "complete"
