"""The judge, against closed forms and against itself: what stands just below a limit falls just above it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.adversary.brick_grid import Brick, clutch
from tests.adversary.clutch_model import clutch_rows
from tests.adversary.judge import BALANCED, judged
from tests.adversary.kinds import KINDS, case_of
from tests.adversary.kinds.corners import plank_outline
from tests.adversary.kinds.dressing import block, floor
from tests.adversary.kinds.linkages import anchor, bar, pin
from tests.adversary.kinds.scales import beside_a_stranger
from tests.adversary.problem import problem_of
from tests.adversary.scene import Load, Scene, Unclear
from tests.adversary.solids import box, prism, random_turn

JUST = 1e-4


def answer(scene: Scene) -> str:
    return judged(problem_of(scene)).answer


@pytest.mark.parametrize("way", [0.0, np.pi / 8, 0.3, 2.0])
def test_a_box_slides_from_mu_times_its_weight_on_whatever_the_way(way: float) -> None:
    parts = (floor(3), block("box", box((0, 0, 0), (1, 1, 0.2))))
    limit = 0.5 * 200 * 9.81 * np.array([np.cos(way), np.sin(way), 0])
    for share, right in ((1 - JUST, "stands"), (1 + JUST, "falls")):
        load = Load("box", share * limit, np.array([0.5, 0.5, 0]))
        assert answer(Scene(parts, friction=0.5, loads=(load,))) == right


@pytest.mark.parametrize("way", [0.1, np.pi / 8, 1.9])
def test_a_slab_slides_where_the_slope_exceeds_friction(way: float) -> None:
    parts = (floor(3), block("slab", box((0, 0, 0), (1, 1, 0.05))))
    for steep, right in ((0.4 * (1 - JUST), "stands"), (0.4 * (1 + JUST), "falls")):
        down = np.array([steep * np.cos(way), steep * np.sin(way), -1.0])
        assert answer(Scene(parts, friction=0.4, gravity=9.81 * down)) == right


def test_a_box_tips_over_the_edge_below_it() -> None:
    for over, right in ((0.5 * (1 - JUST), "stands"), (0.5 * (1 + JUST), "falls")):
        parts = (floor(3), block("low", box((0, 0, 0), (1, 1, 1))), block("top", box((over, 0, 1), (1, 1, 1))))
        assert answer(Scene(parts)) == right


@pytest.mark.parametrize("angle", [0.5, 0.9, 1.2])
def test_a_plank_stands_from_the_friction_of_the_closed_form_on(angle: float) -> None:
    outline = plank_outline(angle, 2.0, 0.1)
    foot, top, middle = outline[0, 0], outline[3, 1], outline.mean(axis=0)[0]
    limit = (-top + np.sqrt(top**2 + 4 * middle * (foot - middle))) / (2 * middle)
    parts = (
        block("floor", box((-1, -1, -1), (5, 3, 1)), fixed=True),
        block("wall", box((-1, -1, 0), (1, 3, 4)), fixed=True),
        block("plank", prism(outline, 0, 1)),
    )
    assert answer(Scene(parts, friction=limit * (1 + JUST))) == "stands"
    assert answer(Scene(parts, friction=limit * (1 - JUST))) == "falls"


@pytest.mark.parametrize(("thick", "right"), [(0.12, "stands"), (0.10, "falls")])
def test_a_half_ring_stands_from_0_1075_of_its_radius_on(thick: float, right: str) -> None:
    """Couplet's arch with friction to spare."""
    angles = np.linspace(0, np.pi, 33)
    inner, outer = 1 - thick / 2, 1 + thick / 2
    parts = [floor(3)]
    for k, (a, b) in enumerate(pairwise(angles)):
        ring = [(r * np.cos(t), r * np.sin(t)) for r, t in ((inner, a), (outer, a), (outer, b), (inner, b))]
        parts.append(block(f"stone {k}", prism(ring, 0, 1)))
    assert answer(Scene(tuple(parts), friction=1.0)) == right


@pytest.mark.parametrize(
    ("kind", "limit"), [("brick_1x1", 2.80), ("brick_2x2", 6.72), ("brick_2x4", 13.44), ("brick_4x4", 29.12)]
)
def test_a_brick_comes_off_where_all_its_points_are_spent(kind: str, limit: float) -> None:
    brick = Brick("b", kind, (0, 0, 0), mass=1e-3)
    weight = 1e-3 * 9.81
    for share, right in ((1 - JUST, "stands"), (1 + JUST, "falls")):
        pull = np.array([0, 0, share * limit + weight])
        assert answer(Scene((brick,), loads=(Load("b", pull),), ground="baseplate")) == right


def test_the_rows_of_a_clutch_do_not_see_pressure_and_see_a_pull_at_every_point_alike() -> None:
    upper = Brick("u", "brick_2x4", (0, 0, 0))
    rows, limits = clutch_rows(clutch("ground", upper, upper.low[:2], upper.high[:2]))
    used = rows @ np.array([0, 0, 1.0, 0, 0, 0])
    assert used[limits > 0] == pytest.approx(np.full(48, 1 / 24))


def test_bars_on_pins_stand_where_they_are_upright_or_braced() -> None:
    up, lean = np.array([0.0, 1.0]), np.array([0.1, 1.0])
    for end, right in ((up, "stands"), (-up, "stands"), (lean, "falls")):
        parts = (anchor(0.04), bar("a", np.zeros(2), end, 0, 0.04))
        assert answer(Scene(parts, hinges=(pin("anchor", "a", np.zeros(2)),))) == right
    foot, top = np.array([1.0, 0.0]), np.array([0.4, 0.8])
    parts = (anchor(0.04), bar("a", np.zeros(2), top, 0, 0.04), bar("b", foot, top, 1, 0.04))
    pins = (pin("anchor", "a", np.zeros(2)), pin("anchor", "b", foot), pin("a", "b", top))
    assert answer(Scene(parts, hinges=pins)) == "stands"
    assert answer(Scene(parts, hinges=pins[:2])) == "falls"


def test_a_feather_that_floats_falls_beside_anything() -> None:
    parts = (floor(1), block("feather", box((0, 0, 1), (0.1, 0.1, 0.01)), density=1.0))
    scene = beside_a_stranger(Scene(parts), np.random.default_rng(0), ratio=1e12)
    found = judged(problem_of(scene))
    assert found.answer == "falls"
    assert found.margin > 0.1


def test_a_box_between_walls_stands_by_forces_alone() -> None:
    walls = (block("l", box((-1, 0, -1), (1, 1, 3)), fixed=True), block("r", box((1, 0, -1), (1, 1, 3)), fixed=True))
    parts = (*walls, block("box", box((0, 0.1, 0), (1, 0.8, 0.8))))
    assert answer(Scene(parts, friction=0.1)) == "stands"
    assert answer(Scene(parts, friction=0.0)) == "falls"


def test_what_meets_corner_to_corner_is_left_open() -> None:
    parts = (block("low", box((0, 0, 0), (1, 1, 1)), fixed=True), block("top", box((1, 1, 1), (1, 1, 1))))
    # Even with any force at the corner it turns about it.
    assert answer(Scene(parts)) == "falls"
    held = (*parts, block("post", box((1.5, 1.2, -1), (0.4, 0.7, 2)), fixed=True))
    assert answer(Scene(held)) == "stands"
    beam = (parts[0], block("other", box((2, 2, 0), (1, 1, 1)), fixed=True), block("beam", box((1, 1, 1), (1, 1, 0.2))))
    assert answer(Scene(beam)) == "cannot tell"


def test_parts_that_nearly_touch_make_no_case() -> None:
    near = (floor(1), block("box", box((0, 0, 1e-4), (0.5, 0.5, 0.5))))
    inside = (floor(1), block("box", box((0, 0, -0.1), (0.5, 0.5, 0.5))))
    for parts in (near, inside):
        with pytest.raises(Unclear, match="floor and box"):
            problem_of(Scene(parts))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "sunk"])
def test_no_motion_gains_more_than_the_best_forces_leave(kind: str) -> None:
    """Weak duality between two computations: what is proved from one side never contradicts the other."""
    for number in range(2):
        found = judged(case_of(kind, number, 7).problem)
        assert found.power <= found.residual * (1 + 1e-6) + 1e-12
        if found.answer == "stands":
            assert found.residual <= BALANCED
        if found.answer == "falls":
            assert found.power > BALANCED


@pytest.mark.parametrize("kind", ["planks", "walls", "cuts", "jammed", "slopes", "trusses"])
def test_the_judge_does_not_mind_how_a_case_is_turned_and_scaled(kind: str) -> None:
    for number in range(2):
        scene = case_of(kind, number, 3).scene
        found = judged(problem_of(scene))
        turned = scene.turned(random_turn(np.random.default_rng(number))).scaled(100.0)
        again = judged(problem_of(turned))
        assert again.answer == found.answer or not (again.clear and found.clear)


def test_a_case_follows_from_kind_seed_and_number() -> None:
    first, again, other = (case_of("walls", 2, seed).document() for seed in (0, 0, 1))
    assert first == again != other
