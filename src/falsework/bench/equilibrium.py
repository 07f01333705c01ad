"""`falsework bench equilibrium`: verdicts with their proof, one core, distinct states, no cache.

Blocks: the states of a two-robot beam search, layer by layer, building and referee included, beside a plain dual
program in PIQP and DAQP, whichever is quicker. Bricks: the verdict for changed loads on a known topology, beside the
published three-stage program in OSQP.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from falsework.bench.beam import beam_states
from falsework.bench.plain_dual import PlainDual
from falsework.bench.reference_data import DATA
from falsework.bench.rows import Row, best_ms, resident_mb
from falsework.bench.samples import cantilever, random_state, vault
from falsework.formats import load
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.bits import flags
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Answer
from falsework.statics.clutches.capacities import ClutchRows, clutch_rows
from falsework.statics.core.ambiguity import certain
from falsework.statics.core.batches import findings
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.loads import load_wrenches
from falsework.statics.core.program import Program
from falsework.statics.published.three_stage import ThreeStage
from falsework.verdicts.warm import warm

PUBLISHED = {"Bottle-12": ("tetris-1", "0"), "Dome-37": ("rulin", "0"), "Dome-72": ("dome", "72")}
MOST_STATES = 1500  # timed by us
LAYER = 64  # states that a beam search asks about at a time
REFERENCE_STATES = 150  # timed by the reference, of the same
SHARES = (0.3, 0.9, 0.95)  # of the clutch strength that the brick models need
WARM_LOADS, REFERENCE_LOADS = 20, 3
REFERENCE_BRICKS = 1000  # beyond, the reference takes minutes


def run() -> Iterator[Row]:
    """Blocks, then bricks."""
    for name, assembly in measured_assemblies():
        yield _blocks_row(name, assembly)
    warm()
    for count, reach in ((30, 6), (300, 10), (1000, 11), (3000, 12)):
        yield from _bricks_rows(count, reach)
    yield _memory_row()


def measured_assemblies() -> Iterator[tuple[str, Assembly]]:
    """A vault, and the published assemblies that are at hand."""
    yield "vault-30", vault(30, 1)
    for name, (folder, fixed) in PUBLISHED.items():
        if (path := DATA.find(f"blocks/{folder}")) is not None:
            yield name, load(path, fixed=[fixed])


def _blocks_row(name: str, assembly: Assembly) -> Row:
    rng = np.random.default_rng(0)
    joints = certain(interfaces(assembly))
    oracle = Equilibrium(assembly, joints, compiled=True)
    oracle.assess(State.complete(assembly))  # compiles
    asked = beam_states(assembly, joints, lambda state: oracle.assess(state).stands, rng)
    chosen = [asked[n] for n in np.linspace(0, len(asked) - 1, min(MOST_STATES, len(asked))).astype(int)]
    ours = best_ms(lambda: _by_layers(oracle, chosen)) / len(chosen)
    answers = _by_layers(oracle, chosen)
    sample = chosen[:: max(1, len(chosen) // REFERENCE_STATES)]
    times = {solver: _per_state(PlainDual(assembly, joints, solver), sample) for solver in ("piqp", "daqp")}
    quickest = min(times, key=lambda solver: times[solver])
    notes = {
        "states": len(asked),
        "stable": answers.count("stable") / len(answers),
        "undecided": answers.count("undecided"),
        "one_by_one_ms": _verdict_ms(oracle, chosen),
    }
    return Row(f"{name} (ms per state)", ours, times[quickest], f"plain dual, {quickest}", notes)


def _by_layers(oracle: Equilibrium, states: list[State]) -> list[Answer]:
    """As a beam search asks: a layer of states at a time, none remembered."""
    layers = [states[n : n + LAYER] for n in range(0, len(states), LAYER)]
    return [finding.answer for layer in layers for finding in findings(oracle, layer)]


def _verdict_ms(oracle: Equilibrium, states: list[State]) -> float:
    return best_ms(lambda: [oracle.assess(state) for state in states]) / len(states)


def _per_state(reference: PlainDual, states: list[State]) -> float:
    return best_ms(lambda: [reference.stands(state) for state in states]) / len(states)


def _bricks_rows(count: int, reach: int) -> Iterator[Row]:
    """Verdicts for changed loads on a tower with arms, its weight scaled so that it needs a share of its strength."""
    tower = cantilever(count, reach)
    joints = interfaces(tower)
    factor, _ = Program(tower, joints, State.complete(tower), _rows(joints)).least_factor()
    if factor is None:
        return
    for share in SHARES:
        scaled = tower.changed(gravity=tower.gravity * (share / factor))
        states = _pushed(scaled, np.random.default_rng(0))
        oracle = Equilibrium(scaled, joints, compiled=True)
        cold, *first_pass = (oracle.assess(state).solve_ms for state in states)
        each = _verdict_ms(oracle, states)
        undecided = sum(oracle.assess(state).answer == "undecided" for state in states)
        # The first pass also pays, once, for the forces that later loads are shifted from.
        once = {"first_pass_mean_ms": float(np.mean(first_pass)), "first_pass_worst_ms": max(first_pass)}
        notes = {"cold_ms": cold, **once, "undecided": undecided}
        case = f"{len(tower.parts)} bricks at {share:.0%}"
        if count > REFERENCE_BRICKS:
            yield Row(case, each, notes=notes)
        else:
            yield Row(case, each, _three_stage_ms(scaled, joints, states), "three-stage OSQP", notes)


def _rows(joints: Interfaces) -> tuple[ClutchRows, ...]:
    return tuple(clutch_rows(kind) for kind in joints.clutches.kinds)


def _pushed(assembly: Assembly, rng: np.random.Generator) -> list[State]:
    """The complete assembly under a few small forces, each time others."""
    complete = State.complete(assembly)
    weight = assembly.masses_kg[0] * float(np.linalg.norm(assembly.gravity))
    names = assembly.names
    pushes = [
        tuple(Load(names[int(rng.integers(len(names)))], rng.uniform(-0.2, 0.2, 3) * weight) for _ in range(8))
        for _ in range(1 + WARM_LOADS)
    ]
    return [State(complete.installed, loads=loads) for loads in pushes]


def _three_stage_ms(assembly: Assembly, joints: Interfaces, states: list[State]) -> float:
    reference = ThreeStage(joints, assembly.coms_m, flags(states[0].free(assembly), len(assembly.bodies)))
    loads = [load_wrenches(assembly, state) for state in states[: 1 + REFERENCE_LOADS]]
    reference.solve(loads[0])
    return best_ms(lambda: [reference.solve(load) for load in loads[1:]], repeats=2) / REFERENCE_LOADS


def _memory_row() -> Row:
    """Ten thousand verdicts in one process: how much memory they leave behind."""
    assembly = vault(20, 1)
    oracle = Equilibrium(assembly, certain(interfaces(assembly)), compiled=True)
    rng = np.random.default_rng(0)
    states = [random_state(assembly, rng) for _ in range(500)]
    for state in states:
        oracle.assess(state)
    before, start = resident_mb(), time.perf_counter()
    for _ in range(20):
        for state in states:
            oracle.assess(state)
    spent = 1e3 * (time.perf_counter() - start) / (20 * len(states))
    return Row("10,000 checks (ms each)", spent, notes={"memory_grew_mb": resident_mb() - before})
