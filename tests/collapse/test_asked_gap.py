"""What touches by the gap that was asked for stays where it is; what does not comes down onto what is under it."""

from __future__ import annotations

import pytest

from falsework import collapse
from falsework.gallery import make
from falsework.model.shapes import box
from tests.geometry.assemblies import assembled, at

CUBE = box((0.2, 0.2, 0.2))


def test_a_cube_comes_down_by_the_gap_that_nobody_asked_for() -> None:
    two = assembled((CUBE, at()), (CUBE, at(z=0.2001))).changed(fixed=frozenset("0"))
    fallen = collapse(two, seconds=0.05)
    assert fallen.answer == "unstable" and fallen.missing is not None
    assert fallen.missing.gap_m == 1e-4
    drop = fallen.motion.trajectory.T_world_part[[0, -1], 1, 2, 3]
    assert drop[0] - drop[1] == pytest.approx(1e-4, rel=0.05)
    resting = collapse(two, seconds=0.05, gap=1e-4)
    assert resting.answer == "stable" and resting.missing is None
    heights = resting.motion.trajectory.T_world_part[:, 1, 2, 3]
    assert heights == pytest.approx([0.2001] * len(heights), abs=1e-9)


def test_a_dome_whose_joints_are_half_sunk_and_half_open_stays_at_rest() -> None:
    dome = make("staggered-dome", rings=2)
    motion = collapse(dome, seconds=0.02)
    assert motion.answer == "stable" and motion.fallen == ()
    moved = motion.motion.trajectory.T_world_part[-1, :, :3, 3] - motion.motion.trajectory.T_world_part[0, :, :3, 3]
    assert abs(moved).max() < 1e-9
