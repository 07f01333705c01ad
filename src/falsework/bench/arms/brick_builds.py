"""Bricks laid by Pandas in the brick world: how many seeds hold, and how fast it is beside real time.

From seed to seed bricks lie elsewhere on the trays, pads are rougher or smoother, and the arm sees bricks elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from falsework.bench.rows import Row
from falsework.gallery import make
from falsework.model.assembly import Assembly
from falsework.model.errors import Undecided
from falsework.planning.plan import plan
from falsework.robots.brickcell.building import build_with_arms
from falsework.robots.brickcell.cell_world import CellWorld, Grips
from falsework.robots.brickcell.joining import join_in_air
from falsework.robots.brickcell.laying_cell import laying_cell
from falsework.robots.brickcell.mason import Mason

SEEDS, FIRST = 20, 100  # so many from here on; those below were looked at while settings were chosen
TARGET = "19 of 20, 10 x real time"


def rows(seeds: int = SEEDS) -> Iterator[Row]:
    """The bridge of `examples`, stairs that bear the press on their last step, the Duplo bridge; two bricks in the air.

    All by contact; the bridge also with bricks welded to the hand that closed on them, to compare.
    """
    yield _built("bridge laid by a Panda", make("brick-bridge"), seeds)
    yield _built("bridge laid by a Panda, grips welded", make("brick-bridge"), seeds, "weld")
    yield _built("stairs of 5 laid by a Panda", make("brick-stairs", steps=5), seeds)
    yield _built("Duplo bridge laid by a Panda", make("duplo-bridge", height=1), seeds)
    yield _joined_in_air("two bricks joined in the air by two Pandas", seeds)


def _built(case: str, assembly: Assembly, seeds: int, grip: Grips = "contact") -> Row:
    found = plan(assembly)
    cell = laying_cell("panda", assembly)
    held, simulated, spent = 0, 0.0, 0.0
    why: dict[str, int] = {}
    for seed in range(FIRST, FIRST + seeds):
        begin = time.process_time()
        built = build_with_arms(found, assembly, cell=cell, seed=seed, grip=grip)
        spent += time.process_time() - begin
        simulated += built.seconds
        held += built.held
        if not built.held:
            why[built.stopped or "something broke afterwards"] = why.get(built.stopped, 0) + 1
    return _row(case, held, seeds, simulated, spent, why)


def _joined_in_air(case: str, seeds: int) -> Row:
    """Two bricks of Duplo that overlap by half, taken from two trays (seed 000, Fig. 9)."""
    pair = make("duplo-stack", bricks=2)
    lower, upper = (part.name for part in pair.parts)
    length, _, height = pair.parts[0].shape.kind.size_m  # type: ignore[union-attr]
    T = np.eye(4)
    T[:3, 3] = length / 2, 0.0, height
    held, simulated, spent = 0, 0.0, 0.0
    why: dict[str, int] = {}
    for seed in range(seeds):
        begin = time.process_time()
        cell = CellWorld(laying_cell("two-panda", pair), pair)
        breaks: list[object] = []
        cell.world.on_break.append(breaks.append)
        try:
            done = join_in_air(Mason(cell, np.random.default_rng(seed)), lower, upper, T).joined and not breaks
            failed = "something broke, or did not go in"
        except Undecided as none:
            done, failed = False, str(none)
        spent += time.process_time() - begin
        simulated += cell.time_s
        held += done
        if not done:
            why[failed] = why.get(failed, 0) + 1
    return _row(case, held, seeds, simulated, spent, why)


def _row(case: str, held: int, seeds: int, simulated: float, spent: float, why: dict[str, int]) -> Row:
    pace = simulated / spent
    return Row(
        case,
        1e3 * spent / seeds,
        notes={"held": held, "seeds": seeds, "real_time": pace, "failed": why},
        target=TARGET,
        figure=f"{held} of {seeds}, {pace:.1f} x real time",
    )
