"""Spins that keep angular momentum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from falsework.engine.spins import kept_spins
from falsework.model.poses import to_rotation


def test_angular_momentum_changes_by_the_torque_and_nothing_else() -> None:
    rng, step = np.random.default_rng(0), 0.01
    root = rng.normal(size=(5, 3, 3))
    inertia = root @ root.transpose(0, 2, 1) + np.eye(3)
    spin, torque = 50.0 * rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    turn, turned = (Rotation.random(5, random_state=seed).as_matrix() for seed in (1, 2))
    old = np.einsum("nij,nj->ni", inertia, spin)
    gained = torque - np.cross(spin, old)  # as the engine has it
    moved = spin + step * np.linalg.solve(inertia, gained[:, :, None])[:, :, 0]
    kept = kept_spins(inertia, spin, moved, turn, turned, step)
    after = np.einsum("nij,njk,nk->ni", turned, inertia, kept)
    assert after == pytest.approx(np.einsum("nij,nj->ni", turn, old + step * torque), rel=1e-9)


def test_rotations_are_those_of_the_quaternions_of_any_length() -> None:
    known = Rotation.random(7, random_state=0)
    x, y, z, w = known.as_quat().T
    assert to_rotation(3.0 * np.stack([w, x, y, z], axis=1)) == pytest.approx(known.as_matrix(), abs=1e-12)
