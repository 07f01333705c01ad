"""`falsework replan`: what now that something went wrong?"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

from falsework.cli.common import about_input, add_gap, add_json, names, seed
from falsework.cli.pages import provenance
from falsework.cli.plan import add_search, count, search_options
from falsework.cli.plan_journal import journal_kept
from falsework.cli.plan_output import EXIT_CODES, deliver
from falsework.cli.progress import both, shown_progress
from falsework.model.errors import BadInput, shown

HELP = "plan the rest of the work anew: parts missing or late, hands lost or added, parts fallen"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="PLAN", help="a plan file; the assembly is found from there")
    parser.add_argument("--at", metavar="K", type=steps, default=0, help="it happens after K steps (default 0)")
    parser.add_argument("--missing", metavar="A,B", type=names, default=(), help="parts that never come, or are gone")
    parser.add_argument("--delayed", metavar="A,B", type=names, default=(), help="parts that come after all others")
    parser.add_argument("--robots", metavar="N", type=count, help="hands from now on, the carrying one included")
    parser.add_argument(
        "--target", metavar="C,D", type=names, help="parts to keep of what is in place; the rest is off"
    )
    parser.add_argument("--cell", metavar="CELL", help="a cell's file, whose arms do the rest: some lost, or added")
    parser.add_argument("--seed", metavar="N", type=seed, default=0, help="random seed (default 0)")
    add_gap(parser, "default: as in the plan")
    add_search(parser)
    add_json(parser)


def steps(text: str) -> int:
    """A whole number, 0 or more."""
    if not text.isascii() or not text.isdigit() or len(text) > 12:
        raise argparse.ArgumentTypeError(f"found {shown(text)}, expected a whole number that is 0 or more")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    started_s = time.monotonic()
    from falsework.formats.fingerprint import input_sha256
    from falsework.formats.plans.reading import read_plan
    from falsework.formats.plans.sources import load_assembly
    from falsework.planning.replan import replan

    known = read_plan(arguments.input)
    assembly = load_assembly(known, arguments.gap)
    try:
        with (
            journal_kept(arguments, input_sha256(arguments.input)) as journals,
            shown_progress(len(assembly.parts)) as show,
        ):
            planned = replan(
                known,
                assembly,
                at=arguments.at,
                missing=arguments.missing,
                delayed=arguments.delayed,
                robots=arguments.robots,
                target=arguments.target,
                cell=arguments.cell,
                **search_options(arguments),
                journals=journals.found,
                progress=both(journals.tick, show),
                started_s=started_s,
            )
            journals.finished = planned.status in ("complete", "infeasible")
    except BadInput as why:
        raise about_input(arguments, why) from why
    whence = replace(provenance(arguments), wall_s=planned.wall_s)
    source = None if known.source is None else replace(known.source, gap_m=assembly.gap_m)
    plan = replace(planned.plan, source=source, provenance=whence)
    deliver(arguments, assembly, planned.with_plan(plan))
    return EXIT_CODES[planned.status]
