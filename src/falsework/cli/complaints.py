"""What the command line says when it has no answer: one line on stderr and, with `--json`, one object on stdout too."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

from falsework.cli.common import print_json
from falsework.model.errors import (
    BadFile,
    BadInput,
    BadPart,
    FalseworkError,
    MissingExtra,
    Overlap,
    Undecided,
    one_line,
)


class WrongUsage(BadInput):
    """The words on the command line make no sense."""


KINDS = (WrongUsage, Overlap, BadPart, MissingExtra, Undecided, BadFile, BadInput)  # the nearest first
INTERRUPTED, OUT_OF_MEMORY = "interrupted", "out of memory before an answer was certain"
PLAIN_KINDS = {INTERRUPTED: "interrupted", OUT_OF_MEMORY: "out-of-memory"}


def complain(why: FalseworkError | str, code: int, words: Sequence[str]) -> int:
    """Say it where it belongs; the exit code, unchanged."""
    print(f"falsework: {one_line(why)}", file=sys.stderr)
    if asks_for_json(words):
        print_json({"error": told(why, code)})
    return code


def asks_for_json(words: Sequence[str]) -> bool:
    """Whether the words have `--json` in them, or as much of it as argparse takes for it."""
    return any(word.startswith("--js") and "--json".startswith(word) for word in words)


def told(why: FalseworkError | str, code: int) -> dict[str, Any]:
    """`kind`, `message`, `exit` and what is known of the place: `path`, `place`, `part`, `library` and the like."""
    if isinstance(why, str):
        return {"kind": PLAIN_KINDS.get(why, "failed"), "message": one_line(why), "exit": code}
    about: dict[str, Any] = {}
    for one in reversed(_causes(why)):
        about |= _details(one)
    kinds = (kind for kind in KINDS if any(isinstance(one, kind) for one in _causes(why)))
    name = next(kinds, FalseworkError).__name__
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
    return {"kind": kind, "message": one_line(why), "exit": code, **about}


def _causes(why: BaseException | None) -> list[BaseException]:
    """An error and those that it was made of: what is wrong with a part, in the file that says so."""
    seen: list[BaseException] = []
    while isinstance(why, FalseworkError) and why not in seen:  # an error may be raised again from itself
        seen.append(why)
        why = why.__cause__
    return seen


def _details(why: BaseException) -> dict[str, Any]:
    match why:
        case BadFile():
            return {"path": why.path, **({"place": why.place} if why.place else {}), "problem": one_line(why.problem)}
        case BadPart():
            return {"part": why.part, "field": why.field, "expected": why.expected}
        case Overlap():
            return {"parts": [why.first, why.second], "depth_m": why.depth_m, "allowed_m": why.allowed_m}
        case MissingExtra():
            return {"library": why.library, "extra": why.extra}
    return {}
