"""Seed 002's batched solver: what it says stable is proved, what it leaves open the exact solver answers."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from falsework.bench.samples import random_state
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, MissingExtra
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.published.batched_admm import AdmmSettings, BatchedAdmm
from tests.conftest import brick, on_baseplate
from tests.statics.structures import arch, stack

SHORT = AdmmSettings(limit=200)


def states_of(assembly: Assembly, count: int) -> list[State]:
    rng = np.random.default_rng(1)
    return [random_state(assembly, rng) for _ in range(count)]


def made(assembly: Assembly, settings: AdmmSettings = SHORT) -> BatchedAdmm:
    return BatchedAdmm(assembly, interfaces(assembly), settings)


def test_answers_are_those_of_the_exact_solver_whatever_the_batch() -> None:
    assembly = arch(5, 0.3, 0.6)
    exact = Equilibrium(assembly, interfaces(assembly))
    states = states_of(assembly, 16)
    truth = [exact.assess(state).answer for state in states]
    assert {"stable", "unstable"} == set(truth)
    assert made(assembly).answers(states, batch=7) == truth
    assert made(assembly).answers(states) == truth


def test_nothing_that_falls_ever_settles() -> None:
    assembly = arch(5, 0.3, 0.6)
    exact = Equilibrium(assembly, interfaces(assembly))
    states = states_of(assembly, 16)
    settled = made(assembly).settle(states).velocities <= 1e-3
    assert settled.any()
    assert not any(settled[n] and exact.assess(state).answer == "unstable" for n, state in enumerate(states))


def test_a_column_of_a_batch_is_what_it_is_alone() -> None:
    assembly = stack([0.1, -0.2, 0.3])
    oracle = made(assembly)
    states = states_of(assembly, 5)
    together = oracle.settle(states)
    for number, state in enumerate(states):
        alone = oracle.settle([state])
        assert alone.velocities[0] == pytest.approx(together.velocities[number], rel=1e-6, abs=1e-12)
        assert alone.patch_forces[0] == pytest.approx(together.patch_forces[number], rel=1e-6, abs=1e-6)


def test_the_factored_inverse_takes_the_same_steps() -> None:
    assembly = arch(5, 0.3, 0.6)
    states = states_of(assembly, 6)
    dense, factored = (
        made(assembly, AdmmSettings(limit=200, inverse=kind)).settle(states) for kind in ("dense", "factored")
    )  # type: ignore[arg-type]
    assert dense.velocities == pytest.approx(factored.velocities, rel=1e-6, abs=1e-10)
    scale = float(np.abs(dense.patch_forces).max())
    assert dense.patch_forces == pytest.approx(factored.patch_forces, abs=1e-7 * scale)


def test_a_block_that_rests_settles_with_its_weight_below() -> None:
    assembly = stack([0.0])
    settled = made(assembly).settle([State.complete(assembly)])
    total = settled.patch_forces[0].sum(axis=0)
    weight = float(assembly.masses_kg[1]) * 9.81
    assert np.abs(total) == pytest.approx([0, 0, weight], rel=2e-3, abs=2e-3 * weight)
    assert settled.iterations[0] == 200


def test_more_iterations_leave_less_and_are_watched() -> None:
    assembly = arch(5, 0.3, 0.6)
    seen: list[tuple[int, float]] = []

    def watch(iterations: int, velocities: Array) -> None:
        seen.append((iterations, float(velocities[0])))

    made(assembly, AdmmSettings(every=5, limit=30, tolerance=0.0)).settle([State.complete(assembly)], watch)
    assert [iterations for iterations, _ in seen] == [5, 10, 15, 20, 25, 30]
    assert seen[-1][1] < 0.1 * seen[0][1]


def test_what_it_does_not_know_is_refused() -> None:
    bricks = on_baseplate(brick("a", "brick_2x4", 0, 0, 0))
    with pytest.raises(BadInput, match="no clutches"):
        made(bricks)
    assembly = stack([0.1])
    with pytest.raises(BadInput, match="own gravity"):
        made(assembly).settle([State(3, gravity=(0.0, 1.0, -9.0))])


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"falsework\[learning\]"):
        made(stack([0.1]))
