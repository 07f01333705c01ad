"""`falsework bench oracle`: the states of a beam search (width 64, two robots), as a search asks for them.

`as used`: the oracle of a search, layer by layer, with its memory. `anew`: some of the layers without any memory, every
state solved and proved. `reference` is seed 002's batched solver on this machine's CPU, one thread, as published: a
dense constant inverse, double precision, residuals looked at every 200 iterations, 3000 at most. Its figure is the time
of an iteration at the batch size that suits it best, times the mean number of iterations that its states take: a lower
bound, since batches shrink as states settle. `factored_ms` is the same iteration with the inverse factored, measured
from end to end: not as published, but better.

Then both curves of seed 002's Fig. 5, two threads, and the memory of 10⁵ states.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from falsework.bench.beam import beam_layers
from falsework.bench.equilibrium import measured_assemblies
from falsework.bench.rows import Row, best_ms, resident_mb
from falsework.bench.samples import random_state, vault
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.extras import library
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Answer
from falsework.statics.core.ambiguity import certain
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.published.batched_admm import AdmmSettings, BatchedAdmm
from falsework.verdicts.oracle import Oracle

SETTLED_STATES = 64  # of each search, settled by the reference
ANEW_STATES, THREADED_STATES = 4000, 2000
LEAST_ROUNDS, ROUNDS_S = 5, 20.0
BATCHES = (1, 4, 16, 64, 256)
TIMED_ITERATIONS = 10
PENALTIES = (0.03, 0.1, 0.3, 1.0)  # of Fig. 5 (a)
MANY, REMEMBERED = 100_000, 10_000


def run() -> Iterator[Row]:
    library("torch").set_num_threads(1)
    for name, assembly in measured_assemblies():
        joints = certain(interfaces(assembly))
        layers = _asked(assembly, joints)
        yield from _search_rows(name, assembly, joints, layers)
        yield _threads_row(name, assembly, joints, layers)
    yield from _curve_rows(vault(60, 1))
    yield _memory_row()


def _asked(assembly: Assembly, joints: Interfaces) -> list[list[State]]:
    oracle = Oracle(assembly, joints)
    oracle.assess(State.complete(assembly))  # compiles
    return beam_layers(assembly, joints, oracle.answers, np.random.default_rng(0))


def _search_rows(name: str, assembly: Assembly, joints: Interfaces, layers: list[list[State]]) -> Iterator[Row]:
    states = [state for layer in layers for state in layer]
    remembering, forgetful = Oracle(assembly, joints), Oracle(assembly, joints, remember=0)
    used, answers = _timed_ms(remembering, layers)
    told = dict(zip(states, answers, strict=True))
    some = _thinned(layers, ANEW_STATES)
    anew, others = _timed_ms(forgetful, some)
    same = others == [told[state] for layer in some for state in layer]
    chosen = [states[n] for n in np.linspace(0, len(states) - 1, min(SETTLED_STATES, len(states))).astype(int)]
    published, notes = _reference(assembly, joints, chosen, [told[state] for state in chosen])
    counts = remembering.counts
    own = {
        "states": len(states),
        "stable": answers.count("stable") / len(answers),
        "undecided": answers.count("undecided"),
        "solved": counts.solved / max(1, counts.asked),
        "same_without_memory": same,
    }
    yield Row(f"{name}, as used", used / len(states), published, "batched ADMM", {**own, **notes})
    yield Row(f"{name}, anew", anew / len(others), published, "batched ADMM")


def _thinned(layers: list[list[State]], count: int) -> list[list[State]]:
    """Every n-th layer, so that about `count` states are left; n is odd, as holding and removing take turns."""
    step = sum(map(len, layers)) // count
    return layers[:: step // 2 * 2 + 1]


def _timed_ms(oracle: Oracle, layers: list[list[State]]) -> tuple[float, list[Answer]]:
    """One pass over all layers, from a memory that is empty at first."""
    start = time.perf_counter()
    answers = _answered(oracle, layers)
    return 1e3 * (time.perf_counter() - start), answers


def _answered(oracle: Oracle, layers: list[list[State]]) -> list[Answer]:
    return [answer for layer in layers for answer in oracle.answers(layer)]


def _reference(
    assembly: Assembly, joints: Interfaces, states: list[State], answers: list[Answer]
) -> tuple[float, dict[str, object]]:
    """What a state costs the published solver, ms, and how many it leaves open."""
    factored = BatchedAdmm(assembly, joints, AdmmSettings(inverse="factored"))
    start = time.perf_counter()
    settled = factored.settle(states)
    factored_ms = 1e3 * (time.perf_counter() - start) / len(states)
    small = settled.velocities <= factored.settings.tolerance
    standing = np.array([answer == "stable" for answer in answers])
    proved = Equilibrium(assembly, joints).referee.accepted(states, settled.patch_forces)
    iteration_ms = _iteration_ms(BatchedAdmm(assembly, joints), states)
    batch = min(iteration_ms, key=lambda size: iteration_ms[size])
    notes: dict[str, object] = {
        "admm_batch": batch,
        "admm_iterations": float(settled.iterations.mean()),
        "admm_unsettled_of_stable": float((standing & ~small).sum() / max(1, standing.sum())),
        "admm_settled_of_unstable": int((~standing & small).sum()),
        "admm_undecided": float((~small).mean()),
        "admm_proved_of_stable": float(proved[standing].mean()) if standing.any() else 0.0,
        "factored_ms": factored_ms,
    }
    return iteration_ms[batch] * float(settled.iterations.mean()), notes


def _iteration_ms(solver: BatchedAdmm, states: Sequence[State]) -> dict[int, float]:
    """Milliseconds of one iteration, a state, by the size of the batch."""
    none, some = copy.copy(solver), copy.copy(solver)  # with the inverse that it has
    none.settings = replace(solver.settings, limit=0)
    some.settings = replace(solver.settings, every=TIMED_ITERATIONS, limit=TIMED_ITERATIONS, tolerance=0.0)
    spent = {}
    for size in BATCHES:
        batch = [states[n % len(states)] for n in range(size)]
        around, whole = (best_ms(partial(one.settle, batch), repeats=2) for one in (none, some))
        spent[size] = (whole - around) / (size * TIMED_ITERATIONS)
    return spent


def _curve_rows(assembly: Assembly) -> Iterator[Row]:
    """Fig. 5: what is left after so many iterations, by penalty; what a state costs, by batch size."""
    joints, complete = interfaces(assembly), State.complete(assembly)
    name = f"{len(assembly.parts)}-stone vault"
    oracle = Oracle(assembly, joints, remember=0)
    ours = best_ms(lambda: oracle.answers([complete]))
    for penalty in PENALTIES:
        seen: list[float] = []

        def watch(_: int, velocities: Array, seen: list[float] = seen) -> None:
            seen.append(float(velocities[0]))

        settings = AdmmSettings(rho=penalty, inverse="factored", tolerance=0.0)
        BatchedAdmm(assembly, joints, settings).settle([complete], watch)
        yield Row(f"Fig. 5a, {name}, ρ = {penalty:g}", ours, notes={"residual_every_200": seen})
    solver = BatchedAdmm(assembly, joints, AdmmSettings(rho=0.3))
    settled = solver.settle([complete])
    for size, spent in _iteration_ms(solver, [complete]).items():
        iterations = int(settled.iterations[0])
        row = {"iterations": iterations, "left": float(settled.velocities[0])}
        yield Row(f"Fig. 5b, {name}, batch {size}", ours, spent * iterations, "batched ADMM, ρ = 0.3", row)


def _threads_row(name: str, assembly: Assembly, joints: Interfaces, layers: list[list[State]]) -> Row:
    """Some layers, every state anew, on two threads and on one."""
    some = _thinned(layers, THREADED_STATES)
    one, two = (Oracle(assembly, joints, remember=0, threads=threads) for threads in (1, 2))
    same = _answered(one, some) == _answered(two, some)
    of_one, of_two, rounds = _quickest_ms(one, two, some)
    return Row(f"{name}, two threads", of_two, of_one, "one thread", {"same_answers": same, "rounds": rounds})


def _quickest_ms(one: Oracle, other: Oracle, layers: list[list[State]]) -> tuple[float, float, int]:
    """All layers on either, each layer at its quickest, and in how many rounds.

    They take turns, since machines are now faster and now slower; a neighbour on one of two cores is enough to spoil
    a layer on two threads, so there are many rounds where they are short.
    """
    quickest = np.full((2, len(layers)), np.inf)
    begin, rounds = time.perf_counter(), 0
    while rounds < LEAST_ROUNDS or time.perf_counter() < begin + ROUNDS_S:
        for which, oracle in enumerate((one, other)):
            for n, layer in enumerate(layers):
                quickest[which, n] = min(quickest[which, n], _timed_ms(oracle, [layer])[0])
        rounds += 1
    return float(quickest[0].sum()), float(quickest[1].sum()), rounds


def _memory_row() -> Row:
    """10⁵ random states of one assembly with a small memory: what stays behind."""
    assembly = vault(20, 1)
    joints = certain(interfaces(assembly))
    oracle = Oracle(assembly, joints, remember=REMEMBERED)
    rng = np.random.default_rng(0)
    oracle.answers([random_state(assembly, rng) for _ in range(REMEMBERED // 4)])
    before, spent, kept = resident_mb(), 0.0, 0
    for _ in range(MANY // 1000):
        states = [random_state(assembly, rng) for _ in range(1000)]
        start = time.perf_counter()
        oracle.answers(states)
        spent += time.perf_counter() - start
        kept = max(kept, oracle.remembered)
    sample = [random_state(assembly, rng) for _ in range(2000)]
    same = oracle.answers(sample) == Oracle(assembly, joints, remember=0).answers(sample)
    notes = {"memory_grew_mb": resident_mb() - before, "pieces_kept": kept, "most_pieces": REMEMBERED}
    return Row(f"{MANY} states (ms each)", 1e3 * spent / MANY, notes={**notes, "same_without_memory": same})
