"""What verbs share that show their answer: `--out` for a report, `--png` for a picture."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from falsework.model.provenance import Provenance
    from falsework.studio.scene import Scene

NOT_SETTINGS = frozenset(["verb", "run", "json", "out", "png", "seed", "input"])


def add_pages(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--out", metavar="DIR", help=f"write {what} there")
    parser.add_argument("--png", metavar="FILE", help="write a picture of it; needs Chromium")


def wants_pages(arguments: argparse.Namespace) -> bool:
    return arguments.out is not None or arguments.png is not None


def title(arguments: argparse.Namespace) -> str:
    """The input's name, without the folders above it."""
    return Path(arguments.input).name or str(arguments.input)


def provenance(arguments: argparse.Namespace) -> Provenance:
    """What was asked: the input and every option that was set."""
    from falsework.model.provenance import Provenance
    from falsework.studio.provenance import input_sha256

    options = {name: value for name, value in vars(arguments).items() if name not in NOT_SETTINGS}
    chosen = {name: value for name, value in options.items() if value is not None and value not in ((), [], 1.0)}
    settings = {"verb": arguments.verb, "input": title(arguments), **chosen}
    return Provenance(input_sha256=input_sha256(arguments.input), settings=settings, seed=arguments.seed)


def write_pages(arguments: argparse.Namespace, scene: Scene) -> None:
    """The report, the picture, or both."""
    if arguments.out is not None:
        from falsework.studio.report import write_report

        write_report(scene, arguments.out)
    if arguments.png is not None:
        from falsework.studio.picture import write_picture

        write_picture(scene, arguments.png)
