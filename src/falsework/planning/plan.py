"""`plan`: in what order to build an assembly, or a proof that there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

from falsework.formats.opening import READING, Reading, Source, opened_with
from falsework.formats.plans.sources import source_of
from falsework.lazy import upstairs
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Grasping, PathKind
from falsework.model.ports import Guide, PartSelector, PlacementCheck, StabilityOracle
from falsework.model.robots.cell import Cell
from falsework.model.verbs import verb
from falsework.planning.nodes.deadline import Deadline, Stopped
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.journal import Journals
from falsework.planning.nodes.own_checks import own_checks
from falsework.planning.nodes.own_oracles import model_name
from falsework.planning.nodes.rule_sets import rule_set_named, usual_rule_set
from falsework.planning.plans.alternatives import with_alternatives
from falsework.planning.plans.fewest import fewest_hands
from falsework.planning.plans.jobs import Job, Planned, Planner, Progress, Settings
from falsework.planning.plans.minimising import asked_measure, minimised, timed
from falsework.planning.plans.planners import refuse_turning_with_arms, refuse_without_arms
from falsework.planning.plans.qualities import Measure
from falsework.planning.plans.solving import solve
from falsework.planning.plans.tilt_margins import with_margins
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.search.fastener_order import FastenerOrder
from falsework.verdicts.registry import AUTO


@verb(*READING)
def plan(
    source: Source,
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
    require_connected: bool = False,
    shares: bool = True,
    joints: Interfaces | None = None,
    journals: Journals | None = None,
    progress: Callable[[Progress], None] | None = None,
    started_s: float | None = None,
    **reading: Unpack[Reading],
) -> Planned:
    """An order in which to build an assembly, or one in a file, found and proved state by state; or why there is none.

    rules              "holds", "reorient" (on a table, turned over), "bricks", "bricks+reorient", or a registered set
    robots             hands, the carrying one included: 2, for bricks 1; or "fewest"
    paths              along which parts come: "straight", "any" (with bends and turns) or "none" (not looked at)
    regrasp            whether a part may be taken hold of again
    press_n            bricks: N through the joint that closes; 0: presses are not looked at
    grasps             bricks: "any", "side" (two fingers only) or "none" (not looked at)
    model              by which law states stand, any of the registry; "auto": as `check` would
    oracle             a `StabilityOracle` of your own for this assembly, asked in place of the model
    checks             of your own (`PlacementCheck`), which every placement must pass too; the plan names them
    cell               a cell, its file, or a kind placed for this: arms must carry the plan out; `in_cell` says how
    planner, selector  how to search, and which part to try first: a name, or a `PartSelector` of your own
    guide              a `Guide` for this assembly, which leads a search of its own, in turns with the others
    fasteners          screws, nuts, pins and washers: "as-found" by the search, "soon" after what they hold, or "last"
    budget, timeout_s  the most evaluations, and the most seconds
    alternatives       this many other plans as well
    minimise           "holds", "regrasps", "steps", "risk" or, of arms, "makespan": a good plan, see `Planned.quality`
    seed               random seed
    groups             whether parts may be placed together where single ones fail
    margins            how far it may be tilted after each step, any way
    require_connected  what is in place must always hang together
    shares             bricks: tell how far each press takes the joints; most of the time of large models goes there
    joints, journals   the interfaces of the assembly, and what earlier runs learned, where they are known
    progress           is told where the search is
    started_s          from when on the timeout counts, by `time.monotonic()`, if not from now

    The other options are those of `load`. Paths are poses of the part in the assembly's frame, in metres.

    >>> planned = plan("examples/arch.yaml", robots=2)
    >>> planned.status, planned.plan.max_held
    ('complete', 2)
    """
    deadline = Deadline(timeout_s, started_s)
    assembly, joints = opened_with(source, reading, joints)
    settings = Settings(planner, selector, budget, seed, groups, fasteners, guide)
    if cell is not None:  # before anything is said about the cell
        refuse_turning_with_arms(usual_rule_set(assembly) if rules is None else rule_set_named(rules), assembly)
    crew = None if cell is None else upstairs("crew_of")(cell, assembly, press_n)
    if crew is not None:
        robots = refuse_without_arms(crew.hands_for(robots), planner)
    hands = 1 if robots == "fewest" else robots
    own = own_checks(checks)
    names = tuple(check.name for check in own)
    chosen = rules_for(assembly, rules, hands, paths, regrasp, press_n, grasps, require_connected, model, names)
    if oracle is not None:
        chosen = replace(chosen, model=model_name(oracle))
    try:
        with deadline.kept():
            workshop = Workshop(
                assembly,
                chosen,
                joints=joints,
                journals=journals,
                checks=own,
                oracle=oracle,
                crew=crew,
                shares=shares,
            )
            plain = workshop
            if model == AUTO and oracle is None:
                workshop = workshop.as_check_would()
            job = Job(workshop, workshop.everything, settings, progress, deadline)
    except Stopped:
        late = Planned.late(assembly, chosen, Goal.everything(assembly), deadline)
        return replace(late, fewest=False) if robots == "fewest" else late
    measure = asked_measure(minimise, planner, alternatives)
    planned = _found(job, robots == "fewest", alternatives, measure, crew)
    if planned.status == "budget" and workshop is not plain:
        planned = _ruled_out(replace(job, workshop=plain), planned)
    if not isinstance(source, Assembly):  # so that the plan knows what it builds
        whence = source_of(source, assembly, reading.get("scale") or 1.0)
        planned = replace(planned, plan=replace(planned.plan, source=whence))
    if margins:
        planned = with_margins(planned, job)
    return planned if crew is None else upstairs("in_cell")(planned, crew)


def _ruled_out(job: Job, planned: Planned) -> Planned:
    """A proof by plain equilibrium that there is no plan, if there is one: `cra` lets nothing stand that it does not.

    By `cra` itself nothing is known about ways to hold that were not tried.
    """
    rest = job.within(planned.evaluations)
    found = planned if rest is None else solve(rest)
    return found if found.status == "infeasible" else planned


def _found(job: Job, fewest: bool, alternatives: int, measure: Measure | None, crew: Any) -> Planned:
    """A plan as it was asked for: any, by the fewest hands, or good by a measure."""
    if measure == "makespan":
        return timed(job, crew)
    if measure is None:
        return fewest_hands(job, alternatives) if fewest else with_alternatives(job, alternatives)
    first = fewest_hands(job) if fewest else None
    hands = job.workshop.rules.robots if first is None else first.plan.rules.robots
    return minimised(replace(job, workshop=job.workshop.with_robots(hands)), measure, first)
