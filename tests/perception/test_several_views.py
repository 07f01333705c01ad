"""Several views of one brick, each with its own camera error: far edges under studs, and what each view counts for."""

from __future__ import annotations

import math

import numpy as np

from falsework.perception.cameras.simulated import View, looking_at
from falsework.perception.locator.edge_rows import POINT_PX
from falsework.perception.locator.fusing import fused, with_its_camera
from falsework.perception.locator.labels import Labels
from falsework.perception.locator.locating import known_kinds, locate, prepared
from tests.perception.eyes import ABOVE, KINDS, K, brick, frame, place, scene

# From here studs reach over the plate's far edge: 42 degrees off the vertical and more.
SLANT = View(looking_at(np.array([-0.28, 0.1, 0.40]), np.zeros(3)), K)
ONE = scene(brick("a", "2x4", "red", -0.05, 0.02, degrees=30))


def test_studs_that_stand_over_the_far_edge_of_a_plate_do_not_move_it() -> None:
    """Half a pixel of them, 0.6 mm, was taken for the plate's own edge."""
    off = []
    for seed in range(4):
        view = prepared([frame(ONE, SLANT, seed=seed)], place(ONE), known_kinds(KINDS), Labels.of(("red",)))[0]
        # Where the corrected camera has the origin of the table, as the true one sees it.
        ray = SLANT.T_base_cam[:3, :3].T @ (-SLANT.T_base_cam[:3, 3])
        way = view.T_base_cam[:3, :3] @ ray
        eye = view.T_base_cam[:3, 3]
        off.append((eye - way * eye[2] / way[2])[:2])
        assert view.registered
    assert np.abs(np.mean(off, axis=0)).max() < 2.5e-4


def test_a_view_counts_as_much_as_its_camera_is_known() -> None:
    known, right = np.diag([4.0, 4.0, 1.0]), np.array([8.0, 4.0, 1.0])
    sure, vague = np.zeros((3, 3)), np.diag([100.0, 100.0, 100.0]) * POINT_PX**2
    same = with_its_camera(known, right, sure)
    assert np.allclose(same[0], known) and np.allclose(same[1], right)
    less, told = with_its_camera(known, right, vague)
    assert np.allclose(np.linalg.solve(less, told), np.linalg.solve(known, right))  # it says the same, with less weight
    assert np.trace(less) < 0.05 * np.trace(known)


def test_two_equal_views_halve_what_their_cameras_leave_and_one_bad_camera_spoils_nothing() -> None:
    known, camera = np.diag([400.0, 400.0, 100.0]), np.diag([1.0, 1.0, 0.5]) * POINT_PX**2
    assert np.allclose(fused([known, known], [camera, camera])[1], camera / 2)
    bad = 1e4 * camera
    information, left = fused([known, known], [camera, bad])
    assert np.allclose(left, camera, rtol=0.01)
    assert np.allclose(information, known, rtol=0.05)


def test_nothing_seen_in_either_view_is_no_error() -> None:
    information, left = fused([np.zeros((3, 3))] * 2, [np.eye(3)] * 2)
    assert np.isfinite(information).all() and np.allclose(left, np.eye(3) / 2)


def test_a_brick_in_two_views_is_known_better_than_in_either() -> None:
    spreads = []
    for views in ([ABOVE], [SLANT], [ABOVE, SLANT]):
        (one,) = locate([frame(ONE, view) for view in views], place(ONE), KINDS).found
        spreads.append(math.sqrt(one.covariance[0, 0] + one.covariance[1, 1]))
        assert np.linalg.norm(one.T_base_brick[:2, 3] - ONE.bricks[0].T_base_brick[:2, 3]) < 6e-4
    assert spreads[2] < min(spreads[:2])
