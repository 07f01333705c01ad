"""Two bricks nearly end to end are refused, one brick is told, however its halves are led astray."""

from __future__ import annotations

import math

import numpy as np
import pytest

from falsework.model.catalogue import brick_type
from falsework.perception.locator.in_two import _splits
from falsework.perception.locator.locating import locate
from falsework.perception.scenes.scene import Scene
from tests.perception.eyes import KINDS, brick, frame, place, scene


def bent(degrees: float, aside_m: float = 0.0, color: str = "red") -> Scene:
    """Two 2x2 that touch: the second turned, or put aside."""
    away = 0.0321 + 0.0003 * degrees
    return scene(
        brick("one", "2x2", color, -0.08, -0.03),
        brick("other", "2x2", color, -0.08 + aside_m, -0.03 + away, degrees=degrees),
    )


@pytest.mark.parametrize(
    ("degrees", "aside_m", "color"), [(4, 0.0, "red"), (4, 0.0, "white"), (3, 0.0, "white"), (0, 0.0025, "blue")]
)
def test_two_bricks_nearly_in_line_are_not_told_as_one(degrees: float, aside_m: float, color: str) -> None:
    there = bent(degrees, aside_m, color)
    for seed in (1, 2):
        sight = locate([frame(there, seed=seed)], place(there), KINDS)
        assert not [one for one in sight.found if str(one.kind) == KINDS[1]]
        assert sight.refused or len(sight.found) == 2


@pytest.mark.parametrize("seed", range(4))
def test_one_brick_is_told_as_one(seed: int) -> None:
    there = scene(brick("long", "2x4", "red", -0.08, -0.02, degrees=20.0 * seed))
    (one,) = locate([frame(there, seed=seed)], place(there), KINDS).found
    assert str(one.kind) == KINDS[1]


def test_a_brick_is_split_into_kinds_that_fill_it_end_to_end() -> None:
    two, three, four = (brick_type(f"system:brick_2x{n}") for n in (2, 3, 4))
    (halves,) = _splits(four, [two, three, four])
    assert [kind for kind, _ in halves] == [two, two]
    along = 0 if four.length > four.width else 1
    middles = np.array([middle for _, middle in halves]) / four.measures.pitch_m
    assert middles[:, along].tolist() == [1.0, 3.0] and middles[:, 1 - along].tolist() == [1.0, 1.0]
    assert list(_splits(two, [two, three, four])) == []
    assert math.isclose(float(np.linalg.norm(middles[1] - middles[0])), 2.0)
