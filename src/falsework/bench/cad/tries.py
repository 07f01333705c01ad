"""Assemblies of the CAD set that were planned, by whom, and what came of it.

All methods share what is known of an assembly: its contacts, its ways out, which states stand. What they may spend is
counted in evaluations, which knowledge does not change; ours goes first and pays for whatever it needs to know.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from falsework.bench.kept import Kept
from falsework.gallery.cad.cad_set import CadSpecimen
from falsework.geometry.contacts.interfaces import interfaces
from falsework.planning.nodes.deadline import Deadline, Stopped
from falsework.planning.plans.jobs import Job, Planned, Planner, Settings
from falsework.planning.plans.solving import solve
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.verification.verify import verify

HELD, BUDGET = 2, 400
PATIENCE_S = 120.0  # of CPU, for one method on one assembly; for ours, contacts and ways included
OURS = "ours"
METHODS: dict[str, tuple[Planner, str]] = {
    OURS: ("auto", "least-blocked"),
    "random permutation": ("random-permutation", "random"),
    "random, depth-first": ("depth-first", "random"),
    "outside-in": ("depth-first", "outside-in"),
    "genetic": ("genetic", "random"),
    "stability-blind": ("stability-blind", "random"),
}
Came = Literal["planned", "tree exhausted", "too slow", "budget"]  # failures as seed 001, VI has them


@dataclass(frozen=True, slots=True)
class Tried:
    """What one method made of one assembly within `BUDGET` evaluations.

    >>> Tried("planned", 60, 1.0).within(50), Tried("planned", 60, 1.0).within(400)
    (False, True)
    """

    came: Came
    evaluations: int
    cpu_s: float  # of ours: from the assembly as filed to a verified plan
    valid: bool = True  # as the verifier says, where it was asked

    def within(self, budget: int) -> bool:
        """Whether it was planned with so many evaluations; a search with fewer does the same until it is stopped."""
        return self.came == "planned" and self.evaluations <= budget


Tries = dict[str, Tried]  # by method


def attempt(specimen: CadSpecimen) -> Tries:
    """All methods on one assembly."""
    assembly = specimen.make()
    start, deadline = time.process_time(), _patience()
    try:
        with deadline.kept():
            shop = Workshop(assembly, rules_for(assembly, "reorient", HELD + 1), joints=interfaces(assembly))
            goal = shop.everything
    except Stopped:
        return {method: Tried("too slow", 0, time.process_time() - start) for method in METHODS}
    tries: Tries = {}
    for method, (planner, selector) in METHODS.items():
        planned = solve(Job(shop, goal, Settings(planner, selector, BUDGET), None, deadline))
        valid = method != OURS or planned.status != "complete" or verify(planned.plan, assembly).valid is True
        tries[method] = Tried(_came(planned), planned.evaluations, time.process_time() - start, valid)
        start, deadline = time.process_time(), _patience()
    return tries


def _patience() -> Deadline:
    return Deadline(PATIENCE_S, clock=time.process_time)


def _came(planned: Planned) -> Came:
    match planned.status:
        case "complete":
            return "planned"
        case "timeout":
            return "too slow"
        case _:
            return "budget" if planned.why == "the budget ran out" else "tree exhausted"


class KnownTries:
    """Tries by assembly: those of an earlier run are in its journal, new ones are added to it."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._known = {CadSpecimen(**one["specimen"]): _read(one["tries"]) for one in kept.before if "tries" in one}

    def attempt(self, specimen: CadSpecimen) -> Tries:
        """As `attempt`, unless it was done before."""
        if specimen not in self._known:
            self._known[specimen] = tries = attempt(specimen)
            told = {method: asdict(tried) for method, tried in tries.items()}
            self._kept.add({"specimen": asdict(specimen), "tries": told})
        return self._known[specimen]


def _read(told: Mapping[str, Mapping[str, object]]) -> Tries:
    return {method: Tried(**tried) for method, tried in told.items()}  # type: ignore[arg-type]
