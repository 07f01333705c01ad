"""`falsework build`: a product, brick by brick, by the arm of a simulated cell that sees through its cameras."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from falsework.cli.common import about_input, add_reading, print_json, read
from falsework.cli.progress import progress_bar
from falsework.model.errors import BadInput
from falsework.model.figures import count, percent

if TYPE_CHECKING:
    from falsework.execution.running import BuildDone

HELP = "build a product of bricks in a simulated cell, by what its cameras show and its arm feels"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="PRODUCT", help="a model of bricks")
    add_reading(parser)
    parser.add_argument("--cell", metavar="CELL", default="panda", help="its file, or a kind of arm (default panda)")
    parser.add_argument("--out", metavar="DIR", help="build.jsonl, the log, and the last world go there")
    parser.add_argument("--resume", action="store_true", help="go on from what is in --out, if there is something")
    parser.add_argument(
        "--ablate", metavar="NAME", action="append", default=[],
        help="a part of the controller to leave out, repeatable: press-check, grasp-check, verification, replanning, "
        "frozen-view, wrist-view, forces, centring",
    )  # fmt: skip
    parser.add_argument(
        "--disrupt", metavar="KIND",
        help="what goes wrong meanwhile: camera-blocked, brick-missing, brick-late, brick-taken, brick-added, "
        "knocked-over, arm-lost, plate-moved",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    from falsework.execution.building import build

    product = read(arguments)
    try:
        with progress_bar("building") as progress:
            done = build(
                product,
                cell=arguments.cell,
                seed=arguments.seed,
                ablate=arguments.ablate,
                disrupt=arguments.disrupt,
                out=arguments.out,
                resume=arguments.resume,
                progress=progress,
            )
    except BadInput as why:
        raise about_input(arguments, why) from why
    if arguments.out is not None:
        _keep(arguments.out, done)
    if arguments.json:
        print_json(done.as_dict())
    else:
        _print(arguments, done)
    return 0 if done.scores.success else 3 if done.is_late else 1


def _keep(folder: str, done: BuildDone) -> None:
    import json
    from pathlib import Path

    from falsework.formats.basics.atomic import write_whole

    write_whole(Path(folder) / "build.json", json.dumps(done.as_dict(), indent=1, ensure_ascii=False) + "\n")


def _print(arguments: argparse.Namespace, done: BuildDone) -> None:
    scores, built = done.scores, done.built
    word = "built" if scores.success else "out of time" if done.is_late else "not built"
    print(f"{arguments.input}: {word}  (cell {arguments.cell}, seed {arguments.seed})")
    print(f"  bricks     {scores.in_place} of {scores.bricks} in place; {percent(scores.accuracy)} of the connections")
    if scores.violations:
        print(f"  strays     {percent(scores.violations)} of the bricks on the plate hang together with nothing")
    print(
        f"  time       {built.manipulation_s:.1f} s by the cell's clock, and {built.planning_s:.1f} s to plan and look"
    )
    if built.failures:
        print(f"  given up   {count(len(built.failures), 'time')}")
    for one in built.failures:
        where = f"{one.brick} in {one.state}: " if one.brick else ""
        print(f"    {where}{one.kind}, {one.words}")
    if scores.missing:
        print(f"  missing    {', '.join(scores.missing)}")
    if done.log is not None:
        print(f"  log        {done.log}")
