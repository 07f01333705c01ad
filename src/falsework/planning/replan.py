"""`replan`: what to do when something goes wrong half-way.

After some steps of a plan parts turn out to be missing or late, hands come or go, or part of the structure has
fallen: the rest of the work is planned anew from what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from falsework.formats.opening import PlanSource, Source, opened_plan
from falsework.lazy import upstairs
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.given import Names, names
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Plan
from falsework.model.ports import Guide, PartSelector, PlacementCheck, StabilityOracle
from falsework.model.robots.cell import Cell
from falsework.model.verbs import verb
from falsework.planning.nodes.deadline import Deadline, Stopped
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.journal import Journals
from falsework.planning.nodes.moves import Node
from falsework.planning.nodes.own_checks import missing_checks, own_checks
from falsework.planning.nodes.own_oracles import model_name
from falsework.planning.nodes.rule_sets import rule_set_of
from falsework.planning.nodes.steps import node_after, turned_after
from falsework.planning.plans.alternatives import with_alternatives
from falsework.planning.plans.jobs import Job, Planned, Planner, Progress, Settings
from falsework.planning.plans.minimising import asked_measure, minimised, timed
from falsework.planning.plans.planners import refuse_turning_with_arms, refuse_without_arms
from falsework.planning.plans.tilt_margins import with_margins
from falsework.planning.plans.workshop import Workshop
from falsework.planning.search.fastener_order import FastenerOrder


@dataclass(frozen=True, slots=True)
class Disruption:
    """What happened after `at` steps.

    >>> Disruption(at=6, delayed=("stone-3",)).at
    6
    """

    at: int = 0
    missing: tuple[str, ...] = ()  # parts that will never come; if they were in place, they are gone
    delayed: tuple[str, ...] = ()  # parts that come when everything else is in place
    robots: int | None = None  # hands from now on
    keep: tuple[str, ...] | None = None  # of what should be in place, all that still is


@verb()
def replan(
    plan: PlanSource,
    source: Source | None = None,
    *,
    at: int = 0,
    missing: Names = (),
    delayed: Names = (),
    robots: int | None = None,
    target: Names | None = None,
    oracle: StabilityOracle | None = None,
    checks: Iterable[PlacementCheck] = (),
    cell: str | Path | Cell | None = None,
    planner: Planner = "auto",
    selector: str | PartSelector = "height",
    guide: Guide | None = None,
    fasteners: FastenerOrder = "as-found",
    budget: int | None = None,
    timeout_s: float | None = None,
    alternatives: int = 0,
    minimise: str | None = None,
    seed: int = 0,
    groups: bool = True,
    margins: bool = False,
    gap: float | None = None,
    joints: Interfaces | None = None,
    journals: Journals | None = None,
    progress: Callable[[Progress], None] | None = None,
    started_s: float | None = None,
) -> Planned:
    """A plan for the rest of the work after a disruption.

    plan     what `plan` answered, its plan, or the path of a plan file
    source   the assembly, where the plan does not name its file
    at       how many steps were done
    missing  parts that never come; if they were in place, they are gone
    delayed  parts that come after all others
    robots   hands from now on, the carrying one included
    target   of what should be in place, all that still is
    gap      up to which distance parts touch, m, where not as in the plan
    cell     a cell, or its file, whose arms do the rest: the same one, or one with arms lost or added
    oracle, checks  of your own: a plan that was made under them needs them again

    The other options are those of `plan`.

    >>> from falsework import plan
    >>> replan(plan("examples/arch.yaml", robots=2), at=6, delayed="stone-3").status
    'complete'
    """
    deadline = Deadline(timeout_s, started_s)
    known, parts = opened_plan(plan, source, gap)
    keep = None if target is None else names(target)
    disruption = Disruption(at, names(missing), names(delayed), robots, keep)
    own = own_checks(checks)
    if unknown := missing_checks(known.rules.checks, own):
        raise BadInput(f"the plan was made under check {shown(unknown[0])}; pass it again: replan(…, checks=[…])")
    if cell is not None:
        refuse_turning_with_arms(rule_set_of(known.rules), parts)
        if (turned := turned_after(known, at)) is not None and not np.allclose(turned, np.eye(4)):
            raise BadInput(f"after step {at} the structure is tilted; with a cell, replan from where it is upright")
    crew = None if cell is None else upstairs("crew_of")(cell, parts, known.rules.press_n)
    if crew is not None:
        robots = refuse_without_arms(crew.hands_for(robots), planner)
    rules = replace(
        known.rules,
        robots=known.rules.robots if robots is None else robots,
        model=known.rules.model if oracle is None else model_name(oracle),
        checks=tuple(check.name for check in own),
    )
    settings = Settings(planner, selector, budget, seed, groups, fasteners, guide)
    goal = goal_after(parts, known, disruption)
    try:
        with deadline.kept():
            workshop = Workshop(parts, rules, joints=joints, journals=journals, checks=own, oracle=oracle, crew=crew)
            goal = workshop.laid(goal, turned_after(known, at))
    except Stopped:
        return Planned.late(parts, rules, goal, deadline)
    job = Job(workshop, goal, settings, progress, deadline)
    measure = asked_measure(minimise, planner, alternatives)
    if measure == "makespan":
        planned = timed(job, crew)
    else:
        planned = with_alternatives(job, alternatives) if measure is None else minimised(job, measure)
    if margins:
        planned = with_margins(planned, job)
    return planned if crew is None else upstairs("in_cell")(planned, crew)


def goal_after(assembly: Assembly, plan: Plan, disruption: Disruption) -> Goal:
    """From what is in place after the disruption to all parts that the plan was for, and that there are."""
    fixed = assembly.fixed_mask()
    wanted = (1 << len(assembly.bodies)) - 1 if plan.target is None else fixed | assembly.mask(plan.target)
    gone, late = assembly.mask(disruption.missing), assembly.mask(disruption.delayed)
    if gone & fixed:
        raise BadInput(f"fixed parts cannot be missing: {', '.join(assembly.named(gone & fixed))}")
    there = node_after(assembly, plan, disruption.at)
    installed = there.installed & ~gone
    if disruption.keep is not None:
        installed = fixed | assembly.mask(disruption.keep) & ~gone
    if late & installed:
        names = ", ".join(assembly.named(late & installed))
        raise BadInput(f"parts cannot be late that are in place after step {disruption.at}: {names}")
    bare = Node(installed, there.held & installed, there.pose)
    return Goal(bare, Node((wanted | installed) & ~gone), late & ~gone)
