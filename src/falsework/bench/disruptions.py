"""Plans that go wrong half-way: how soon there is another one, or a proof that there is none.

Parts missing or late, a hand lost or added, after a random step of a plan for two hands; parts are placed one by one,
as seed 002 has it. One workshop for each number of hands lives through all of them, so what one disruption
taught is known at the next. Every new plan is verified.
"""

from __future__ import annotations

import time
from collections import Counter

import numpy as np

from falsework.bench.rows import Row
from falsework.model.assembly import Assembly
from falsework.planning.nodes.deadline import Deadline
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.steps import node_after
from falsework.planning.plans.jobs import Job, Planned, Settings
from falsework.planning.plans.solving import solve
from falsework.planning.plans.workshop import Workshop
from falsework.planning.replan import Disruption, goal_after
from falsework.planning.rules.named import rules_for
from falsework.planning.verification.verify import verify

DISRUPTIONS, PATIENCE_S = 50, 60.0
RULES = Settings(groups=False)  # seed 002's: parts one by one


def disrupted(name: str, assembly: Assembly, count: int = DISRUPTIONS) -> Row:
    """The median time of seeded disruptions, and what came of them."""
    two = Workshop(assembly, rules_for(assembly, "holds", 2))
    shops = {hands: two.with_robots(hands) for hands in (1, 2, 3)}
    whole = solve(Job(two, two.everything))
    rng, spent = np.random.default_rng(0), []
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        hands, goal = draw(assembly, whole, rng)
        start = time.perf_counter()
        again = solve(Job(shops[hands], goal, RULES, deadline=Deadline(PATIENCE_S)))
        spent.append(time.perf_counter() - start)
        outcomes[_outcome(again, assembly)] += 1
    open_ones = count - outcomes["verified"] - outcomes["proved impossible"]
    notes = {**outcomes, "slowest (ms)": 1e3 * max(spent)}
    figure = f"{float(np.median(spent)):.3f} s in the median, {open_ones} open"
    return Row(
        f"{name}, {count} disruptions",
        1e3 * float(np.median(spent)),
        notes=notes,
        target="≤ 1 s in the median, none open",
        figure=figure,
    )


def draw(assembly: Assembly, whole: Planned, rng: np.random.Generator) -> tuple[int, Goal]:
    """How many hands there are from now on, and what is to be done."""
    at = int(rng.integers(len(whole.plan.steps)))
    there = node_after(assembly, whole.plan, at)
    absent = assembly.named(whole.moves[-1].later.installed & ~there.installed)
    kind = rng.integers(3)
    if kind == 0 and absent:
        return 2, goal_after(assembly, whole.plan, Disruption(at, missing=(str(rng.choice(absent)),)))
    if kind == 1 and absent:
        late = rng.choice(absent, min(len(absent), int(rng.integers(1, 4))), replace=False)
        return 2, goal_after(assembly, whole.plan, Disruption(at, delayed=tuple(map(str, late))))
    return int(rng.choice([1, 3])), goal_after(assembly, whole.plan, Disruption(at))


def _outcome(planned: Planned, assembly: Assembly) -> str:
    if planned.status == "complete":
        return "verified" if verify(planned.plan, assembly).valid else "wrong"
    return "proved impossible" if planned.status == "infeasible" else planned.status
