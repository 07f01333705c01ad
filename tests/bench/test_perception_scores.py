"""The score of a locator, on answers made by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from falsework.bench.perception.scoring import Score, error, is_right, overlap
from falsework.model.arrays import Array
from falsework.model.catalogue import brick_type
from falsework.model.perception.findings import Located, Refused
from falsework.perception.scenes.layouts import about_middle
from falsework.perception.scenes.scene import SceneBrick
from falsework.perception.scenes.truth import BrickTruth

LONG, SQUARE = brick_type("duplo:brick_2x4"), brick_type("duplo:brick_2x2")
SURE = np.diag([1e-6, 1e-6, 1e-4])  # 1 mm, 0.57°


def at(x: float, y: float, yaw: float = 0.0) -> Array:
    return about_middle(LONG, (x, y), 0.0, yaw)


def a_truth(x: float, visible: float = 1.0, ambiguous: bool = False) -> BrickTruth:
    brick = SceneBrick(f"at {x}", LONG, "red", at(x, 0))
    return BrickTruth(brick, visible, 500, 13.0, (((brick,),) if ambiguous else ()))


def a_find(x: float, y: float = 0.0, yaw: float = 0.0, color: str = "red") -> Located:
    return Located(LONG, color, at(x, y, yaw), covariance=SURE)


def test_errors_are_those_of_the_middle_and_of_the_turn_that_shows() -> None:
    off, turned = error(a_find(0.1, 0.001, math.pi + 0.02), a_truth(0.1).brick)
    assert off.tolist() == pytest.approx([0, 0.001]) and turned == pytest.approx(0.02)
    square = SceneBrick("s", SQUARE, "red", about_middle(SQUARE, (0, 0), 0, 0.1))
    found = Located(SQUARE, "red", about_middle(SQUARE, (0, 0), 0, 0.1 + math.pi / 2), covariance=SURE)
    assert error(found, square)[1] == pytest.approx(0.0, abs=1e-12)


def test_another_kind_colour_or_place_is_not_right() -> None:
    true = a_truth(0.0).brick
    assert is_right(a_find(0.002), true)
    assert not is_right(a_find(0.009), true) and not is_right(a_find(0.0, color="blue"), true)
    assert not is_right(a_find(0.0, yaw=math.pi / 2), true)
    assert not is_right(Located(SQUARE, "red", about_middle(SQUARE, (0, 0), 0, 0)), true)
    assert not is_right(replace(a_find(0), T_base_brick=about_middle(LONG, (0, 0), 0.0192, 0)), true)


def test_a_frame_is_counted_once_for_every_brick() -> None:
    truth = [a_truth(0.0), a_truth(0.2), a_truth(0.4, 0.5), a_truth(0.6, 1.0, ambiguous=True), a_truth(0.8, 0.1)]
    score = Score()
    score.add(truth, [a_find(0.001), a_find(0.4), a_find(0.61, 0.012)], [Refused("why", np.array([0.2, 0, 0]))])
    assert (score.visible, score.recalled, score.refused) == (2, 1, 1)
    assert (score.partly, score.partly_recalled) == (1, 1)
    assert (score.found, score.wrong) == (3, 1)
    assert (score.ambiguous, score.ambiguous_wrong) == (1, 1)
    assert score.errors_m == pytest.approx([0.001, 0.0], abs=1e-12)
    assert score.squares == pytest.approx([1.0, 0.0], abs=1e-9) and score.covered == 1.0


def test_the_same_brick_is_not_found_twice() -> None:
    score = Score()
    score.add([a_truth(0.0)], [a_find(0.0), a_find(0.001)], [])
    assert (score.recalled, score.wrong) == (1, 1)


def test_what_lies_elsewhere_does_not_overlap() -> None:
    true = a_truth(0.0).brick
    assert overlap(a_find(0.01), true) and not overlap(a_find(0.2), true)
    assert not overlap(Located(LONG, "red", about_middle(LONG, (0, 0), 0.0192, 0)), true)
