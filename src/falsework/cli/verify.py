"""`falsework verify`: does a plan do what it says?"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falsework.cli.common import add_gap, add_json, print_json
from falsework.cli.pages import add_pages, wants_pages, write_pages
from falsework.cli.progress import progress_bar
from falsework.cli.touching import first_line, partial_dict, print_partial, touching_dict
from falsework.model.errors import BadFile, BadInput

if TYPE_CHECKING:
    from falsework.model.assembly import Assembly
    from falsework.model.near_misses import NearMisses
    from falsework.model.plan import Plan
    from falsework.planning.verification.failures import Verification
    from falsework.studio.scene import Scene

HELP = "check a plan or a motion anew: every state, path, hand and arm; or the steps of an LDraw model"
EXIT_CODES = {True: 0, False: 1, None: 3}
MOST_SHOWN = 10
FALLS = " falls"  # of a failure that is of a state that falls


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "plan", metavar="PLAN", help="a plan file, a motion file, or a model whose file has steps of its own"
    )
    parser.add_argument("--rehearse", action="store_true", help="bricks: build it in the brick world too, step by step")
    parser.add_argument(
        "--cell",
        metavar="CELL",
        help="with --rehearse: by the arms of a cell, a file or a kind such as panda",
    )
    parser.add_argument(
        "--grip",
        choices=("contact", "weld"),
        default="contact",
        help="with --cell: hands hold by friction (default), or, to compare, what they closed on is welded to them",
    )
    parser.add_argument("--seed", type=int, default=0, help="with --cell: how bricks lie on feeders (default: 0)")
    add_gap(parser, "default: as in the plan")
    parser.add_argument("--ldraw", metavar="FOLDER", help="LDraw's parts library, for a model (default: $LDRAWDIR)")
    add_json(parser)
    add_pages(parser, "report.html")


def run(arguments: argparse.Namespace) -> int:
    from falsework.formats.motions.reading import is_motion
    from falsework.planning.verification.verify import verify

    if is_motion(arguments.plan):
        from falsework.cli.motions import judge

        return judge(arguments)
    if arguments.cell is not None and not arguments.rehearse:
        raise BadInput("--cell: the arms of a cell rehearse a plan; add --rehearse")
    if arguments.grip != "contact" and arguments.cell is None:
        raise BadInput("--grip: the hands of a cell grip; add --rehearse and --cell")
    try:
        if (model := _model(arguments)) is not None:
            return _judge_steps(arguments, model)
        with progress_bar("verifying") as progress:
            found = verify(arguments.plan, progress=progress, gap=arguments.gap)
        rehearsed = bool(arguments.rehearse and found.valid)
        if rehearsed:
            found = _rehearsed(arguments, found)
    except BadFile:
        raise
    except BadInput as why:
        raise BadFile(arguments.plan, "", str(why)) from why
    if wants_pages(arguments):
        write_pages(arguments, _scene(arguments, found))
    assembly, missing = _missing(arguments, found)
    if arguments.json:
        told = {} if assembly is None else touching_dict(assembly, missing)
        print_json(as_dict(found) | ({"rehearsed": True} if rehearsed else {}) | told)
    else:
        _print_table(arguments.plan, found, rehearsed, missing)
    return EXIT_CODES[found.valid]


def _model(arguments: argparse.Namespace) -> Assembly | None:
    from falsework.formats.opening import stepped_model

    return stepped_model(arguments.plan, arguments.gap, arguments.ldraw)


def _judge_steps(arguments: argparse.Namespace, model: Assembly) -> int:
    """The order of a file's own steps."""
    from falsework.planning.verification.file_steps import verify_steps

    if arguments.rehearse or wants_pages(arguments):
        raise BadInput("the steps of a file have no paths and hands to show; falsework plan makes a plan of them")
    with progress_bar("verifying") as progress:
        found = verify_steps(model, progress)
    if arguments.json:
        print_json(as_dict(found) | partial_dict(model))
    else:
        _print_table(arguments.plan, found, False, None)
        print_partial(model, 10)
    return EXIT_CODES[found.valid]


def _rehearsed(arguments: argparse.Namespace, found: Verification) -> Verification:
    """With what the brick world says against it."""
    from falsework.formats.plans.reading import read_plan
    from falsework.formats.plans.sources import load_assembly
    from falsework.planning.rehearsal import disagreements, disagreements_apart, rehearse

    read = read_plan(arguments.plan)
    assembly = load_assembly(read, arguments.gap)
    if arguments.cell is not None:
        return _built_by_arms(arguments, found, read, assembly)
    with progress_bar("rehearsing") as progress:
        apart = disagreements_apart(read, assembly)
        done = rehearse(read, assembly, progress=progress)
    return replace(found, failures=(*apart, *disagreements(read, done)))


def _built_by_arms(arguments: argparse.Namespace, found: Verification, read: Plan, assembly: Assembly) -> Verification:
    """With what happens when the arms of a cell carry it out."""
    from falsework.robots.brickcell.building import build_with_arms, shortcomings
    from falsework.robots.brickcell.laying_cell import cell_to_lay

    cell = cell_to_lay(arguments.cell, assembly)
    with progress_bar("building") as progress:
        built = build_with_arms(read, assembly, cell=cell, seed=arguments.seed, grip=arguments.grip, progress=progress)
    return replace(found, failures=shortcomings(read, built))


def _missing(arguments: argparse.Namespace, found: Verification) -> tuple[Assembly | None, NearMisses | None]:
    """Where states fall: the assembly, and what of it touches nothing or nearly something when all is built."""
    if not any(FALLS in failure.why for failure in found.failures):
        return None, None
    from falsework.formats.plans.reading import read_plan
    from falsework.formats.plans.sources import load_assembly
    from falsework.verdicts.check import check

    read = read_plan(arguments.plan)
    assembly = load_assembly(read, arguments.gap)
    if not assembly.is_grounded:
        return None, None
    return assembly, check(assembly, also=False, gravity=read.rules.gravity).missing


def as_dict(found: Verification) -> dict[str, Any]:
    """As `falsework verify --json` prints it; steps are counted from 1, step 0 is the plan as a whole."""
    failures = [{"step": failure.step, "why": failure.why} for failure in found.failures]
    return {"valid": found.valid, "states": found.states, "failures": failures}


def _scene(arguments: argparse.Namespace, found: Verification) -> Scene:
    """The plan, with what is wrong where it is wrong."""
    from falsework.formats.plans.reading import read_plan
    from falsework.formats.plans.sources import load_assembly
    from falsework.geometry.contacts.interfaces import interfaces
    from falsework.studio.plan_page import plan_scene
    from falsework.studio.scene import Headline

    words = {True: ("yes", "Valid"), False: ("no", "Invalid"), None: ("open", "Undecided")}
    tone, word = words[found.valid]
    sentence = f"{found.states} states judged, {len(found.failures) or 'no'} failures."
    read = read_plan(arguments.plan)
    assembly = load_assembly(read, arguments.gap)
    wrong = [(failure.step, failure.why) for failure in found.failures]
    headline = Headline(tone, word, sentence)  # type: ignore[arg-type]
    title = Path(arguments.plan).name
    return plan_scene(assembly, interfaces(assembly), read, title, failures=wrong, headline=headline)


def _print_table(plan: str, found: Verification, rehearsed: bool, missing: NearMisses | None) -> None:
    words = {True: "valid", False: "invalid", None: "undecided"}
    world = ", built in the brick world" if rehearsed else ""
    print(first_line(plan, f"{words[found.valid]}, {found.states} states judged{world}", missing))
    for failure in found.failures[:MOST_SHOWN]:
        where = f"step {failure.step}" if failure.step else "the plan"
        print(f"  {where:9} {failure.why}")
    if len(found.failures) > MOST_SHOWN:
        print(f"  … and {len(found.failures) - MOST_SHOWN} more")
