"""Bricks laid by a Panda in the brick world, by contact: how many seeds hold, and how fast it is beside real time.

From seed to seed bricks lie elsewhere on the trays, pads are rougher or smoother, and the arm sees bricks elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from falsework.bench.rows import Row
from falsework.gallery import make
from falsework.model.assembly import Assembly
from falsework.planning.plan import plan
from falsework.robots.brickcell.building import build_with_arms
from falsework.robots.brickcell.laying_cell import laying_cell

SEEDS = 20
TARGET = "19 of 20, 10 x real time"


def rows(seeds: int = SEEDS) -> Iterator[Row]:
    """The bridge of `examples`, stairs that bear the press on their last step, and the Duplo bridge."""
    yield _built("bridge laid by a Panda", make("brick-bridge"), seeds)
    yield _built("stairs of 5 laid by a Panda", make("brick-stairs", steps=5), seeds)
    yield _built("Duplo bridge laid by a Panda", make("duplo-bridge", height=1), seeds)


def _built(case: str, assembly: Assembly, seeds: int) -> Row:
    found = plan(assembly)
    cell = laying_cell("panda", assembly)
    held, simulated, spent = 0, 0.0, 0.0
    why: dict[str, int] = {}
    for seed in range(seeds):
        begin = time.process_time()
        built = build_with_arms(found, assembly, cell=cell, seed=seed)
        spent += time.process_time() - begin
        simulated += built.seconds
        held += built.held
        if not built.held:
            why[built.stopped or "something broke afterwards"] = why.get(built.stopped, 0) + 1
    pace = simulated / spent
    return Row(
        case,
        1e3 * spent / seeds,
        notes={"held": held, "seeds": seeds, "real_time": pace, "failed": why},
        target=TARGET,
        figure=f"{held} of {seeds}, {pace:.1f} x real time",
    )
