"""`plan`: in what order to build an assembly, or a proof that there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Literal

from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Grasping, PathKind
from falsework.model.ports import PartSelector, PlacementCheck, StabilityOracle
from falsework.planning.nodes.deadline import Deadline, Stopped
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.journal import Journals
from falsework.planning.nodes.own_checks import own_checks
from falsework.planning.nodes.own_oracles import model_name
from falsework.planning.plans.alternatives import with_alternatives
from falsework.planning.plans.fewest import fewest_hands
from falsework.planning.plans.jobs import Job, Planned, Planner, Progress, Settings
from falsework.planning.plans.tilt_margins import with_margins
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.verdicts.registry import AUTO


def plan(
    assembly: Assembly,
    *,
    rules: str | None = None,
    robots: int | Literal["fewest"] | None = None,
    paths: PathKind = "straight",
    regrasp: bool = False,
    press_n: float | None = None,
    grasps: Grasping = "any",
    model: str = AUTO,
    oracle: StabilityOracle | None = None,
    checks: Iterable[PlacementCheck] = (),
    planner: Planner = "auto",
    selector: str | PartSelector = "height",
    budget: int | None = None,
    timeout_s: float | None = None,
    alternatives: int = 0,
    seed: int = 0,
    groups: bool = True,
    margins: bool = False,
    require_connected: bool = False,
    found: Interfaces | None = None,
    journals: Journals | None = None,
    progress: Callable[[Progress], None] | None = None,
    started_s: float | None = None,
) -> Planned:
    """An order in which to build the assembly, found and proved state by state.

    `rules`: any set of `planning.rule_sets`. `model`: by which law states stand, any of the registry
    (`verdicts.registry`); `auto`: as `check` would. `oracle`: one of your own for this assembly, asked in its place.
    `checks` of your own (`model.ports.PlacementCheck`), which every placement must pass too; the plan names them.
    `started_s`: from when on the timeout counts, by `time.monotonic()`, if not from now.

    >>> plan(falsework.new("semicircular-arch"), robots=2).plan.steps
    """
    deadline = Deadline(timeout_s, started_s)
    settings = Settings(planner, selector, budget, seed, groups)
    hands = 1 if robots == "fewest" else robots
    own = own_checks(checks)
    names = tuple(check.name for check in own)
    chosen = rules_for(assembly, rules, hands, paths, regrasp, press_n, grasps, require_connected, model, names)
    if oracle is not None:
        chosen = replace(chosen, model=model_name(oracle))
    try:
        with deadline.kept():
            workshop = Workshop(assembly, chosen, found=found, journals=journals, checks=own, oracle=oracle)
            job = Job(workshop, workshop.everything, settings, progress, deadline)
    except Stopped:
        return Planned.late(assembly, chosen, Goal.everything(assembly), deadline)
    planned = fewest_hands(job, alternatives) if robots == "fewest" else with_alternatives(job, alternatives)
    return with_margins(planned, job) if margins else planned
