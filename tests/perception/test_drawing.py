"""Pictures of scenes, against what geometry says and against MuJoCo's rays."""

from __future__ import annotations

import math

import numpy as np
import pytest

from falsework.model.catalogue import brick_type
from falsework.model.errors import BadInput
from falsework.perception.cameras.simulated import View, camera_matrix, looking_at
from falsework.perception.scenes.drawing import BACKGROUND, TABLE, drawn
from falsework.perception.scenes.layouts import about_middle, lying
from falsework.perception.scenes.scene import Light, Scene, SceneBrick, Surface, Thing

K = np.array([[447.0, 0, 159.5], [0, 447.0, 119.5], [0, 0, 1]])
PIXELS = (320, 240)
ABOVE = looking_at(np.array([0, 0, 0.5]), np.zeros(3))
TWO_BY_FOUR = brick_type("duplo:brick_2x4")


def a_brick(color: str = "red", yaw: float = 0.0, z: float = 0.0) -> SceneBrick:
    return SceneBrick("a", TWO_BY_FOUR, color, about_middle(TWO_BY_FOUR, (0, 0), z, yaw))


def test_an_empty_table_is_a_plane() -> None:
    picture = drawn(Scene(()), K, ABOVE, PIXELS)
    assert (picture.labels == TABLE).all()
    assert np.allclose(picture.depth_m, 0.5, atol=1e-12)


def test_without_a_table_there_is_nothing() -> None:
    picture = drawn(Scene((), table=None), K, ABOVE, PIXELS)
    assert (picture.labels == BACKGROUND).all() and not picture.depth_m.any()


def test_a_brick_from_above_shows_its_eight_studs() -> None:
    picture = drawn(Scene((a_brick(),)), K, ABOVE, PIXELS, colour=False)
    depths, counts = np.unique(picture.depth_m.round(6), return_counts=True)
    tops = dict(zip(depths.tolist(), counts.tolist(), strict=True))
    size = TWO_BY_FOUR.measures
    high = 0.5 - TWO_BY_FOUR.size_m[2] - size.stud_height_m
    stud_pixels = 8 * math.pi * (size.stud_radius_m * 447 / high) ** 2
    assert tops[round(high, 6)] == pytest.approx(stud_pixels, rel=0.05)


def test_the_sun_lights_what_faces_it_and_shadows_what_is_behind() -> None:
    light = Light(toward=[1, 0, 1], sun=(0.5, 0.5, 0.5), sky=(0.4, 0.4, 0.4), disc_deg=0.0, beams=1)
    scene = Scene((a_brick("white"),), table=Surface(rgb=(0.5, 0.5, 0.5), grain=0.0), light=light)
    picture = drawn(scene, K, ABOVE, PIXELS)
    assert picture.rgb is not None
    open_table = round(255 * 0.5 * (0.4 + 0.5 / math.sqrt(2)))
    assert picture.rgb[10, 10].tolist() == [open_table] * 3
    half, height = 0.5 * TWO_BY_FOUR.size_m[0], TWO_BY_FOUR.size_m[2]
    middle_of_shadow = -(half + 0.5 * height)  # 45°: it reaches as far as the brick is high
    column = round(447 * middle_of_shadow / 0.5 + K[0, 2])
    assert picture.rgb[120, column].tolist() == [round(255 * 0.5 * 0.4)] * 3
    beyond = round(447 * -(half + 1.5 * height) / 0.5 + K[0, 2])
    assert picture.rgb[120, beyond].tolist() == [open_table] * 3


def test_gloss_adds_a_highlight_and_takes_no_colour_away() -> None:
    matt = drawn(Scene((a_brick(),), light=Light()), K, ABOVE, PIXELS).rgb
    glossy = drawn(Scene((a_brick(),), light=Light(gloss=0.5)), K, ABOVE, PIXELS).rgb
    assert matt is not None and glossy is not None
    assert (glossy.astype(int) >= matt).all() and (glossy[..., 2].astype(int) > matt[..., 2] + 60).any()


def test_a_brick_upside_down_is_hollow() -> None:
    T = about_middle(TWO_BY_FOUR, (0, 0), 0, 0.0)
    T[:3, :3] = T[:3, :3] @ np.diag([1.0, -1, -1])
    T[:3, 3] = -0.016, 0.032, TWO_BY_FOUR.size_m[2] + TWO_BY_FOUR.measures.stud_height_m
    picture = drawn(Scene((SceneBrick("a", TWO_BY_FOUR, "red", T),)), K, ABOVE, PIXELS, colour=False)
    rim, roof = T[2, 3], T[2, 3] - TWO_BY_FOUR.size_m[2] + 0.13 * 0.016
    assert picture.depth_m[120, 160] == pytest.approx(0.5 - roof)
    assert picture.depth_m[picture.labels == 0].min() == pytest.approx(0.5 - rim)


def test_a_ball_and_a_cylinder_are_where_they_are() -> None:
    ball = Thing("ball", "ball", (0.02,), (1, 0, 0), lying(0.05, 0, 0.02, 0))
    cup = Thing("cup", "cylinder", (0.02, 0.06), (0, 1, 0), lying(-0.05, 0, 0, 0))
    picture = drawn(Scene((), (ball, cup)), K, ABOVE, PIXELS)
    assert picture.labels[120, round(447 * 0.05 / 0.46 + K[0, 2])] == 0
    assert picture.depth_m[picture.labels == 0].min() == pytest.approx(0.46, abs=3e-4)
    assert picture.depth_m[picture.labels == 1].min() == pytest.approx(0.44, abs=1e-12)


def test_turning_camera_and_scene_together_changes_nothing() -> None:
    scene = Scene((a_brick(yaw=0.4),), (Thing("ball", "ball", (0.02,), (1, 0, 0), lying(0.06, 0, 0.02, 0)),))
    turn = lying(0.1, -0.2, 0.0, 1.1)
    before = drawn(scene, K, ABOVE, PIXELS, colour=False)
    after = drawn(scene.moved(turn), K, turn @ ABOVE, PIXELS, colour=False)
    assert (before.labels != after.labels).sum() <= 3
    same = before.labels == after.labels
    assert np.allclose(before.depth_m[same], after.depth_m[same], atol=1e-6)


def test_a_cell_camera_sees_its_angle() -> None:
    assert camera_matrix(2 * math.degrees(math.atan(0.5)), (640, 480))[0, 0] == pytest.approx(480)


def test_what_is_no_scene_is_refused() -> None:
    with pytest.raises(BadInput, match="name 'a' is given to 2"):
        Scene((a_brick(), a_brick()))
    with pytest.raises(BadInput, match="brick colour 'rde': did you mean 'red'"):
        a_brick("rde")
    with pytest.raises(BadInput, match="a ball has 1 sizes"):
        Thing("b", "ball", (1.0, 2.0), (1, 1, 1), np.eye(4))
    with pytest.raises(BadInput, match="must look at something"):
        looking_at(np.zeros(3), np.zeros(3))
    assert View(ABOVE, K).pixels == (640, 480)
