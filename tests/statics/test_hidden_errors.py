"""Wrong certificates whose error is small by some other measure than the part's own: solved by hand, and refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("numba")

from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Hinge, Load
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, MOTION_POWER, Forces, Motion
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.proofs.checked_clutches import Strengths
from falsework.statics.proofs.compiled_referee import CompiledReferee
from falsework.statics.proofs.referee import Referee
from tests.collapse.linkages import bar, hinges_only
from tests.conftest import brick, on_baseplate
from tests.statics.structures import block, stack

G = 9.81
NO_CLUTCHES = Strengths(np.zeros(0), np.zeros(0))


def no_forces(joints: Interfaces) -> Forces:
    points, clutches, hinges = len(joints.patches.points), len(joints.clutches), len(joints.hinges)
    shapes = ((points, 3), (clutches, 6), (clutches, 4), (hinges, 3), (hinges, 3))
    return Forces(*(np.zeros(shape) for shape in shapes))


@pytest.mark.parametrize("stranger_kg", [1.0, 1e12])
def test_a_feather_does_not_float_beside_a_heavy_stranger(stranger_kg: float) -> None:
    slab = block("slab", (0, 0, 0), (5, 1, 1))
    feather = replace(block("feather", (0, 0, 2), (1, 1, 1)), mass_kg=1e-3)
    stranger = replace(block("stranger", (3, 0, 1), (1, 1, 1)), mass_kg=stranger_kg)
    assembly = Assembly((slab, feather, stranger), fixed=frozenset({"slab"}))
    joints, state = interfaces(assembly), State.complete(assembly)
    borne = replace(no_forces(joints), patch_forces=np.full((4, 3), [0.0, 0.0, stranger_kg * G / 4]))
    referee = Referee(assembly, joints)
    assert referee.forces_residual(state, borne, NO_CLUTCHES) == pytest.approx(1.0)
    held = replace(state, held=assembly.mask(["feather"]))
    assert referee.forces_residual(held, borne, NO_CLUTCHES) < 1e-12
    down = np.zeros((3, 6))
    down[1, 2] = -1.0
    assert referee.motion_power(state, Motion(down, np.zeros(0)), NO_CLUTCHES) == pytest.approx(1.0)


@pytest.mark.parametrize("wall_m", [0.1, 2000.0])
def test_a_hinge_on_a_large_wall_carries_no_moment_of_a_small_rod(wall_m: float) -> None:
    """A rod that stands out level needs its weight times half its length, which is little by the wall's measure."""
    wall = block("wall", (-wall_m, -1, -1), (wall_m, 2, 2))
    rod = bar("rod", np.zeros(3), np.array([1e-2, 0, 0]), 1e-3)
    pin = Hinge("wall", "rod", np.zeros(3), np.array([0.0, 1, 0]))
    assembly = Assembly((wall, rod), fixed=frozenset({"wall"}), hinges=(pin,))
    found = hinges_only(assembly)
    weight = assembly.masses_kg[1] * G
    forces = replace(
        no_forces(found), hinge_forces=[[0, 0, weight]], hinge_moments=[[0, -weight * assembly.coms_m[1, 0], 0]]
    )
    assert Referee(assembly, found).forces_residual(State.complete(assembly), forces, NO_CLUTCHES) > 0.5


@pytest.mark.parametrize(("share", "stands"), [(0.999, True), (1.0001, False), (1.04, False)])
def test_a_little_too_much_at_each_of_many_points_is_too_much(share: float, stands: bool) -> None:
    """A plate of 128x128 studs is pulled straight off: every point bears the same, all of them are the limit."""
    plain = on_baseplate(brick("plate", "plate_128x128", 0, 0, 0))
    joints = interfaces(plain)
    strengths = Equilibrium(plain, joints).strengths()
    pull = share * len(joints.clutches.kinds[0].points) * float(strengths.point_n[0])
    load = Load("plate", np.array([0.0, 0.0, pull + plain.masses_kg[0] * G]))
    wrench = np.array([0.0, 0, -pull, 0, 0, 0])
    wrench[3:] = -np.cross(joints.clutches.T_world_clutch[0, :3, 3] - plain.coms_m[0], wrench[:3])
    forces = replace(no_forces(joints), clutch_wrenches=wrench[None])
    residual = Referee(plain, joints).forces_residual(replace(State.complete(plain), loads=(load,)), forces, strengths)
    assert (residual <= FORCES_RESIDUAL) == stands


def test_a_moment_of_a_brick_that_is_not_there_is_measured_in_the_bricks_own_lengths() -> None:
    """In metres it is a millionth of the weight; of a brick 8 mm wide it turns more than a ten-thousandth."""
    assembly = on_baseplate(brick("foot", "brick_1x1", 0, 0, 0), brick("gone", "brick_1x1", 0, 0, 3))
    joints, state = interfaces(assembly), State.complete(assembly, absent=assembly.mask(["gone"]))
    oracle, referee = Equilibrium(assembly, joints), Referee(assembly, joints)
    given = oracle.assess(state).certificate
    assert isinstance(given, Forces)
    ghost = int(np.flatnonzero((joints.clutches.bodies == assembly.index["gone"]).any(axis=1))[0])
    kept = 1 - ghost
    wrenches, moment = np.array(given.clutch_wrenches), 0.9e-6 * assembly.masses_kg[0] * G
    wrenches[ghost, 3] += moment  # on the foot −moment, or +moment where it is the hole brick
    wrenches[kept, 3] += moment if joints.clutches.bodies[ghost, 0] == assembly.index["foot"] else -moment
    both = replace(given, clutch_wrenches=wrenches)
    assert referee.forces_residual(state, given, oracle.strengths()) < 1e-9
    assert referee.forces_residual(state, both, oracle.strengths()) > 10 * FORCES_RESIDUAL


@pytest.mark.parametrize("granite_kg", [1e-6, 1e8])
def test_what_a_far_heavier_block_presses_on_is_held_by_the_faintest_friction(granite_kg: float) -> None:
    """Friction holds a feather while 2·μ·(granite) + μ·(feather) exceeds what pulls it aside."""
    slab, granite = block("slab", (0, 0, 0), (1, 1, 1)), block("granite", (0, 0, 1.1), (1, 1, 1))
    feather = replace(block("feather", (0.25, 0.25, 1), (0.5, 0.5, 0.1)), mass_kg=1.0)
    parts = (slab, feather, replace(granite, mass_kg=granite_kg))
    pull = Load("feather", np.array([1e-3 * G, 0.0, 0.0]))
    assembly = Assembly(parts, fixed=frozenset({"slab"}), friction=1e-10, loads=(pull,))
    aside = np.zeros((3, 6))
    aside[1, 0] = 1.0
    held = 2 * assembly.friction * granite_kg * G > 1e-3 * G
    power = Referee(assembly, interfaces(assembly)).motion_power(
        State.complete(assembly), Motion(aside, np.zeros(0)), NO_CLUTCHES
    )
    assert (power < MOTION_POWER) == held


@pytest.mark.parametrize("gravity", [1e-6, 1e-60, 1e-170, 1e-300])
def test_nothing_floats_where_squares_of_forces_vanish(gravity: float) -> None:
    assembly = stack([0.2]).changed(gravity=np.array([0.0, 0.0, -gravity]))
    joints = interfaces(assembly)
    residual = Referee(assembly, joints).forces_residual(State.complete(assembly), no_forces(joints), NO_CLUTCHES)
    assert residual >= 1.0


def test_what_no_load_acts_on_is_measured_by_what_it_touches() -> None:
    """Without gravity a push goes through a block that bears nothing of its own."""
    push = Load("2", np.array([0.0, 0.0, -1e-9]), np.array([0.6, 0.25, 0.9]))
    assembly = stack([0.1, 0.1]).changed(gravity=np.zeros(3), loads=(push,))
    joints, state = interfaces(assembly), State.complete(assembly)
    given = Equilibrium(assembly, joints).assess(state).certificate
    assert isinstance(given, Forces)
    referee = Referee(assembly, joints)
    assert referee.forces_residual(state, given, NO_CLUTCHES) < 1e-9
    lower = (joints.patches.bodies[joints.patches.owner] == assembly.index["0"]).any(axis=1)
    unborne: Array = np.where(lower[:, None], 0.0, given.patch_forces)
    assert referee.forces_residual(state, replace(given, patch_forces=unborne), NO_CLUTCHES) == pytest.approx(1.0)


def test_no_state_is_proved_both_ways_by_a_hand_that_squeezes() -> None:
    """Held from above with a force of any size, friction of 1e-10 would hold a part that its load pulls aside."""
    slab, hand = block("slab", (0, 0, 0), (1, 1, 1)), block("hand", (0.25, 0.25, 1.1), (0.5, 0.5, 1))
    part = replace(block("part", (0.25, 0.25, 1), (0.5, 0.5, 0.1)), mass_kg=1.0)
    pull = Load("part", np.array([1e-3 * G, 0.0, 0.0]))
    assembly = Assembly((slab, part, hand), fixed=frozenset({"slab"}), friction=1e-10, loads=(pull,))
    joints, state = interfaces(assembly), State.complete(assembly, held=assembly.mask(["hand"]))
    squeeze = 1.1 * 1e-3 * G / (2 * assembly.friction)
    below = (joints.patches.bodies == assembly.index["slab"]).any(axis=1)[joints.patches.owner]
    up = np.where(below, squeeze + G, squeeze) / 4
    signs = np.where(joints.patches.bodies[joints.patches.owner, 1] == assembly.index["part"], 1.0, -1.0)
    normals = np.abs(joints.patches.normals[joints.patches.owner]) * np.where(below, 1.0, -1.0)[:, None]
    aside = np.array([1.0, 0, 0]) * -1e-3 * G / 8
    forces = replace(no_forces(joints), patch_forces=signs[:, None] * (up[:, None] * normals + aside))
    moved = np.zeros((3, 6))
    moved[1, 0] = 1.0
    for kind in (Referee, CompiledReferee):
        judged = kind(assembly, joints).judge([state], forces.patch_forces[None], moved[None], NO_CLUTCHES)
        assert judged.moving == [assembly.mask(["part"])] and not judged.stands[0]
    stronger = assembly.changed(friction=1e-3)
    joints = interfaces(stronger)
    gentle = np.where(below, 2 * G, G) / 4
    less = replace(forces, patch_forces=signs[:, None] * (gentle[:, None] * normals + aside))
    for kind in (Referee, CompiledReferee):
        assert kind(stronger, joints).judge([state], less.patch_forces[None], 0 * moved[None], NO_CLUTCHES).stands[0]
