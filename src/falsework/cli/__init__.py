"""The command line: one file per verb. Parse, call one library function, print.

A verb is a module with `HELP`, `add_arguments(parser)` and `run(arguments) -> exit code`; it imports what it
needs inside `run`, so that `falsework --help` stays quick.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from falsework.cli.outlet import open_outlets
from falsework.model.errors import BadInput, FalseworkError, Undecided, did_you_mean, one_line
from falsework.version import __version__

VERBS = (
    "info",
    "check",
    "collapse",
    "margins",
    "simulate",
    "plan",
    "replan",
    "verify",
    "new",
    "convert",
    "view",
    "bench",
    "doctor",
)


class OneLineParser(argparse.ArgumentParser):
    """argparse, but wrong usage is one line like every other bad input, and -1,0,-9 is a vector, not an option."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._negative_number_matcher = re.compile(r"-[\d.][\d.,eE+-]*$")

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message} (see: {self.prog} --help)")


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = OneLineParser(
        prog="falsework",
        description="Tells how things made of rigid parts stand, fall, and get built.",
        epilog="Exit codes: 0 yes, 1 no, 2 bad input, 3 undecided.",
    )
    top.add_argument("--version", action="version", version=f"falsework {__version__}")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=OneLineParser)
    for name in VERBS:
        module = importlib.import_module(f"falsework.cli.{name}")
        verb = verbs.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(verb)
        verb.set_defaults(run=module.run)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; every ending is an exit code of the contract."""
    words = list(sys.argv[1:] if argv is None else argv)
    if argv is None:  # whoever calls this function has streams of their own
        open_outlets()
    logging.basicConfig(level=logging.WARNING, format="falsework: %(levelname)s: %(message)s", stream=sys.stderr)
    try:
        if words and not words[0].startswith("-") and words[0] not in VERBS:
            raise BadInput(f"unknown verb {words[0]!r}; {did_you_mean(words[0], VERBS)}")
        arguments = parser().parse_args(words)
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except Undecided as why:
        return _complain(why, 3)
    except FalseworkError as why:
        return _complain(why, 2)
    except MemoryError:
        return _complain("out of memory before an answer was certain", 3)
    except KeyboardInterrupt:
        return _complain("interrupted", 130)


def _complain(why: object, code: int) -> int:
    print(f"falsework: {one_line(why)}", file=sys.stderr)
    return code
