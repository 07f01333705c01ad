"""Motions of linkages: only those that keep every hinge prove a fall."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.interfaces import Hinges
from falsework.model.state import State
from falsework.model.verdict import Motion
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.hinge_motions import keeping_hinges
from falsework.statics.proofs.referee import Referee
from tests.collapse.linkages import framework, hinges_only, random_linkage


def masks(assembly: Assembly) -> tuple[Array, Array]:
    state = State.complete(assembly)
    count = len(assembly.bodies)
    return flags(state.installed, count), flags(state.free(assembly), count)


def torn(assembly: Assembly, hinges: Hinges, twists: Array) -> float:
    """The fastest that a hinge is torn apart, or turned about another axis."""
    worst = 0.0
    for (first, second), point, axis in zip(hinges.bodies, hinges.points, hinges.axes, strict=True):
        speeds = [twists[b, :3] + np.cross(twists[b, 3:], point - assembly.coms_m[b]) for b in (first, second)]
        turned = twists[second, 3:] - twists[first, 3:]
        worst = max(worst, *np.abs(speeds[1] - speeds[0]), *np.abs(turned - (turned @ axis) * axis))
    return worst


def test_any_motion_is_made_one_that_keeps_every_hinge() -> None:
    rng = np.random.default_rng(5)
    moved = 0
    for _ in range(30):
        assembly = random_linkage(rng)
        joints, (there, free) = hinges_only(assembly), masks(assembly)
        twists = np.where(free[:, None], rng.normal(size=(len(free), 6)), 0.0)
        kept = keeping_hinges(assembly, joints.hinges, there, free, twists)
        assert torn(assembly, joints.hinges, kept) < 1e-11 and not kept[~free].any()
        again = keeping_hinges(assembly, joints.hinges, there, free, kept)
        assert np.abs(again - kept).max() < 1e-12
        moved += np.abs(kept).max() > 1e-3
    assert moved > 10


def test_hinges_of_absent_parts_keep_nothing() -> None:
    swing = framework(np.array([[0.0, 0, 0], [1.0, 0, 0]]), [(0, 1)], [0])
    joints, (there, free) = hinges_only(swing), masks(swing)
    twists = np.where(free[:, None], np.ones(6), 0.0)
    assert np.abs(keeping_hinges(swing, joints.hinges, there, free, twists) - twists).max() > 0.1
    assert np.array_equal(keeping_hinges(swing, joints.hinges, there & free, free, twists), twists)


@pytest.mark.parametrize("rise", [1e-3, 1e-5, 1e-7])
def test_a_motion_that_tears_hinges_a_little_proves_nothing(rise: float) -> None:
    """The middle of two nearly straight bars sinks: the hinges are torn by `rise` times its speed, and bear it."""
    toggle = framework(np.array([[-1.0, 0, 0], [0, 0, rise], [1.0, 0, 0]]), [(0, 1), (1, 2)], [0, 2])
    joints, state = hinges_only(toggle), State.complete(toggle)
    twists = np.zeros((3, 6))
    twists[1, 2], twists[1, 4] = -0.5, 1.0
    twists[2, 2], twists[2, 4] = -0.5, -1.0
    assert 0 < torn(toggle, joints.hinges, twists) < 10 * rise
    oracle = Equilibrium(toggle, joints)
    assert Referee(toggle, joints).motion_power(state, Motion(twists, np.zeros(0)), oracle.strengths(state)) < 0


def test_a_motion_that_keeps_hinges_proves_a_fall_and_none_that_was_shaken() -> None:
    swing = framework(np.array([[0.0, 0, 0], [1.0, 0, 0]]), [(0, 1)], [0])
    joints, state = hinges_only(swing), State.complete(swing)
    oracle = Equilibrium(swing, joints)
    verdict = oracle.assess(state)
    motion = verdict.certificate
    assert verdict.answer == "unstable" and isinstance(motion, Motion)
    assert torn(swing, joints.hinges, motion.twists) < 1e-13
    shaken = replace(motion, twists=motion.twists * (1 + 1e-6 * np.arange(12).reshape(2, 6)))
    assert Referee(swing, joints).motion_power(state, shaken, oracle.strengths(state)) < 0
