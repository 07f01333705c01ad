"""Disruptions as a service: a thousand on four assemblies, each answered by a whole new plan that is verified.

Parts missing or late, a hand lost or added, after a random step. The search alone, and led by the generalist, answer
the same questions, each in workshops of its own that live through all of them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from falsework.bench.disruptions import PATIENCE_S, RULES, draw
from falsework.bench.rows import Row
from falsework.gallery.registry import make
from falsework.learning.generalist.shipped import generalist
from falsework.model.assembly import Assembly
from falsework.model.ports import Guide
from falsework.model.state import State
from falsework.planning.nodes.deadline import Deadline
from falsework.planning.plans.jobs import Job, Planned
from falsework.planning.plans.solving import solve
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.verification.verify import verify

KINDS: tuple[tuple[str, dict[str, float]], ...] = (
    ("semicircular-arch", {"stones": 15}),
    ("barrel-vault", {"stones": 7, "rows": 3}),
    ("dome", {"rings": 2, "segments": 8}),
    ("running-bond-wall", {"columns": 4, "courses": 4}),
)
EACH, FEW = 250, 25  # disruptions of an assembly


def disruption_rows(full: bool = False) -> Iterator[Row]:
    for kind, parameters in KINDS:
        yield served(kind, make(kind, 0, **parameters), EACH if full else FEW)
    yield asked_at_once(*KINDS[1])


def served(name: str, assembly: Assembly, count: int) -> Row:
    """The median and the 99th percentile of both, and what came of them."""
    plain, _ = _answers(assembly, None, count)
    led, outcomes = _answers(assembly, generalist(assembly), count)
    answered = outcomes["verified"] + outcomes["proved impossible"]
    (ours, slow), (reference, slowest) = (np.percentile(one, (50, 99)).tolist() for one in (led, plain))
    return Row(
        f"{name}, {count} disruptions, led",
        ours,
        reference,
        "search alone",
        notes={**outcomes, "p99 (ms)": round(slow, 1), "p99 of the search alone (ms)": round(slowest, 1)},
        target="all answered and verified",
        figure=f"{answered} of {count}; median {ours:.1f} ms, p99 {slow:.1f} ms",
    )


def _answers(assembly: Assembly, guide: Guide | None, count: int) -> tuple[list[float], Counter[str]]:
    """Milliseconds of processor time for each, and what came of them."""
    two = Workshop(assembly, rules_for(assembly, "holds", 2, "none"))
    shops = {hands: two.with_robots(hands) for hands in (1, 2, 3)}
    whole = solve(Job(two, two.everything))
    rng, spent, outcomes = np.random.default_rng(0), [], Counter[str]()
    for _ in range(count):
        hands, goal = draw(assembly, whole, rng)
        start = time.process_time()
        deadline = Deadline(PATIENCE_S)
        again = solve(Job(shops[hands], goal, replace(RULES, guide=guide), deadline=deadline))
        spent.append(1e3 * (time.process_time() - start))
        outcomes[_outcome(again, assembly)] += 1
    return spent, outcomes


def _outcome(planned: Planned, assembly: Assembly) -> str:
    if planned.status == "complete":
        return "verified" if verify(planned.plan, assembly).valid else "wrong"
    return "proved impossible" if planned.status == "infeasible" else planned.status


def asked_at_once(kind: str, parameters: dict[str, float], count: int = 1000) -> Row:
    """What the net alone takes for a thousand states that are asked about together."""
    assembly = make(kind, 0, **parameters)
    guide, rng, everything = generalist(assembly), np.random.default_rng(0), (1 << len(assembly.bodies)) - 1
    states = []
    for _ in range(count):
        gone = sum(1 << int(part) for part in rng.permutation(len(assembly.parts))[: rng.integers(len(assembly.parts))])
        states.append(State(everything & ~gone | assembly.fixed_mask()))
    start = time.process_time()
    guide.logits(states)
    each = 1e3 * (time.process_time() - start) / count
    return Row(f"{count} states of a {kind} at once", each, target="≤ 1 ms a state", figure=f"{each:.2f} ms a state")
