"""`falsework bench brick_plans`: plans for random brick models that stand, found and verified.

`hands` rows: our search, with every plan verified and everything else proved impossible or counted as open. `ablation`
row: seed 004's Algorithm 1 with its subassemblies, against the same search without. `press` row: every press of those
plans judged by forces and by the published support polygon; how often they differ, and whom the brick world proves
right.
"""

from __future__ import annotations

import importlib.util
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
from falsework.planning.jobs import Planned, Planner
from falsework.planning.moves import bits
from falsework.planning.plan import plan
from falsework.planning.presses import PRESS_N
from falsework.planning.rules import rules_for
from falsework.planning.verify import verify
from falsework.statics.oracle import Oracle

MODELS = 200
ABLATED = 40
BRICKS = (8, 40)
TIMEOUT_S = 20.0
WATCHED = 40  # contested presses that the brick world is asked about
RAMP_S, HOLD_S = 0.5, 0.1


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
    yield from _presses()


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


def _presses() -> Iterator[Row]:
    """Each press of our plans for two hands, as if nobody supported it: who says that it breaks the structure.

    Where forces and polygon differ, the brick world is asked: it presses, and watches whether a joint gives.
    """
    counts = Counter[str]()
    contested: list[tuple[Assembly, State, bool]] = []
    start = time.perf_counter()
    for sample in samples():
        done = sample.planned(2)
        work = Brickwork(sample.assembly, sample.found, rules_for(sample.assembly, "bricks", press_n=PRESS_N))
        polygon = PolygonPressCheck(sample.assembly)
        for move in done.moves:
            for part in bits(move.parts):
                state = work.pressed_state(part, move.earlier.installed, 0, move.parts)
                if state is None:
                    continue
                bears = work.oracle.answer(state) == "stable"
                inside = polygon.bears(part, move.earlier.installed | move.parts)
                counts[("bears" if bears else "breaks") + ("_in" if inside else "_out")] += 1
                if bears != inside:
                    contested.append((sample.assembly, state, bears))
    total = sum(counts.values())
    differ = len(contested) / max(total, 1)
    yield Row("press", 1e3 * (time.perf_counter() - start), notes={"presses": total, "differ": differ, **counts})
    if importlib.util.find_spec("mujoco") is not None:
        yield _in_the_world(contested[:: max(1, len(contested) // WATCHED)][:WATCHED])


def _in_the_world(contested: list[tuple[Assembly, State, bool]]) -> Row:
    """How often the brick world agrees with the forces, on presses where the polygon says the opposite."""
    start = time.perf_counter()
    right = sum(_gives(assembly, state) != bears for assembly, state, bears in contested)
    notes = {"presses": len(contested), "forces_right": right, "polygon_right": len(contested) - right}
    return Row("press in the world", 1e3 * (time.perf_counter() - start), notes=notes)


def _gives(assembly: Assembly, state: State) -> bool:
    """Whether a joint gives when the load of a state is put on its parts, slowly, in the brick world."""
    from falsework.brickworld.events import Break
    from falsework.brickworld.pushes import Ramp
    from falsework.brickworld.settings import Settings
    from falsework.brickworld.world import World

    there = tuple(part for number, part in enumerate(assembly.parts) if state.installed >> number & 1)
    world = World(assembly.changed(parts=there, loads=()), Settings())
    load = state.loads_of(assembly)[-1]
    assert load.point_m is not None
    part = world.number(load.part)
    point = np.linalg.inv(world.assembly.poses[part]) @ [*load.point_m, 1.0]
    broken: list[Break] = []
    world.on_break.append(broken.append)
    world.pushes.append(Ramp(part, point[:3], load.force_n, np.zeros(3), RAMP_S))
    world.prepare()
    world.run(RAMP_S + HOLD_S)
    return bool(broken)
