"""`falsework locate`: which bricks frames show, and where; or whether a structure looks as it should."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from falsework.cli.common import add_json, number, print_json, whole
from falsework.model.errors import BadInput, shown

if TYPE_CHECKING:
    from falsework.model.perception.findings import Brick, Sight, StructureSight, Workplace
    from falsework.model.perception.frames import Frame

HELP = "which bricks pictures of colour and depth show, and where; refused where no picture can tell"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("frames", metavar="FRAME", nargs="+", help="folders with rgb.png, depth.png, camera.yaml")
    parser.add_argument("--expect", metavar="FILE", help="bricks that should be there: is each in place?")
    parser.add_argument("--step", metavar="N", type=whole, help="with --expect: only the first N bricks of the file")
    parser.add_argument("--cell", metavar="CELL", help="a cell's file: its table, and where the structure stands")
    parser.add_argument(
        "--table", metavar="M", type=number, help="height of the table's top (default 0, or the cell's)"
    )
    parser.add_argument(
        "--plate", metavar="KIND@X,Y,Z,DEG", action="append", default=[],
        help="a baseplate that is seen: its kind, corner (m) and turn; cameras are registered on it",
    )  # fmt: skip
    parser.add_argument("--kinds", metavar="A,B,…", help="kinds of bricks (default duplo:brick_2x2,duplo:brick_2x4)")
    parser.add_argument("--colors", metavar="A,B,…", help="colours (default red, orange, yellow, green, blue, white)")
    parser.add_argument("--png", metavar="FILE", help="write the first frame with what was found drawn into it")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from falsework.formats.perception.frame_folders import read_frame

    frames = [read_frame(folder) for folder in arguments.frames]
    if arguments.step is not None and arguments.expect is None:
        raise BadInput("--step: only --expect FILE has steps")
    place = _place(arguments)
    return _checked(arguments, frames, place) if arguments.expect else _located(arguments, frames, place)


def _located(arguments: argparse.Namespace, frames: list[Frame], place: Workplace) -> int:
    from falsework.perception.locator.locating import locate
    from falsework.perception.locator.reports import sight_as_dict

    sight = locate(frames, place, _kinds(arguments), _colors(arguments))
    if arguments.png:
        from falsework.perception.locator.overlays import save_overlay

        save_overlay(arguments.png, frames[0], sight)
    if arguments.json:
        print_json(sight_as_dict(sight))
    else:
        _print_sight(sight)
    return 0


def _checked(arguments: argparse.Namespace, frames: list[Frame], place: Workplace) -> int:
    from falsework.perception.locator.reports import structure_as_dict
    from falsework.perception.locator.structures import check_structure

    expected = _expected(arguments)
    kinds = _kinds(arguments) if arguments.kinds else ()
    told = check_structure(frames, place, expected, kinds, _colors(arguments))
    if arguments.png:
        from falsework.perception.locator.overlays import save_structure_overlay

        save_structure_overlay(arguments.png, frames[0], told, dict(expected))
    if arguments.json:
        print_json(structure_as_dict(told))
    else:
        _print_structure(told)
    return {True: 0, False: 1, None: 3}[told.as_expected]


def _place(arguments: argparse.Namespace) -> Workplace:
    from falsework.formats.robots.cell_reading import load_cell
    from falsework.model.perception.findings import Workplace

    table = arguments.table
    if table is None and arguments.cell is not None:
        cell = load_cell(arguments.cell)
        table = None if cell.table is None else cell.table.top_m[2]
    return Workplace(0.0 if table is None else table, tuple(_plate(text) for text in arguments.plate))


def _plate(text: str) -> Any:
    from falsework.model.catalogue import brick_type
    from falsework.model.perception.findings import Plate
    from falsework.model.poses import about

    name, _, place = text.partition("@")
    try:
        x, y, z, degrees = (float(word) for word in place.split(","))
    except ValueError:
        x = y = z = degrees = math.nan
    if not all(math.isfinite(one) for one in (x, y, z, degrees)):
        raise BadInput(f"--plate: found {shown(text)}, expected KIND@X,Y,Z,DEG like duplo:baseplate_12x12@0.1,0,0,5")
    kind = brick_type(name)
    if kind.family != "baseplate":
        raise BadInput(f"--plate: found {shown(name)}, expected a baseplate like duplo:baseplate_12x12")
    T = about(2, degrees)
    T[:3, 3] = x, y, z
    return Plate(kind, T)


def _kinds(arguments: argparse.Namespace) -> tuple[str, ...]:
    return tuple((arguments.kinds or "duplo:brick_2x2,duplo:brick_2x4").split(","))


def _colors(arguments: argparse.Namespace) -> tuple[str, ...]:
    from falsework.model.perception.palette import SIX_COLORS

    return tuple(arguments.colors.split(",")) if arguments.colors else SIX_COLORS


def _expected(arguments: argparse.Namespace) -> list[tuple[str, Brick]]:
    """The bricks of the file, in its order, where the cell has its structure."""
    import numpy as np

    from falsework.formats.opening import opened
    from falsework.formats.robots.cell_reading import load_cell
    from falsework.model.perception.findings import Brick
    from falsework.model.shapes import BrickShape

    T = np.eye(4) if arguments.cell is None else load_cell(arguments.cell).T_world_structure
    out = []
    for part in opened(arguments.expect).parts:
        if not isinstance(part.shape, BrickShape):
            raise BadInput(f"--expect: {shown(part.name)} is no brick of the catalogue; only bricks are checked")
        if part.shape.kind.family == "baseplate":
            continue
        out.append((part.name, Brick(part.shape.kind, part.color or "gray", T @ part.T_world_part)))
    return out[: arguments.step] if arguments.step is not None else out


def _print_sight(sight: Sight) -> None:
    how = "registered on a plate" if all(sight.registered) else "levelled on the table, not registered on a plate"
    print(f"{len(sight.found)} found, {len(sight.refused)} refused; cameras {how}")
    for one in sight.found:
        x, y, z = 1e3 * one.middle_m
        across = 2e3 * max(one.covariance[0, 0], one.covariance[1, 1]) ** 0.5
        print(
            f"  {one.color} {one.kind}  at ({x:.1f}, {y:.1f}, {z:.1f}) mm ± {across:.1f}, "
            f"turned {math.degrees(one.yaw):.1f}°, {one.seen:.0%} seen"
        )
    for refusal in sight.refused:
        x, y, _ = 1e3 * refusal.where_m
        print(f"  refused at ({x:.0f}, {y:.0f}) mm: {refusal.why}")
        print(f"    would decide it: {refusal.decide}")


def _print_structure(told: StructureSight) -> None:
    answer = {True: "as expected", False: "not as expected", None: "as expected, as far as it is seen"}
    print(f"{answer[told.as_expected]}: {len(told.bricks)} bricks")
    for one in told.bricks:
        print(f"  {one.name}  {one.state}{': ' + one.why if one.why else ''}")
