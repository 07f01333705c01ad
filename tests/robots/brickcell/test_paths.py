"""Ways of an arm in time keep its limits and go where they should."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.formats.robots.catalogue import arm_named, tool_named
from falsework.model.errors import BadInput
from falsework.robots.brickcell.paths import straight, timed
from falsework.robots.kinematics.kinematics import Kinematics

STEP_S = 0.002


def panda() -> Kinematics:
    return Kinematics(arm_named("panda"), tool_named("panda-hand"))


def test_a_way_begins_and_ends_at_rest_and_keeps_its_share_of_the_limits() -> None:
    arm = arm_named("panda")
    way = np.array([arm.home, arm.home + 0.3, arm.home - 0.2])
    move = timed(arm, way, STEP_S, 0.5)
    speeds = 0.5 * np.array([joint.speed for joint in arm.joints])
    limits = 0.5 * np.array([joint.acceleration for joint in arm.joints])
    assert (np.abs(move.qd) <= speeds * (1 + 1e-3)).all()
    assert (np.abs(move.qdd) <= limits * 1.05).all()  # limits are kept at samples
    assert np.abs(move.qd[[0, -1]]).max() == 0.0
    assert move.q[0] == pytest.approx(way[0])
    assert move.q[-1] == pytest.approx(way[-1])


def test_velocities_are_those_of_the_positions() -> None:
    arm = arm_named("panda")
    move = timed(arm, np.array([arm.home, arm.home + 0.3, arm.home - 0.2]), STEP_S)
    differences = (move.q[2:] - move.q[:-2]) / (2 * STEP_S)
    assert np.abs(differences - move.qd[1:-1]).max() < 1e-3 * np.abs(move.qd).max()


def test_a_way_to_where_it_is_takes_no_time() -> None:
    arm = arm_named("panda")
    assert timed(arm, np.array([arm.home, arm.home]), STEP_S).seconds == 0.0


def test_a_straight_way_is_straight_and_turns_evenly() -> None:
    kinematics = panda()
    start = kinematics.forward(kinematics.arm.home)
    goal = start.copy()
    goal[:3, 3] += (0.05, 0.08, -0.1)
    turn = np.deg2rad(30.0)
    goal[:3, :3] = (
        np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]) @ goal[:3, :3]
    )
    poses = kinematics.forward(straight(kinematics, kinematics.arm.home, goal))
    along = (goal - start)[:3, 3]
    off = np.cross(poses[:, :3, 3] - start[:3, 3], along / np.linalg.norm(along))
    assert np.abs(off).max() < 1e-8
    assert np.abs(poses[-1] - goal).max() < 1e-8


def test_a_way_out_of_reach_is_refused() -> None:
    kinematics = panda()
    goal = kinematics.forward(kinematics.arm.home)
    goal[0, 3] += 1.0
    with pytest.raises(BadInput, match=r"arm panda cannot follow the straight way to .* it gets \d+% of it"):
        straight(kinematics, kinematics.arm.home, goal)
