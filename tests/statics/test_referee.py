"""The referee accepts true certificates and no others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.geometry.interfaces import interfaces
from falsework.model.assembly import Assembly, Hinge, Load
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion
from falsework.statics.equilibrium import Equilibrium
from falsework.statics.referee import Referee
from tests.conftest import brick, on_baseplate
from tests.statics.structures import arch, block, harmonic, stack


def proved(assembly: Assembly, state: State | None = None) -> tuple[Equilibrium, State, Referee, Forces | Motion]:
    found = interfaces(assembly)
    oracle = Equilibrium(assembly, found)
    chosen = State.complete(assembly) if state is None else state
    certificate = oracle.assess(chosen).certificate
    assert isinstance(certificate, Forces | Motion)
    return oracle, chosen, Referee(assembly, found), certificate


def cantilever() -> Assembly:
    return on_baseplate(brick("foot", "brick_2x4", 0, 0, 0), brick("arm", "brick_6x2", 1, 0, 3))


@pytest.mark.parametrize("structure", [arch(9, 0.2, 0.6), stack([0.3, 0.2]), cantilever()])
def test_forces_that_balance_are_accepted_and_others_not(structure: Assembly) -> None:
    oracle, state, referee, forces = proved(structure)
    assert isinstance(forces, Forces)
    strengths = oracle.strengths()
    assert referee.forces_residual(state, forces, strengths) < 1e-9
    heavier = replace(
        forces, patch_forces=1.01 * forces.patch_forces, clutch_wrenches=1.01 * forces.clutch_wrenches,
        clutch_pressure=1.01 * forces.clutch_pressure,
    )  # fmt: skip
    assert referee.forces_residual(state, heavier, strengths) == pytest.approx(0.01, rel=1.0)
    nothing = Forces(*(0 * array for array in _arrays(forces)))
    assert referee.forces_residual(state, nothing, strengths) > 0.1


def test_balance_alone_is_not_enough() -> None:
    """Forces that pull at a contact balance as well, and are refused."""
    oracle, state, referee, forces = proved(stack([0.3]))
    assert isinstance(forces, Forces)
    pulled = forces.patch_forces.copy()
    pulled[0, 2] -= 2 * abs(pulled[:, 2]).sum()
    pulled[1, 2] += 2 * abs(forces.patch_forces[:, 2]).sum()
    residual = referee.forces_residual(state, replace(forces, patch_forces=pulled), oracle.strengths())
    assert residual > 0.5


def test_a_clutch_beyond_its_strength_is_refused() -> None:
    oracle, state, referee, forces = proved(cantilever())
    assert isinstance(forces, Forces)
    weak = oracle.strengths(factor=1e-3)
    assert referee.forces_residual(state, forces, weak) > 1e-3


@pytest.mark.parametrize("structure", [arch(9, 0.05, 0.6), harmonic(3, 1.1)])
def test_a_motion_proves_only_in_its_own_direction(structure: Assembly) -> None:
    oracle, state, referee, motion = proved(structure)
    assert isinstance(motion, Motion)
    strengths = oracle.strengths()
    power = referee.motion_power(state, motion, strengths)
    assert power > 1e-3
    longer = replace(motion, twists=5 * motion.twists, clutch_slips=5 * motion.clutch_slips)
    assert referee.motion_power(state, longer, strengths) == pytest.approx(power)
    assert referee.motion_power(state, replace(motion, twists=-motion.twists), strengths) < 0
    still = replace(motion, twists=0 * motion.twists)
    assert referee.motion_power(state, still, strengths) == -np.inf


def test_a_motion_that_enters_a_neighbour_is_charged_for_it() -> None:
    oracle, state, referee, motion = proved(harmonic(3, 1.1))
    assert isinstance(motion, Motion)
    sunk = motion.twists.copy()
    sunk[1, 2] -= 0.01 * np.abs(sunk).max()
    assert referee.motion_power(state, replace(motion, twists=sunk), oracle.strengths()) < 0


def test_the_dissipation_of_clutches_counts() -> None:
    pulled = cantilever().changed(loads=(Load("arm", np.array([0, 0, 8.0])),))
    oracle, state, referee, motion = proved(pulled)
    assert isinstance(motion, Motion)
    power = referee.motion_power(state, motion, oracle.strengths())
    assert power > 1e-3
    assert referee.motion_power(state, motion, oracle.strengths(factor=1.5)) < power
    unpaid = replace(motion, clutch_slips=0 * motion.clutch_slips)
    assert referee.motion_power(state, unpaid, oracle.strengths()) < 0


def test_hinged_bars_hang_in_balance_and_a_single_hinge_does_not_hold_a_bar_level() -> None:
    wall, bar = block("wall", (0, 0, 0), (0.1, 0.1, 1)), block("bar", (0.2, 0, 0.5), (1, 0.1, 0.1))
    one = Hinge("wall", "bar", np.array([0.2, 0.05, 0.55]), np.array([0.0, 1, 0]))
    two = Hinge("wall", "bar", np.array([1.2, 0.05, 0.55]), np.array([0.0, 1, 0]))
    assembly = Assembly((wall, bar), fixed=frozenset({"wall"}), hinges=(one, two))
    assert isinstance(proved(assembly)[3], Forces)
    swings = proved(assembly.changed(hinges=(one,)))[3]
    assert isinstance(swings, Motion)
    # m·g·L/2 over the moment of inertia about the end, m·(L²/3 + h²/12).
    assert swings.twists[1, 4] == pytest.approx(9.81 * 0.5 / (1 / 3 + 0.01 / 12), rel=1e-7)


def _arrays(forces: Forces) -> tuple[np.ndarray, ...]:
    return (
        forces.patch_forces,
        forces.clutch_wrenches,
        forces.clutch_pressure,
        forces.hinge_forces,
        forces.hinge_moments,
    )
