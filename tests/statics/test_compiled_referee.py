"""The compiled referee judges as the plain one does: the same sums, in machine code."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba")

from falsework.bench.samples import random_state, vault
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Load
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.outcome import Wanted
from falsework.statics.proofs.compiled_referee import CompiledReferee
from falsework.statics.proofs.referee import Referee
from tests.statics.structures import arch, diamond

ASSEMBLIES = [vault(18, 1), diamond(4), arch(7, 0.2, 0.7)]


def proposals(assembly: Assembly, count: int) -> tuple[Equilibrium, list[State], Array, Array]:
    """States, some of them pushed, with what the solver says of them."""
    equilibrium = Equilibrium(assembly, interfaces(assembly), compiled=True)
    rng = np.random.default_rng(3)
    states = [random_state(assembly, rng) for _ in range(count)]
    last = assembly.names[-1]
    push = (Load(last, np.array([2.0, 0.0, 1.0]), np.array([0.1, 0.2, 0.3])),)
    there = assembly.mask([last])
    states += [State(state.installed | there, state.held, loads=push) for state in states[::3]]
    return equilibrium, states, *proposed(equilibrium, states)


def proposed(equilibrium: Equilibrium, states: list[State]) -> tuple[Array, Array]:
    """Forces (m, p, 3) and motions (m, n, 6), zeros where there are none."""
    forces = np.zeros((len(states), len(equilibrium.joints.patches.points), 3))
    twists = np.zeros((len(states), len(equilibrium.assembly.bodies), 6))
    for row, state in enumerate(states):
        outcome = equilibrium.proposers[0].propose(state, Wanted())
        if outcome.forces is not None:
            forces[row] = outcome.forces.patch_forces
        if outcome.motion is not None:
            twists[row] = outcome.motion.twists
    return forces, twists


def judged_by_both(
    assembly: Assembly, equilibrium: Equilibrium, states: list[State], forces: Array, twists: Array
) -> Array:
    """(m,) whether each state stands, after both referees have said the same of all of them."""
    joints, strengths = equilibrium.joints, equilibrium.strengths()
    plain = Referee(assembly, joints).judge(states, forces, twists, strengths)
    fast = CompiledReferee(assembly, joints).judge(states, forces, twists, strengths)
    assert np.array_equal(plain.stands, fast.stands)
    assert plain.moving == fast.moving
    return plain.stands


@pytest.mark.parametrize("assembly", ASSEMBLIES)
def test_states_solved_and_judged_in_one_call_are_judged_as_by_the_plain_referee(assembly: Assembly) -> None:
    equilibrium, states, forces, twists = proposals(assembly, 60)
    together = equilibrium.prove(states)
    plain = Referee(assembly, equilibrium.joints).judge(states, forces, twists, equilibrium.strengths())
    assert np.array_equal(together.stands, plain.stands)
    assert together.moving == plain.moving


@pytest.mark.parametrize("assembly", ASSEMBLIES)
def test_what_solvers_propose_is_judged_the_same(assembly: Assembly) -> None:
    equilibrium, states, forces, twists = proposals(assembly, 60)
    stands = judged_by_both(assembly, equilibrium, states, forces, twists)
    assert stands.any()
    assert not stands.all()


@pytest.mark.parametrize("assembly", ASSEMBLIES)
@pytest.mark.parametrize("size", [1e-7, 1e-5, 1e-2])
def test_what_is_a_little_wrong_is_judged_the_same(assembly: Assembly, size: float) -> None:
    equilibrium, states, forces, twists = proposals(assembly, 60)
    rng = np.random.default_rng(4)
    scale = size * float(assembly.masses_kg.mean()) * 9.81
    stands = judged_by_both(
        assembly,
        equilibrium,
        states,
        forces + scale * rng.normal(size=forces.shape),
        twists + size * rng.normal(size=twists.shape) * (np.abs(twists) > 0),
    )
    assert size < 1e-6 or not stands.any()


@pytest.mark.parametrize("nonsense", [np.nan, np.inf, -np.inf, 1e200])
def test_nonsense_proves_nothing(nonsense: float) -> None:
    assembly = ASSEMBLIES[0]
    equilibrium, states, forces, twists = proposals(assembly, 20)
    with np.errstate(invalid="ignore", over="ignore"):
        stands = judged_by_both(assembly, equilibrium, states, np.full_like(forces, nonsense), 0 * twists)
        assert not stands.any()
        twists[:, :, 3] = nonsense
        judge = CompiledReferee(assembly, equilibrium.joints).judge
        moving = judge(states, 0 * forces, twists, equilibrium.strengths()).moving
        assert not any(moving) or np.isfinite(nonsense)


def test_forces_between_parts_that_are_not_there_prove_nothing() -> None:
    assembly = arch(7, 0.2, 0.7)
    equilibrium = Equilibrium(assembly, interfaces(assembly), compiled=True)
    complete = State.complete(assembly)
    forces, twists = proposed(equilibrium, [complete])
    assert judged_by_both(assembly, equilibrium, [complete], forces, twists).all()
    without = State.complete(assembly, absent=assembly.mask([assembly.names[3]]))
    assert not judged_by_both(assembly, equilibrium, [without], forces, twists).any()
