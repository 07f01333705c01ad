"""Trajectories can be read by numpy alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework.formats.trajectory_writing import write_trajectory
from falsework.model.trajectory import Trajectory


def test_a_trajectory_is_read_back_with_numpy(tmp_path: Path) -> None:
    poses = np.tile(np.eye(4), (3, 2, 1, 1))
    poses[:, 1, 2, 3] = [1.0, 0.5, 0.0]
    write_trajectory(tmp_path / "trajectory.npz", Trajectory(np.array([0.0, 0.1, 0.2]), ("a", "ä"), poses))
    with np.load(tmp_path / "trajectory.npz", allow_pickle=False) as read:
        assert read["time"].tolist() == [0.0, 0.1, 0.2]
        assert read["names"].tolist() == ["a", "ä"]
        assert np.array_equal(read["T_world_part"], poses)


def test_times_that_do_not_grow_are_refused() -> None:
    with pytest.raises(ValueError, match="one time or more, growing"):
        Trajectory(np.array([0.0, 0.0]), ("a",), np.tile(np.eye(4), (2, 1, 1, 1)))


def test_poses_of_other_parts_are_refused() -> None:
    with pytest.raises(ValueError, match="2 names"):
        Trajectory(np.array([0.0]), ("a", "b"), np.tile(np.eye(4), (1, 1, 1, 1)))
