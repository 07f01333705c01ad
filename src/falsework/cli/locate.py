"""`falsework locate`: what frames show."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from falsework.cli.common import add_json, names, number, positive, print_json, whole
from falsework.model.figures import count

if TYPE_CHECKING:
    from falsework.perception.looking import Looked

HELP = "bricks in pictures of colour and depth: where they lie, or what is wrong with a structure"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "frames", metavar="FRAME", nargs="+", help="folders with rgb.png, depth.png, camera.yaml; views of one moment"
    )
    parser.add_argument("--expect", metavar="FILE", help="an assembly that should stand there")
    parser.add_argument("--steps", metavar="N", type=whole, help="only so many of its parts are placed by now")
    parser.add_argument("--parts", metavar="FILE", help="an assembly whose parts, of any shape, may lie on the table")
    parser.add_argument("--scale", metavar="S", type=positive, help="metres per unit of the meshes of --parts")
    parser.add_argument("--cell", metavar="CELL", help="a cell's file: where its structure and its table are")
    parser.add_argument(
        "--plate", metavar="PLATE", dest="plates", action="append", default=[],
        help="a baseplate to register cameras on: KIND@X,Y,Z or KIND@X,Y,Z,YAW, its lowest corner, m and degrees",
    )  # fmt: skip
    parser.add_argument("--table", metavar="M", dest="table", type=number, help="height of the table (default 0)")
    parser.add_argument("--kinds", metavar="A,B", type=names, help="of bricks (default Duplo 2x2 and 2x4)")
    parser.add_argument("--colors", metavar="A,B", type=names, help="of bricks (default six)")
    parser.add_argument("--out", metavar="DIR", help="write a page of every frame there: colour, depth, labels, 3D")
    parser.add_argument("--png", metavar="FILE", help="write the first frame with what was found drawn in")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from falsework.perception.looking import locate

    asked = ("expect", "steps", "parts", "scale", "cell", "plates", "kinds", "colors")
    told = {name: getattr(arguments, name) for name in asked}
    looked = locate(arguments.frames, table_m=arguments.table, **told)
    _write(arguments, looked)
    if arguments.json:
        print_json(looked.as_dict())
    else:
        _print(looked, arguments.frames, "brick" if arguments.parts is None else "part")
    return 1 if looked.missing else 3 if looked.refused or looked.unseen else 0


def _write(arguments: argparse.Namespace, looked: Looked) -> None:
    """The picture and the pages, where they were asked for."""
    found = [brick for _, brick in looked.found]
    wrong = [(state, brick) for _, state, brick in looked.missing]
    if arguments.png is not None:
        from falsework.formats.basics.atomic import write_whole
        from falsework.formats.perception.frame_folders import png
        from falsework.studio.perception.overlays import overlay

        drawn = overlay(looked.frames[0], found, looked.refused, wrong, looked.T_base_cam[0])
        write_whole(Path(arguments.png), png(drawn))
    if arguments.out is not None:
        from falsework.studio.perception.frame_page import frame_html, write_frame_page

        for at, (frame, T) in enumerate(zip(looked.frames, looked.T_base_cam, strict=True)):
            page = frame_html(f"{frame.camera}, frame {at}", frame, found, looked.refused, wrong, None, T)
            name = "frame.html" if len(looked.frames) == 1 else f"frame-{at}.html"
            write_frame_page(arguments.out, page, name)


def _print(looked: Looked, frames: list[str], what: str) -> None:
    told = [f"{count(len(looked.found) + len(looked.parts), what)} found"]
    told += [f"{len(looked.refused)} refused"] if looked.refused else []
    told += [f"{len(looked.missing)} missing or wrong"] if looked.missing else []
    told += [f"{len(looked.unseen)} not seen"] if looked.unseen else []
    print(f"{frames[0]}{' …' if len(frames) > 1 else ''}: {', '.join(told)}")
    for name, brick in looked.found:
        x, y, z = 1000 * brick.middle_m
        print(f"  found      {name}: {brick.color} {brick.kind} at {x:.1f}, {y:.1f}, {z:.1f} mm")
    for part in looked.parts:
        x, y, z = 1000 * part.T_base_part[:3, 3]
        turned = f"; or {count(len(part.alike), 'turn')} of it with the same outside" if part.alike else ""
        print(f"  found      {part.name}: its frame at {x:.1f}, {y:.1f}, {z:.1f} mm, {part.agrees:.0%} agree{turned}")
    for state in looked.states:
        if state.state != "in place":
            print(f"  {state.state:10} {state.name}: {state.why}")
    for one in looked.refused:
        x, y, _ = 1000 * one.where_m
        print(f"  refused    at {x:.0f}, {y:.0f} mm: {one.why}{f'; {one.decide}' if one.decide else ''}")
    if not all(looked.registered):
        print("  camera     no baseplate was seen to register on: places are as good as the camera's pose")
