"""What pixels say about a brick, against a picture of it that another kernel draws."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np
import pytest

from falsework.kernels.casting import NOTHING, draw
from falsework.model.arrays import Array
from falsework.model.catalogue import brick_type
from falsework.perception.locator.solids import solid_of
from falsework.perception.locator.weighing import AGAINST, HIDES, SHOWS, take, weigh

K = np.array([447.0, 447.0, 79.5, 59.5])
SHAPE = (120, 160)
KINDS = ("duplo:brick_2x2", "duplo:brick_4x2", "system:brick_1x6", "system:tile_1x1", "duplo:slope_2x2")


def a_pose(rng: np.random.Generator, away_m: tuple[float, float]) -> Array:
    """(3, 4) a brick anywhere before the camera, turned anyhow, perhaps partly outside the picture."""
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    z = rng.uniform(*away_m)
    return np.column_stack([turn, [*(rng.uniform(-0.3, 0.3, 2) * z), z]])


def as_drawn(T: Array, solid: Array) -> Array:
    """(h, w) depth, infinite beside it, pixel by pixel over its whole window."""
    depth, ids, faces = np.full(SHAPE, np.inf), np.full(SHAPE, -1), np.full(SHAPE, NOTHING)
    draw(depth, ids, faces, K, solid[None], T[None])
    return depth


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("away_m", [(0.3, 0.9), (0.02, 0.12)])  # also around the camera
def test_all_of_a_brick_that_is_seen_is_weighed_whichever_way_it_lies(kind: str, away_m: tuple[float, float]) -> None:
    rng = np.random.default_rng(7)
    solid = solid_of(brick_type(kind))
    for _ in range(40):
        T = a_pose(rng, away_m)
        drawn = as_drawn(T, solid)
        depth, labels = np.where(np.isfinite(drawn), drawn, 0.0), np.zeros(SHAPE, np.int8)
        said = np.zeros(SHAPE, np.int8)
        window, counts, _, _ = weigh(depth, labels, K, T, solid, 0, 0, 1e-3, 1e-3, said)
        assert counts[SHOWS] == np.isfinite(drawn).sum() == counts.sum()
        numbers = np.empty(int(counts[SHOWS]), np.int64)
        take(said, window, SHOWS, 1000, numbers)
        assert (numbers == 1000 + np.flatnonzero(np.isfinite(drawn))).all()
        assert not said.any()


def test_what_stands_nearer_hides_and_another_colour_speaks_against() -> None:
    solid = solid_of(brick_type("duplo:brick_2x2"))
    T = np.column_stack([np.diag([1.0, -1.0, -1.0]), [-0.016, 0.016, 0.5]])
    drawn = as_drawn(T, solid)
    depth = np.where(np.isfinite(drawn), drawn, 0.0)
    labels = np.full(SHAPE, 3, np.int8)
    labels[:, :80] = 0
    depth[:60] = np.where(depth[:60] > 0, 0.3, 0.0)
    _, counts, _, _ = weigh(depth, labels, K, T, solid, 0, 0, 1e-3, 1e-3, np.zeros(SHAPE, np.int8))
    assert counts[SHOWS] > 200 and counts[HIDES] > 350 and counts[AGAINST] > 150
