"""`falsework bench`: what is fast, measured here and now against a named reference."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Any, TextIO

from falsework.cli.common import add_json, print_json

HELP = "speed, as ratios against a named reference in the same run"
SUITES = (
    "contacts",
    "equilibrium",
    "certified",
    "collapse",
    "hands",
    "models",
    "oracle",
    "plan",
    "bricks",
    "brick_plans",
    "brickworld",
    "view",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", choices=(*SUITES, "all"), metavar="SUITE", help=", ".join((*SUITES, "all")))
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    suites = SUITES if arguments.suite == "all" else (arguments.suite,)
    collected = []
    for suite in suites:
        for row in importlib.import_module(f"falsework.bench.{suite}").run():
            collected.append({"suite": suite, **row.as_dict()})
            _print_row(collected[-1], sys.stderr if arguments.json else sys.stdout)
    if arguments.json:
        print_json({"rows": collected})
    return 0


def _print_row(row: dict[str, Any], stream: TextIO) -> None:
    """One line a measurement, printed as soon as it is there."""
    ratio = "" if row["ratio"] is None else f"{row['reference']:12.2f} ms {row['against']} = {row['ratio']:.1f} x"
    known = ("suite", "case", "ours", "reference", "ratio", "against")
    notes = ", ".join(f"{key} {_short(value)}" for key, value in row.items() if key not in known)
    line = f"{row['suite']:12} {row['case']:22} {row['ours']:10.2f} ms {ratio:48} {notes}"
    print(line.rstrip(), file=stream, flush=True)


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
