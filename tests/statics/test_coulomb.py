"""The check of coupled answers accepts true ones and no others."""

from __future__ import annotations

import numpy as np
import pytest

from falsework import gallery
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.bits import flags
from falsework.model.state import State
from falsework.model.verdict import Forces
from falsework.statics.core.loads import load_wrenches
from falsework.statics.proofs.coulomb import coupling_residual, motion_residual
from falsework.verdicts.check import check
from tests.statics.structures import incline

G, MU, ANGLE = 9.81, 0.55, np.deg2rad(40.0)


def sliding(acceleration: float, drag: float) -> float:
    """The residual of a cube that slides so fast down an incline, with so much friction (of μ × pressure)."""
    assembly = incline(ANGLE, MU)
    patches = interfaces(assembly).patches
    state = State.complete(assembly)
    masks = flags(state.installed, 2), flags(state.free(assembly), 2)
    down = np.array([np.cos(ANGLE), 0.0, -np.sin(ANGLE)])
    normal = np.array([np.sin(ANGLE), 0.0, np.cos(ANGLE)])
    weight = assembly.parts[1].mass_kg * G
    pressure = weight * np.cos(ANGLE)
    # A cube: friction acts half an edge below the centre, so the front two points carry more.
    arm = patches.points @ down - assembly.coms_m[1] @ down
    share = 0.25 + 0.5 * drag * MU * np.sign(arm) * 0.5
    forces: Array = pressure * share[:, None] * (normal - drag * MU * down)
    sign = 1.0 if patches.bodies[0, 1] == 1 else -1.0
    twists = np.zeros((2, 6))
    twists[1, :3] = acceleration * down
    return motion_residual(assembly, patches, masks, load_wrenches(assembly, state), sign * forces, twists)


def test_coulombs_slide_is_accepted() -> None:
    assert sliding(G * (np.sin(ANGLE) - MU * np.cos(ANGLE)), 1.0) < 1e-12


def test_friction_below_its_limit_is_no_slide() -> None:
    half = G * (np.sin(ANGLE) - 0.5 * MU * np.cos(ANGLE))
    assert sliding(half, 0.5) > 1e-2


@pytest.mark.parametrize("factor", [0.9, 1.1, -1.0])
def test_another_acceleration_is_out_of_balance(factor: float) -> None:
    assert sliding(factor * G * (np.sin(ANGLE) - MU * np.cos(ANGLE)), 1.0) > 1e-3


def test_friction_beyond_its_limit_is_refused() -> None:
    more = G * (np.sin(ANGLE) - 1.1 * MU * np.cos(ANGLE))
    assert sliding(more, 1.1) > 1e-3


def test_self_stress_belongs_to_no_displacement() -> None:
    """The forces that plain equilibrium gives the bar of the H: no shift of the bar presses it into both legs."""
    assembly = gallery.make("h-shape")
    patches = interfaces(assembly).patches
    forces = check(assembly, model="blocks").certificate
    assert isinstance(forces, Forces)
    there = np.ones(len(assembly.bodies), dtype=bool)
    weight = assembly.parts[assembly.index["bar"]].mass_kg * G
    rng = np.random.default_rng(1)
    for shift in (*np.eye(3), *rng.normal(size=(20, 3))):
        towards = np.where(patches.bodies[patches.owner, 1] == assembly.index["bar"], 1.0, -1.0)
        moved = weight * towards[:, None] * shift
        assert coupling_residual(patches, there, forces.patch_forces, moved, weight) > 0.05
