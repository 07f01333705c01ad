"""Overlaps of integer rectangles, against a double loop."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.geometry.shapes import rectangles
from falsework.geometry.shapes.rectangles import Rectangles, overlapping


def random_rectangles(rng: np.random.Generator, count: int, far: int = 0) -> Rectangles:
    low = rng.integers(-6, 6, (count, 2)) + far
    return Rectangles(np.arange(count), rng.integers(0, 3, count), low, low + rng.integers(1, 5, (count, 2)))


def by_double_loop(first: Rectangles, second: Rectangles) -> list[tuple[int, int]]:
    return [
        (i, j)
        for i in range(len(first))
        for j in range(len(second))
        if first.level[i] == second.level[j]
        and (np.maximum(first.low[i], second.low[j]) < np.minimum(first.high[i], second.high[j])).all()
    ]


@pytest.mark.parametrize("wide", [1024, 6, 0])
@pytest.mark.parametrize("seed", range(5))
def test_same_pairs_as_a_double_loop(seed: int, wide: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rectangles, "WIDE", wide)
    rng = np.random.default_rng(seed)
    first, second = random_rectangles(rng, 30), random_rectangles(rng, 40)
    i, j = overlapping(first, second)
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == by_double_loop(first, second)


def test_far_apart_cells_do_not_overflow_their_keys() -> None:
    rng = np.random.default_rng(0)
    near, far = random_rectangles(rng, 10), random_rectangles(rng, 10, far=2**40)
    both = Rectangles(*(np.concatenate([getattr(near, f), getattr(far, f)]) for f in ("owner", "level", "low", "high")))
    i, j = overlapping(both, both)
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == by_double_loop(both, both)


def test_nothing_overlaps_nothing() -> None:
    none = Rectangles(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 2), int), np.zeros((0, 2), int))
    assert [len(side) for side in overlapping(none, none)] == [0, 0]
