"""`falsework bench build`: products of four tiers built by an arm that sees and feels, refereed by the truth.

Every task is built by the controller and, in a row of its own, by the stand-in for a baseline: bricks in the file's
order, open loop, no checks. The five figures are those of seed 004 (5.2), shares with their Wilson intervals. Three
tasks a tier; with `--full` thirty, and then, on tiers 3 and 4, what narrower windows and each part of the controller
are worth, in points against the whole, and how it fares among bricks that hold by contact and friction alone; products
of a fifth tier, from pieces that are put together apart, and what is left of them without; four models of 5 to 23
bricks, by one arm and by two, three seeds each; and eight kinds of disruption, 25 tasks each on tiers 2 to 4.
`--tasks N` takes N of each instead, `--settings FILE` draws those of tiers from what another file says. Tasks go
through the pool of `batch`, two at a time; with `--journal FILE` it goes on where it was cut. `--out DIR` keeps a page
and a film of each tier's first task, with `--full` of each model too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from falsework.bench.build.figures import disrupted_row, model_row, tier_row
from falsework.bench.build.films import filmed
from falsework.bench.build.tries import ABLATED, COLUMNS, OURS, STUDS, Tries, Wanted, drawn_from
from falsework.bench.rows import Row
from falsework.execution.tiers.disruptions import KINDS
from falsework.execution.tiers.models import MODELS
from falsework.execution.tiers.products import HANGING

SAMPLE, FULL = 3, 30
TIERS = (1, 2, 3, 4)
COMPARED = (3, 4)  # tiers
WINDOWS_MM = (2.0, 1.0)
PIECES = "without subassemblies"
MODEL_SEEDS, CELLS = 3, ("panda", "two-panda")
DISRUPTED, DISRUPTED_TIERS = 25, (2, 3, 4)


def run(
    full: bool = False,
    journal: Path | None = None,
    tasks: int | None = None,
    seed: int = 0,
    out: Path | None = None,
    settings: Path | None = None,
) -> Iterator[Row]:
    """A row for each tier and column; `tasks` of each tier, where told. With `out`, a film of each tier goes there."""
    tries, one = Tries(journal), Wanted(OURS, 0, 0, seed, *drawn_from(settings))
    numbers = range(tasks if tasks is not None else FULL if full else SAMPLE)
    for tier in TIERS:
        for column in COLUMNS:
            yield tier_row(tier, column, tries.of(_each(replace(one, column=column, tier=tier), numbers)))
    built_whole = [Wanted(OURS, 0, 0, seed, model=name, cell=cell) for name in MODELS for cell in CELLS]
    models = built_whole if full else []
    if out is not None:
        yield from filmed([*(replace(one, tier=tier) for tier in TIERS), *models], out)
    if full:
        yield from _compared(tries, one, numbers)
        yield from _from_pieces(tries, replace(one, tier=HANGING), numbers)
        for model in models:
            built = tries.of(_each(model, range(MODEL_SEEDS if tasks is None else tasks)))
            yield model_row(model.model, model.cell, built)
        for kind in KINDS:
            count = DISRUPTED if tasks is None else tasks
            tiers = [DISRUPTED_TIERS[number % len(DISRUPTED_TIERS)] for number in range(count)]
            asked = [replace(one, tier=tier, number=number, disruption=kind) for number, tier in enumerate(tiers)]
            yield disrupted_row(kind, tries.of(asked))


def _each(one: Wanted, numbers: range) -> list[Wanted]:
    return [replace(one, number=number) for number in numbers]


def _compared(tries: Tries, one: Wanted, numbers: range) -> Iterator[Row]:
    """Narrower windows, other bricks, and each part of the controller left out."""
    for tier in COMPARED:
        here = replace(one, tier=tier)
        whole = tries.of(_each(here, numbers))
        for window in WINDOWS_MM:
            tried = tries.of(_each(replace(here, window_mm=window), numbers))
            yield tier_row(tier, f"within {window:.0f} mm", tried, whole)
        for column in (STUDS, *(name for name in ABLATED if name != PIECES)):  # these tiers go brick by brick
            yield tier_row(tier, column, tries.of(_each(replace(here, column=column), numbers)), whole)


def _from_pieces(tries: Tries, one: Wanted, numbers: range) -> Iterator[Row]:
    """Products that go together from pieces only, with these and without."""
    whole = tries.of(_each(one, numbers))
    yield tier_row(HANGING, OURS, whole)
    yield tier_row(HANGING, PIECES, tries.of(_each(replace(one, column=PIECES), numbers)), whole)
