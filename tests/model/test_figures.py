"""Numbers for people: short, with a unit, and never on the wrong side of what they stand for."""

from __future__ import annotations

import math

import pytest

from falsework.model import figures


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (8.04e-16, "0 %"),  # was "8.04e-14 %"
        (1e-6, "< 0.01 %"),
        (-1e-6, "> -0.01 %"),
        (0.0129, "1.29 %"),
        (0.5, "50 %"),
        (1.0, "100 %"),
        (1.332, "133 %"),
        (12.5, "1,250 %"),
        (math.nan, "–"),
    ],
)
def test_shares_are_percent_and_noise_is_nothing(share: float, text: str) -> None:
    assert figures.percent(share) == text


@pytest.mark.parametrize("share", [0.9996, 0.999999, 1.0004, 1.000001])
def test_what_is_not_all_of_it_is_never_written_as_a_hundred_percent(share: float) -> None:
    written = float(figures.percent(share).removesuffix(" %"))
    assert (written < 100) == (share < 1) and written != 100


def test_a_margin_is_what_is_left_and_nothing_is_left_where_more_is_needed_than_there_is() -> None:
    assert figures.spare(0.0129) == "98.7 % spare"
    assert figures.spare(1e-7) == "100 % spare"
    assert figures.spare(1.0) == "0 % spare"
    assert figures.spare(1.06) == "none"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (figures.mass(0.03421), "34.2 g"),
        (figures.mass(221.9), "222 kg"),
        (figures.mass(903_100.0), "903 t"),
        (figures.length(0.0115), "11.5 mm"),
        (figures.length(0.9998), "1 m"),  # not 1,000 mm
        (figures.size([0.192, 0.016, 0.0576]), "192 × 16 × 57.6 mm"),
        (figures.force(0.12109), "121 mN"),
        (figures.force(1e-15), "0 N"),
        (figures.degrees(13.3), "13.3°"),
        (figures.degrees(90.0), "90°"),
        (figures.seconds(0.3), "0.3 s"),
        (figures.count(1, "clutch"), "1 clutch"),
        (figures.count(1200, "clutch"), "1,200 clutches"),
        (figures.signed([-1.68, 3e-14, 0.0675]), "-1.68, 0, +0.0675"),
        (figures.direction(-1.0, 0.0, -0.5), "down and -x"),
        (figures.of_the_load(0.211), "21.1 % of the load"),
        (figures.of_the_load(1.7e-14), "1.7e-14 of the load"),
    ],
)
def test_every_quantity_has_one_way_to_be_written(written: str, text: str) -> None:
    assert written == text


@pytest.mark.parametrize(("stands", "falls"), [(1035.68, 1035.72), (4.03721, 4.03724), (0.307031, 0.307029)])
def test_the_two_ends_of_a_bracket_are_never_written_as_the_same_number(stands: float, falls: float) -> None:
    lower, upper = min(stands, falls), max(stands, falls)
    assert figures.below(lower) <= lower < upper <= figures.above(upper)
    assert figures.below(lower) != figures.above(upper)


def test_brackets_are_written_outward() -> None:
    assert figures.bearing(1035.68, 1035.72) == "bears 1,035 N, falls at 1,036 N"
    assert figures.bearing(550.3219, 550.3415) == "bears 550.3 N, falls at 550.4 N"
    assert figures.bearing(122_100.0, None) == "bears 122.1 kN and more"
    assert figures.bearing(0.0, None) == "how much it bears was not found"
    assert figures.tilting(13.2955, 13.3033) == "stands at 13.29°, falls at 13.31°"
    assert figures.tilting(90.0, None) == "stands up to 90°"
    assert figures.friction(0.307034, 0.307031) == "0.3071 suffices, 0.3070 does not"
