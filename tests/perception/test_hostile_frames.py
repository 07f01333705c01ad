"""Frames that lie, and bricks that do not lie flat: refused, or one line; never a wrong pick."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from falsework.bench.perception.hostile import lied_to
from falsework.model.catalogue import brick_type
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Workplace
from falsework.model.perception.frames import Frame
from falsework.perception.cameras.simulated import View, looking_at
from falsework.perception.locator.locating import locate
from falsework.perception.scenes.layouts import about_middle
from falsework.perception.scenes.scene import SceneBrick
from tests.perception.eyes import ABOVE, KINDS, PLATE, brick, frame, place, scene

ONE = scene(brick("a", "2x4", "red", -0.05, 0.02, degrees=30))
SEEN = frame(ONE)


def but(**changed: Any) -> Frame:
    given = {"rgb": SEEN.rgb, "depth_m": SEEN.depth_m, "K": SEEN.K, "T_base_cam": SEEN.T_base_cam}
    return Frame(**{**given, **changed})


def tipped(about_x: float) -> SceneBrick:
    """A blue 2x4 turned about its x axis, its lowest corner on the table."""
    kind = brick("t", "2x4", "blue", 0, 0).kind
    c, s = math.cos(about_x), math.sin(about_x)
    T = np.eye(4)
    T[:3, :3] = [[1, 0, 0], [0, c, -s], [0, s, c]]
    corners = np.array(np.meshgrid(*((0, side) for side in kind.size_m))).reshape(3, -1)
    T[:3, 3] = -0.05, 0.02, -(T[2, :3] @ corners).min()
    return SceneBrick("t", kind, "blue", T)


@pytest.mark.parametrize("rgb", [np.zeros_like(SEEN.rgb), np.full_like(SEEN.rgb, 255)], ids=["black", "white"])
def test_pictures_without_colour_show_no_brick(rgb: np.ndarray[Any, Any]) -> None:
    sight = locate([but(rgb=rgb)], place(ONE), KINDS)
    assert not sight.found
    assert sight.refused


@pytest.mark.parametrize("depth", [np.nan, 0.0])
def test_frames_without_depth_are_refused_in_a_line(depth: float) -> None:
    with pytest.raises(BadInput, match="found 0 pixels with depth, expected 500 or more"):
        locate([but(depth_m=np.full_like(SEEN.depth_m, depth))], place(ONE), KINDS)


def test_a_camera_under_the_table_sees_no_table() -> None:
    T = np.array(SEEN.T_base_cam)
    T[2, 3] = -0.5
    with pytest.raises(BadInput, match="no table is seen"):
        locate([but(T_base_cam=T)], place(ONE), KINDS)


def test_half_of_the_depth_is_enough() -> None:
    holes = np.random.default_rng(1).random(SEEN.depth_m.shape) < 0.5
    sight = locate([but(depth_m=np.where(holes, np.nan, SEEN.depth_m))], place(ONE), KINDS)
    assert [one.color for one in sight.found] == ["red"]


def test_colour_without_depth_does_not_tell_how_high_a_brick_lies() -> None:
    depth = np.where(SEEN.rgb[..., 0] > 1.5 * SEEN.rgb[..., 2].astype(float) + 20, 0.0, SEEN.depth_m)
    sight = locate([but(depth_m=depth)], place(ONE), KINDS)
    assert not sight.found


@pytest.mark.parametrize("degrees", [10, 90, 180])
def test_bricks_that_do_not_lie_flat_are_never_picked(degrees: float) -> None:
    tilted = scene(tipped(math.radians(degrees)))
    sight = locate([frame(tilted)], place(tilted), KINDS)
    assert not sight.found
    if degrees < 180:  # upside down, a brick is thin walls and the table between them
        assert sight.refused


def test_an_empty_table_is_empty() -> None:
    sight = locate([frame(scene(plate=None))], Workplace(0.0), KINDS)
    assert (sight.found, sight.refused) == ((), ())


def test_a_camera_turned_about_its_axis_does_not_see_the_plate_where_it_should_be() -> None:
    T = np.array(SEEN.T_base_cam)
    T[:3, :3] = T[:3, :3] @ np.diag([-1.0, -1.0, 1.0])
    with pytest.raises(BadInput, match=r"no plate is seen where it should be|if the camera were turned by"):
        locate([but(T_base_cam=T)], place(ONE), KINDS)


def test_no_colour_to_look_for_is_refused() -> None:
    with pytest.raises(BadInput, match="colors: found none"):
        locate([SEEN], place(ONE), KINDS, ())


def test_loose_bricks_on_a_studded_plate_are_told_a_stud_higher_than_pressed_ones() -> None:
    kind = brick_type("duplo:baseplate_16x16")
    plate = SceneBrick("plate", kind, "gray", about_middle(kind, (0.0, 0.0), 0.0, 0.0))
    top = kind.size_m[2]
    loose = brick("loose", "2x4", "red", -0.05, 0.03, z=top + kind.measures.stud_height_m, degrees=25)
    pressed = brick("pressed", "2x2", "blue", 0.032, -0.048, z=top)
    there = scene(loose, pressed, plate=plate)
    found = {one.color: one for one in locate([frame(there)], place(there), KINDS).found}
    assert set(found) == {"red", "blue"}
    for one in there.bricks:
        assert abs(found[one.color].T_base_brick[2, 3] - one.T_base_brick[2, 3]) < 1e-6


def test_a_brick_that_was_not_pressed_onto_another_is_not_told_as_pressed() -> None:
    lower = brick("lower", "2x4", "blue", -0.05, 0.02)
    upper = brick("upper", "2x2", "red", -0.05, 0.02, z=0.0192 + lower.kind.measures.stud_height_m)
    there = scene(lower, upper)
    sight = locate([frame(there)], place(there), KINDS)
    assert "red" not in [one.color for one in sight.found]
    assert sight.refused


@pytest.mark.parametrize(("x_mm", "y_mm"), [(40, 0), (-40, 0), (0, 40), (0, -40), (16, 0), (0, -16), (25, 25)])
def test_a_camera_that_is_elsewhere_is_refused(x_mm: float, y_mm: float) -> None:
    T = np.array(SEEN.T_base_cam)
    T[:2, 3] += x_mm / 1e3, y_mm / 1e3
    with pytest.raises(BadInput, match=r"no plate is seen where|if the camera were moved by|does not lie as it should"):
        locate([but(T_base_cam=T)], place(ONE), KINDS)


@pytest.mark.parametrize("factor", [0.97, 1.03])
def test_depth_of_another_scale_is_refused(factor: float) -> None:
    with pytest.raises(BadInput, match=r"if the camera were moved by 1\d mm"):
        locate([but(depth_m=SEEN.depth_m * factor)], place(ONE), KINDS)


def test_a_plate_that_does_not_lie_level_is_refused() -> None:
    turn, T = math.radians(4), np.array(PLATE.T_base_brick)
    T[:3, :3] = T[:3, :3] @ [[1, 0, 0], [0, math.cos(turn), -math.sin(turn)], [0, math.sin(turn), math.cos(turn)]]
    askew = scene(*ONE.bricks, plate=SceneBrick("plate", PLATE.kind, "green", T))
    with pytest.raises(BadInput, match="the plate does not lie as it should"):
        locate([frame(askew)], place(ONE), KINDS)


def test_studs_over_the_far_rim_of_a_plate_do_not_make_it_lie_elsewhere() -> None:
    slant = View(looking_at(np.array([-0.28, 0.1, 0.40]), np.zeros(3)), ABOVE.K)
    assert len(locate([frame(ONE, slant)], place(ONE), KINDS).found) == 1


@pytest.mark.parametrize("tint", [(1.0, 1.0, 1.0), (1.0, 0.85, 0.65)], ids=["grey", "sepia"])
def test_a_grey_picture_tells_no_colour(tint: tuple[float, ...]) -> None:
    grey = (SEEN.rgb.mean(axis=2, keepdims=True) * tint).astype(np.uint8)
    sight = locate([but(rgb=grey)], place(ONE), KINDS)
    assert not sight.found
    assert any("no colour" in one.why for one in sight.refused)
    if tint == (1.0, 1.0, 1.0):  # who says that bricks have none is believed
        assert all(one.color == "white" for one in locate([but(rgb=grey)], place(ONE), KINDS, ("white",)).found)


@pytest.mark.parametrize(("gap_mm", "kinds"), [(0.0, ["2x4"]), (4.0, ["2x2", "2x2"])])
def test_two_bricks_with_a_gap_between_them_are_not_one(gap_mm: float, kinds: list[str]) -> None:
    x = 0.032 + gap_mm / 1e3
    there = scene(brick("a", "2x2", "red", -0.05, 0.0), brick("b", "2x2", "red", -0.05 + x, 0.0))
    found = locate([frame(there)], place(there), KINDS).found
    assert sorted(str(one.kind).removeprefix("duplo:brick_") for one in found) == kinds


def test_every_kind_of_lie_of_the_bench_gives_nothing_wrong() -> None:
    for lie in ("K swapped", "depth in mm", "camera 14 mm off", "twelve holes"):
        told = lied_to(71003, lie)
        assert told.counts["wrong"] == 0
        assert told.counts["line"] == (lie != "twelve holes")
