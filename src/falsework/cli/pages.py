"""What verbs share that show their answer: `--out` for a report, `--png` for a picture, `--gif`, `--mp4` for films."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from falsework.cli.common import input_hash
from falsework.cli.progress import progress_bar

if TYPE_CHECKING:
    from falsework.model.provenance import Provenance
    from falsework.studio.film import Encoder
    from falsework.studio.scene import Scene

FILMS: tuple[Encoder, ...] = ("gif", "mp4")
NOT_SETTINGS = frozenset(["verb", "run", "json", "out", "png", "gif", "mp4", "svg", "seed", "input", "given"])


def add_pages(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--out", metavar="DIR", help=f"write {what} there")
    parser.add_argument("--png", metavar="FILE", help="write a picture of it; needs Chromium")
    parser.add_argument("--gif", metavar="FILE", help="write a film of it; needs Chromium and Pillow")
    parser.add_argument("--mp4", metavar="FILE", help="the same; needs Chromium and ffmpeg")


def wants_pages(arguments: argparse.Namespace) -> bool:
    """Whether to make a scene; what it needs and is missing is said before anything long begins."""
    for kind in FILMS:
        if getattr(arguments, kind) is not None:
            from falsework.studio.film import refuse_missing

            refuse_missing(kind)
    return any(getattr(arguments, one) is not None for one in ("out", "png", *FILMS))


def title(arguments: argparse.Namespace) -> str:
    """The input's name, without the folders above it."""
    if arguments.input == "-":
        return "standard input"
    return Path(arguments.input).name or str(arguments.input)


def provenance(arguments: argparse.Namespace) -> Provenance:
    """What was asked: the input and every option that was set."""
    from falsework.model.provenance import Provenance

    options = {name: value for name, value in vars(arguments).items() if name not in NOT_SETTINGS}
    chosen = {name: value for name, value in options.items() if value is not None and value not in ((), [], 1.0)}
    settings = {"verb": arguments.verb, "input": title(arguments), **chosen}
    return Provenance(input_sha256=input_hash(arguments), settings=settings, seed=arguments.seed)


def write_pages(arguments: argparse.Namespace, scene: Scene) -> None:
    """The report, the picture, the film: whichever were asked for."""
    if arguments.out is not None:
        from falsework.studio.report import write_report

        write_report(scene, arguments.out)
    if arguments.png is not None:
        from falsework.studio.picture import write_picture

        write_picture(scene, arguments.png)
    for kind in FILMS:
        target = getattr(arguments, kind)
        if target is not None:
            from falsework.studio.film import write_film

            with progress_bar(f"--{kind}") as progress:
                write_film(scene, target, kind, progress)
