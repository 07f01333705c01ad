"""One search, from one node to another, to its end: a plan, a proof that there is none, or a limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.plan import Plan, PlanStatus, Step
from falsework.model.ports import PartSelector
from falsework.model.verdict import Verdict
from falsework.planning.baselines import genetic, random_permutation, stability_blind
from falsework.planning.checks import PathCheck
from falsework.planning.groups import MOST_PARTS, BuildApart
from falsework.planning.ledger import Blocked, Branch, Ledger, Limits, Stopped
from falsework.planning.moves import Move, Node
from falsework.planning.searches import Outcome, Search, beam, best_first, depth_first, in_turns
from falsework.planning.subassemblies import Subassemblies
from falsework.planning.turning import Turning
from falsework.planning.walks import Task, Walk
from falsework.planning.workshop import Goal, Workshop

Planner = Literal[
    "auto",
    "best-first",
    "depth-first",
    "beam",
    "growing-beam",
    "anytime",
    "subassemblies",
    "one-by-one",
    "random-permutation",
    "genetic",
    "stability-blind",
]
PLANNERS: tuple[Planner, ...] = get_args(Planner)
BASELINES: tuple[Planner, ...] = PLANNERS[-3:]
BEAM_WIDTH, FIRST_WIDTH, GROWTH = 64, 4, 2.0  # as seed 002; of a growing beam


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search is."""

    evaluations: int
    fewest_left: int  # parts that the best node so far leaves to be moved
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Settings:
    """How to search."""

    planner: Planner = "auto"
    selector: str | PartSelector = "height"
    budget: int | None = None  # evaluations
    timeout_s: float | None = None
    seed: int = 0
    groups: bool = True  # where single parts come to nothing, parts may be placed together

    def __post_init__(self) -> None:
        if self.planner not in PLANNERS:
            raise BadInput(f"planner {shown(self.planner)}: {did_you_mean(self.planner, PLANNERS)}")


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """What a search came to: the plan, how much it took, and if there is no plan, why not."""

    plan: Plan
    moves: tuple[Move, ...]
    evaluations: int
    wall_s: float
    why: str = ""
    blocked: dict[int, Blocked] = field(default_factory=dict)  # by part: what was refused
    alternatives: tuple[Plan, ...] = ()
    apart: dict[tuple[str, ...], tuple[Step, ...]] = field(default_factory=dict)  # how groups are built beforehand
    tree: tuple[Branch, ...] = ()  # the nodes that were visited, in order
    verdicts: dict[Node, Verdict] = field(default_factory=dict)  # certified, of the nodes in `blocked` that fall
    fewest: bool | None = None  # whether it is proved that no plan makes do with fewer hands; None: nobody asked

    @property
    def status(self) -> PlanStatus:
        return self.plan.status


def solve(
    workshop: Workshop,
    goal: Goal,
    settings: Settings,
    *,
    progress: Callable[[Progress], None] | None = None,
    started_s: float | None = None,
) -> Planned:
    """From one node to another in a workshop, which remembers what it has learned."""
    started = time.monotonic() if started_s is None else started_s
    ledger = Ledger(workshop.checks, Limits(settings.budget, settings.timeout_s), started_s=started)
    apart: dict[tuple[str, ...], tuple[Step, ...]] = {}
    status, moves, why = _status(workshop, goal, settings, ledger, progress, apart)
    steps = () if moves is None else workshop.steps(moves, goal)
    finished = Plan(workshop.rules, status, steps, start=workshop.start_of(goal), target=workshop.target_of(goal))
    return Planned(
        finished,
        moves or (),
        ledger.evaluations,
        time.monotonic() - started,
        why,
        ledger.blocked,
        apart=apart,
        tree=tuple(ledger.tree),
        verdicts={} if status == "complete" else _evidence(workshop, ledger),
    )


def _evidence(workshop: Workshop, ledger: Ledger) -> dict[Node, Verdict]:
    """Verdicts with their certificates for the falls that stood against parts."""
    refusals = [refusal for blocked in ledger.blocked.values() for _, refusal in blocked.nearest.values()]
    nodes = {refusal.node for refusal in refusals if refusal.check == "stability" and refusal.node is not None}
    return {node: workshop.stability.verdict(node) for node in nodes}


def _status(
    workshop: Workshop,
    goal: Goal,
    settings: Settings,
    ledger: Ledger,
    progress: Callable[[Progress], None] | None,
    apart: dict[tuple[str, ...], tuple[Step, ...]],
) -> tuple[PlanStatus, tuple[Move, ...] | None, str]:
    for node, what in ((goal.whole, "the complete structure"), (goal.bare, "what is there already")):
        finding = workshop.stability.finding(node)
        if finding.answer == "undecided":
            return "budget", None, f"whether {what} stands is undecided"
        if finding.answer == "unstable":
            return "infeasible", None, f"{what} does not stand"
    try:
        outcome = _run(_searches(workshop, goal, settings, ledger), ledger, progress)
        tried = "every state that can be reached was tried"
        if outcome.exhaustive and settings.groups and settings.planner in ("auto", "best-first"):
            walk = workshop.group_walk(_task(workshop, goal, settings), _apart(workshop, settings))
            if walk is not None:
                outcome = _run(best_first(walk, ledger), ledger, progress)
                groups = [move.parts for move in outcome.moves or () if move.parts.bit_count() > 1]
                apart |= {workshop.assembly.named(group): walk.carrying.order(group) or () for group in groups}
                tried += f", also with groups of up to {MOST_PARTS} parts"
    except Stopped as stopped:
        return stopped.limit, None, f"the {stopped.limit} ran out"
    if outcome.moves is not None:
        return "complete", outcome.moves, ""
    if ledger.undecided or not outcome.exhaustive:
        what = f"{ledger.undecided} states stayed undecided" if ledger.undecided else "the beam left nodes out"
        return "budget", None, f"no plan was found, and none is ruled out: {what}"
    return "infeasible", None, tried


def _searches(workshop: Workshop, goal: Goal, settings: Settings, ledger: Ledger) -> Search:
    """The searches that the settings ask for; those that take turns draw from generators of their own."""
    rngs = iter(np.random.default_rng(settings.seed).spawn(4)[1:])
    task = _task(workshop, goal, settings)
    walks = workshop.walks(task)
    if settings.planner in BASELINES:
        return _baseline(workshop, walks[0], settings.planner, ledger, next(rngs))
    match settings.planner:
        case "depth-first":
            return depth_first(walks[-1], ledger)
        case "beam":
            return beam(workshop.beam_walk(task), ledger, next(rngs), BEAM_WIDTH, look_up=workshop.stability.look_up)
        case "growing-beam":
            return beam(workshop.beam_walk(task), ledger, next(rngs), FIRST_WIDTH, GROWTH, workshop.stability.look_up)
        case "subassemblies" | "one-by-one":
            grouped = settings.planner == "subassemblies"
            return Subassemblies(task, workshop.found, ledger, grouped=grouped).search()
        case _:
            return in_turns([best_first(walk, ledger) for walk in walks])


def _task(workshop: Workshop, goal: Goal, settings: Settings) -> Task:
    return workshop.task(goal, settings.selector, np.random.default_rng(settings.seed).spawn(1)[0])


def _apart(workshop: Workshop, settings: Settings) -> BuildApart:
    """How a group is built by itself, by the same rules."""

    def build_apart(alone: Assembly, whole: Node) -> tuple[Step, ...] | None:
        shop = Workshop(alone, workshop.rules)
        planned = solve(shop, replace(shop.everything, whole=whole), replace(settings, selector="height"))
        return planned.plan.steps if planned.status == "complete" else None

    return build_apart


def _baseline(workshop: Workshop, walk: Walk, planner: Planner, ledger: Ledger, rng: np.random.Generator) -> Search:
    if not isinstance(walk, Turning):
        raise BadInput(f"planner {planner}: it is there to be compared with under --rules reorient")
    if planner == "random-permutation":
        return random_permutation(walk, ledger, rng)
    if planner == "genetic":
        return genetic(walk, ledger, rng)
    path = None if workshop.removals is None else PathCheck(workshop.removals)
    return stability_blind(walk, ledger, path, rng)


def _run(search: Search, ledger: Ledger, progress: Callable[[Progress], None] | None) -> Outcome:
    while True:
        try:
            fewest_left = next(search)
        except StopIteration as ended:
            outcome: Outcome = ended.value
            return outcome
        if progress is not None:
            progress(Progress(ledger.evaluations, fewest_left, ledger.elapsed_s))
