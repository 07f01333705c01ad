"""`falsework bench build`: products of four tiers built by an arm that sees and feels, refereed by the truth.

Every task is built by the controller and, in a row of its own, by the stand-in for a baseline: bricks in the file's
order, open loop, no checks. The five figures are those of seed 004 (5.2), shares with their Wilson intervals. Three
tasks a tier; with `--full` thirty. Tasks go through the pool of `batch`, two at a time; with `--journal FILE` it goes
on where it was cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from falsework.bench.build.figures import tier_row
from falsework.bench.build.tries import COLUMNS, Tries, Wanted
from falsework.bench.rows import Row

SAMPLE, FULL = 3, 30
TIERS = (1, 2, 3, 4)


def run(full: bool = False, journal: Path | None = None, tasks: int | None = None, seed: int = 0) -> Iterator[Row]:
    """A row for each tier and column; `tasks` of each tier, where told."""
    tries = Tries(journal)
    numbers = range(tasks if tasks is not None else FULL if full else SAMPLE)
    for tier in TIERS:
        for column in COLUMNS:
            yield tier_row(tier, column, tries.of([Wanted(column, tier, number, seed) for number in numbers]))
