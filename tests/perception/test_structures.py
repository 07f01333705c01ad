"""Does it look like step seven? Faults that were planted are found; what is hidden is said to be not seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.model.catalogue import brick_type
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Brick, StructureSight
from falsework.model.poses import about
from falsework.perception.cameras.simulated import View, looking_at
from falsework.perception.locator.structures import check_structure
from falsework.perception.scenes.layouts import about_middle
from falsework.perception.scenes.scene import Scene, SceneBrick
from tests.perception.eyes import KINDS, K, brick, frame, place, scene

PLATE_KIND = brick_type("duplo:baseplate_12x12")
PLATE = SceneBrick("plate", PLATE_KIND, "gray", about_middle(PLATE_KIND, (0.0, 0.0), 0.0, 0.0))
TOP = PLATE_KIND.size_m[2]
NEAR = View(looking_at(np.array([0.02, -0.07, 0.32]), np.zeros(3)), K)
BUILT = (
    brick("a", "2x4", "red", 0.0, 0.0, TOP, 90),
    brick("b", "2x2", "blue", 0.048, 0.032, TOP),
    brick("c", "2x2", "yellow", -0.016, 0.0, TOP + 0.0192),
    brick("d", "2x4", "orange", -0.048, -0.048, TOP),
)


def told(*there: SceneBrick, lift_m: float | None = 0.001) -> StructureSight:
    built: Scene = scene(*there, plate=PLATE)
    expected = [(one.name, Brick(one.kind, one.color, one.T_base_brick)) for one in BUILT]
    return check_structure([frame(built, NEAR)], place(built), expected, KINDS, lift_m=lift_m)


def states(sight: StructureSight) -> dict[str, str]:
    return {one.name: one.state for one in sight.bricks}


def test_what_is_built_as_it_should_be_is_in_place() -> None:
    sight = told(*BUILT)
    assert set(states(sight).values()) <= {"in place", "not seen"}
    assert states(sight)["c"] == states(sight)["b"] == states(sight)["d"] == "in place"


@pytest.mark.parametrize(
    ("instead", "state", "why"),
    [
        (None, "missing", "not there"),
        (brick("b", "2x2", "blue", 0.064, 0.032, TOP), "off", "a stud from its place"),
        (brick("b", "2x2", "green", 0.048, 0.032, TOP), "wrong", "green, not blue"),
        (brick("b", "2x2", "blue", 0.048, 0.032, TOP + 0.001), "off", "not pressed in"),
        (brick("b", "2x4", "blue", 0.048, 0.048, TOP), "wrong", "2x4"),
    ],
)
def test_a_fault_is_named(instead: SceneBrick | None, state: str, why: str) -> None:
    there = [one for one in BUILT if one.name != "b"]
    sight = told(*there, *([] if instead is None else [instead]))
    fault = next(one for one in sight.bricks if one.name == "b")
    assert fault.state == state and why in fault.why
    assert all(one.state in ("in place", "not seen") for one in sight.bricks if one.name != "b")
    assert sight.as_expected is False


def leaning(one: SceneBrick, axis: int, degrees: float) -> SceneBrick:
    """Turned about an axis of its own, with its lowest corner as high as it was."""
    T, size = np.array(one.T_base_brick), np.array(one.kind.size_m)
    foot = T[:3, :3] @ (size * (0.5, 0.5, 0.0)) + T[:3, 3]
    T[:3, :3] = T[:3, :3] @ about(axis, degrees)
    T[:3, 3] = foot - T[:3, :3] @ (size * (0.5, 0.5, 0.0))
    T[2, 3] += one.T_base_brick[2, 3] - (T[2, 3] + np.minimum(T[2, :2] * size[:2], 0.0).sum())
    return replace(one, T_base_brick=T)


@pytest.mark.parametrize("name", ["b", "c", "d"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("degrees", "lift_m"), [(4.0, 0.001), (8.0, 0.001), (12.0, None), (34.0, None)])
def test_a_brick_that_leans_is_not_in_place(name: str, axis: int, degrees: float, lift_m: float | None) -> None:
    """At 34° no guess explained more than a brick in its place did, and it was told to be there."""
    there = [leaning(one, axis, degrees) if one.name == name else one for one in BUILT]
    sight = told(*there, lift_m=lift_m)
    assert states(sight)[name] in ("off", "wrong") and sight.as_expected is False


def test_a_hidden_brick_is_not_seen() -> None:
    low, high = brick("a", "2x2", "red", 0.0, 0.0, TOP), brick("b", "2x4", "blue", 0.0, 0.0, TOP + 0.0192)
    built = scene(low, high, plate=PLATE)
    above = View(looking_at(np.array([0.0, -0.001, 0.32]), np.zeros(3)), K)
    expected = [(one.name, Brick(one.kind, one.color, one.T_base_brick)) for one in (low, high)]
    sight = check_structure([frame(built, above)], place(built), expected, KINDS, lift_m=None)
    assert states(sight) == {"a": "not seen", "b": "in place"} and sight.as_expected is None


def test_nothing_to_expect_is_refused() -> None:
    built = scene(*BUILT, plate=PLATE)
    with pytest.raises(BadInput, match="found no bricks"):
        check_structure([frame(built, NEAR)], place(built), [])
