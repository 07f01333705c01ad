"""Equal bricks keep their numbers; used regions do not count; a brick in the hand is where it is."""

from __future__ import annotations

import numpy as np

from falsework.model.catalogue import brick_type
from falsework.model.perception.findings import Brick, Held, Located, Refused, Sight
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.simulated import View, looking_at
from falsework.perception.locator.holding import in_hand
from falsework.perception.locator.moving import moved
from falsework.perception.locator.solids import placed, solid_of
from falsework.perception.locator.tracking import Tracker
from falsework.perception.scenes.scene import SceneBrick
from tests.perception.eyes import K, frame, scene

KIND = brick_type("duplo:brick_2x4")


def sight(*places: tuple[float, float]) -> Sight:
    bricks = tuple(Located(KIND, "white", placed(KIND, x, y, 0.0, 0.0)) for x, y in places)
    return Sight(bricks, (), np.eye(4)[None], (True,))


def test_equal_bricks_keep_their_numbers_however_they_are_listed() -> None:
    tracker = Tracker()
    first = tracker.update(sight((0.0, 0.0), (0.1, 0.0)), 0.0)
    again = tracker.update(sight((0.102, 0.001), (0.001, 0.0)), 0.1)
    assert [one.identity for one in first] == [0, 1]
    assert [one.identity for one in again] == [1, 0]


def test_a_brick_that_was_taken_does_not_come_back() -> None:
    tracker = Tracker()
    tracker.update(sight((0.0, 0.0), (0.1, 0.0)), 0.0)
    tracker.take(0)
    assert [one.identity for one in tracker.update(sight((0.0, 0.0), (0.1, 0.0)), 0.1)] == [1]
    tracker.include()
    assert [one.identity for one in tracker.update(sight((0.0, 0.0), (0.1, 0.0)), 0.2)] == [2, 1]


def test_a_hidden_brick_keeps_its_number_for_a_while() -> None:
    tracker = Tracker(forget_s=1.0)
    tracker.update(sight((0.0, 0.0)), 0.0)
    tracker.update(sight(), 0.5)
    assert tracker.update(sight((0.0, 0.0)), 0.9)[0].identity == 0
    tracker.update(sight(), 2.0)
    assert tracker.update(sight((0.0, 0.0)), 2.1)[0].identity == 1


def held(color: str, step: list[float]) -> tuple[Held | Refused, SceneBrick]:
    expected = placed(KIND, 0.0, 0.0, 0.15, 0.0)
    there = SceneBrick("a", KIND, color, moved(expected, solid_of(KIND), np.array(step)))
    view = View(looking_at(np.array([0.05, -0.2, 0.32]), np.array([0.02, 0.03, 0.16])), K)
    return in_hand(frame(scene(there, plate=None), view, Noise()), Brick(KIND, "red", expected)), there


def test_a_brick_in_the_hand_is_found_where_it_slipped_to() -> None:
    found, there = held("red", [0.004, -0.003, 0.002, 0.05, -0.03, 0.1])
    assert isinstance(found, Held)
    assert np.linalg.norm(found.middle_m - Brick(KIND, "red", there.T_base_brick).middle_m) < 5e-4
    turn = np.trace(found.T_base_brick[:3, :3].T @ there.T_base_brick[:3, :3])
    assert np.degrees(np.arccos(min(1.0, (turn - 1) / 2))) < 1.0
    assert np.linalg.eigvalsh(found.covariance).min() > 0


def test_an_empty_hand_or_another_brick_is_refused() -> None:
    found, _ = held("blue", [0.0] * 6)
    assert isinstance(found, Refused) and "too few" in found.why and found.decide
