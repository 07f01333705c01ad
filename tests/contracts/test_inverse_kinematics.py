"""What every solver of inverse kinematics promises, whoever made it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from falsework.formats.robots.catalogue import arm_named
from falsework.model.arrays import Array
from falsework.model.ports import InverseKinematics
from falsework.model.robots.arm import Arm
from falsework.robots.kinematics.kinematics import Kinematics


def wrenched() -> Arm:
    """A UR5e whose wrist is bent, so that no closed form fits."""
    arm = arm_named("ur5e")
    T = arm.joints[4].T_parent_joint.copy()
    T[0, 3] += 0.01
    joints = [*arm.joints]
    joints[4] = dataclasses.replace(joints[4], T_parent_joint=T)
    T = joints[5].T_parent_joint.copy()
    T[0, 3] += 0.02
    joints[5] = dataclasses.replace(joints[5], T_parent_joint=T)
    return dataclasses.replace(arm, joints=tuple(joints))


SOLVERS: dict[str, Callable[[], Kinematics]] = {
    "spherical wrist": lambda: Kinematics(arm_named("irb2600")),
    "three parallel axes": lambda: Kinematics(arm_named("ur5e")),
    "spherical shoulder": lambda: Kinematics(arm_named("panda")),
    "offset wrist": lambda: Kinematics(arm_named("gofa")),
    "numeric": lambda: Kinematics(wrenched()),
}


@pytest.fixture(params=SOLVERS)
def kinematics(request: pytest.FixtureRequest) -> Kinematics:
    made = SOLVERS[request.param]()
    assert made.form == request.param
    return made


def poses(kinematics: Kinematics, count: int = 6) -> Array:
    arm = kinematics.arm
    rng = np.random.default_rng(0)
    return kinematics.forward(rng.uniform(arm.lower, arm.upper, (count, len(arm.joints))))


def test_branches_reach_the_pose_within_the_limits_each_once(kinematics: Kinematics) -> None:
    solver: InverseKinematics = kinematics
    arm = kinematics.arm
    for T in poses(kinematics):
        found = solver.branches(T)
        assert len(found) > 0
        assert np.abs(kinematics.forward(found) - T).max() < 1e-6
        assert ((found >= arm.lower) & (found <= arm.upper)).all()
        assert len(np.unique(np.round(found, 3), axis=0)) == len(found)


def test_the_same_pose_gets_the_same_answer(kinematics: Kinematics) -> None:
    solver: InverseKinematics = kinematics
    for T in poses(kinematics, 3):
        assert np.array_equal(solver.branches(T), solver.branches(T.copy()))


def test_one_answer_is_an_answer_and_near_to_where_the_arm_is(kinematics: Kinematics) -> None:
    solver: InverseKinematics = kinematics
    for T in poses(kinematics):
        q = solver.solve(T)
        assert q is not None
        assert np.abs(kinematics.forward(q) - T).max() < 1e-6
        near = solver.solve(T, near=q)
        assert near is not None and np.abs(near - q).max() < 1e-4


def test_out_of_reach_nothing_is_found(kinematics: Kinematics) -> None:
    solver: InverseKinematics = kinematics
    T = np.eye(4)
    T[0, 3] = 9.0
    assert solver.solve(T) is None
    assert solver.branches(T).shape == (0, len(kinematics.arm.joints))


def test_only_who_computes_all_branches_calls_itself_complete(kinematics: Kinematics) -> None:
    assert kinematics.complete == (kinematics.form in ("spherical wrist", "three parallel axes"))
