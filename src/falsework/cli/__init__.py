"""The command line: one file per verb. Parse, call one library function, print.

A verb is a module with `HELP`, `add_arguments(parser)` and `run(arguments) -> exit code`; it imports what it
needs inside `run`, so that `falsework --help` stays quick.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import logging
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from falsework.cli.complaints import INTERRUPTED, OUT_OF_MEMORY, WrongUsage, complain
from falsework.cli.completion import WRITERS, PrintCompletion
from falsework.cli.lesson import LESSON
from falsework.cli.outlet import open_outlets
from falsework.model.errors import BadInput, FalseworkError, Undecided, did_you_mean, nearest, shown
from falsework.model.extras import missing
from falsework.version import __version__

__all__ = ["VERBS", "main", "parser"]

VERBS = (
    "info",
    "check",
    "collapse",
    "margins",
    "simulate",
    "plan",
    "replan",
    "verify",
    "cell",
    "build",
    "locate",
    "scenes",
    "calibrate",
    "new",
    "convert",
    "instruct",
    "batch",
    "learn",
    "view",
    "bench",
    "doctor",
)


class OneLineParser(argparse.ArgumentParser):
    """argparse, but wrong usage is one line like every other bad input, and -1,0,-9 is a vector, not an option."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._negative_number_matcher = re.compile(r"-[\d.][\d.,eE+-]*$")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does it, but an option that nobody knows is told with the one that was meant."""
        found, unknown = self.parse_known_args(args, namespace)
        if not unknown:
            return found
        verb = _verbs(self)[found.verb]
        options = [spelling.lstrip("-") for action in verb._actions for spelling in action.option_strings]
        wrong = next((word for word in unknown if word.startswith("--")), "").partition("=")[0]
        meant = nearest(wrong.lstrip("-"), options)
        return verb.error(f"unrecognized arguments: {' '.join(unknown)}{f'; did you mean --{meant}?' if meant else ''}")

    def error(self, message: str) -> NoReturn:
        raise WrongUsage(f"{message} (see: {self.prog} --help)")


def parser() -> argparse.ArgumentParser:
    """The whole command line.

    >>> parser().parse_args(["info", "arch.yaml"]).verb
    'info'
    """
    top = OneLineParser(
        prog="falsework",
        description="Tells how things made of rigid parts stand, fall, and get built.",
        epilog="Exit codes: 0 yes, 1 no, 2 bad input, 3 undecided, 130 interrupted.",
    )
    top.add_argument(
        "--completion", metavar="SHELL", choices=tuple(WRITERS), action=PrintCompletion, help="for bash, zsh or fish"
    )
    top.add_argument("--version", action="version", version=f"falsework {__version__}")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=OneLineParser)
    for name in VERBS:
        module = importlib.import_module(f"falsework.cli.{name}")
        verb = verbs.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(verb)
        verb.set_defaults(run=module.run)
    return top


def _verbs(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (table,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return table.choices


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; every ending is an exit code of the contract.

    >>> main(["info", "examples/arch.yaml"])  # doctest: +ELLIPSIS
    examples/arch.yaml: falsework-assembly/1
    ...
    0
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if argv is None:  # whoever calls this function has streams of their own
        open_outlets()
    logging.basicConfig(level=logging.WARNING, format="falsework: %(levelname)s: %(message)s", stream=sys.stderr)
    try:
        if not words:
            print(LESSON, flush=True)
        if words and not words[0].startswith("-") and words[0] not in VERBS:
            raise WrongUsage(f"unknown verb {words[0]!r}; {did_you_mean(words[0], VERBS)}")
        arguments = parser().parse_args(words)
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except Undecided as why:
        return complain(why, 3, words)
    except FalseworkError as why:
        return complain(why, 2, words)
    except ModuleNotFoundError as why:
        if (extra := missing(why)) is None:
            raise
        return complain(extra, 2, words)
    except OSError as why:
        if why.errno != errno.ENAMETOOLONG:
            raise
        return complain(BadInput(f"{shown(str(why.filename))}: no file can have so long a name"), 2, words)
    except MemoryError:
        return complain(OUT_OF_MEMORY, 3, words)
    except KeyboardInterrupt:
        return complain(INTERRUPTED, 130, words)
