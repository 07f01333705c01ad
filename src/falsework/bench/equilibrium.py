"""`falsework bench equilibrium`: verdicts with their proof, one core, distinct states, no cache.

Blocks: the states of a two-robot beam search, building and referee included, beside a plain dual program in PIQP and
DAQP, whichever is quicker. Bricks: the verdict for changed loads on a known topology, beside the published
three-stage program in OSQP.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from falsework.bench.beam import beam_states
from falsework.bench.plain_dual import PlainDual
from falsework.bench.rows import Row
from falsework.bench.samples import random_state, vault
from falsework.formats import load
from falsework.geometry.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.state import State
from falsework.statics.equilibrium import Equilibrium

REFERENCE_DATA = Path("../shared/data/blocks")  # published assemblies, where they are at hand
PUBLISHED = {"Bottle-12": ("tetris-1", "0"), "Dome-37": ("rulin", "0"), "Dome-72": ("dome", "72")}
MOST_STATES = 1500  # timed by us
REFERENCE_STATES = 150  # timed by the reference, of the same


def run() -> Iterator[Row]:
    """Blocks, then bricks."""
    for name, assembly in _assemblies():
        yield _blocks_row(name, assembly)
    yield _memory_row()


def _assemblies() -> Iterator[tuple[str, Assembly]]:
    yield "vault-30", vault(30, 1)
    for name, (folder, fixed) in PUBLISHED.items():
        if (REFERENCE_DATA / folder).is_dir():
            yield name, load(REFERENCE_DATA / folder, fixed=[fixed])


def _blocks_row(name: str, assembly: Assembly) -> Row:
    rng = np.random.default_rng(0)
    found = interfaces(assembly)
    oracle = Equilibrium(assembly, found, compiled=True)
    oracle.assess(State.complete(assembly))  # compiles
    asked = beam_states(assembly, found, lambda state: oracle.assess(state).stands, rng)
    chosen = [asked[n] for n in np.linspace(0, len(asked) - 1, min(MOST_STATES, len(asked))).astype(int)]
    start = time.perf_counter()
    verdicts = [oracle.assess(state) for state in chosen]
    ours = 1e3 * (time.perf_counter() - start) / len(chosen)
    sample = chosen[:: max(1, len(chosen) // REFERENCE_STATES)]
    times = {solver: _per_state(PlainDual(assembly, found, solver), sample) for solver in ("piqp", "daqp")}
    quickest = min(times, key=lambda solver: times[solver])
    undecided = sum(verdict.answer == "undecided" for verdict in verdicts)
    notes = {"states": len(asked), "stable": sum(v.stands for v in verdicts) / len(verdicts), "undecided": undecided}
    return Row(f"{name} (ms a state)", ours, times[quickest], f"plain dual, {quickest}", notes)


def _per_state(reference: PlainDual, states: list[State]) -> float:
    start = time.perf_counter()
    for state in states:
        reference.stands(state)
    return 1e3 * (time.perf_counter() - start) / len(states)


def _memory_row() -> Row:
    """Ten thousand verdicts in one process: how much memory they leave behind."""
    assembly = vault(20, 1)
    oracle = Equilibrium(assembly, interfaces(assembly), compiled=True)
    rng = np.random.default_rng(0)
    states = [random_state(assembly, rng) for _ in range(500)]
    for state in states:
        oracle.assess(state)
    before, start = _resident_mb(), time.perf_counter()
    for _ in range(20):
        for state in states:
            oracle.assess(state)
    spent = 1e3 * (time.perf_counter() - start) / (20 * len(states))
    return Row("10,000 checks (ms each)", spent, notes={"memory_grew_mb": _resident_mb() - before})


def _resident_mb() -> float:
    """Memory of this process now; from the kernel's own page count."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
