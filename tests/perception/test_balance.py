"""All colours of a frame are tinted alike: the tint is found, and swapped channels are told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.model.errors import BadInput
from falsework.model.perception.findings import Workplace
from falsework.model.perception.frames import Frame
from falsework.model.perception.palette import SIX_COLORS, reflectance
from falsework.perception.locator.balance import balanced
from falsework.perception.locator.labels import Labels, chroma_of
from falsework.perception.locator.locating import locate
from tests.perception.eyes import KINDS, brick, frame, place, scene

COLORS = ("red", "yellow", "blue", "white")
MANY = scene(
    *(
        brick(color, "2x4", color, -0.13 + 0.06 * at, 0.04 * (-1) ** at, degrees=20 * at)
        for at, color in enumerate(COLORS)
    )
)
SEEN = frame(MANY)


def tinted(of: Frame, gains: tuple[float, float, float]) -> Frame:
    return replace(of, rgb=np.clip(np.rint(of.rgb * np.array(gains)), 0, 255).astype(np.uint8))


def patches(colors: tuple[str, ...], gains: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Pixels of these colours, half of them in the shade, and their chroma."""
    rgb = np.array([reflectance(color) for color in colors]) * gains
    both = np.concatenate([200 * rgb, 120 * rgb]).repeat(200, axis=0).astype(np.float32)
    return both, chroma_of(both)


@pytest.mark.parametrize("gains", [(1.0, 1.0, 1.0), (1.15, 1.0, 0.9), (0.85, 1.0, 1.2)])
def test_the_balance_is_found_by_several_colours(gains: tuple[float, float, float]) -> None:
    told, otherwise = balanced(Labels.of(SIX_COLORS), *patches(("red", "yellow", "green", "white"), gains))
    wanted = chroma_of(np.array(gains) * Labels.of(SIX_COLORS).rgb)
    assert np.abs(told.chroma - wanted).max() < 0.03
    assert otherwise is None


def test_a_plate_tells_the_balance_where_one_colour_may_be_another() -> None:
    gains = np.array([1.2, 1.0, 1.0])
    rgb, chroma = patches(("yellow",), (1.2, 1.0, 1.0))
    card = (200 * gains * reflectance("gray"), np.array(reflectance("gray")))
    told, _ = balanced(Labels.of(("yellow", "orange")), rgb, chroma, [card])
    assert (told.label(chroma) == told.label_of("yellow")).all()


def test_nothing_seen_is_taken_to_be_balanced() -> None:
    labels = Labels.of(SIX_COLORS)
    assert balanced(labels, np.zeros((0, 3), np.float32), np.zeros((0, 2), np.float32)) == (labels, None)


def test_a_tint_that_hardly_any_camera_has_is_doubted_unless_a_plate_has_it_too() -> None:
    labels, gains = Labels.of(SIX_COLORS), np.array([1.38, 1.0, 1.0])
    seen = patches(("red", "yellow", "green", "white"), (1.38, 1.0, 1.0))
    assert balanced(labels, *seen)[1] is labels
    card = (200 * gains * reflectance("gray"), np.array(reflectance("gray")))
    assert balanced(labels, *seen, [card])[1] is None


def test_what_is_another_colour_if_a_doubted_tint_is_none_is_refused() -> None:
    sight = locate([tinted(SEEN, (1.0, 0.72, 1.0))], place(MANY), KINDS)
    assert sorted(one.color for one in sight.found) == ["blue", "red", "white"]
    refused = [one.why for one in sight.refused]
    assert any("yellow if the camera tints as much as it seems to, orange if not" in why for why in refused)


def test_a_plate_alone_tells_the_balance() -> None:
    gains = np.array([1.2, 1.0, 1.0])
    card = (200 * gains * reflectance("gray"), np.array(reflectance("gray")))
    told, _ = balanced(Labels.of(("red",)), np.zeros((0, 3), np.float32), np.zeros((0, 2), np.float32), [card])
    assert np.abs(told.chroma - chroma_of(gains * Labels.of(("red",)).rgb)).max() < 0.05


@pytest.mark.parametrize("gains", [(1.0, 0.8, 1.0), (0.8, 1.0, 1.0), (1.0, 1.0, 0.8)])
def test_tinted_pictures_show_bricks_of_the_same_colours(gains: tuple[float, float, float]) -> None:
    sight = locate([tinted(SEEN, gains)], place(MANY), KINDS)
    assert sorted(one.color for one in sight.found) == sorted(COLORS)


def test_a_picture_with_red_and_blue_swapped_is_refused_in_a_line() -> None:
    with pytest.raises(BadInput, match=r"only if red and blue are swapped; is it BGR\?"):
        locate([replace(SEEN, rgb=np.ascontiguousarray(SEEN.rgb[..., ::-1]))], place(MANY), KINDS)


def test_one_thing_of_an_odd_colour_does_not_accuse_the_camera() -> None:
    alone = scene(brick("a", "2x4", "cyan", -0.05, 0.0), plate=None)
    sight = locate([frame(alone)], Workplace(0.0), KINDS, ("yellow", "red"))
    assert not sight.found
    assert sight.refused


@pytest.mark.parametrize("axis", [0, 1], ids=["upside down", "left and right"])
def test_a_mirrored_picture_is_refused_in_a_line(axis: int) -> None:
    mirrored = replace(SEEN, rgb=np.flip(SEEN.rgb, axis).copy(), depth_m=np.flip(SEEN.depth_m, axis).copy())
    with pytest.raises(BadInput, match=r"is the picture mirrored|no plate is seen where it should be"):
        locate([mirrored], place(MANY), KINDS)
