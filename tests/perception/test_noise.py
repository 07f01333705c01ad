"""The noise of cameras is what its settings say."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.model.errors import BadInput
from falsework.model.poses import inverse, logarithm
from falsework.perception.cameras.noise import Noise, believed_pose, measured_colour, measured_depth

FLAT = np.full((240, 320), 0.55)


def test_without_noise_depth_and_colour_are_the_truth() -> None:
    rng = np.random.default_rng(0)
    depth = np.tile(np.linspace(0.4, 0.6, 64), (48, 1))
    rgb = rng.integers(0, 256, (48, 64, 3)).astype(np.uint8)
    assert np.allclose(measured_depth(depth, Noise.none(), rng), depth, rtol=1e-12)
    assert np.array_equal(measured_colour(rgb, Noise.none(), rng), rgb)


def test_a_flat_wall_is_as_noisy_as_stereo_says() -> None:
    """σ_z = z² σ_d / (f b): 0.55² · 0.08 / (447 · 0.05) = 1.083 mm."""
    noise = Noise(depth_step_m=0, disparity_step_px=0, edge_holes=0, blobs=0)
    spread = np.std(measured_depth(FLAT, noise, np.random.default_rng(1)) - FLAT)
    assert spread == pytest.approx(0.55**2 * noise.depth_sigma_at, rel=0.05)
    assert 0.55**2 * noise.depth_sigma_at == pytest.approx(1.083e-3, rel=1e-3)


def test_neighbours_share_the_stated_part_of_the_error() -> None:
    noise = Noise(depth_step_m=0, disparity_step_px=0, edge_holes=0, blobs=0, shared=0.5, shared_px=3)
    errors = measured_depth(FLAT, noise, np.random.default_rng(2)) - FLAT
    alike = np.corrcoef(errors[:, :-1].ravel(), errors[:, 1:].ravel())[0, 1]
    assert alike == pytest.approx(0.5 * np.exp(-1 / (4 * 3**2)), abs=0.03)  # what a Gaussian of 3 px leaves at 1 px


def test_depth_comes_in_whole_steps() -> None:
    depth = measured_depth(FLAT, Noise(), np.random.default_rng(3))
    assert np.allclose(depth * 1000, np.rint(depth * 1000), atol=1e-9)


def test_a_shadow_falls_beside_what_stands_out_and_as_wide_as_the_disparities_differ() -> None:
    depth = np.full((5, 200), 0.6)
    depth[:, 100:140] = 0.5
    noise = Noise(edge_holes=0, blobs=0, disparity_px=0, jitter_px=0, median_px=1)
    holes = measured_depth(depth, noise, np.random.default_rng(0)) == 0
    wide = 447 * 0.05 * (1 / 0.5 - 1 / 0.6)
    assert holes[2].nonzero()[0].tolist() == list(range(100 - round(wide), 100))


def test_jitter_makes_flying_pixels_between_near_and_far_only() -> None:
    depth = np.full((60, 80), 0.6)
    depth[:, 40:] = 0.5
    noise = Noise(edge_holes=0, blobs=0, disparity_px=0, shadow=False, depth_step_m=0, disparity_step_px=0)
    seen = measured_depth(depth, noise, np.random.default_rng(0))
    assert ((seen >= 0.5 - 1e-9) & (seen <= 0.6 + 1e-9)).all()
    between = (seen > 0.51) & (seen < 0.59)
    assert between.any() and not between[:, :36].any() and not between[:, 44:].any()


def test_extrinsics_are_off_by_what_was_told() -> None:
    off = logarithm(
        inverse(np.eye(4))
        @ believed_pose(np.eye(4), Noise(extrinsics_m=0.001, extrinsics_deg=0.2), np.random.default_rng(4))
    )
    assert np.linalg.norm(off[:3]) == pytest.approx(0.001)
    assert np.degrees(np.linalg.norm(off[3:])) == pytest.approx(0.2)


def test_doubled_noise_doubles_what_is_random_and_nothing_else() -> None:
    twice = Noise(extrinsics_m=0.001).times(2)
    assert (twice.disparity_px, twice.sigma, twice.gain, twice.edge_holes) == (0.16, 8.0, 0.12, 0.6)
    assert (twice.baseline_m, twice.median_px, twice.blur_px, twice.extrinsics_m) == (0.05, 5, 0.6, 0.001)


def test_the_same_seed_gives_the_same_picture() -> None:
    one, two = (measured_depth(FLAT, Noise(), np.random.default_rng(9)) for _ in range(2))
    assert np.array_equal(one, two)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sgma": 3}, "did you mean 'sigma'"),
        ({"sigma": -1}, "sigma: found -1"),
        ({"median_px": 4}, "an odd number"),
        ({"edge_holes": 1.5}, "shares"),
        ({"baseline_m": 0}, "baseline"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Noise.of(settings)
