"""The referee of pictures, on scenes whose answer can be told by hand."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from falsework.model.catalogue import brick_type
from falsework.model.errors import BadInput
from falsework.perception.cameras.simulated import View, looking_at
from falsework.perception.scenes.layouts import cells_of, clash, lying, quarter_turned, shifted
from falsework.perception.scenes.packings import DUPLO, merges, rests
from falsework.perception.scenes.random_scenes import SceneSettings, random_scene
from falsework.perception.scenes.scene import Scene, SceneBrick
from falsework.perception.scenes.truth import BrickTruth, same_place, symmetric_yaw_off, truth_of

SQUARE, LONG = DUPLO
K = np.array([[447.0, 0, 319.5], [0, 447.0, 239.5], [0, 0, 1]])
ABOVE = View(looking_at(np.array([0.02, 0.01, 0.55]), np.array([0.02, 0.01, 0])), K)
GRID = lying(0.0, 0.0, 0.0, 0.3)


def a_square(name: str, studs: tuple[int, int], color: str = "red", layer: int = 0) -> SceneBrick:
    return SceneBrick(name, SQUARE, color, shifted(GRID, studs, layer, SQUARE))


def a_long(name: str, studs: tuple[int, int], color: str = "red", layer: int = 0, turned: bool = True) -> SceneBrick:
    """Four studs along the grid's y; along its x if turned (a catalogue 2x4 is two along x)."""
    T = shifted(GRID, studs, layer, LONG)
    return SceneBrick(name, LONG, color, quarter_turned(T, LONG) if turned else T)


def told(*bricks: SceneBrick, view: View = ABOVE) -> dict[str, BrickTruth]:
    return {one.brick.name: one for one in truth_of(Scene(bricks), view)}


def test_a_brick_alone_is_seen_whole_and_is_nothing_else() -> None:
    for brick in (a_square("a", (0, 0)), a_long("a", (0, 0))):
        truth = told(brick)["a"]
        assert truth.visible == 1.0 and not truth.ambiguous
        assert truth.pixels_per_stud == pytest.approx(447 * 0.016 / (0.55 - 0.0096), rel=0.01)


def test_six_studs_in_a_row_are_two_packings() -> None:
    truth = told(a_square("a", (0, 0)), a_long("b", (2, 0)))
    assert truth["a"].ambiguous and truth["b"].ambiguous
    (rival,) = truth["a"].rivals
    assert sorted(str(one.kind) for one in rival) == sorted([str(SQUARE), str(LONG)])


def test_six_studs_of_two_colours_are_not() -> None:
    truth = told(a_square("a", (0, 0), "blue"), a_long("b", (2, 0)))
    assert not truth["a"].ambiguous and not truth["b"].ambiguous


def test_two_long_ones_side_by_side_are_a_square_of_two_packings() -> None:
    truth = told(a_long("a", (0, 0)), a_long("b", (0, 2)))
    assert truth["a"].ambiguous and truth["b"].ambiguous


def test_two_long_ones_that_are_not_in_line_are_themselves() -> None:
    truth = told(a_long("a", (0, 0)), a_long("b", (1, 2)))
    assert not truth["a"].ambiguous and not truth["b"].ambiguous


def test_what_ends_at_a_hidden_brick_may_go_on_below_it() -> None:
    """A red 2x2 beside a hidden blue one: in their place could lie one red 2x4, with the lid on its far half."""
    bricks = a_square("a", (0, 0)), a_square("hidden", (2, 0), "blue"), a_square("lid", (2, 0), "green", layer=1)
    truth = told(*bricks)
    assert truth["hidden"].pixels < 40
    assert truth["a"].visible > 0.9 and truth["a"].ambiguous
    assert any(str(one.kind) == str(LONG) for packing in truth["a"].rivals for one in packing)


def test_a_brick_may_go_on_where_another_colour_is_hidden() -> None:
    """A lid hides one half of a blue 2x4. A red 2x4 may carry the lid as well, beside a blue 2x2."""
    bricks = a_square("a", (0, 0)), a_long("b", (2, 0), "blue", turned=False), a_square("lid", (2, 0), "green", layer=1)
    truth = told(*bricks)
    assert truth["a"].visible > 0.9 and truth["b"].pixels > 400
    assert truth["a"].ambiguous and truth["b"].ambiguous
    assert sorted((str(one.kind), one.color) for one in truth["a"].rivals[0]) == [
        (str(SQUARE), "blue"), (str(LONG), "red")
    ]  # fmt: skip


def test_a_brick_that_is_seen_makes_no_room() -> None:
    truth = told(a_square("a", (0, 0)), a_long("b", (2, 0), "blue", turned=False))
    assert not truth["a"].ambiguous and not truth["b"].ambiguous


def test_a_row_that_ends_under_a_lid_is_two_packings() -> None:
    """Of the far brick one side is seen, and nothing of its top: 4 + 2 and 2 + 4 studs look the same."""
    view = View(looking_at(np.array([0.1, -0.25, 0.45]), np.array([0.05, 0.02, 0])), K)
    truth = told(a_long("a", (0, 0)), a_square("b", (4, 0)), a_long("lid", (2, 0), "green", layer=1), view=view)
    assert truth["b"].pixels > 40
    assert truth["a"].ambiguous and truth["b"].ambiguous


def test_a_lid_must_rest_on_something() -> None:
    """Only the long brick carries the lid: with a 2x2 instead of it, the lid would hang in the air."""
    truth = told(a_long("a", (0, 0)), a_square("lid", (2, 0), "blue", layer=1))
    assert 0.3 < truth["a"].visible < 0.9 and not truth["a"].ambiguous


def test_pairs_that_are_one_brick_of_the_catalogue_count_as_that_brick() -> None:
    one, other = a_square("a", (0, 0)), a_square("b", (2, 0))
    assert merges(one, [other], DUPLO)
    assert not merges(one, [a_square("b", (2, 1))], DUPLO)
    assert not merges(one, [a_square("b", (2, 0), "blue")], DUPLO)


def test_of_a_brick_at_the_edge_of_the_picture_what_is_outside_does_not_count() -> None:
    """Of its upper side, 32 mm, half is inside; its inner side, 19 mm high, is seen at an angle, as 0.7 · 19 mm."""
    edge = (0.55 - 0.0192) / 447 * 319.5  # where the picture ends, at the height of its upper side
    T = lying(0.02 + edge - 0.016, 0.0, 0.0, 0.0)
    truth = told(SceneBrick("a", SQUARE, "red", T))["a"]
    side = edge / (0.55 - 0.0192) * 0.0192
    assert truth.visible == pytest.approx((0.016 + side) / (0.032 + side), abs=0.05)


def test_turns_that_do_not_show_are_no_difference() -> None:
    one = a_long("a", (0, 0), turned=False)
    middle = np.eye(4)
    middle[:3, 3] = [*(0.5 * np.array(LONG.size_m[:2])), 0]
    half = one.T_base_brick @ middle @ lying(0, 0, 0, math.pi) @ np.linalg.inv(middle)
    other = SceneBrick("b", LONG, "red", half)
    assert same_place(one, other) and symmetric_yaw_off(one, other) < 1e-12
    assert not same_place(one, a_long("b", (0, 0)))


@pytest.mark.parametrize(
    "settings", [SceneSettings(), SceneSettings(plate="under"), SceneSettings(toppled=0.3, things=3)]
)
def test_random_scenes_are_legal(settings: SceneSettings) -> None:
    for seed in range(3):
        scene, view = random_scene(seed, settings)
        assert len(scene.bricks) >= 5 and len(scene.things) == settings.things
        for one, other in combinations(scene.bricks, 2):
            assert not clash(one, other)
        for one in scene.bricks:
            others = [other for other in scene.bricks if other is not one]
            assert not one.upright or rests(one, scene, others)
            assert not one.upright or not merges(one, others, DUPLO)
        assert 0.5 <= view.T_base_cam[2, 3] <= 0.6


def test_the_same_seed_gives_the_same_scene() -> None:
    (one, view), (two, again) = random_scene(11), random_scene(11)
    assert [brick.T_base_brick.tolist() for brick in one.bricks] == [
        brick.T_base_brick.tolist() for brick in two.bricks
    ]
    assert view.T_base_cam.tolist() == again.T_base_cam.tolist()
    assert one.light.toward.tolist() != random_scene(12)[0].light.toward.tolist()


def test_cells_are_those_of_the_grid_or_none() -> None:
    assert cells_of(a_square("a", (3, -1)), GRID) == {(x, y, z) for x in (3, 4) for y in (-1, 0) for z in (0, 1)}
    assert cells_of(SceneBrick("a", SQUARE, "red", lying(0, 0, 0, 0.31)), GRID) is None


def test_settings_of_scenes_are_checked() -> None:
    with pytest.raises(BadInput, match="plate: found 'below'"):
        SceneSettings(plate="below")
    with pytest.raises(BadInput, match="flush: found 2"):
        SceneSettings(flush=2)
    with pytest.raises(BadInput, match="the fewest and the most"):
        SceneSettings(bricks=(5, 3))
    assert brick_type(SceneSettings().kinds[0]) == SQUARE
