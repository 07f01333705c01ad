"""`falsework scenes`: pictures of random scenes, with the truth."""

from __future__ import annotations

import argparse

from falsework.cli.common import add_json, number, print_json, seed, whole
from falsework.cli.progress import progress_bar
from falsework.model.errors import BadInput

HELP = "pictures of random bricks and the truth about them, as PNG and Parquet: to try eyes on"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", metavar="N", type=whole, default=10, help="scenes (default 10)")
    parser.add_argument("--out", metavar="DIR", help="the folder that they go to")
    parser.add_argument(
        "--kind", metavar="KIND", default="strewn",
        help="strewn, apart, plate, one-color, white, glossy, clutter, empty or products (default strewn)",
    )  # fmt: skip
    parser.add_argument("--views", metavar="N", type=whole, default=1, help="of each scene (default 1)")
    parser.add_argument("--noise", metavar="F", type=number, default=1.0, help="so many times the usual; 0: none")
    parser.add_argument("--off", metavar="M", type=number, default=0.0, help="cameras are so far from where they say")
    parser.add_argument("--turned", metavar="DEG", type=number, default=0.0, help="and turned by so much")
    parser.add_argument("--seed", metavar="N", type=seed, default=0, help="of the first scene (default 0)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from falsework.perception.scenes.dataset import scenes

    if arguments.out is None:
        raise BadInput("name a folder: --out DIR")
    with progress_bar("scenes") as progress:
        made = scenes(
            arguments.out, count=arguments.count, kind=arguments.kind, views=arguments.views, noise=arguments.noise,
            off_m=arguments.off, turned_deg=arguments.turned, seed=arguments.seed, progress=progress,
        )  # fmt: skip
    first, last = made.seeds
    if arguments.json:
        told = {"out": str(made.folder), "kind": made.kind, "scenes": made.scenes, "frames": made.frames}
        seen = {"bricks": made.bricks, "ambiguous": made.ambiguous, "hidden": made.hidden}
        print_json({**told, **seen, "seeds": [first, last], "noise": arguments.noise})
        return 0
    print(f"{made.folder}: {made.frames} frames of {made.scenes} scenes ({made.kind}), seeds {first} to {last}")
    print(
        f"  bricks     {made.bricks}, of which {made.ambiguous} no picture can tell and {made.hidden} are mostly hidden"
    )
    return 0
