"""Motions of arms on the command line: `falsework verify MOTION`, `falsework convert MOTION FOLDER`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falsework.cli.common import print_json
from falsework.cli.pages import wants_pages, write_pages
from falsework.cli.progress import progress_bar
from falsework.model.errors import BadInput
from falsework.model.figures import count

if TYPE_CHECKING:
    from falsework.model.assembly import Assembly
    from falsework.model.robots.motion import Motion
    from falsework.planning.plans.jobs import Planned
    from falsework.planning.verification.failures import Verification
    from falsework.robots.verification.complaints import JudgedMotion
    from falsework.studio.scene import Scene

MOST_SHOWN = 10


def written(folder: Path, assembly: Assembly, planned: Planned, seed: int | None) -> Motion | None:
    """The motion by which arms carry a plan out, in its files; None where the plan is without arms, or not complete."""
    if planned.in_cell is None:
        return None
    from dataclasses import replace

    import numpy as np

    from falsework.formats.basics.atomic import write_whole
    from falsework.formats.motions.writing import save_motion
    from falsework.robots.motions.making import motions_of
    from falsework.studio.report import report_html
    from falsework.studio.robots.arms_page import arms_scene

    with progress_bar("motions") as progress:
        plan = replace(planned.in_cell, plan=planned.plan)
        motion = motions_of(plan, assembly, np.random.default_rng(seed or 0), progress=progress)
    motion = replace(motion, provenance=planned.plan.provenance)
    save_motion(motion, folder)
    write_whole(folder / "motion.html", report_html(arms_scene(motion, assembly, "motion.json")))
    return motion


def motion_dict(motion: Motion | None, folder: Path) -> dict[str, Any]:
    """For programs: where it is, how long it takes, how long it would one arm at a time, and what no schedule beats.

    `bound` is of the time unless something else was minimised.
    """
    if motion is None:
        return {}
    times = {"makespan_s": motion.makespan_s, "one_by_one_s": motion.one_by_one_s}
    return {"motion": str(folder / "motion.json"), **times, "bound_s": motion.bound_s, "bound": motion.bound_s}


def print_motion(motion: Motion | None, folder: Path) -> None:
    if motion is not None:
        alone = f", {motion.one_by_one_s:.1f} s one arm at a time" if motion.one_by_one_s else ""
        bound = f", no less than {motion.bound_s:.1f} s" if motion.bound_s else ""
        print(f"  motion     {folder / 'motion.json'}: {motion.makespan_s:.1f} s{alone}{bound}")


def judge(arguments: argparse.Namespace) -> int:
    """The motion, and the plan that it carries out; exit 1 where something is said against either."""
    from falsework.formats.motions.reading import read_motion
    from falsework.formats.plans.sources import load_assembly
    from falsework.planning.verification.verify import verify
    from falsework.robots.verification.verify_motion import verify_motion

    if arguments.rehearse:
        raise BadInput("--rehearse builds a plan in the brick world; give it the plan, not the motion")
    motion = read_motion(arguments.plan)
    assembly = load_assembly(motion.plan, arguments.gap)
    with progress_bar("verifying the plan") as progress:
        plan = verify(motion.plan, progress=progress, gap=arguments.gap)
    judged = verify_motion(motion, assembly)
    if wants_pages(arguments):
        write_pages(arguments, _scene(arguments, motion, assembly, judged, plan))
    if arguments.json:
        print_json(as_dict(judged, plan) | {"makespan_s": motion.makespan_s})
    else:
        _print(arguments.plan, judged, plan, motion.makespan_s)
    if judged.complaints or plan.valid is False:
        return 1
    return 0 if plan.valid else 3


def _scene(
    arguments: argparse.Namespace, motion: Motion, assembly: Assembly, judged: JudgedMotion, plan: Verification
) -> Scene:
    from falsework.studio.robots.arms_page import arms_scene
    from falsework.studio.scene import Headline

    wrong = [one.why for one in judged.complaints] + [one.why for one in plan.failures]
    if wrong:
        headline = Headline("no", "Invalid", f"{wrong[0]}; {len(wrong)} in all.")
    else:
        headline = Headline("yes", "Valid", f"{count(judged.looks, 'instant')} looked at, nothing between them.")
    return arms_scene(motion, assembly, Path(arguments.plan).name, headline)


def as_dict(judged: JudgedMotion, plan: Verification) -> dict[str, Any]:
    """As `falsework verify MOTION --json` prints it."""
    failures = [{"time_s": one.time_s, "arm": one.arm, "kind": one.kind, "why": one.why} for one in judged.complaints]
    failures += [{"step": one.step, "kind": "plan", "why": one.why} for one in plan.failures]
    return {
        "valid": judged.valid and plan.valid,
        "instants": judged.looks,
        "least_gap_m": judged.least_gap_m,
        "states": plan.states,
        "failures": failures,
    }


def _print(path: str, judged: JudgedMotion, plan: Verification, makespan_s: float) -> None:
    good = judged.valid and plan.valid
    word = {True: "valid", False: "invalid", None: "undecided"}[good]
    gap = "" if judged.least_gap_m is None else f", nothing nearer than {1e3 * max(judged.least_gap_m, 0.0):.2f} mm"
    looked = f"{count(judged.looks, 'instant')} looked at{gap if good else ''}, {count(plan.states, 'state')} judged"
    print(f"{path}: {word}, {makespan_s:.1f} s, {looked}")
    for one in judged.complaints[:MOST_SHOWN]:
        print(f"  {one.time_s:8.2f} s  {one.kind:12} {one.why}")
    for failure in plan.failures[:MOST_SHOWN]:
        print(f"  step {failure.step:5} {'plan':12} {failure.why}")
    left = len(judged.complaints) - MOST_SHOWN
    if left > 0:
        print(f"  … and {left} more")


def export(arguments: argparse.Namespace) -> int:
    """Files for drivers, one an arm, into a folder."""
    from falsework.formats.motions.exports import export_motion
    from falsework.formats.motions.reading import read_motion

    folder = Path(arguments.output)
    if folder.is_file():
        raise BadInput(f"{arguments.output}: a motion is written into a folder, a file for each arm; this is a file")
    written = export_motion(read_motion(arguments.input), folder, arguments.to)
    if arguments.json:
        print_json({"from": "falsework-motion/1", "files": [str(path) for path in written]})
        return 0
    print(f"{arguments.input} -> {arguments.output}, {', '.join(path.name for path in written)}")
    return 0
