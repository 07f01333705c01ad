"""Rotations and screws, against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from falsework.model.poses import about, exponential, fixed_axes_rotation, logarithm, to_quaternion, to_rotation


def test_quaternions_of_any_length_are_rotations_and_back() -> None:
    known = Rotation.random(200, random_state=3)
    x, y, z, w = known.as_quat().T
    rotations = to_rotation(np.stack([w, x, y, z], axis=1) * np.linspace(0.1, 9.0, 200)[:, None])
    assert rotations == pytest.approx(known.as_matrix(), abs=1e-12)
    again = to_rotation(to_quaternion(rotations))
    assert again == pytest.approx(rotations, abs=1e-12)
    assert (to_quaternion(rotations)[:, 0] >= 0).all()


def test_turns_about_axes_are_scipys_and_quarters_are_exact() -> None:
    assert fixed_axes_rotation([0.3, -1.2, 2.5]) == pytest.approx(
        Rotation.from_euler("xyz", [0.3, -1.2, 2.5]).as_matrix(), abs=1e-12
    )
    assert about(1, 37.0) == pytest.approx(Rotation.from_euler("y", 37.0, degrees=True).as_matrix(), abs=1e-12)
    assert (about(2, 270.0) == [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]).all()


@pytest.mark.parametrize("seed", range(8))
def test_a_screw_is_the_exponential_of_its_twist(seed: int) -> None:
    twist = np.random.default_rng(seed).normal(size=6)
    twist[3:] *= (1e-10, 1e-4, 0.5, 1.0, 1.5, np.pi / np.linalg.norm(twist[3:]) * (1 - 1e-9), 1.0, 0.0)[seed]
    v, (x, y, z) = twist[:3], twist[3:]
    generator = np.zeros((4, 4))
    generator[:3, :3], generator[:3, 3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]], v
    pose = exponential(twist)
    assert pose == pytest.approx(expm(generator), abs=1e-8)
    if np.linalg.norm(twist[3:]) < np.pi:
        assert exponential(logarithm(pose)) == pytest.approx(pose, abs=1e-7)
