"""`falsework bench brick_plans`: plans for random brick models that stand, found and verified.

`hands` rows: our search, with every plan verified and everything else proved impossible or counted as open. `ablation`
row: seed 004's Algorithm 1 with its subassemblies, against the same search without. `press` row: every press of those
plans judged by forces and by the published support polygon; how often they differ.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from falsework.bench.rows import Row
from falsework.gallery import make
from falsework.geometry.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.planning.brickwork import Brickwork, PolygonPressCheck
from falsework.planning.moves import bits
from falsework.planning.plan import plan
from falsework.planning.presses import PRESS_N
from falsework.planning.rules import rules_for
from falsework.planning.solving import Planned, Planner
from falsework.planning.verify import verify
from falsework.statics.oracle import Oracle

MODELS = 200
ABLATED = 40
BRICKS = (8, 40)
TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A random model that stands, with its interfaces."""

    assembly: Assembly
    found: Interfaces

    def planned(self, robots: int, planner: Planner = "auto") -> Planned:
        return plan(
            self.assembly, rules="bricks", robots=robots, planner=planner, timeout_s=TIMEOUT_S, found=self.found
        )


def run() -> Iterator[Row]:
    for robots in (1, 2):
        yield _hands(robots)
    yield _ablation()
    yield _presses()


@cache
def samples(count: int = MODELS) -> tuple[Sample, ...]:
    """The first random models, by seed, that stand."""
    found: list[Sample] = []
    seed = 0
    while len(found) < count:
        size = int(np.random.default_rng(seed).integers(*BRICKS))
        assembly = make("random-bricks", seed, bricks=size)
        touching = interfaces(assembly)
        complete = State.complete(assembly)
        if Oracle(assembly, touching).answer(complete) == "stable":
            found.append(Sample(assembly, touching))
        seed += 1
    return tuple(found)


def _hands(robots: int) -> Row:
    """How many models have a plan, how many a proof that there is none, and how many neither."""
    outcomes, times = Counter[str](), []
    for sample in samples():
        start = time.perf_counter()
        done = sample.planned(robots)
        times.append(1e3 * (time.perf_counter() - start))
        valid = done.status != "complete" or verify(done.plan, sample.assembly).valid
        outcomes[done.status if valid else "invalid"] += 1
    settled = (outcomes["complete"] + outcomes["infeasible"]) / len(times)
    notes = {"models": len(times), "plan": outcomes["complete"], "proof": outcomes["infeasible"], "settled": settled}
    return Row(f"{robots} hands", float(np.median(times)), notes={**notes, "worst_ms": max(times)})


def _ablation() -> Row:
    """Algorithm 1 with and without subassemblies: time, and evaluations in all."""
    spent: dict[Planner, list[float]] = {"subassemblies": [], "one-by-one": []}
    tried: dict[Planner, int] = {"subassemblies": 0, "one-by-one": 0}
    solved: dict[Planner, int] = {"subassemblies": 0, "one-by-one": 0}
    for sample in samples(MODELS)[:ABLATED]:
        for planner in spent:
            start = time.perf_counter()
            done = sample.planned(1, planner)
            spent[planner].append(1e3 * (time.perf_counter() - start))
            tried[planner] += done.evaluations
            solved[planner] += done.status == "complete"
    notes = {
        f"{what}_{name}": counts[name] for what, counts in (("tried", tried), ("solved", solved)) for name in spent
    }
    ours, reference = sum(spent["subassemblies"]), sum(spent["one-by-one"])
    return Row("ablation", ours, reference, "without subassemblies", notes)


def _presses() -> Row:
    """Each press of our plans for two hands, as if nobody supported it: who says that it breaks the structure."""
    counts = Counter[str]()
    start = time.perf_counter()
    for sample in samples():
        done = sample.planned(2)
        work = Brickwork(sample.assembly, sample.found, rules_for(sample.assembly, "bricks", press_n=PRESS_N))
        polygon = PolygonPressCheck(sample.assembly)
        for move in done.moves:
            for part in bits(move.parts):
                state = work.pressed_state(part, move.earlier.installed, 0, move.parts)
                if state is not None:
                    there, bears = move.earlier.installed | move.parts, work.oracle.answer(state) == "stable"
                    counts[("bears" if bears else "breaks") + ("_in" if polygon.bears(part, there) else "_out")] += 1
    total = sum(counts.values())
    differ = (counts["bears_out"] + counts["breaks_in"]) / max(total, 1)
    return Row("press", 1e3 * (time.perf_counter() - start), notes={"presses": total, "differ": differ, **counts})
