"""Closed forms fit arms by how their axes lie, whatever lengths and angles: arms that nobody builds are solved too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from falsework.model.arrays import Array
from falsework.model.robots.arm import Arm, Joint
from falsework.robots.kinematics.kinematics import Kinematics

Rng = np.random.Generator
Lines = tuple[list[Array], list[Array]]  # directions and points of axes


def direction(rng: Rng) -> Array:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def skew(rng: Rng, other: Array) -> Array:
    """A direction that is far from parallel to another."""
    while True:
        found = direction(rng)
        if np.linalg.norm(np.cross(found, other)) > 0.5:
            return found


def point(rng: Rng) -> Array:
    return rng.normal(size=3) * 0.3


def spherical_wrist(rng: Rng) -> Lines:
    first, second = (one := direction(rng)), skew(rng, one)
    fourth = skew(rng, second)
    fifth = skew(rng, fourth)
    wrist = point(rng)
    return [first, second, second, fourth, fifth, skew(rng, fifth)], [
        *(point(rng) for _ in range(3)),
        wrist,
        wrist,
        wrist,
    ]


def three_parallel(rng: Rng) -> Lines:
    first, second = (one := direction(rng)), skew(rng, one)
    fifth = skew(rng, second)
    meet = point(rng)
    return [first, second, second, -second, fifth, skew(rng, fifth)], [*(point(rng) for _ in range(4)), meet, meet]


def offset_wrist(rng: Rng) -> Lines:
    first, second = (one := direction(rng)), skew(rng, one)
    fourth = skew(rng, second)
    fifth = skew(rng, fourth)
    meet = point(rng)
    sixth = skew(rng, fifth)
    beside = meet + 0.1 * np.cross(fifth, sixth) + 0.2 * direction(rng)
    return [first, second, -second, fourth, fifth, sixth], [*(point(rng) for _ in range(3)), meet, meet, beside]


def spherical_shoulder(rng: Rng) -> Lines:
    axes = [direction(rng)]
    while len(axes) < 7:
        axes.append(skew(rng, axes[-1]))
    shoulder, wrist = point(rng), point(rng)
    return axes, [shoulder, shoulder, shoulder, point(rng), wrist, wrist, point(rng)]


FORMS: dict[str, Callable[[Rng], Lines]] = {
    "spherical wrist": spherical_wrist,
    "three parallel axes": three_parallel,
    "offset wrist": offset_wrist,
    "spherical shoulder": spherical_shoulder,
}


def made(lines: Lines, rng: Rng) -> Arm:
    """An arm with these axes at position 0; a point of each axis is chosen anew, as any of its line is as good."""
    axes, points = lines
    places = [at + rng.normal() * 0.2 * axis for axis, at in zip(axes, points, strict=True)]
    joints = []
    before = np.zeros(3)
    for number, (axis, place) in enumerate(zip(axes, places, strict=True)):
        T = np.eye(4)
        T[:3, 3] = place - before
        joints.append(Joint(f"j{number}", T, axis, -3.1, 3.1))
        before = place
    flange = np.eye(4)
    flange[:3, 3] = point(rng)
    return Arm("random", tuple(joints), flange)


@pytest.mark.parametrize("form", FORMS)
def test_arms_at_random_are_recognised_and_their_own_joints_are_among_the_branches(form: str) -> None:
    rng = np.random.default_rng(7)
    back = tried = 0
    for _ in range(12):
        kinematics = Kinematics(made(FORMS[form](rng), rng))
        assert kinematics.form == form
        q = rng.uniform(-3.0, 3.0, (10, len(kinematics.arm.joints)))
        if form == "spherical shoulder":
            q[:, -1] = kinematics.spread(32)[rng.integers(0, 32, 10)]  # where it looks
        wanted = kinematics.forward(q)
        found, counts = kinematics.many_branches(wanted)
        for k in range(10):
            mine = found[k, : counts[k]]
            assert np.abs(kinematics.forward(mine) - wanted[k]).max(initial=0.0) < 1e-6
            apart = np.abs((mine - q[k] + np.pi) % (2 * np.pi) - np.pi).max(axis=1)
            back += bool(apart.min(initial=9.0) < 1e-3)
            tried += 1
    assert back >= (0.95 if form == "offset wrist" else 1.0) * tried
