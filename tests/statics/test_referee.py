"""The referee accepts true certificates and no others."""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from falsework.geometry.contacts.clutches import Grip, clutch_kind
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Hinge, Load
from falsework.model.catalogue import systems
from falsework.model.interfaces import ClutchKind
from falsework.model.state import State
from falsework.model.verdict import MOTION_POWER, Forces, Motion
from falsework.statics.clutches.capacities import capacities, clutch_rows
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.proofs.checked_clutches import GRIP_BOUND
from falsework.statics.proofs.referee import Referee
from tests.conftest import brick, on_baseplate
from tests.statics.structures import arch, block, harmonic, stack


def proved(assembly: Assembly, state: State | None = None) -> tuple[Equilibrium, State, Referee, Forces | Motion]:
    joints = interfaces(assembly)
    oracle = Equilibrium(assembly, joints)
    chosen = State.complete(assembly) if state is None else state
    certificate = oracle.assess(chosen).certificate
    assert isinstance(certificate, Forces | Motion)
    return oracle, chosen, Referee(assembly, joints), certificate


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


@pytest.mark.parametrize(
    ("share", "falls_paid", "falls_unpaid"), [(0.99, False, False), (1.05, True, False), (6.0, True, True)]
)
def test_the_dissipation_of_clutches_counts(share: float, falls_paid: bool, falls_unpaid: bool) -> None:
    """A brick pulled straight off slips at all its points at once, and each holds what it can.

    A motion without slips is charged with the bound on all wrenches of the clutch, so only a pull far above the
    clutch's strength is proved by it.
    """
    plain = on_baseplate(brick("only", "brick_2x2", 0, 0, 0))
    joints, state = interfaces(plain), State.complete(plain)
    strengths = Equilibrium(plain, joints).strengths()
    points, weight = len(joints.clutches.kinds[0].points), plain.masses_kg[0] * 9.81
    limit = points * float(strengths.point_n[0])
    pulled = replace(state, loads=(Load("only", np.array([0.0, 0.0, share * limit + weight])),))
    up = np.zeros((2, 6))
    up[0, 2] = 1.0
    slips = np.repeat([0.0, 0.5, 0.5], points)  # forward and backward alike: straight up
    paid, unpaid = Motion(up, slips), Motion(up, 0 * slips)
    referee = Referee(plain, joints)
    assert (referee.motion_power(pulled, paid, strengths) >= MOTION_POWER) == falls_paid
    assert (referee.motion_power(pulled, unpaid, strengths) >= MOTION_POWER) == falls_unpaid
    loaded = share * limit + 2 * weight  # weight and load, not one less the other
    assert referee.motion_power(pulled, paid, strengths) == pytest.approx((share - 1) * limit / loaded)
    credited = Motion(up, slips - 10.0)
    assert (referee.motion_power(pulled, credited, strengths) >= MOTION_POWER) == falls_unpaid


def kinds_of_clutches() -> list[ClutchKind]:
    """Of both makes: small ones at every set of walls that a brick can have there, and some long and wide ones."""
    everywhere = [tuple(map(bool, sides)) for sides in product((0, 1), repeat=4)]
    small = [(size, sides) for size in product((1, 2, 3), repeat=2) for sides in everywhere]
    wide = [Grip("system", False, *size, sides) for size, sides in small if not _is_narrow(size, sides)]
    wide += [
        Grip(make, False, *size, everywhere[-1]) for make in ("system", "duplo") for size in ((2, 4), (12, 12), (2, 48))
    ]
    narrow = [Grip(make, True, 1, length, everywhere[-1]) for make in ("system", "duplo") for length in (1, 2, 5, 64)]
    return [clutch_kind(grip, systems()[grip.system]) for grip in (*wide, *narrow)]


def _is_narrow(size: tuple[int, ...], sides: tuple[bool, ...]) -> bool:
    """Walls on both sides of one row of studs."""
    return any(size[axis] == 1 and sides[2 * axis] and sides[2 * axis + 1] for axis in (0, 1))


def test_no_wrench_of_a_clutch_exceeds_the_bound_that_motions_are_charged_with() -> None:
    """Support functions are found by linear programs along the axes and some directions.

    They are subadditive, so those along the axes bound them in every direction: h(d) ≤ Σ|dᵢ|hᵢ ≤ |d|·√Σhᵢ².
    """
    rng = np.random.default_rng(6)
    worst = 0.0
    for kind in kinds_of_clutches():
        rows, point_n = clutch_rows(kind), capacities()[kind.system, kind.narrow].point_n
        lengths = np.repeat([1.0, float(np.linalg.norm(kind.half))], 3)
        strength = len(kind.points) * point_n

        def support(direction: Array, matrix: Array = rows.rows * lengths, limits: Array = rows.limits) -> float:
            best = linprog(-direction, A_ub=matrix, b_ub=limits, bounds=(None, None))
            assert best.status == 0
            return -float(best.fun)

        along = np.array([[support(axis), support(-axis)] for axis in np.eye(6)]).max(axis=1) / strength
        direction = rng.normal(size=6)
        direction /= np.linalg.norm(direction)
        assert support(direction) <= (along @ np.abs(direction)) * strength * (1 + 1e-9)
        worst = max(worst, float(np.linalg.norm(along)))
    assert 2.0 < worst < GRIP_BOUND


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


def test_the_referee_shares_nothing_with_the_solvers() -> None:
    helpers = {"checked_bodies", "checked_contacts", "checked_clutches", "checked_hinges", "stud_grips"}
    asked, seen = [inspect.getmodule(Referee)], set()
    while asked:
        module = asked.pop()
        assert module is not None
        seen.add(module.__name__)
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            name = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            if name.startswith("falsework.") and not name.startswith("falsework.model."):
                assert name.rsplit(".", 1)[1] in helpers
                asked += [] if name in seen else [sys.modules[name]]
    assert {name.rsplit(".", 1)[1] for name in seen} == {"referee", *helpers}
