"""Bricks are found where they are, or refused with a reason; the locator never guesses."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from falsework.kernels.compiled import numba
from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Located, Plate, Sight, Workplace
from falsework.model.perception.frames import Frame
from falsework.model.perception.palette import SIX_COLORS, reflectance
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.simulated import View, looking_at, seen
from falsework.perception.locator.edge_rows import crossing
from falsework.perception.locator.labels import Labels
from falsework.perception.locator.locating import known_kinds, locate, prepared
from falsework.perception.locator.registering import registered
from falsework.perception.locator.views import levelled, view_of
from falsework.perception.scenes.dataset import KINDS as KINDS_OF_SCENES
from falsework.perception.scenes.layouts import about_middle
from falsework.perception.scenes.random_scenes import SceneSettings, random_scene
from falsework.perception.scenes.scene import Light, Scene, SceneBrick, Surface, Thing
from falsework.perception.scenes.truth import symmetric_yaw_off
from tests.perception.eyes import ABOVE, ASIDE, KINDS, OFF, PLATE, brick, frame, place, scene

APART = scene(
    brick("a", "2x2", "red", -0.12, -0.05, degrees=20),
    brick("b", "2x4", "blue", -0.05, 0.06, degrees=-35),
    brick("c", "2x4", "yellow", 0.0, -0.07, degrees=70),
    brick("d", "2x2", "white", 0.02, 0.03, degrees=5),
)


def seen_in(of: Scene, view: View = ABOVE, noise: Noise = OFF) -> Sight:
    return locate([frame(of, view, noise)], place(of), KINDS)


def nearest(sight: Sight, wanted: SceneBrick) -> Located:
    return min(sight.found, key=lambda one: float(np.linalg.norm(one.middle_m[:2] - wanted.middle_m[:2])))


def test_bricks_apart_are_found_with_kind_colour_and_pose() -> None:
    sight = seen_in(APART)
    assert sight.registered == (True,) and len(sight.found) == 4 and not sight.refused
    for wanted in APART.bricks:
        one = nearest(sight, wanted)
        assert (one.kind, one.color) == (wanted.kind, wanted.color)
        made = SceneBrick("x", one.kind, one.color, one.T_base_brick)
        assert np.linalg.norm(made.middle_m - wanted.middle_m) < 1.5e-3
        assert math.degrees(symmetric_yaw_off(wanted, made)) < 2.0
        every = 45.0 if one.kind.length == one.kind.width else 90.0
        assert abs(math.degrees(one.yaw)) <= every + 1e-9
        assert np.linalg.eigvalsh(one.covariance).min() > 0


def test_the_same_frame_gives_the_same_answer() -> None:
    one, other = seen_in(APART), seen_in(APART)
    assert [b.T_base_brick.tolist() for b in one.found] == [b.T_base_brick.tolist() for b in other.found]


def test_registering_on_the_plate_takes_the_camera_error_away() -> None:
    taken = frame(APART)
    view = levelled(view_of(taken, Labels.of(("red",))), place(APART))
    better = registered(view, place(APART).plates[0])
    assert better is not None
    corners = np.array([[-0.15, -0.1, 0, 1], [0.1, -0.1, 0, 1], [0.1, 0.1, 0, 1.0]]).T

    def off(T: object) -> float:
        away = (np.asarray(T) @ np.linalg.inv(ABOVE.T_base_cam) @ corners - corners)[:3]
        return float(np.linalg.norm(away, axis=0).max())

    assert off(taken.T_base_cam) > 3 * off(better.T_base_cam)


@numba.njit
def found_between(profile: Array, inside: int = 3) -> tuple[float, float]:
    """A door from Python: inner functions have none."""
    return crossing(profile, 10, 14.0, inside)


@pytest.mark.parametrize("shadow_px", [0.0, 0.5, 1.0])
def test_a_shadow_along_an_edge_does_not_move_it_and_grey_edges_are_where_brightness_changes(shadow_px: float) -> None:
    along = (np.arange(21) - 10) * 0.5  # px from the edge
    table = np.array([150.0, 148.0, 152.0])

    def profile(inside: tuple[float, float, float], shaded_px: float) -> Array:
        fine = np.linspace(-6.0, 6.0, 2401)
        outside = np.where(fine < shaded_px, 0.45, 1.0)[:, None] * table
        sharp = np.where((fine < 0.0)[:, None], inside, outside)
        blur = np.exp(-0.5 * ((along[:, None] - fine) / 0.6) ** 2)
        return np.asarray(blur @ sharp / blur.sum(axis=1, keepdims=True))

    place, contrast = found_between(profile((40.0, 130.0, 60.0), shadow_px))
    assert contrast > 0 and abs(place * 0.5) < 0.06
    place, contrast = found_between(profile((240.0, 240.0, 240.0), 0.0))
    assert contrast > 0 and abs(place * 0.5) < 0.06


def test_the_foot_of_a_narrow_dark_wall_is_found_by_the_colour_of_the_wall() -> None:
    """Two samples within a wall 2 px wide is the wall, three and four are the top above it."""
    along, fine = (np.arange(21) - 10) * 0.5, np.linspace(-6.0, 6.0, 2401)
    top, table = np.array([40.0, 200.0, 60.0]), np.array([150.0, 148.0, 152.0])
    bands = np.where((fine < -2.0)[:, None], top, np.where((fine < 0.0)[:, None], 0.45 * top, table))
    blur = np.exp(-0.5 * ((along[:, None] - fine) / 0.6) ** 2)
    profile = np.asarray(blur @ bands / blur.sum(axis=1, keepdims=True))
    places = [found_between(profile, inside)[0] * 0.5 for inside in (2, 3)]
    assert abs(places[0]) < 0.1 < abs(places[1])


def test_a_plate_with_a_shadow_along_one_side_says_where_the_camera_is() -> None:
    strewn, view = random_scene(20406)  # its outline was 0.9 mm off, by a shadow 1.4 mm wide
    told = replace(Noise(), extrinsics_m=1e-3, extrinsics_deg=0.2)
    assert strewn.plate is not None
    plate = Plate(strewn.plate.kind, strewn.plate.T_base_brick)
    taken = seen(strewn, view, told, np.random.default_rng([20406, 5]))
    levels = levelled(view_of(taken, Labels.of(SIX_COLORS)), Workplace(0.0, (plate,)))
    found = registered(levels, plate)
    assert found is not None and found.calibrated is not None
    middle = np.append(found.calibrated.middle_m, [0.0, 1.0])
    off = (found.T_base_cam @ np.linalg.inv(view.T_base_cam) @ middle - middle)[:2]
    assert np.linalg.norm(off) < 2e-4
    assert off @ np.linalg.solve(found.calibrated.covariance[:2, :2], off) < 9.2  # 99 %


def test_a_plate_that_one_narrow_wall_tells_of_is_known_less_well() -> None:
    settings = KINDS_OF_SCENES["one-color"]
    strewn, view = random_scene(20703, settings)  # 0.57 mm off, and told to be known to 0.07
    told = replace(Noise(), extrinsics_m=1e-3, extrinsics_deg=0.2)
    assert strewn.plate is not None
    plate = Plate(strewn.plate.kind, strewn.plate.T_base_brick)
    taken = seen(strewn, view, told, np.random.default_rng([20703, 5]))
    found = registered(levelled(view_of(taken), Workplace(0.0, (plate,))), plate)
    assert found is not None and found.calibrated is not None
    middle = np.append(found.calibrated.middle_m, [0.0, 1.0])
    off = (found.T_base_cam @ np.linalg.inv(view.T_base_cam) @ middle - middle)[:2]
    assert off @ np.linalg.solve(found.calibrated.covariance[:2, :2], off) < 9.2  # 99 %


def test_the_rim_of_a_dark_wall_is_not_taken_for_its_foot_where_only_studs_tell() -> None:
    """Under a high sun walls are dark; the far side of this plate, which would tell, is not in the picture."""
    kind = PLATE.kind
    plate = SceneBrick("plate", kind, "green", about_middle(kind, (0.30, 0.0), 0.0, 0.0))
    noon = Light(np.array([0.0, 0.18, 1.0]), sun=(0.55, 0.55, 0.55), sky=(0.3, 0.3, 0.3))
    bare = Scene((), (), plate, Surface(rgb=(0.42, 0.42, 0.44), grain=0.02), noon)
    over = View(looking_at(np.array([0.0, 0.001, 0.5]), np.zeros(3)), ABOVE.K)
    found = registered(levelled(view_of(frame(bare, over)), place(bare)), place(bare).plates[0])
    assert found is not None and found.calibrated is not None
    middle = np.append(found.calibrated.middle_m, [0.0, 1.0])
    off = (found.T_base_cam @ np.linalg.inv(over.T_base_cam) @ middle - middle)[:2]
    assert np.linalg.norm(off) < 1e-3  # 4.4 mm by the outline, which claimed 0.2


@pytest.mark.parametrize(("slope", "sun_deg", "pushed_rad"), [(0.3, 60, 0.5), (0.7, 180, 0.5), (1.2, 180, 5.5)])
def test_a_plate_that_was_pushed_is_registered_where_it_is(slope: float, sun_deg: float, pushed_rad: float) -> None:
    """From 3 mm away studs stop half way; seen from so far they say little, and must not overrule the outline."""
    turn, push = math.radians(sun_deg), 3e-3 * np.array([math.cos(pushed_rad), math.sin(pushed_rad)])
    low = Light(np.array([slope * math.cos(turn), slope * math.sin(turn), 1.0]), sun=(0.45,) * 3, sky=(0.15,) * 3)
    told, there = (
        SceneBrick("plate", PLATE.kind, "green", about_middle(PLATE.kind, (0.02 + x, y), 0.0, 0.0))
        for x, y in ((0.0, 0.0), push)
    )
    bare = Scene((), (), there, Surface(rgb=(0.42, 0.42, 0.44), grain=0.02), low)
    believed = place(replace(bare, plate=told))
    over = View(looking_at(np.array([0.0, 0.001, 0.8]), np.zeros(3)), ABOVE.K)
    found = registered(levelled(view_of(frame(bare, over)), believed), believed.plates[0])
    assert found is not None and found.calibrated is not None
    middle = np.append(found.calibrated.middle_m, [0.0, 1.0])
    off = (found.T_base_cam @ np.linalg.inv(over.T_base_cam) @ middle - middle)[:2]
    assert np.linalg.norm(off + push) < 1e-3  # 3 to 5 mm where studs were believed


def test_a_dark_pixel_without_depth_shows_no_white_brick() -> None:
    """Shadows at the foot of a stack are where one eye sees nothing: their noise was half a white 2x4."""
    stack = scene(
        brick("a", "2x2", "red", -0.08, 0.0), brick("b", "2x2", "blue", -0.08, 0.0, 0.0192),
        brick("c", "2x2", "red", -0.08, 0.0, 0.0384), rgb=(0.42, 0.42, 0.44),
    )  # fmt: skip
    taken = frame(stack)
    dark = taken.rgb.max(axis=2) < 0.7 * np.median(taken.rgb.max(axis=2))
    blind = replace(taken, depth_m=np.where(dark, 0.0, taken.depth_m))
    labels = Labels.of(SIX_COLORS)
    (view,) = prepared([blind], place(stack), known_kinds(KINDS), labels)
    assert dark.sum() > 300
    assert not (dark & (view.labels == labels.hueless)).any()


def test_height_and_tilt_are_known_as_well_as_depth_tells_them() -> None:
    lying, lifted = brick("a", "2x4", "red", -0.06, 0.02), brick("a", "2x4", "red", -0.06, 0.02, z=0.0015)
    (flat,) = seen_in(scene(lying)).found
    (noisy,) = seen_in(scene(lying), noise=OFF.times(2)).found
    (raised,) = seen_in(scene(lifted)).found
    tilts = [np.sqrt(np.diag(one.resting)[1:]).max() for one in (flat, noisy)]
    assert tilts[0] < tilts[1] < math.radians(5)
    assert flat.resting[0, 0] < 6e-4**2
    assert raised.resting[0, 0] > 1e-3**2  # told to lie in its layer, and seen to stand off
    assert np.linalg.eigvalsh(flat.resting).min() > 0


def test_without_a_plate_places_are_less_sure() -> None:
    bare = scene(*APART.bricks, plate=None)
    sight = seen_in(bare, noise=Noise())
    assert sight.registered == (False,) and len(sight.found) == 4
    assert min(one.covariance[0, 0] for one in sight.found) > 1e-6


def test_a_strip_of_six_studs_is_refused_with_both_readings_and_what_would_decide() -> None:
    strip = scene(brick("a", "2x2", "red", -0.05, 0.0), brick("b", "2x4", "red", -0.002, 0.0, degrees=90))
    sight = seen_in(strip)
    assert not sight.found and len(sight.refused) == 2
    for refusal in sight.refused:
        assert "both explain" in refusal.why and "nudge" in refusal.decide
        assert len(refusal.rivals) >= 2


def test_flush_bricks_of_two_colours_are_no_riddle() -> None:
    two = scene(brick("a", "2x2", "red", -0.05, 0.0), brick("b", "2x4", "blue", -0.002, 0.0, degrees=90))
    sight = seen_in(two)
    assert {(str(one.kind), one.color) for one in sight.found} == {(KINDS[0], "red"), (KINDS[1], "blue")}


COVERED = scene(brick("low", "2x4", "red", -0.05, 0.0, degrees=90), brick("high", "2x2", "blue", -0.034, 0.0, 0.0192))


def test_a_half_hidden_brick_is_right_or_refused_never_the_smaller_kind() -> None:
    sight = seen_in(COVERED)
    assert [str(one.kind) for one in sight.found if one.color == "red"] in ([], [KINDS[1]])
    assert any(one.color == "blue" and abs(one.middle_m[2] - 0.0192) < 1e-6 for one in sight.found)


def test_a_second_view_decides_what_one_does_not() -> None:
    both = locate([frame(COVERED), frame(COVERED, ASIDE, seed=1)], place(COVERED), KINDS)
    assert len(both.T_base_cam) == 2 and not both.refused
    assert sorted((str(one.kind), one.color) for one in both.found) == [(KINDS[0], "blue"), (KINDS[1], "red")]


def test_white_bricks_on_a_nearly_white_table_are_found_and_known_less_well() -> None:
    white = scene(brick("a", "2x2", "white", -0.09, -0.03, degrees=25), brick("b", "2x4", "white", -0.02, 0.06),
                  rgb=(0.78, 0.77, 0.75))  # fmt: skip
    sight = seen_in(white)
    for one in white.bricks:
        found = nearest(sight, one)
        off = (found.middle_m - one.middle_m)[:2]
        assert np.linalg.norm(off) < 4e-3 and off @ np.linalg.solve(found.covariance[:2, :2], off) < 12
    assert len(sight.found) == 2 and not sight.refused


def test_a_brick_on_an_equal_one_is_where_it_is() -> None:
    stack = scene(brick("low", "2x4", "yellow", -0.05, 0.0, degrees=90),
                  brick("high", "2x2", "yellow", -0.05, 0.016, 0.0192))  # fmt: skip
    top = max(seen_in(stack).found, key=lambda one: one.middle_m[2])
    assert top.kind == stack.bricks[1].kind and np.linalg.norm((top.middle_m - stack.bricks[1].middle_m)[:2]) < 1.5e-3


def test_an_empty_table_shows_nothing() -> None:
    sight = seen_in(scene())
    assert sight.found == () and sight.refused == ()


def test_things_that_are_no_bricks_are_refused() -> None:
    T = np.eye(4)
    T[:3, 3] = -0.06, 0.0, 0.0
    ball, cup = np.array(T), np.array(T)
    ball[:3, 3] = -0.12, 0.05, 0.02
    cup[:3, 3] = 0.0, 0.06, 0.0
    things = (
        Thing("box", "box", (0.05, 0.045, 0.03), (0.77, 0.1, 0.08), T),
        Thing("ball", "ball", (0.02,), (0.1, 0.32, 0.68), ball),
        Thing("cup", "cylinder", (0.02, 0.05), (0.95, 0.77, 0.16), cup),
    )
    sight = seen_in(scene(things=things))
    assert sight.found == () and len(sight.refused) >= 2
    assert all(one.why and one.decide for one in sight.refused)


def test_a_toppled_brick_is_not_taken_for_an_upright_one() -> None:
    standing = brick("a", "2x4", "green", -0.05, 0.0)
    T = np.array(standing.T_base_brick)
    T[:3, :3] = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    T[:3, 3] = -0.06, 0.02, 0.0
    sight = seen_in(scene(replace(standing, T_base_brick=T)))
    assert sight.found == ()


def test_white_on_white_is_right_or_refused() -> None:
    pale = scene(
        brick("a", "2x2", "white", -0.1, 0.0, degrees=15), brick("b", "2x4", "white", 0.0, 0.05), rgb=(0.9, 0.9, 0.88)
    )
    for one in seen_in(pale).found:
        wanted = min(pale.bricks, key=lambda b: float(np.linalg.norm(b.middle_m[:2] - one.middle_m[:2])))
        assert one.kind == wanted.kind and np.linalg.norm(one.middle_m[:2] - wanted.middle_m[:2]) < 4e-3


def test_a_turned_world_gives_turned_poses() -> None:
    """Scene, plate and camera turned about the vertical together: so are the answers, but for noise in the light."""
    T = np.eye(4)
    T[:2, :2] = [[0.0, -1], [1, 0]]
    T[:3, 3] = 0.3, -0.2, 0.0
    turned = APART.moved(T)
    table = replace(turned.table, middle_m=(0.3, -0.2)) if turned.table is not None else None
    turned = replace(turned, table=table)
    here = seen_in(APART, noise=Noise())
    there = seen_in(turned, View(T @ ABOVE.T_base_cam, ABOVE.K), Noise())
    assert len(here.found) == len(there.found) == 4
    for wanted, moved in zip(APART.bricks, turned.bricks, strict=True):
        a, b = nearest(here, wanted).middle_m, nearest(there, moved).middle_m
        assert np.linalg.norm((T @ np.append(a, 1))[:3] - b) < 1e-3


def test_a_frame_that_shows_no_table_is_refused() -> None:
    taken = frame(APART)
    T = np.array(taken.T_base_cam)
    T[2, 3] += 0.2
    with pytest.raises(BadInput, match="no table is seen"):
        locate([replace(taken, T_base_cam=T)], place(APART), KINDS)


def test_a_frame_without_depth_is_refused() -> None:
    taken = frame(APART)
    empty = Frame(taken.rgb, np.zeros_like(taken.depth_m), taken.K, taken.T_base_cam)
    with pytest.raises(BadInput, match="found 0 pixels with depth"):
        locate([empty], place(APART), KINDS)


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        ((), "kinds: found none"),
        (("brick_2x4", "duplo:brick_2x4"), "one system at a time"),
        (("duplo:baseplate_8x8",), "part of the workplace"),
    ],
)
def test_kinds_that_cannot_be_looked_for_are_refused(kinds: tuple[str, ...], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        known_kinds(kinds)


def test_no_frame_and_no_surface_are_refused() -> None:
    with pytest.raises(BadInput, match="expected one or more"):
        locate([], place(APART), KINDS)
    with pytest.raises(BadInput, match="found neither"):
        Workplace(None)


def test_flush_bricks_are_compared_on_their_cells_where_outlines_lead_them_astray() -> None:
    settings = SceneSettings()
    for seed, wrong in ((426, "refused"), (5028, "found")):
        made, view = random_scene(seed, settings)
        seen_frame = seen(made, view, OFF, np.random.default_rng([seed, 5]))
        sight = locate([seen_frame], place(made), settings.kinds, settings.colors)
        for one in sight.found:
            as_found = SceneBrick("x", one.kind, one.color, one.T_base_brick)
            near = [b for b in made.bricks if b.kind == one.kind and b.color == one.color]
            assert min(np.linalg.norm(as_found.middle_m - b.middle_m) for b in near) < 0.003
        rivals = [rival for one in sight.refused for rival in one.rivals]
        assert bool(rivals) == (wrong == "refused")


def test_a_smooth_box_of_a_bricks_size_and_colour_is_refused() -> None:
    real = brick("a", "2x2", "red", -0.12, -0.05, degrees=20)
    copy = brick("b", "2x4", "blue", -0.02, 0.04, degrees=50)
    box = Thing("box", "box", copy.kind.size_m, reflectance("blue"), copy.T_base_brick)
    sight = seen_in(scene(real, things=(box,)), noise=OFF.times(2.0))
    assert [one.color for one in sight.found] == ["red"]
    assert ["no studs are seen" in one.why for one in sight.refused] == [True]
