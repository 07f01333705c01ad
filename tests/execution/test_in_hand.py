"""What a camera on a wrist is off by, told from how bricks lie in the hand."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.execution.control.in_hand import LIES_M, LOOKS_M, MOUNTED_M, WristOffset


def test_the_first_look_is_mostly_believed_to_be_the_cameras() -> None:
    seen = 1e-3
    assert abs(WristOffset().of_brick(seen)) < 0.1 * seen


def test_it_is_the_mean_of_all_looks_with_the_mounting_as_one_more() -> None:
    """By hand: the weights are one over the variances."""
    looks = np.array([0.4e-3, -0.2e-3, 0.9e-3])
    offset = WristOffset()
    for seen in looks:
        offset = offset.after(float(seen))
    own, mount = 1.0 / (LIES_M**2 + LOOKS_M**2), 1.0 / MOUNTED_M**2
    assert offset.mean_m == pytest.approx(own * looks.sum() / (3 * own + mount))
    assert offset.variance == pytest.approx(1.0 / (3 * own + mount))


def test_over_many_bricks_what_is_left_is_less_than_how_they_lay() -> None:
    rng = np.random.default_rng(5)
    left = []
    for _ in range(200):
        offset, mount = WristOffset(), MOUNTED_M * rng.normal()
        for _ in range(8):
            lies = LIES_M * rng.normal()
            seen = mount + lies + LOOKS_M * rng.normal()
            left.append(lies - offset.of_brick(seen))
            offset = offset.after(seen)
    last = np.array(left).reshape(200, 8)[:, 4:]
    assert np.sqrt(np.mean(last**2)) < 0.5 * LIES_M


def test_a_brick_that_slipped_is_found_and_says_nothing_of_the_camera() -> None:
    offset = WristOffset()
    for seen in (1.0e-3, 1.1e-3, 0.9e-3, 1.0e-3):
        offset = offset.after(seen)
    assert offset.of_brick(6e-3) == pytest.approx(5e-3 * 0.8, rel=0.05)
    assert offset.after(6e-3) == offset
