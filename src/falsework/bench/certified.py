"""`falsework bench certified`: are random states of many assemblies all decided, and do two solvers agree?

Not a race: `ours` is the mean time of a verdict by the compiled solvers, `reference` that of the plain program. What
matters are the notes: how many states were undecided, and how often the two contradict each other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from falsework.bench.equilibrium import PUBLISHED, REFERENCE_DATA
from falsework.bench.rows import Row
from falsework.bench.samples import random_state, vault
from falsework.formats import load
from falsework.geometry.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.statics.equilibrium import Equilibrium

STATES = 5000  # in all


def run() -> Iterator[Row]:
    assemblies = dict(_assemblies())
    rng = np.random.default_rng(0)
    for name, assembly in assemblies.items():
        yield _row(name, assembly, STATES // len(assemblies), rng)


def _assemblies() -> Iterator[tuple[str, Assembly]]:
    yield "vault-20", vault(20, 1)
    yield "vault-60 in two layers", vault(60, 2)
    for name, (folder, fixed) in {**PUBLISHED, "Tetris-17": ("tetris-2", "0")}.items():
        if (REFERENCE_DATA / folder).is_dir():
            yield name, load(REFERENCE_DATA / folder, fixed=[fixed])


def _row(name: str, assembly: Assembly, count: int, rng: np.random.Generator) -> Row:
    found = interfaces(assembly)
    fast, plain = Equilibrium(assembly, found, compiled=True), Equilibrium(assembly, found)
    states = [random_state(assembly, rng) for _ in range(count)]
    fast.assess(states[0])  # compiles
    answers, times = [], []
    for oracle in (fast, plain):
        start = time.perf_counter()
        answers.append([oracle.assess(state).answer for state in states])
        times.append(1e3 * (time.perf_counter() - start) / count)
    ours, reference = (np.array(answer) for answer in answers)
    contradictions = (ours != reference) & (ours != "undecided") & (reference != "undecided")
    notes = {
        "states": count,
        "stable": float((ours == "stable").mean()),
        "undecided": int((ours == "undecided").sum()),
        "undecided_plain": int((reference == "undecided").sum()),
        "contradictions": int(contradictions.sum()),
    }
    return Row(name, times[0], times[1], "the plain program", notes)
