"""Options and output that the verbs share."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falsework.model.errors import BadFile, BadInput, shown

if TYPE_CHECKING:
    from falsework.batch.inputs.sources import JobSource
    from falsework.model.assembly import Assembly, Ground


def add_input(parser: argparse.ArgumentParser) -> None:
    """What every verb that reads an assembly takes."""
    parser.add_argument("input", metavar="INPUT", help="a file, FILE#key, a folder of meshes, or - for standard input")
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How an input is read."""
    parser.add_argument("--fixed", metavar="A,B", type=names, help="parts that never move; replaces what the file says")
    parser.add_argument("--ground", metavar="KIND", help="baseplate, table[:MU] or none")
    parser.add_argument("--mu", metavar="M", type=number, help="friction of contacts (default 0.55)")
    parser.add_argument("--scale", metavar="S", type=positive, default=1.0, help="metres per file unit, for meshes")
    parser.add_argument("--allow-overlap", metavar="DEPTH", type=number, help="accept overlaps up to DEPTH metres")
    add_gap(parser, "default: 1e-4 of the smaller part's size")
    parser.add_argument(
        "--ldraw", metavar="FOLDER", help="LDraw's parts library, a folder or complete.zip (default: $LDRAWDIR)"
    )
    parser.add_argument("--seed", metavar="N", type=seed, default=0, help="random seed (default 0)")
    add_json(parser)


def add_gap(parser: argparse.ArgumentParser, otherwise: str) -> None:
    """How far apart parts may be and touch."""
    parser.add_argument("--gap", metavar="METRES", type=positive, help=f"parts this far apart touch ({otherwise})")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, nothing else there")


def read(arguments: argparse.Namespace, source: str | None = None) -> Assembly:
    """The assembly that the input options describe; `source` where it is not the input itself."""
    from falsework.formats import load

    options = {
        "fixed": arguments.fixed,
        "ground": ground(arguments.ground) if arguments.ground is not None else None,
        "mu": arguments.mu,
        "scale": arguments.scale,
        "allow_overlap_m": arguments.allow_overlap,
        "gap": arguments.gap,
    }
    if arguments.ldraw is not None:
        options["ldraw"] = arguments.ldraw
    if source is None and (given := given_source(arguments)) is not None:
        return given.assembly(**options)
    named = arguments.input if source is None else source
    _refuse_kind(named)
    return load(named, **options)


def given_source(arguments: argparse.Namespace) -> JobSource | None:
    """What the input is where it is no file: `batch` puts it there."""
    given: JobSource | None = getattr(arguments, "given", None)
    return given


def input_hash(arguments: argparse.Namespace) -> str:
    """The hash of the input, file or not."""
    from falsework.formats.fingerprint import input_sha256

    given = given_source(arguments)
    return input_sha256(arguments.input) if given is None else given.sha256()


def _refuse_kind(named: str) -> None:
    """Somebody who names a kind of the gallery wants the command that makes a file of it."""
    if not re.fullmatch(r"[a-z-]{1,40}", named) or Path(named).exists():  # most are files; the gallery is not asked
        return
    from falsework.gallery import cad_kinds, kinds

    if named in kinds() or named in cad_kinds():
        made = f"falsework new {named} --out {named}.yaml"
        raise BadFile(named, "", f"there is no such file, but a kind of the gallery; make one: {made}")


def about_input(arguments: argparse.Namespace, why: BadInput) -> BadInput:
    """The same complaint, with the file it is about."""
    return why if isinstance(why, BadFile) else BadFile(arguments.input, "", str(why))


def ground(text: str) -> Ground:
    """`baseplate`, `table`, `table:0.4` or `none`."""
    from falsework.model.assembly import Ground

    try:
        return Ground.parsed(text)
    except BadInput as why:
        raise BadInput(f"--ground: {why}") from why


def names(text: str) -> tuple[str, ...]:
    """Comma-separated names; an empty text is no names."""
    return tuple(name for name in text.split(",") if name)


def number(text: str) -> float:
    """A finite number that is 0 or more."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"found {shown(text)}, expected a number that is 0 or more")
    return value


def positive(text: str) -> float:
    """A finite number above 0."""
    try:
        value = number(text)
    except argparse.ArgumentTypeError:
        value = 0.0
    if value == 0:
        raise argparse.ArgumentTypeError(f"found {shown(text)}, expected a number above 0")
    return value


def seed(text: str) -> int:
    """A whole number that is 0 or more."""
    if not (text.isascii() and text.isdigit() and len(text) <= 40):
        raise argparse.ArgumentTypeError(f"found {shown(text)}, expected a whole number that is 0 or more")
    return int(text)


def whole(text: str) -> int:
    """A whole number above 0."""
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text)):
        raise argparse.ArgumentTypeError(f"found {shown(text)}, expected a whole number above 0")
    return int(text)


def print_json(answer: dict[str, Any]) -> None:
    """One JSON object, never NaN or Infinity."""
    json.dump(answer, sys.stdout, allow_nan=False)
    sys.stdout.write("\n")
