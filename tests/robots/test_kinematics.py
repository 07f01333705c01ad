"""Forward and inverse kinematics of the arms that come with the house."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from falsework.formats.robots.catalogue import arm_named, arm_names, tool_named
from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.model.poses import about, exponential
from falsework.model.robots.arm import Arm, Joint
from falsework.robots.kinematics.kinematics import Kinematics

CLOSED = {
    "fr3": "spherical shoulder",
    "gofa": "offset wrist",
    "gp4": "spherical wrist",
    "irb2600": "spherical wrist",
    "panda": "spherical shoulder",
    "ur10e": "three parallel axes",
    "ur5": "three parallel axes",
    "ur5e": "three parallel axes",
    "xarm7": "spherical shoulder",
}


def drawn(arm: Arm, count: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).uniform(arm.lower, arm.upper, (count, len(arm.joints)))


def apart(first: Array, second: Array) -> Array:
    """How far joints are from each other, whole turns not counted."""
    return np.abs((first - second + np.pi) % (2 * np.pi) - np.pi).max(axis=-1)


def sliding_arm() -> Arm:
    """Two slides and four turns, whose axes meet nowhere: no closed form fits."""
    joints = []
    for k, axis in enumerate(([1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0, 1.0, 0], [1.0, 0, 0], [0, 1.0, 0])):
        T = np.eye(4)
        T[:3, 3] = (0.05, 0.02 * k, 0.1)
        kind = "prismatic" if k < 2 else "revolute"
        joints.append(Joint(f"j{k}", T, np.array(axis), -0.5 if k < 2 else -3.0, 0.5 if k < 2 else 3.0, kind=kind))
    return Arm("gantry", tuple(joints), np.eye(4))


def test_a_panda_at_zero_is_stretched_up_as_its_table_of_lengths_says() -> None:
    T = Kinematics(arm_named("panda")).forward(np.zeros(7))
    assert T[:3, 3] == pytest.approx([0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107], abs=1e-12)
    assert T[:3, :3] == pytest.approx(np.diag([1.0, -1.0, -1.0]), abs=1e-12)


def test_a_ur5e_at_zero_lies_flat_as_its_table_of_lengths_says() -> None:
    T = Kinematics(arm_named("ur5e")).forward(np.zeros(6))
    assert T[:3, 3] == pytest.approx([-0.425 - 0.3922, -0.1333 - 0.0996, 0.1625 - 0.0997], abs=1e-12)


def test_an_irb2600_at_zero_holds_its_forearm_level() -> None:
    T = Kinematics(arm_named("irb2600")).forward(np.zeros(6))
    assert T[:3, 3] == pytest.approx([0.15 + 0.795 + 0.085, 0.0, 0.445 + 0.7 + 0.115], abs=1e-12)
    assert T[:3, 2] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("name", arm_names())
def test_links_follow_from_each_other_as_the_arm_is_written(name: str) -> None:
    arm = arm_named(name)
    kinematics = Kinematics(arm)
    q = drawn(arm, 1)[0]
    T = np.eye(4)
    links = kinematics.links(q)
    for k, joint in enumerate(arm.joints):
        T = T @ joint.T_parent_joint @ exponential(np.concatenate([np.zeros(3), q[k] * joint.axis]))
        assert links[k + 1] == pytest.approx(T, abs=1e-12)
    assert kinematics.forward(q) == pytest.approx(T @ arm.T_last_flange, abs=1e-12)


@pytest.mark.parametrize("arm", [arm_named("gofa"), arm_named("panda"), sliding_arm()], ids=lambda arm: arm.name)
def test_the_jacobian_is_how_poses_change(arm: Arm) -> None:
    kinematics = Kinematics(arm)
    q, h = 0.5 * drawn(arm, 1)[0], 1e-6
    J, T = kinematics.jacobian(q), kinematics.forward(q)
    for k in range(len(q)):
        step = h * np.eye(len(q))[k]
        more, less = kinematics.forward(q + step), kinematics.forward(q - step)
        turning = (more[:3, :3] - less[:3, :3]) @ T[:3, :3].T / (2 * h)
        assert J[:3, k] == pytest.approx((more - less)[:3, 3] / (2 * h), abs=1e-8)
        assert J[3:, k] == pytest.approx([turning[2, 1], turning[0, 2], turning[1, 0]], abs=1e-8)


@pytest.mark.parametrize("name", arm_names())
def test_all_poses_that_an_arm_reaches_are_solved_within_its_limits(name: str) -> None:
    kinematics = Kinematics(arm_named(name))
    arm = kinematics.arm
    assert kinematics.form == CLOSED[name]
    wanted = kinematics.forward(drawn(arm, 1000))
    found, there = kinematics.solve_many(wanted)
    assert there.mean() >= 0.999
    assert np.abs(kinematics.forward(found[there]) - wanted[there]).max() < 1e-6
    assert ((found >= arm.lower) & (found <= arm.upper))[there].all()


@pytest.mark.parametrize("name", [name for name, form in CLOSED.items() if form != "spherical shoulder"])
def test_the_joints_that_a_pose_came_from_are_among_its_branches(name: str) -> None:
    kinematics = Kinematics(arm_named(name))
    q = drawn(kinematics.arm, 200, seed=1)
    found, counts = kinematics.many_branches(kinematics.forward(q))
    back = [apart(found[k, : counts[k]], q[k]).min(initial=9.0) < 1e-3 for k in range(len(q))]
    assert np.mean(back) >= (0.98 if CLOSED[name] == "offset wrist" else 1.0)


@pytest.mark.parametrize("name", ["panda", "fr3", "xarm7"])
def test_with_the_last_joint_given_seven_axes_are_solved_completely(name: str) -> None:
    """Of an arm whose last joint hardly moves, the joints that a pose came from are among the answers."""
    arm = arm_named(name)
    for q in drawn(arm, 40, seed=2):
        last = dataclasses.replace(arm.joints[-1], lower=q[-1] - 1e-9, upper=q[-1] + 1e-9)
        home = np.append(arm.home[:-1], q[-1])
        pinned = Kinematics(dataclasses.replace(arm, joints=(*arm.joints[:-1], last), home=home))
        assert apart(pinned.branches(pinned.forward(q)), q).min() < 1e-4


def test_branches_are_distinct_and_all_reach() -> None:
    for name in ("ur5e", "irb2600", "gofa", "panda"):
        kinematics = Kinematics(arm_named(name))
        for T in kinematics.forward(drawn(kinematics.arm, 20, seed=3)):
            found = kinematics.branches(T)
            assert np.abs(kinematics.forward(found) - T).max() < 1e-6
            for k in range(len(found)):
                assert apart(found[:k], found[k]).min(initial=9.0) > 1e-4


def test_a_ur5e_reaches_a_pose_in_the_middle_of_its_space_in_all_eight_ways() -> None:
    kinematics = Kinematics(arm_named("ur5e"))
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = about(0, 170.0), (-0.4, -0.2, 0.3)
    assert len(kinematics.branches(T)) == 8


def test_an_arm_that_no_closed_form_fits_is_solved_by_searching() -> None:
    kinematics = Kinematics(sliding_arm())
    assert kinematics.form == "numeric"
    assert not kinematics.complete
    wanted = kinematics.forward(drawn(kinematics.arm, 100, seed=4))
    found, there = kinematics.solve_many(wanted)
    assert there.mean() >= 0.97
    assert np.abs(kinematics.forward(found[there]) - wanted[there]).max() < 1e-8


def test_closed_forms_and_searching_find_the_same_branches() -> None:
    """Two methods, one answer: whatever descents from many starts reach, the closed form has."""
    arm = arm_named("ur5e")
    closed = Kinematics(arm)
    bent = dataclasses.replace(arm.joints[5], T_parent_joint=arm.joints[5].T_parent_joint @ _nudged(1e-7))
    searched = Kinematics(dataclasses.replace(arm, joints=(*arm.joints[:5], bent)))
    assert searched.form == "numeric"
    for T in closed.forward(drawn(arm, 5, seed=5)):
        known = closed.branches(T)
        for q in searched.branches(T):
            assert apart(known, q).min() < 1e-3


def _nudged(metres: float) -> Array:
    T = np.eye(4)
    T[0, 3] = metres
    return T


def test_out_of_reach_there_is_no_answer() -> None:
    for name in arm_names():
        T = np.eye(4)
        T[:3, 3] = (5.0, 0.0, 0.5)
        kinematics = Kinematics(arm_named(name))
        assert len(kinematics.branches(T)) == 0
        assert kinematics.solve(T) is None


def test_whole_turns_are_chosen_near_where_the_arm_is() -> None:
    kinematics = Kinematics(arm_named("ur5e"))
    q = np.array([5.8, -1.2, 1.1, -5.0, 1.3, 5.5])
    found = kinematics.branches(kinematics.forward(q), near=q)
    assert np.abs(found - q).max(axis=1).min() < 1e-9


def test_a_tool_moves_the_point_that_is_asked_about() -> None:
    arm, tool = arm_named("panda"), tool_named("panda-hand")
    bare, armed = Kinematics(arm), Kinematics(arm, tool)
    assert armed.forward(arm.home) == pytest.approx(bare.forward(arm.home) @ tool.T_flange_tool, abs=1e-12)
    assert armed.form == "spherical shoulder"


def test_the_same_question_gets_the_same_bits() -> None:
    arm = arm_named("panda")
    T = Kinematics(arm).forward(drawn(arm, 20, seed=6))
    first, second = Kinematics(arm).many_branches(T), Kinematics(arm).many_branches(T)
    assert np.array_equal(first[1], second[1])
    for k, count in enumerate(first[1]):
        assert np.array_equal(first[0][k, :count], second[0][k, :count])


def test_positions_for_another_arm_are_refused() -> None:
    with pytest.raises(BadInput, match=r"found positions of shape \(6,\), expected 7 a row"):
        Kinematics(arm_named("panda")).forward(np.zeros(6))
