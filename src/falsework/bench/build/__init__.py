"""`falsework bench build`: products of four tiers built by an arm that sees and feels, refereed by the truth.

Every task is built by the controller and, in a row of its own, by the stand-in for a baseline: bricks in the file's
order, open loop, no checks. The five figures are those of seed 004 (5.2), shares with their Wilson intervals. Three
tasks a tier; with `--full` thirty, and then, on tiers 3 and 4, what narrower windows and each part of the controller
are worth, in points against the whole, and how it fares among bricks that hold by contact and friction alone; what it
cannot build as it puts no pieces together apart; and eight kinds of disruption, 25 tasks each on tiers 2 to 4.
`--tasks N` takes N of each instead. Tasks go through the pool of `batch`, two at a time; with `--journal FILE` it goes
on where it was cut. `--out DIR` keeps a page and a film of each tier's first task.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from falsework.bench.build.figures import disrupted_row, tier_row
from falsework.bench.build.films import filmed
from falsework.bench.build.pieces import pieces_row
from falsework.bench.build.tries import ABLATED, COLUMNS, OURS, STUDS, Tries, Wanted
from falsework.bench.rows import Row
from falsework.execution.tiers.disruptions import KINDS

SAMPLE, FULL = 3, 30
TIERS = (1, 2, 3, 4)
COMPARED = (3, 4)  # tiers
WINDOWS_MM = (2.0, 1.0)
DISRUPTED, DISRUPTED_TIERS = 25, (2, 3, 4)


def run(
    full: bool = False,
    journal: Path | None = None,
    tasks: int | None = None,
    seed: int = 0,
    out: Path | None = None,
) -> Iterator[Row]:
    """A row for each tier and column; `tasks` of each tier, where told. With `out`, a film of each tier goes there."""
    tries = Tries(journal)
    numbers = range(tasks if tasks is not None else FULL if full else SAMPLE)
    for tier in TIERS:
        for column in COLUMNS:
            yield tier_row(tier, column, tries.of([Wanted(column, tier, number, seed) for number in numbers]))
    if out is not None:
        yield from filmed(TIERS, seed, out)
    if full:
        yield from _compared(tries, numbers, seed)
        for kind in KINDS:
            tiers = [DISRUPTED_TIERS[n % len(DISRUPTED_TIERS)] for n in range(DISRUPTED if tasks is None else tasks)]
            asked = [Wanted(OURS, tier, number, seed, kind) for number, tier in enumerate(tiers)]
            yield disrupted_row(kind, tries.of(asked))


def _compared(tries: Tries, numbers: range, seed: int) -> Iterator[Row]:
    """Narrower windows, other bricks, and each part of the controller left out."""
    for tier in COMPARED:
        whole = tries.of([Wanted(OURS, tier, number, seed) for number in numbers])
        for window in WINDOWS_MM:
            asked = [Wanted(OURS, tier, number, seed, window_mm=window) for number in numbers]
            yield tier_row(tier, f"within {window:.0f} mm", tries.of(asked), whole)
        for column in (STUDS, *ABLATED):
            tried = tries.of([Wanted(column, tier, number, seed) for number in numbers])
            yield tier_row(tier, column, tried, whole)
        yield pieces_row(tier, len(numbers), seed)
