"""Rows that others imply are dropped, and nothing else."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from falsework.model.arrays import Array, Bools
from falsework.statics.clutches.thinning import needed_rows


def box_rows() -> tuple[Array, Array]:
    """|w_i| ≤ 1 in six dimensions."""
    return np.vstack([np.eye(6), -np.eye(6)]), np.ones(12)


def reach(rows: Array, limits: Array, way: Array) -> float:
    """How far {rows·w ≤ limits} goes along a direction."""
    found = linprog(-way, A_ub=rows, b_ub=limits, bounds=(None, None), method="highs")
    return float(-found.fun)


def test_a_row_that_never_binds_goes_and_the_others_stay() -> None:
    rows, limits = box_rows()
    loose = np.vstack([rows, np.ones(6)]), np.append(limits, 6.5)
    tight = np.vstack([rows, np.ones(6)]), np.append(limits, 5.5)
    assert needed_rows(*loose).tolist() == [True] * 12 + [False]
    assert needed_rows(*tight).all()


def test_of_equal_rows_one_stays() -> None:
    rows, limits = box_rows()
    kept = needed_rows(np.vstack([rows, rows, 2.0 * rows]), np.concatenate([limits, limits, 2.0 * limits]))
    assert kept.reshape(3, 12).sum(axis=0).tolist() == [1] * 12


def test_what_is_left_reaches_as_far_in_every_direction() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 6))
    limits = rng.uniform(0.5, 1.5, size=60)
    kept: Bools = needed_rows(rows, limits)
    assert 7 <= kept.sum() < 60
    for way in rng.normal(size=(20, 6)):
        assert np.isclose(reach(rows[kept], limits[kept], way), reach(rows, limits, way), rtol=1e-7)


def test_no_kept_row_is_implied_by_the_others() -> None:
    rng = np.random.default_rng(1)
    rows, limits = rng.normal(size=(40, 6)), rng.uniform(0.5, 1.5, size=40)
    kept = np.flatnonzero(needed_rows(rows, limits))
    assert len(kept) > 6  # fewer bound nothing in six dimensions
    for row in kept:
        others = kept[kept != row]
        assert reach(rows[others], limits[others], rows[row]) > limits[row]
