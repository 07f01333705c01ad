"""`falsework plan`: in what order can it be built?"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from falsework.cli.check import add_model
from falsework.cli.common import about_input, add_input, input_hash, number, positive, read
from falsework.cli.pages import add_pages, provenance
from falsework.cli.plan_journal import journal_kept
from falsework.cli.plan_output import EXIT_CODES, deliver
from falsework.cli.progress import both, shown_progress
from falsework.model.errors import BadInput, shown

if TYPE_CHECKING:
    from falsework.batch.portfolio import Raced
    from falsework.model.assembly import Assembly
    from falsework.model.ports import Guide, PartSelector

HELP = "in what order to build it, by how many hands, holding what, along which paths"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument(
        "--robots", metavar="N", type=hands, help="hands, the carrying one included (2; bricks 1), or fewest"
    )
    parser.add_argument("--rules", metavar="SET", help="holds, reorient, bricks or bricks+reorient")
    parser.add_argument("--paths", default="straight", help="straight (default), none or any")
    add_model(parser)
    parser.add_argument("--regrasp", action="store_true", help="parts that were let go may be held again")
    parser.add_argument(
        "--press", metavar="N", type=number, help="bricks: N through the joint that closes (1.25; 0: no press)"
    )
    parser.add_argument("--grasps", default="any", help="bricks: any (default), side (long sides only), or none")
    parser.add_argument("--require-connected", action="store_true", help="what is in place must always hang together")
    parser.add_argument(
        "--groups", choices=("auto", "never"), default="auto", help="parts placed together, where single ones fail"
    )
    parser.add_argument("--cell", metavar="CELL", help="a cell's file or kind (two-panda): its arms carry the plan out")
    add_search(parser)
    parser.add_argument(
        "--guide", metavar="NET", help="a net that leads one of the searches: generalist (it ships), or a policy file"
    )
    parser.add_argument(
        "--portfolio", metavar="N", type=count, help="N ways to search side by side; the first proof wins"
    )
    parser.add_argument("--pool", help="who searches for --portfolio: processes:N, serial, ray[:ADDRESS]")
    parser.add_argument(
        "--by-rank", action="store_true", help="of a portfolio: the same winner every time, which takes longer"
    )


def add_search(parser: argparse.ArgumentParser) -> None:
    """How to search and where to put it, for every verb that plans."""
    parser.add_argument(
        "--planner",
        default="auto",
        help="auto (default), best-first, depth-first, beam, growing-beam, anytime, subassemblies, one-by-one",
    )
    parser.add_argument(
        "--selector",
        default="height",
        help="which part first: height (default), outside-in, volume, …, policy:FILE (see learn)",
    )
    parser.add_argument(
        "--fasteners",
        default="as-found",
        help="screws, nuts, pins, washers: as-found (default), soon (after what they hold), or last",
    )
    parser.add_argument("--budget", metavar="N", type=count, help="at most this many evaluations")
    parser.add_argument("--timeout", metavar="S", type=positive, help="at most this many seconds")
    parser.add_argument("--alternatives", metavar="K", type=count, default=0, help="this many other plans as well")
    parser.add_argument(
        "--minimise",
        metavar="WHAT",
        help="a good plan: the fewest holds, regrasps or steps, least risk or, with --cell, makespan",
    )
    parser.add_argument("--margins", action="store_true", help="how far it may be tilted about x or y after each step")
    add_pages(parser, "plan.json and report.html")
    parser.add_argument("--resume", action="store_true", help="carry on where a run with the same --out was cut off")


def search_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """How to search, as the library functions of those verbs take it."""
    return {
        "planner": arguments.planner,
        "selector": chosen_selector(arguments.selector),
        "fasteners": arguments.fasteners,
        "budget": arguments.budget,
        "timeout_s": arguments.timeout,
        "alternatives": arguments.alternatives,
        "minimise": arguments.minimise,
        "seed": arguments.seed,
        "margins": arguments.margins,
    }


def chosen_selector(word: str) -> str | PartSelector:
    """One of the house by its name, or a policy in a file."""
    kind, _, path = word.partition(":")
    if kind != "policy":
        return word
    if not path:
        raise BadInput("selector policy: expected policy:FILE, a file that `falsework learn` wrote")
    from falsework.learning.using.policy import policy_selector

    return policy_selector(path)


def count(text: str) -> int:
    """A whole number, 1 or more."""
    if not text.isascii() or not text.isdigit() or len(text) > 12 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found {shown(text)}, expected a whole number that is 1 or more")
    return int(text)


def hands(text: str) -> int | Literal["fewest"]:
    """A number of hands, or as few as will do."""
    if text == "fewest":
        return "fewest"
    try:
        return count(text)
    except argparse.ArgumentTypeError as why:
        raise argparse.ArgumentTypeError(f"{why}, or fewest") from why


def run(arguments: argparse.Namespace) -> int:
    started_s = time.monotonic()
    from falsework.formats.plans.sources import source_of
    from falsework.planning.plan import plan

    if arguments.input.partition("#")[0] == "-" and arguments.out is not None:
        raise BadInput("-: a plan file names the file that it builds; save standard input to one, or leave --out out")
    try:
        assembly = read(arguments)
        source = source_of(arguments.input, assembly, arguments.scale, input_hash(arguments))
        options: dict[str, Any] = {
            "rules": arguments.rules,
            "robots": arguments.robots,
            "paths": arguments.paths,
            "regrasp": arguments.regrasp,
            "press_n": arguments.press,
            "grasps": arguments.grasps,
            "model": arguments.model,
            **search_options(arguments),
            "guide": _guide(arguments, assembly),
            "groups": arguments.groups == "auto",
            "require_connected": arguments.require_connected,
            "cell": arguments.cell,
        }
        if raced := _raced(arguments, assembly, options):
            planned = raced.planned
        else:
            with journal_kept(arguments, source.sha256) as journals, shown_progress(len(assembly.parts)) as show:
                progress = both(journals.tick, show)
                planned = plan(assembly, **options, journals=journals.found, progress=progress, started_s=started_s)
                journals.finished = planned.status in ("complete", "infeasible")
    except BadInput as why:
        raise about_input(arguments, why) from why
    whence = replace(provenance(arguments), wall_s=planned.wall_s)
    planned = planned.with_plan(replace(planned.plan, source=source, provenance=whence))
    deliver(arguments, assembly, planned, raced)
    return EXIT_CODES[planned.status]


def _guide(arguments: argparse.Namespace, assembly: Assembly) -> Guide | None:
    """The net that was asked for, for this assembly."""
    if arguments.guide is None:
        return None
    from falsework.learning.generalist.shipped import generalist

    return generalist(assembly, policy=None if arguments.guide == "generalist" else arguments.guide)


def _raced(arguments: argparse.Namespace, assembly: Assembly, options: dict[str, Any]) -> Raced | None:
    """By several ways side by side, if that was asked for."""
    if arguments.portfolio is None:
        if arguments.pool is not None or arguments.by_rank:
            raise BadInput("--pool and --by-rank are of a portfolio; add --portfolio N, or leave them out")
        return None
    if arguments.cell is not None:
        raise BadInput("--portfolio searches without arms; leave it out, or --cell")
    usual = arguments.planner == "auto" and arguments.selector == "height"
    if arguments.minimise is not None or arguments.guide is not None:
        raise BadInput("--portfolio searches in its own ways for a first plan; leave --minimise and --guide out")
    if arguments.resume or not usual:
        raise BadInput("--portfolio chooses planners and selectors itself, and keeps no journal to resume from")
    from falsework.batch.portfolio import portfolio

    done_here = ("planner", "selector", "minimise", "guide", "cell")
    told = {name: value for name, value in options.items() if name not in done_here}
    return portfolio(assembly, arguments.portfolio, pool=arguments.pool, by_rank=arguments.by_rank, **told)
