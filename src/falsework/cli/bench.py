"""`falsework bench`: what is fast, measured here and now against a named reference."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, TextIO

from falsework.bench.suites import ALL, SUITES, bench
from falsework.cli.common import add_json, print_json, seed, whole

HELP = "speed, as ratios against a named reference in the same run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", choices=(*SUITES, ALL), metavar="SUITE", help=", ".join((*SUITES, ALL)))
    parser.add_argument(
        "--full",
        action="store_true",
        help="plan: a beam on Dome-72 (two minutes), Table I on the largest ones (minutes); "
        "brick_plans: 200 random models (two hours); "
        "brickworld: a thousand worlds (ten minutes); cad: all hundred assemblies and 500 states (an hour); "
        "perception: 2,000 scenes (hours); build: 30 tasks a tier (an hour); batch: 10,000 structures (ten minutes); "
        "learning: five seeds, larger models (hours); "
        "what was measured before Ctrl-C is kept",
    )
    parser.add_argument(
        "--journal",
        metavar="FILE",
        type=Path,
        help="brick_plans, cad, build, perception, learning: keep what was done there, and go on from it",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        help="cad: a page there that shows plans side by side; build: films; perception: how far off bricks are, drawn",
    )
    parser.add_argument("--tasks", metavar="N", type=whole, help="build: so many tasks of each kind (default 3 or 30)")
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        type=Path,
        help="assemblies of others to measure on; else what FALSEWORK_DATA names",
    )
    parser.add_argument(
        "--seed", metavar="N", type=seed, help="build: draw other tasks; perception: of the first scene (default 0)"
    )
    parser.add_argument(
        "--settings",
        metavar="FILE",
        type=Path,
        help="build: what tasks are drawn from, TOML as execution/tiers/usual.toml has it",
    )
    parser.add_argument(
        "--pool",
        metavar="POOL",
        help="perception, learning: who does scenes, who trains: serial, processes[:N], ray[:ADDRESS]",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    stream = sys.stderr if arguments.json else sys.stdout
    collected: list[dict[str, Any]] = []
    stopped = False
    try:
        names = ("full", "journal", "data", "out", "tasks", "seed", "settings", "pool")
        options = {name: getattr(arguments, name) for name in names}
        for suite, row in bench(arguments.suite, **options):
            collected.append({"suite": suite, **row.as_dict()})
            _print_row(collected[-1], stream)
    except KeyboardInterrupt:
        stopped = True
    _print_targets([row for row in collected if "target" in row], stream)
    if arguments.json:
        print_json({"rows": collected})
    return 130 if stopped else 0


def _print_row(row: dict[str, Any], stream: TextIO) -> None:
    """One line per measurement, printed as soon as it is there, with what came out: who stops early has seen it."""
    if "skipped" in row:
        print(f"{row['suite']:12} {row['case']:22} skipped: {row['skipped']}", file=stream, flush=True)
        return
    ratio = "" if row["ratio"] is None else f"{row['reference']:12.2f} ms {row['against']} = {row['ratio']:.1f} x"
    known = ("suite", "case", "ours", "reference", "ratio", "against", "figure", "target")
    notes = ", ".join(f"{key} {_short(value)}" for key, value in row.items() if key not in known)
    told = ratio or row.get("figure", "")
    line = f"{row['suite']:12} {row['case']:22} {row['ours']:10.2f} ms {told:48} {notes}"
    print(line.rstrip(), file=stream, flush=True)


def _print_targets(rows: list[dict[str, Any]], stream: TextIO) -> None:
    """Figures beside what was asked for."""
    if rows:
        print(f"\n{'case':44} {'figure':40} target", file=stream)
    for row in rows:
        print(f"{row['case']:44} {row['figure']:40} {row['target']}", file=stream)


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
