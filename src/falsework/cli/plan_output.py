"""What `plan` and `replan` leave behind: files, JSON and the table for people."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falsework.cli.common import print_json
from falsework.cli.motions import motion_dict, print_motion, written
from falsework.cli.pages import title, wants_pages, write_pages
from falsework.cli.touching import first_line, print_partial, touching_dict
from falsework.model.figures import UNKNOWN, count, degrees, direction, length, percent, seconds

if TYPE_CHECKING:
    from falsework.batch.portfolio import Raced
    from falsework.model.arrays import Array
    from falsework.model.assembly import Assembly
    from falsework.model.near_misses import NearMisses
    from falsework.model.plan import Step
    from falsework.planning.plans.jobs import Planned
    from falsework.planning.plans.qualities import Quality
    from falsework.planning.plans.why_not import Reason
    from falsework.studio.scene import Scene

EXIT_CODES = {"complete": 0, "infeasible": 1, "budget": 3, "timeout": 3}
TURNED = 1e-9  # of a rotation matrix: more is a turn
PLAN_FILE, TREE_FILE = "plan.json", "tree.json"


def deliver(arguments: argparse.Namespace, assembly: Assembly, planned: Planned, raced: Raced | None = None) -> None:
    """Files first, then what is printed; `raced` where several ways were tried side by side."""
    from falsework.planning.plans.why_not import reasons

    others = tuple(replace(other, source=planned.plan.source) for other in planned.alternatives)
    planned = replace(planned, alternatives=others)
    blocked = [] if planned.status == "complete" else reasons(assembly, planned)
    folder = None if arguments.out is None else Path(arguments.out)
    files = [] if folder is None else _written(folder, assembly, planned)
    motion = None if folder is None else written(folder, assembly, planned, arguments.seed)
    if wants_pages(arguments):
        write_pages(arguments, _scene(arguments, assembly, planned))
    missing = _missing(assembly, planned)
    if arguments.json:
        moved = {} if folder is None else motion_dict(motion, folder)
        print_json(moved | _as_dict(planned, blocked, files) | _race_dict(raced) | touching_dict(assembly, missing))
    else:
        _print_table(arguments, assembly, planned, blocked, files, missing)
        if folder is not None:
            print_motion(motion, folder)
        if raced is not None:
            print(f"  portfolio  {_race_words(raced)}")


def _race_dict(raced: Raced | None) -> dict[str, Any]:
    """Which of the ways has won, for programs."""
    if raced is None:
        return {}
    won = None if raced.winner is None else raced.winner.as_dict()
    return {"portfolio": {"variants": raced.variants, "ended": raced.ended, "winner": won}}


def _race_words(raced: Raced) -> str:
    if raced.winner is None:
        return f"none of {count(raced.variants, 'way')} to search has come to an answer"
    way = f"{raced.winner.planner} by {raced.winner.selector}, seed {raced.winner.seed}"
    return f"{way} (rank {raced.winner.rank} of {raced.variants})"


def _missing(assembly: Assembly, planned: Planned) -> NearMisses | None:
    """What falls when all is built, and touches nothing or nearly something, where that is why there is no plan."""
    if planned.plan.proof is None or planned.plan.proof.by != "fall":
        return None
    from falsework.verdicts.check import check

    return check(assembly, joints=planned.joints, also=False, gravity=planned.plan.rules.gravity).missing


def _written(folder: Path, assembly: Assembly, planned: Planned) -> list[str]:
    """The plan's file and those of its alternatives; beside them goes the tree that was searched."""
    from falsework.formats.plans.writing import write_plan
    from falsework.planning.search.tree_writing import write_tree

    names = [PLAN_FILE, *(f"plan-{number}.json" for number in range(2, len(planned.alternatives) + 2))]
    files = [str(folder / name) for name in names]
    for plan, file in zip((planned.plan, *planned.alternatives), files, strict=True):
        write_plan(plan, file)
    write_tree(folder / TREE_FILE, assembly, planned.tree, planned.refused)
    return files


def _as_dict(planned: Planned, blocked: Sequence[Reason], files: Sequence[str]) -> dict[str, Any]:
    """As `--json` prints it; plans are told by their files, or in full where nothing was written."""
    from falsework.formats.plans.writing import plan_document, proof_entry, subassembly_entry
    from falsework.planning.plans.alternatives import diversity

    plans = (planned.plan, *planned.alternatives)
    told: Sequence[Any] = files or [plan_document(plan) for plan in plans]
    first, *others = told
    apart = [subassembly_entry(built) for built in planned.plan.apart]
    return {
        "status": planned.status,
        "plan": first,
        "steps": len(planned.plan.steps),
        "evaluations": planned.evaluations,
        "max_held": planned.plan.max_held,
        "wall_s": planned.wall_s,
        **({"alternatives": others, "diversity": diversity(plans)} if others else {}),
        **({"subassemblies": apart} if apart else {}),
        **({} if planned.quality is None else _quality(planned.quality)),
        **({} if planned.fewest is None else _fewest(planned)),
        **({"why": planned.why} if planned.why else {}),
        **({} if planned.plan.proof is None else {"proof": proof_entry(planned.plan.proof)}),
        "blocked": [reason.as_dict() for reason in blocked],
    }


def _quality(found: Quality) -> dict[str, Any]:
    """What no plan has less of; of a makespan nothing is known but what its own motions could be put together to."""
    return {"minimised": found.as_dict(), **({} if found.measure == "makespan" else {"bound": found.bound})}


def _scene(arguments: argparse.Namespace, assembly: Assembly, planned: Planned) -> Scene:
    from falsework.model.interfaces import Interfaces
    from falsework.studio.plan_page import plan_scene

    joints = Interfaces.none() if planned.joints is None else planned.joints
    return plan_scene(assembly, joints, planned.plan, title(arguments), alternatives=planned.alternatives)


def _fewest(planned: Planned) -> dict[str, Any]:
    return {"fewest_hands": {"robots": planned.plan.rules.robots, "proved": planned.fewest}}


def _print_table(
    arguments: argparse.Namespace,
    assembly: Assembly,
    planned: Planned,
    blocked: Sequence[Reason],
    files: Sequence[str],
    missing: NearMisses | None,
) -> None:
    from falsework.planning.plans.alternatives import diversity

    words = {"complete": "can be built", "infeasible": "cannot be built"}
    said = words.get(planned.status, f"unknown: {planned.why}")
    rules = planned.plan.rules
    hands = count(rules.robots, "hand")
    print(f"{first_line(arguments.input, said, missing)}  (rules {rules.name}, {hands}, paths {rules.paths})")
    print_partial(assembly)
    if planned.status == "infeasible":
        print(f"  because    {planned.why}{_reach(planned)}")
    _print_steps(planned.plan.steps)
    for built in planned.plan.apart:
        done = "; ".join(f"{step.action} {step.parts[0]}" for step in built.steps)
        print(f"  apart      {', '.join(built.parts)}: hold {built.fast} fast; {done}")
    took = f"{count(planned.evaluations, 'evaluation')} in {seconds(planned.wall_s)}"
    print(f"  took       {took}, at most {planned.plan.max_held} held")
    if planned.quality is not None:
        print(f"  {planned.quality.measure:10} {_good(planned.quality)}")
    for reason in blocked:
        print(f"  {reason.part:16} {reason.sentence}")
    if files:
        print(f"  written    {', '.join(files)}")
    if planned.alternatives:
        spread = diversity((planned.plan, *planned.alternatives))
        print(f"  and        {count(len(planned.alternatives), 'other plan')}, diversity {spread:.2f}")


def _good(quality: Quality) -> str:
    """How good a plan is, and what is proved of others."""
    of_risk = quality.measure == "risk"
    value, bound = (
        UNKNOWN if one is None else degrees(one) if of_risk else f"{one:g}" for one in (quality.value, quality.bound)
    )
    which = " that places parts one by one" if quality.of_single_parts else ""
    said = f"every state bears a tilt of {value}" if of_risk else value
    if quality.proved:
        return f"{said}; no plan{which} {'bears more' if of_risk else 'has fewer'}"
    proved = f"no plan{which} {'bears more than' if of_risk else 'has fewer than'} {bound}"
    return f"{said}; {'nothing is proved of others' if quality.bound is None else proved}"


def _print_steps(steps: Sequence[Step]) -> None:
    """One line per step, with what was found out about it, and what that means."""
    from falsework.planning.plans.tilt_margins import MOST_DEG

    told = [(_joint(step), UNKNOWN if step.margin_deg is None else degrees(step.margin_deg)) for step in steps]
    joints, margins = (any(row[k] != UNKNOWN for row in told) for k in (0, 1))
    arms = any(step.robot for step in steps)

    def line(number: object, action: str, part: str, arm: str, moves: str, joint: str, margin: str, held: str) -> str:
        found = f"{f'{joint:8} ' if joints else ''}{f'{margin:8} ' if margins else ''}"
        return f"  {number:>4}  {action:8} {part:16} {f'{arm:8} ' if arms else ''}{moves:20} {found}{held}"

    if steps:
        print(line("step", "action", "part", "arm", "moves", "joint", "margin", "held"))
    for number, (step, (joint, margin)) in enumerate(zip(steps, told, strict=True), start=1):
        held = ", ".join(step.held) or UNKNOWN
        print(line(number, step.action, ", ".join(step.parts), step.robot or UNKNOWN, _way(step), joint, margin, held))
    if joints:
        print("  joint      how hard the busiest joint works while the part is pressed home; 100 %: all it can")
    if margins:
        print(f"  margin     how far it may be tilted about x or y after the step; {degrees(MOST_DEG)}: that or more")


def _joint(step: Step) -> str:
    """How hard the joint works that works hardest, where that was found out."""
    worked = step.utilization if step.press is None else step.press.utilization
    return UNKNOWN if worked is None else percent(worked)


def _reach(planned: Planned) -> str:
    """Of which plans it is proved that there are none, where that is not all of them."""
    from falsework.planning.nodes.rule_sets import rule_set_of

    proof = planned.plan.proof
    if proof is None:
        return ""
    limits = list(rule_set_of(planned.plan.rules).limits(proof))
    if proof.directions is not None:
        limits.append(f"{proof.directions} directions to leave by, and those that contacts suggest")
    return f" ({'; '.join(limits)})" if limits else ""


def _way(step: Step) -> str:
    """How a part moves to its place, in words."""
    if step.path is None or len(step.path) < 2:
        return ""
    shift: Array = step.path[-1][:3, 3] - step.path[0][:3, 3]
    turned = abs(step.path[:, :3, :3] - step.path[-1, :3, :3]).max() > TURNED
    bends = f", {count(len(step.path) - 2, 'bend')}" if len(step.path) > 2 else ""
    carried = f", by {', '.join(step.grasped)}" if step.grasped else ""
    return f"{direction(*shift)} {length(math.hypot(*shift))}{', turning' if turned else bends}{carried}"
