"""`falsework build`: a product, brick by brick, by the arm of a simulated cell that sees through its cameras."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from falsework.cli.common import about_input, add_reading, positive, print_json, read, whole
from falsework.cli.pages import add_pages, provenance, title, wants_pages, write_pages
from falsework.cli.progress import progress_bar
from falsework.model.errors import BadInput, shown
from falsework.model.figures import count, percent

if TYPE_CHECKING:
    from falsework.execution.controls import Controls
    from falsework.execution.running import BuildDone
    from falsework.model.robots.safety import Safety
    from falsework.studio.robots.build_film import BuildFilm

HELP = "build a product of bricks in a simulated cell, by what its cameras show and its arm feels"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="PRODUCT", help="a model of bricks")
    add_reading(parser)
    parser.add_argument("--cell", metavar="CELL", default="panda", help="its file, or a kind of arm (default panda)")
    add_pages(parser, "build.jsonl, the log, build.json, the last world, and report.html, which plays it all,")
    parser.add_argument("--resume", action="store_true", help="go on from what is in --out, if there is something")
    parser.add_argument(
        "--ablate", metavar="NAME", action="append", default=[],
        help="a part of the controller to leave out, repeatable: press-check, grasp-check, verification, replanning, "
        "frozen-view, wrist-view, forces, centring, subassemblies",
    )  # fmt: skip
    parser.add_argument(
        "--disrupt", metavar="KIND",
        help="what goes wrong meanwhile: camera-blocked, brick-missing, brick-late, brick-taken, brick-added, "
        "knocked-over, arm-lost, plate-moved",
    )  # fmt: skip
    parser.add_argument(
        "--physics", metavar="NAME", default="clutches",
        help="what holds bricks together: clutches (default), or stud-colliders, contact and friction alone",
    )  # fmt: skip
    parser.add_argument(
        "--dry-run", action="store_true",
        help="no physics, no robot: write every command (commands.jsonl) and trajectory (tracks/*.csv) into --out",
    )  # fmt: skip
    parser.add_argument(
        "--robot", metavar="MODULE:FUNCTION",
        help="build with drivers and cameras: the function gets the cell and gives a Robot",
    )  # fmt: skip
    parser.add_argument(
        "--box", metavar="X0,Y0,Z0,X1,Y1,Z1", type=_box, help="where hands may be, in m; replaces the cell's own limit"
    )
    parser.add_argument("--speed", metavar="M_S", type=positive, help="that no hand exceeds; replaces the cell's own")
    parser.add_argument("--force", metavar="N", type=positive, help="that no press and no hand exceeds; the same")
    parser.add_argument(
        "--live", action="store_true", help="show it in the browser as it goes; pause, step, stop there"
    )
    parser.add_argument("--paused", action="store_true", help="with --live: begin with a pause")
    parser.add_argument("--port", metavar="N", type=whole, help="of the live page on 127.0.0.1 (default any)")
    parser.add_argument("--no-browser", action="store_true", help="with --live: only print the page's address")


def run(arguments: argparse.Namespace) -> int:
    from falsework.execution.building import build
    from falsework.execution.controls import Controls

    if arguments.dry_run and arguments.out is None:
        raise BadInput("--dry-run writes every command and trajectory into --out DIR; name that folder too")
    product = read(arguments)
    film, controls = _film(arguments), Controls(paused=arguments.paused)
    try:
        with _shown(arguments, film, controls), progress_bar("building") as progress:
            done = build(
                product,
                cell=arguments.cell,
                seed=arguments.seed,
                ablate=arguments.ablate,
                disrupt=arguments.disrupt,
                physics=arguments.physics,
                out=arguments.out,
                resume=arguments.resume,
                progress=progress,
                watcher=film,
                controls=controls,
                safety=_safety(arguments),
                dry_run=arguments.dry_run,
                robot=arguments.robot,
            )
    except BadInput as why:
        raise about_input(arguments, why) from why
    if arguments.out is not None:
        _keep(arguments.out, done)
    if film is not None and wants_pages(arguments):
        from falsework.studio.robots.build_page import build_scene

        write_pages(arguments, build_scene(film, title(arguments), done, provenance(arguments)))
    if arguments.json:
        print_json(done.as_dict())
    else:
        _print(arguments, done)
    return 0 if done.success else 3 if done.is_late else 1


def _film(arguments: argparse.Namespace) -> BuildFilm | None:
    """What watches the build, where somebody wants to see it afterwards."""
    if not wants_pages(arguments) and not arguments.live:
        return None
    from falsework.studio.robots.build_film import BuildFilm

    return BuildFilm()


@contextlib.contextmanager
def _shown(arguments: argparse.Namespace, film: BuildFilm | None, controls: Controls) -> Iterator[None]:
    """With --live a page that shows the build while it runs."""
    if film is None or not arguments.live:
        if arguments.paused or arguments.no_browser or arguments.port is not None:
            raise BadInput("--paused, --port and --no-browser are about the page of --live; give --live too")
        yield
        return
    import webbrowser

    from falsework.studio.robots.build_live import served

    with served(film, controls, title(arguments), arguments.port or 0) as server:
        print(f"{arguments.input}: {server.address}  (Ctrl-C ends it)", file=sys.stderr, flush=True)
        if not arguments.no_browser:
            webbrowser.open(server.address)
        yield


def _safety(arguments: argparse.Namespace) -> Safety | None:
    """The limits of the command line; None where it names none, and the cell's own hold."""
    from falsework.formats.robots.cell_reading import load_cell
    from falsework.model.robots.safety import Safety

    if arguments.box is None and arguments.speed is None and arguments.force is None:
        return None
    known = load_cell(arguments.cell).safety if Path(arguments.cell).is_file() else None
    changed = {"speed_m_s": arguments.speed, "force_n": arguments.force}
    if arguments.box is not None:
        changed |= {"low_m": arguments.box[:3], "high_m": arguments.box[3:]}
    return replace(known or Safety(), **{name: value for name, value in changed.items() if value is not None})


def _box(text: str) -> tuple[float, ...]:
    """Six numbers."""
    try:
        values = tuple(float(one) for one in text.split(","))
    except ValueError:
        values = ()
    if len(values) != 6 or not all(map(math.isfinite, values)):
        raise argparse.ArgumentTypeError(f"found {shown(text)}, expected six numbers: lowest corner, highest corner")
    return values


def _keep(folder: str, done: BuildDone) -> None:
    import json

    from falsework.formats.basics.atomic import write_whole

    write_whole(Path(folder) / "build.json", json.dumps(done.as_dict(), indent=1, ensure_ascii=False) + "\n")


def _print(arguments: argparse.Namespace, done: BuildDone) -> None:
    scores, built, told = done.scores, done.built, done.as_dict()
    word = "built" if done.success else "out of time" if done.is_late else "not built"
    how = "dry run" if arguments.dry_run else "as the cameras saw it" if scores is None else f"seed {arguments.seed}"
    print(f"{arguments.input}: {word}  (cell {arguments.cell}, {how})")
    joined = "" if scores is None else f"; {percent(scores.accuracy)} of the connections"
    print(f"  bricks     {told['in_place']} of {told['bricks']} in place{joined}")
    if scores is not None and scores.violations:
        print(f"  strays     {percent(scores.violations)} of the bricks on the plate hang together with nothing")
    print(
        f"  time       {built.manipulation_s:.1f} s by the cell's clock, and {built.planning_s:.1f} s to plan and look"
    )
    if built.failures:
        print(f"  given up   {count(len(built.failures), 'time')}")
    for one in built.failures:
        where = f"{one.brick} in {one.state}: " if one.brick else ""
        print(f"    {where}{one.kind}, {one.words}")
    if told["missing"]:
        print(f"  missing    {', '.join(told['missing'])}")
    if done.log is not None:
        print(f"  log        {done.log}")
