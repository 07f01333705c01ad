"""`falsework convert`: the same assembly in another format, or a shape turned into bricks."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falsework.cli.common import about_input, add_input, print_json, read, whole
from falsework.model.errors import BadInput
from falsework.model.figures import count, percent

if TYPE_CHECKING:
    from falsework.laying import Laid

HELP = "write an assembly in another format, refusing what that format cannot hold; or a shape in bricks"
STUDS = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument(
        "output", metavar="OUT", help="a file, by its ending, or a new folder for meshes or for a motion's arms"
    )
    parser.add_argument(
        "--to",
        metavar="FORMAT",
        help="the format, where the ending of OUT does not tell; of a motion: ros, gripper, csv",
    )
    parser.add_argument("--lossy", action="store_true", help="accept that what the format cannot hold is lost")
    shape = parser.add_argument_group("a shape in bricks: closed meshes, any assembly, or an .npy array of voxels")
    shape.add_argument(
        "--bricks", action="store_true", help="lay bricks in its shape that stand; exit 1 if none were found"
    )
    shape.add_argument("--studs", metavar="N", type=whole, help=f"along the longest side (default {STUDS})")
    shape.add_argument("--hollow", metavar="N", type=whole, help="keep a wall of N cells only")
    shape.add_argument("--tries", metavar="N", type=whole, help="layouts to try against weak joints (default 300)")


def run(arguments: argparse.Namespace) -> int:
    from falsework.formats import save

    if arguments.bricks:
        return _in_bricks(arguments)
    for option in ("studs", "hollow", "tries"):
        if getattr(arguments, option) is not None:
            raise BadInput(f"--{option} is for shapes turned into bricks; add --bricks, or leave it out")
    from falsework.formats.motions.reading import is_motion

    if is_motion(arguments.input):
        from falsework.cli.motions import export

        return export(arguments)
    source, target = Path(arguments.input.partition("#")[0]), Path(arguments.output)
    if source.exists() and target.exists() and target.samefile(source):
        raise BadInput(f"{arguments.output}: that is the file to convert; give the new one another name")
    assembly = read(arguments)
    written = save(assembly, arguments.output, arguments.to, lossy=arguments.lossy)
    if arguments.json:
        print_json({"from": assembly.source, "to": written, "path": arguments.output, "parts": len(assembly.parts)})
        return 0
    print(
        f"{arguments.input} ({assembly.source}) -> {arguments.output} ({written}), {count(len(assembly.parts), 'part')}"
    )
    return 0


def _in_bricks(arguments: argparse.Namespace) -> int:
    from falsework.cli.progress import progress_bar
    from falsework.formats import read_voxels, save, writable_format
    from falsework.formats.meshes.voxelfile import is_voxel_file
    from falsework.laying import lay

    format = writable_format(arguments.output, arguments.to)  # before minutes are spent
    path = Path(arguments.input)
    from_voxels = is_voxel_file(path)
    if from_voxels and arguments.studs is not None:
        raise BadInput("--studs scales solids; voxels are one stud wide each")
    shape = read_voxels(path) if from_voxels else read(arguments)
    try:
        with progress_bar("layouts") as progress:
            laid = lay(
                shape,
                studs=STUDS if arguments.studs is None else arguments.studs,
                hollow=arguments.hollow,
                tries=300 if arguments.tries is None else arguments.tries,
                seed=arguments.seed,
                progress=progress,
            )
    except BadInput as why:
        raise about_input(arguments, why) from why
    if laid.stands:
        save(laid.assembly, arguments.output, format, lossy=arguments.lossy)
    answer = _described(arguments, laid, format)
    if arguments.json:
        print_json(answer)
    else:
        _print(arguments, laid, answer)
    return {"stable": 0, "unstable": 1, "undecided": 3}[laid.verdict.answer]


def _described(arguments: argparse.Namespace, laid: Laid, format: str) -> dict[str, Any]:
    return {
        "to": format,
        "path": arguments.output if laid.stands else None,
        "parts": len(laid.assembly.parts),
        "cells": [*laid.cells.shape, int(laid.cells.sum())],
        "verdict": laid.verdict.answer,
        "utilization": laid.verdict.utilization,
        "components": 1 + laid.loose,
        "first": {"components": 1 + laid.first_loose, "utilization": laid.first_utilization},
        "tries": laid.tries,
        "why": list(laid.why),
    }


def _print(arguments: argparse.Namespace, laid: Laid, answer: dict[str, Any]) -> None:
    nx, ny, layers, full = answer["cells"]
    bricks = count(answer["parts"], "brick")
    print(f"{arguments.input}: {nx} x {ny} studs, {count(layers, 'layer')}, {count(full, 'cell')}; {bricks}")
    if laid.stands:
        print(f"  stands; {percent(laid.verdict.utilization or 0.0)} of the clutch strength is needed")
        print(f"  -> {arguments.output} ({answer['to']})")
    else:
        print("  no standing layout was found; nothing was written")
        for reason in laid.why:
            print(f"  {reason}")
        print("  more --studs may keep thin places, and lay two layers where there is one")
