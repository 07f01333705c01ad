"""Threads that prove states together: the same findings whatever their number, and no failure that is not told."""

from __future__ import annotations

from collections.abc import Iterator
from threading import current_thread, main_thread

import numpy as np
import pytest

pytest.importorskip("numba")

from falsework.bench.samples import random_state, vault
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.state import State
from falsework.statics.core.batches import Finding, findings
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.crew import CHUNK, SHARED_CHUNK, Crew

VAULT = vault(18, 1)


def equilibrium_of(assembly: Assembly) -> Equilibrium:
    return Equilibrium(assembly, interfaces(assembly), compiled=True)


def some(count: int, seed: int = 0) -> list[State]:
    rng = np.random.default_rng(seed)
    return [random_state(VAULT, rng) for _ in range(count)]


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("count", [1, 3, SHARED_CHUNK + 1, 8 * CHUNK + 5])
def test_findings_are_those_of_one_state_after_the_other(threads: int, count: int) -> None:
    equilibrium, states = equilibrium_of(VAULT), some(count)
    crew = Crew(equilibrium, threads)
    for _ in range(2):
        assert crew.findings(iter(states), count) == findings(equilibrium, states)


def test_every_gravity_has_its_answers() -> None:
    equilibrium = equilibrium_of(VAULT)
    crew, plain = Crew(equilibrium, 2), some(40)
    turned = [State(state.installed, state.held, (6.0, 0.0, -6.0)) for state in plain]
    for states in (plain, turned, plain):
        assert crew.findings(iter(states), len(states)) == findings(equilibrium, states)
    assert findings(equilibrium, plain) != findings(equilibrium, turned)


def test_work_that_is_stopped_leaves_nothing_behind() -> None:
    equilibrium, states = equilibrium_of(VAULT), some(100)
    crew = Crew(equilibrium, 2)

    def stopped() -> Iterator[State]:
        yield from states[:50]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crew.findings(stopped(), 100)
    others = some(60, seed=1)
    assert crew.findings(iter(others), 60) == findings(equilibrium, others)


def test_a_helper_that_fails_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    equilibrium, states = equilibrium_of(VAULT), some(200)
    crew = Crew(equilibrium, 2)

    def fail(_: Crew, chunk: list[State]) -> list[Finding]:
        if current_thread() is main_thread():
            return findings(equilibrium, chunk)
        raise MemoryError("no room for another thread")

    with monkeypatch.context() as broken:
        broken.setattr(Crew, "_solve_chunk", fail)
        with pytest.raises(MemoryError, match="no room for another thread"):
            for _ in range(50):
                crew.findings(iter(states), 200)
    assert crew.findings(iter(states), 200) == findings(equilibrium, states)
