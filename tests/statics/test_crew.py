"""Threads that prove states together: the same findings whatever their number, and no thread left waiting."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("numba")

from falsework.bench.samples import random_state, vault
from falsework.geometry.contacts.interfaces import interfaces
from falsework.kernels.atomics import added, announce, replaced, seen
from falsework.kernels.compiled import numba
from falsework.model.arrays import Ints
from falsework.model.assembly import Assembly
from falsework.model.state import State
from falsework.statics.cones.queue import ConeQueue
from falsework.statics.core.batches import findings
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.crew import HANDFUL, QUEUE, Crew

VAULT = vault(18, 1)


def equilibrium_of(assembly: Assembly) -> Equilibrium:
    return Equilibrium(assembly, interfaces(assembly), compiled=True)


def some(count: int, seed: int = 0) -> list[State]:
    rng = np.random.default_rng(seed)
    return [random_state(VAULT, rng) for _ in range(count)]


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("count", [1, HANDFUL + 1, QUEUE, 2 * QUEUE + 100])
def test_findings_are_those_of_one_state_after_the_other(threads: int, count: int) -> None:
    equilibrium, states = equilibrium_of(VAULT), some(count)
    crew = Crew(equilibrium, threads)
    for _ in range(2):  # the second time the queue begins somewhere in its ring
        assert crew.findings(iter(states), count, alike=True) == findings(equilibrium, states)


def test_every_gravity_has_its_queue() -> None:
    equilibrium = equilibrium_of(VAULT)
    crew, plain = Crew(equilibrium, 2), some(40)
    turned = [State(state.installed, state.held, (6.0, 0.0, -6.0)) for state in plain]
    for states in (plain, turned, plain):
        assert crew.findings(iter(states), len(states), alike=True) == findings(equilibrium, states)
    assert findings(equilibrium, plain) != findings(equilibrium, turned)


def test_work_that_is_stopped_leaves_nothing_behind() -> None:
    equilibrium, states = equilibrium_of(VAULT), some(100)
    crew = Crew(equilibrium, 2)

    def stopped() -> Iterator[State]:
        yield from states[:50]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crew.findings(stopped(), 100, alike=True)
    others = some(60, seed=1)
    assert crew.findings(iter(others), 60, alike=True) == findings(equilibrium, others)


def test_a_helper_that_fails_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    equilibrium, states = equilibrium_of(VAULT), some(200)
    crew = Crew(equilibrium, 2)

    def fail(_: ConeQueue) -> None:
        raise MemoryError("no room for another thread")

    with monkeypatch.context() as broken:
        broken.setattr(ConeQueue, "help", fail)
        with pytest.raises(MemoryError, match="no room for another thread"):
            for _ in range(50):
                crew.findings(iter(states), 200, alike=True)
    assert crew.findings(iter(states), 200, alike=True) == findings(equilibrium, states)


def count(shared: Ints, often: int) -> int:
    """Adds to one number, and takes from another as long as there is something."""
    taken = 0
    for _ in range(often):
        added(shared, 0, 1)
        left = seen(shared, 8)
        if left > 0 and replaced(shared, 8, left, left - 1):
            taken += 1
    return taken


def test_numbers_that_threads_share_lose_nothing() -> None:
    shared = np.zeros(16, np.int64)
    announce(shared, 8, 150_000)
    fast = numba.njit(nogil=True)(count)
    with ThreadPoolExecutor(3) as pool:
        taken = sum(pool.map(lambda _: fast(shared, 200_000), range(3)))
    assert shared[0] == 600_000
    assert taken == 150_000 - shared[8]
