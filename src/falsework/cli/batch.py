"""`falsework batch`: one question asked of many inputs."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from falsework.cli.answering import BATCHED
from falsework.cli.common import add_json, positive, print_json
from falsework.model.figures import count, seconds

if TYPE_CHECKING:
    from falsework.batch.running import Batch

HELP = "one verb asked of many inputs, on all processors or many machines; goes on where it was cut off"
ARTEFACTS = ("none", "failures", "all")
WORDS = {"stable": "stand", "unstable": "fall", "complete": "can be built", "infeasible": "cannot be built"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", metavar="VERB", choices=BATCHED, help=", ".join(BATCHED))
    parser.add_argument(
        "inputs",
        metavar="INPUT",
        nargs="+",
        help="files, folders, 'PATTERN', FILE#*, @LIST, LIST.jsonl, 'new:KIND{n=3..40,seed=0..99}'",
    )
    parser.add_argument("--out", metavar="DIR", required=True, help="rows, summary.json and report.html go there")
    parser.add_argument(
        "--pool", default="processes", help="serial, processes (default: one a processor), processes:N, ray[:ADDRESS]"
    )
    parser.add_argument(
        "--set",
        metavar="NAME=V,V",
        action="append",
        default=[],
        help="an option of the verb, each of several values in turn; repeatable",
    )
    parser.add_argument(
        "--artefacts", choices=ARTEFACTS, default="none", help="whose certificates and reports are kept (default none)"
    )
    parser.add_argument(
        "--timeout", metavar="S", type=positive, default=600.0, help="the most seconds of one job (default 600)"
    )
    parser.add_argument(
        "--memory-mb", metavar="N", type=positive, help="the most memory of one job (default 4096, or its share)"
    )
    parser.add_argument("--resume", action="store_true", help="there must be something to go on from")
    parser.add_argument("--retry", action="store_true", help="try again what was given up")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from falsework.batch.running import batch
    from falsework.studio.batch_page import write_batch_page

    with shown_jobs() as progress:
        found = batch(
            arguments.question,
            arguments.inputs,
            out=arguments.out,
            pool=arguments.pool,
            set=arguments.set,
            artefacts=arguments.artefacts,
            timeout_s=arguments.timeout,
            memory_mb=arguments.memory_mb,
            resume=arguments.resume,
            retry=arguments.retry,
            progress=progress,
        )
    page = write_batch_page(arguments.out)
    if arguments.json:
        print_json(as_dict(found) | {"report": str(page)})
    else:
        _print_table(arguments, found)
    if found.done < found.jobs:
        return 3
    return 1 if found.failed or found.quarantined else 0


def as_dict(found: Batch) -> dict[str, Any]:
    """As `falsework batch --json` prints it."""
    return {
        "jobs": found.jobs,
        "done": found.done,
        "new": found.new,
        "failed": found.failed,
        "quarantined": found.quarantined,
        "answers": found.answers,
        "results": str(found.results),
        "summary": str(found.summary),
        "wall_s": found.wall_s,
        "jobs_per_s": found.jobs_per_s,
    }


@contextmanager
def shown_jobs() -> Iterator[Callable[[int, int], None] | None]:
    """On a terminal, a bar with jobs a second and the time that is left; silent for everybody else."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task, begun_s, before = bar.add_task("jobs", total=None), time.monotonic(), 0

        def advance(done: int, total: int) -> None:
            nonlocal before
            before = before or done - 1  # what was there already
            rate = (done - before) / max(time.monotonic() - begun_s, 1e-9)
            bar.update(task, completed=done, total=total or None, description=f"jobs, {rate:.0f} a second")

        yield advance


def _print_table(arguments: argparse.Namespace, found: Batch) -> None:
    there = "" if found.new == found.jobs else f", {found.new} of them new"
    print(f"{arguments.out}: {found.done} of {count(found.jobs, 'job')} done{there}")
    for answer, number in sorted(found.answers.items(), key=lambda one: (-one[1], one[0])):
        print(f"  {WORDS.get(answer, answer):16} {number}")
    if found.failed:
        print(f"  {'refused':16} {found.failed}")
    if found.quarantined:
        print(f"  {'given up':16} {found.quarantined}")
    rate = "" if found.jobs_per_s is None else f", {found.jobs_per_s:.3g} a second"
    print(f"  took       {seconds(found.wall_s)}{rate}")
    print(f"  written    {found.results}, {found.summary}")
