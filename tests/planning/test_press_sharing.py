"""A rigid brick on springs that only push."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.model.arrays import Array
from falsework.planning.nodes.press_sharing import shared


def balanced(points: Array, press: Array) -> Array:
    """Shares that were seen to balance the press."""
    shares = shared(points, press)
    assert (shares >= 0).all()
    assert shares.sum() == pytest.approx(1)
    assert shares @ points == pytest.approx(press, abs=1e-9)
    return shares


def test_a_press_in_the_middle_is_shared_alike() -> None:
    square = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    assert balanced(square, np.array([0.5, 0.5])) == pytest.approx(np.full(4, 0.25))


def test_a_press_on_a_beam_of_three_by_hand() -> None:
    """On springs at 0, 1 and 2, at 0.5: (7, 4, 1) / 12; at 0.2 the last one would have to pull, so it does nothing."""
    beam = np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])
    assert balanced(beam, np.array([0.5, 0.0])) == pytest.approx(np.array([7, 4, 1]) / 12)
    assert balanced(beam, np.array([0.2, 0.0])) == pytest.approx([0.8, 0.2, 0.0])


@pytest.mark.parametrize("seed", range(20))
def test_shares_are_those_with_the_least_squares(seed: int) -> None:
    """No exchange between points that keeps the balance makes the sum of squares smaller."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 2))
    weights = rng.dirichlet(np.full(12, 0.3))
    shares = balanced(points, weights @ points)
    assert (shares**2).sum() <= (weights**2).sum() + 1e-12
    for other in rng.dirichlet(np.full(12, 0.3), size=50):
        step = other - shares
        rows = np.vstack([np.ones(12), points.T])
        step -= rows.T @ np.linalg.lstsq(rows.T, step, rcond=None)[0]
        while (shares + step < -1e-12).any() and np.abs(step).max() > 1e-9:
            step /= 2
        if (shares + step >= 0).all():
            assert (shares**2).sum() <= ((shares + step) ** 2).sum() + 1e-12


def test_the_scale_of_the_drawing_does_not_matter() -> None:
    points, press = np.random.default_rng(0).normal(size=(8, 2)), np.array([0.1, 0.05])
    assert shared(1e-3 * points, 1e-3 * press) == pytest.approx(shared(points, press))
