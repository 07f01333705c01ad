"""Round things whose limits are known by hand stand just beyond and fall just below them, whatever their facets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from falsework.bench.cad_forms import (
    FORMS,
    Form,
    ball_on_balls,
    bearing,
    log_pyramid,
    plug,
    rougher,
    screw,
)
from falsework.bench.round_shapes import about, ball, placed, rod, turned
from falsework.collapse.collapse import collapse
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly
from falsework.verdicts.check import check

Make = Callable[[int, int], Form]


def names(make: Make) -> str:
    return make.__name__


@pytest.mark.parametrize("make", FORMS, ids=names)
def test_the_verdict_flips_within_half_a_percent_of_theory_at_64_facets(make: Make) -> None:
    form = make(64, 64)
    assert_flips(form, 0.005)


@pytest.mark.parametrize("make", [log_pyramid, ball_on_balls, bearing, plug, screw], ids=names)
def test_so_it_does_when_the_two_sides_have_different_facets(make: Make) -> None:
    assert_flips(make(72, 50), 0.005)


@pytest.mark.parametrize("make", FORMS, ids=names)
def test_at_16_facets_the_verdict_is_the_same_5_percent_from_theory(make: Make) -> None:
    assert_flips(make(16, 20), 0.05)


def assert_flips(form: Form, share: float) -> None:
    joints = form.joints()
    beyond = 1 + share if form.kind == "friction" else 1 - share
    below = 2 - beyond
    assert form.answer(beyond * form.limit, joints) == "stable"
    assert form.answer(below * form.limit, joints) == "unstable"


def in_a_hole(play: float, upright: bool, facets: int = 32, others: int = 24) -> Assembly:
    """A rod of 0.1 m radius in a through hole."""
    hole = turned([(0.1 + play, -0.1), (0.3, -0.1), (0.3, 0.1), (0.1 + play, 0.1)], others, ring=True)
    turn = placed(turn=about("x", 0.0 if upright else 0.5 * np.pi))
    parts = make_part("hole", hole, turn), make_part("rod", rod(0.1, 0.4, facets), turn)
    return Assembly(parts, fixed=frozenset({"hole"}), friction=0.4)


def test_an_upright_rod_with_play_falls_through_its_hole_and_the_answer_says_who_differs() -> None:
    verdict = check(in_a_hole(0.001, upright=True))
    assert (verdict.answer, verdict.model, verdict.falling) == ("unstable", "cra", ("rod",))
    assert verdict.also == {"blocks": "stable"}


def test_by_plain_equilibrium_it_wedges_itself() -> None:
    verdict = check(in_a_hole(0.001, upright=True), model="blocks")
    assert (verdict.answer, verdict.also) == ("stable", {"cra": "unstable"})


def test_without_play_it_stands_if_it_is_wedged_and_the_answer_says_so() -> None:
    verdict = check(in_a_hole(0.0, upright=True))
    assert (verdict.answer, verdict.model, verdict.also) == ("stable", "blocks", {"cra": "unstable"})


@pytest.mark.parametrize("play", [0.0, 0.001])
def test_a_level_rod_lies_in_its_hole(play: float) -> None:
    verdict = check(in_a_hole(play, upright=False))
    assert (verdict.answer, verdict.also) == ("stable", {})


def test_a_rod_with_play_on_a_slope_slides_if_the_slope_is_steeper_than_its_friction() -> None:
    made = in_a_hole(0.001, upright=True)
    joints = interfaces(made)
    for angle, stands in ((0.35, True), (0.42, False)):  # from level; tan 0.3805 = 0.4
        gravity = 9.81 * np.array([np.cos(angle), 0.0, -np.sin(angle)])
        assert check(made, joints=joints, gravity=gravity).stands == stands


@pytest.mark.parametrize("play", [0.0, 0.001])
@pytest.mark.parametrize("upright", [True, False])
def test_collapse_says_the_same_at_the_first_instant(play: float, upright: bool) -> None:
    made = in_a_hole(play, upright)
    assert collapse(made, seconds=0.002).answer == check(made).answer


def test_collapse_agrees_about_logs() -> None:
    form = log_pyramid(24, 16)
    joints = form.joints()
    for factor in (0.9, 1.1):
        rough = rougher(joints, factor * form.limit / 0.5)
        answer = collapse(form.assembly, joints=rough, seconds=0.002).answer
        assert answer == form.answer(factor * form.limit, joints)


def test_between_inner_and_outer_forces_it_is_undecided_and_says_why() -> None:
    form = plug(64, 64)
    verdict = check(form.assembly, joints=rougher(form.joints(), 0.999 * form.limit / 0.5), also=False)
    assert verdict.answer == "undecided"
    assert "between the points that stand for curved contacts" in verdict.why and "'seat' - 'plug'" in verdict.why


def test_a_ball_in_a_socket_needs_a_few_hundred_points_not_thousands() -> None:
    angles = np.linspace(0.5 * np.pi, np.pi, 13)
    bowl = [(0.1 * np.sin(angle), 0.1 * np.cos(angle)) for angle in angles[:-1]] + [(0.0, -0.1)]
    socket = turned([(0, -0.2), (0.2, -0.2), (0.2, 0.0), *bowl], 48)
    parts = make_part("socket", socket, placed()), make_part("ball", ball(0.1, 40), placed(turn=about("x", 0.3)))
    made = Assembly(parts, fixed=frozenset({"socket"}))
    joints = interfaces(made)
    assert len(joints.patches) < 300 and check(made, joints=joints).stands
