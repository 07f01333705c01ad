"""Factors made a part at a time: the same as those made at once, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("numba")

from falsework.bench.brick_scenes import block
from falsework.brickworld.mechanics import GroupMechanics
from falsework.brickworld.world import World
from falsework.kernels.block_parts import PART_MS, FactorParts, PartlyFactored
from falsework.model.arrays import Array
from falsework.statics.clutches.search import ClutchSearch, step_ms
from falsework.statics.clutches.solver import ClutchSolver


@pytest.fixture(scope="module")
def mechanics() -> GroupMechanics:
    world = World(block(300))
    return max(world.breakage.mechanics, key=lambda one: len(one.members))


def numbers(solver: ClutchSolver) -> tuple[Array, Array]:
    """A matrix on the graph of bricks that has a factor."""
    rng = np.random.default_rng(0)
    lower = rng.normal(size=(len(solver.springs.frows), 6, 6))
    return 1e4 * np.repeat(np.eye(6)[None], solver.network.bodies, axis=0), lower


def test_parts_are_of_about_equal_work_and_make_the_same_factor(mechanics: GroupMechanics) -> None:
    solver = mechanics.solver
    whole = PartlyFactored(FactorParts.of(solver.springs), solver.springs, *numbers(solver))
    whole.finish()
    for part_ms in (0.4, 1.0):
        parts = FactorParts.of(solver.springs, part_ms)
        assert len(parts.ends) > 2
        assert max(parts.costs_ms) < 2.5 * part_ms
        made = PartlyFactored(parts, solver.springs, *numbers(solver))
        taken = 0
        while made.open:
            assert made.next_ms == parts.costs_ms[taken]
            made.go_on()
            taken += 1
        assert taken == len(parts.ends)
        assert np.array_equal(made.diagonal, whole.diagonal)
        assert np.array_equal(made.lower, whole.lower)


def test_small_factors_are_made_at_once(mechanics: GroupMechanics) -> None:
    parts = FactorParts.of(mechanics.solver.springs)
    assert parts.at_once
    assert len(parts.ends) == 1
    assert sum(parts.costs_ms) < 2.0 * PART_MS


def exhausted(pieces: Iterator[float]) -> float:
    return sum(pieces)


@pytest.mark.parametrize("newtons", [1.0, 60.0])
def test_steps_in_parts_are_the_same_steps(mechanics: GroupMechanics, newtons: float) -> None:
    """Newton's method and the exact limit, of a structure that is taken for a large one and of the same as it is."""
    solver = ClutchSolver.__new__(ClutchSolver)
    solver.__dict__.update(mechanics.solver.__dict__)
    solver.parts = FactorParts.of(solver.springs, 1.0)
    loads = np.zeros((len(mechanics.members), 6))
    loads[np.flatnonzero(mechanics.problem.free)[-1], 2] = newtons
    found = []
    for one in (mechanics.solver, solver):
        search = ClutchSearch(one, loads)
        spent = 0.0
        while search.open:
            spent += exhausted(search.relaxing(1))
        search.limit_open = True
        while search.limit_open:
            spent += exhausted(search.limiting(1))
        assert spent > step_ms(one)
        found.append(search)
    assert found[0].status == found[1].status != "undecided"
    assert found[0].steps == found[1].steps
    if found[0].motion is not None and found[1].motion is not None:
        assert np.array_equal(found[0].motion.twists, found[1].motion.twists)
