"""`bench bricks`: ten shapes turned into bricks, against laying them at random again and again."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from falsework.bench.brick_shapes import shapes
from falsework.bench.rows import Row
from falsework.gallery.bond import Bond
from falsework.gallery.tiling import PLAIN, laid
from falsework.laying import lay
from falsework.laying.strengthening import load_of
from falsework.model.arrays import Bools

RESTARTS = 40
SEED = 0


def run() -> Iterator[Row]:
    """One row per shape, and the share of shapes that stand: laid at random once, laid first, and in the end."""
    load_of(laid(np.ones((4, 4, 2), dtype=bool), np.random.default_rng(0)))  # the solvers are in memory
    standing = {"at_random": 0, "first": 0, "stands": 0}
    spent = 0.0
    for name, cells in shapes().items():
        row = _row(name, cells)
        spent += row.ours
        for stage in standing:
            standing[stage] += bool(row.notes[stage])
        yield row
    count = len(shapes())
    yield Row("all", spent, notes={stage: f"{found}/{count}" for stage, found in standing.items()})


def _row(name: str, cells: Bools) -> Row:
    start = time.perf_counter()
    found = lay(cells, seed=SEED)
    ours = 1e3 * (time.perf_counter() - start)
    again, at_random = _at_random(cells)
    first = found.first_loose == 0 and found.first_utilization is not None and found.first_utilization <= 1.0
    return Row(
        name,
        ours,
        again[1],
        f"random layouts ({'stands' if again[0] else 'falls'})",
        {
            "bricks": len(found.assembly.parts),
            "at_random": at_random,
            "first": first,
            "stands": found.stands,
            "first_utilization": found.first_utilization,
            "utilization": found.verdict.utilization,
            "tries": found.tries,
        },
    )


def _at_random(cells: Bools) -> tuple[tuple[bool, float], bool]:
    """Random merging until it stands, `RESTARTS` times at most: whether it did and ms; whether the first did."""
    rng = np.random.default_rng(SEED)
    start = time.perf_counter()
    outcomes = []
    for _ in range(RESTARTS):
        outcomes.append(_stands(laid(cells, rng, PLAIN)))
        if outcomes[-1]:
            break
    return (outcomes[-1], 1e3 * (time.perf_counter() - start)), outcomes[0]


def _stands(bond: Bond) -> bool:
    return bool(bond.components().max() == 0) and load_of(bond).factor <= 1.0
