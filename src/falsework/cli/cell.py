"""`falsework cell`: a cell of arms: make one, draw it, say what it reaches."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falsework.cli.common import add_reading, ground, print_json, whole
from falsework.cli.pages import provenance, wants_pages, write_pages
from falsework.model.errors import BadInput
from falsework.model.figures import count, length, mass

if TYPE_CHECKING:
    from falsework.robots.cells.survey import SurveyedCell

HELP = "a cell of arms: what it reaches; --new makes one, placed for an assembly"
LISTED = 8  # parts out of reach, before the rest is counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT", nargs="?", help="a cell's file")
    parser.add_argument(
        "--new", metavar="KIND", help="make one: panda, two-panda, three-irb2600, panda+turntable, panda+positioner, …"
    )
    parser.add_argument("--for", metavar="FILE", dest="assembly", help="an assembly that is to be built there")
    parser.add_argument("--layouts", metavar="N", type=whole, help="that --new with --for tries (default 3000)")
    parser.add_argument("--list", action="store_true", help="arms, tools and kinds of cells that come with falsework")
    add_reading(parser)
    parser.add_argument("--out", metavar="PATH", help="with --new: the cell's file; else a folder for report.html")
    parser.add_argument("--png", metavar="FILE", help="write a picture of it; needs Chromium")


def run(arguments: argparse.Namespace) -> int:
    if arguments.list:
        return _list(arguments)
    if (arguments.input is None) == (arguments.new is None):
        raise BadInput("name a cell's FILE, or ask for --new KIND: one of them (see: falsework cell --help)")
    if arguments.layouts is not None and (arguments.new is None or arguments.assembly is None):
        raise BadInput("--layouts: only --new with --for tries layouts")
    found, assembly = _asked(arguments)
    target = _target(arguments) if arguments.new is not None else None
    if target is not None:
        from falsework.formats.robots.cell_writing import save_cell

        save_cell(found.cell, target)
    _pages(arguments, found, assembly)
    if arguments.json:
        print_json({**found.as_dict(), "path": None if target is None else str(target)})
    elif arguments.new is not None and target is None and arguments.png is None:
        from falsework.formats.robots.cell_writing import cell_text

        sys.stdout.write(cell_text(found.cell))
    else:
        _print(found, str(target or arguments.input or arguments.new))
    return 0


def _asked(arguments: argparse.Namespace) -> tuple[SurveyedCell, Any]:
    from falsework.formats.opening import opened
    from falsework.robots.cells.survey import cell

    assembly = None
    if arguments.assembly is not None:
        options = {"fixed": arguments.fixed, "mu": arguments.mu, "scale": arguments.scale, "gap": arguments.gap}
        options["allow_overlap_m"] = arguments.allow_overlap
        options["ground"] = None if arguments.ground is None else ground(arguments.ground)
        assembly = opened(arguments.assembly, {name: one for name, one in options.items() if one is not None})  # type: ignore[arg-type]
    more = {} if arguments.layouts is None else {"layouts": arguments.layouts}
    return cell(arguments.input, new=arguments.new, assembly=assembly, seed=arguments.seed, **more), assembly


def _target(arguments: argparse.Namespace) -> Path | None:
    """The file to write: the path itself, or KIND.cell.yaml in the folder that it names."""
    if arguments.out is None:
        return None
    path = Path(arguments.out)
    return path if path.suffix and not path.is_dir() else path / f"{arguments.new}.cell.yaml"


def _pages(arguments: argparse.Namespace, found: SurveyedCell, assembly: Any) -> None:
    """The report, where a folder was named for a cell's file; the picture, where one was asked for."""
    folder = arguments.out if arguments.new is None else None
    if folder is None and arguments.png is None:
        return
    from falsework.studio.robots.cell_page import cell_scene

    named = Path(arguments.input or arguments.new).name
    told = argparse.Namespace(**{**vars(arguments), "out": folder, "gif": None, "mp4": None})
    source = None if arguments.input is None else provenance(told)
    if wants_pages(told):
        write_pages(told, cell_scene(found, named, assembly, source))


def _print(found: SurveyedCell, named: str) -> None:
    covered = found.coverage
    print(f"{named}: {count(len(found.cell.arms), 'arm')}, {100 * covered.share:.0f} % in reach")
    for number, one in enumerate(found.cell.arms):
        x, y, z = one.T_world_base[:3, 3].tolist()
        reach = "" if one.arm.reach_m is None else f", reaches {length(one.arm.reach_m)}"
        payload = "" if one.arm.payload_kg is None else f", carries {mass(one.arm.payload_kg)}"
        where = f"at {x:.3g}, {y:.3g}, {z:.3g} m"
        print(f"  arm        {one.name}: {one.arm.name} with {one.tool.name} {where}{reach}{payload}")
        places, feeders = covered.places[number].mean(), covered.feeders[number].mean()
        print(f"             {100 * places:.0f} % of the places, {100 * feeders:.0f} % of the feeders")
    for feeder in found.cell.feeders:
        print(f"  feeder     {feeder.name}: {feeder.kind}, parts lie {feeder.lie}")
    if covered.side_by_side is not None:
        print(f"  together   two arms can work at {100 * covered.side_by_side:.0f} % of neighbouring parts at once")
    if found.layouts:
        print(f"  layouts    the best of {found.layouts:,}")
    _print_missing("too heavy", covered.too_heavy)
    if covered.lifted.any() and found.coverage.share < 1:
        _print_missing("unreached", covered.unreached)


def _print_missing(what: str, names: tuple[str, ...]) -> None:
    if names:
        more = f", … ({len(names)} in all)" if len(names) > LISTED else ""
        print(f"  {what:10} {', '.join(names[:LISTED])}{more}")


def _list(arguments: argparse.Namespace) -> int:
    from falsework.formats.robots.catalogue import arm_named, arm_names, tool_named, tool_names
    from falsework.robots.cells.kinds import cell_kinds

    arms, tools = [arm_named(name) for name in arm_names()], [tool_named(name) for name in tool_names()]
    if arguments.json:
        rows = [
            {
                "name": one.name, "joints": len(one.joints), "reach_m": one.reach_m, "payload_kg": one.payload_kg,
                "sources": dict(one.sources), "unverified": list(one.unverified),
            }
            for one in arms
        ]  # fmt: skip
        kinds = [
            {"name": one.name, "kind": one.kind, "opening_m": list(one.opening_m), "force_n": list(one.force_n),
             "sources": dict(one.sources), "unverified": list(one.unverified)}
            for one in tools
        ]  # fmt: skip
        print_json({"arms": rows, "tools": kinds, "kinds": list(cell_kinds())})
        return 0
    for one in arms:
        reach, payload = length(one.reach_m or 0.0), mass(one.payload_kg or 0.0)
        doubts = f"  not verified: {', '.join(one.unverified)}" if one.unverified else ""
        print(f"arm   {one.name:10} {len(one.joints)} joints, reaches {reach}, carries {payload}{doubts}")
    for tool in tools:
        doubts = f"  not verified: {', '.join(tool.unverified)}" if tool.unverified else ""
        print(f"tool  {tool.name:15} {tool.kind}{doubts}")
    print("cells: any arm's name, or two-ARM, three-ARM, four-ARM")
    return 0
