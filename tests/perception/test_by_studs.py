"""Where a brick lies on a floor of its colour: its studs say so, whatever its outline said."""

from __future__ import annotations

import math

import numpy as np
import pytest

from falsework.model.arrays import Array
from falsework.model.catalogue import brick_type
from falsework.perception.locator.by_studs import moved_by_studs
from falsework.perception.locator.labels import Labels
from falsework.perception.locator.locating import locate, prepared
from falsework.perception.locator.solids import footprint, placed
from falsework.perception.locator.views import View
from tests.perception.eyes import KINDS, brick, frame, place, scene

WHITE = (0.9, 0.9, 0.88)
THERE = (-0.06, 0.02, math.radians(25.0))


def view_of_white(kind: str, seed: int) -> View:
    """A white brick on a table of its colour."""
    there = scene(brick("one", kind, "white", *THERE[:2], degrees=25.0), rgb=WHITE)
    (view,) = prepared(
        [frame(there, seed=seed)], place(there), [brick_type(one) for one in KINDS], Labels.of(["white"])
    )
    return view


def led_from(off: tuple[float, float, float], spread_m: float, spread_deg: float, kind: str, seed: int) -> Array:
    """(mm, mm, degrees) by which a brick is off once its studs were asked, begun `off` by as much."""
    made = brick_type(f"duplo:brick_{kind}")
    x, y, turn = THERE + np.array([1e-3, 1e-3, math.radians(1.0)]) * off
    spread = np.diag([spread_m, spread_m, math.radians(spread_deg)]) ** 2
    T, left = moved_by_studs([view_of_white(kind, seed)], made, placed(made, x, y, 0.0, turn), spread)
    assert (np.linalg.eigvalsh(spread - left) >= -1e-12).all()  # whoever asks more knows more
    middle = 1e3 * (footprint(made, T).mean(axis=0) - THERE[:2])
    return np.array([*middle, math.degrees(math.atan2(T[1, 0], T[0, 0]) - THERE[2])])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["2x2", "2x4"])
def test_a_brick_is_moved_to_where_its_studs_are(kind: str, seed: int) -> None:
    left = led_from((2.0, -1.5, 5.0), 0.002, 5.0, kind, seed)
    assert np.hypot(*left[:2]) < 1.0 and abs(left[2]) < 3.0


@pytest.mark.parametrize("degrees", [-6.0, 4.0, 8.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_brick_that_is_only_turned_is_turned_back(seed: int, degrees: float) -> None:
    left = led_from((0.0, 0.0, degrees), 0.0016, 3.4, "2x4", seed)
    assert np.hypot(*left[:2]) < 0.8 and abs(left[2]) < 1.2


@pytest.mark.parametrize("off_mm", [3.0, 8.0, 10.0, 15.0])
def test_who_may_be_half_a_pitch_off_is_not_led_as_studs_look_the_same_a_pitch_away(off_mm: float) -> None:
    along = math.radians(25.0 + 90.0)
    off = (off_mm * math.cos(along), off_mm * math.sin(along), 0.0)
    assert np.allclose(led_from(off, 0.004, 3.0, "2x4", 0), off, atol=1e-9)


def test_who_is_sure_of_its_place_by_its_outline_stays_there() -> None:
    assert np.abs(led_from((0.05, 0.0, 0.1), 1e-5, 0.02, "2x4", 1) - (0.05, 0.0, 0.1)).max() < 0.05


def test_an_outline_that_was_led_astray_does_not_hold_it() -> None:
    left = led_from((3.5, 2.0, 0.0), 0.0008, 2.0, "2x2", 2)  # five deviations
    assert np.hypot(*left[:2]) < 1.5


def test_what_is_not_in_the_picture_stays_where_it_is() -> None:
    made = brick_type(KINDS[0])
    elsewhere, spread = placed(made, 3.0, 0.0, 0.0, 0.0), np.diag([1e-6, 1e-6, 1e-4])
    T, left = moved_by_studs([view_of_white("2x2", 0)], made, elsewhere, spread)
    assert np.allclose(T, elsewhere) and np.allclose(left, spread)


@pytest.mark.parametrize("seed", range(2))
def test_white_bricks_on_a_white_table_are_told_where_they_are(seed: int) -> None:
    those = [brick(f"b{n}", "2x2", "white", -0.12 + 0.05 * n, 0.03 * (n % 2), degrees=20.0 * n) for n in range(4)]
    there = scene(*those, rgb=WHITE)
    sight = locate([frame(there, seed=seed)], place(there), KINDS, ["white"])
    assert len(sight.found) >= 3
    for one in sight.found:
        off = min(np.linalg.norm(one.middle_m[:2] - true.middle_m[:2]) for true in those)
        assert off < 0.0015
