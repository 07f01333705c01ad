"""How far long work is, on stderr, for people who watch it in a terminal; silent for everybody else."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from falsework.planning.plans.jobs import Progress as SearchProgress


@contextlib.contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A function that takes done and total, for the library's `progress`; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance


@contextlib.contextmanager
def shown_progress(parts: int) -> Iterator[Callable[[SearchProgress], None]]:
    """Of a search, a line on a terminal: evaluations, how many a second, how far the best state is."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("planning …") as status:

        def show(now: SearchProgress) -> None:
            rate = now.evaluations / max(now.elapsed_s, 1e-9)
            best = f"best leaves {now.fewest_left} of {parts} parts"
            status.update(f"planning: {now.evaluations} evaluations, {rate:.0f} a second, {best}")

        yield show


def both(tick: Callable[[], None], show: Callable[[SearchProgress], None]) -> Callable[[SearchProgress], None]:
    """One callback for the journal and the terminal."""

    def progress(now: SearchProgress) -> None:
        tick()
        show(now)

    return progress
