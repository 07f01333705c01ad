"""Frames that lie, and bricks that do not lie flat: refused, or one line; never a wrong pick."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from falsework.model.errors import BadInput
from falsework.model.perception.findings import Workplace
from falsework.model.perception.frames import Frame
from falsework.perception.locator.locating import locate
from falsework.perception.scenes.scene import SceneBrick
from tests.perception.eyes import KINDS, brick, frame, place, scene

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
