"""Margins solved by hand, both ends of every bracket certified anew, and against slower ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import falsework
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.model.verdict import Answer, Verdict
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.check import check
from falsework.verdicts.holds.without import falls_without
from falsework.verdicts.limits.bracket import Bracket, narrowed
from falsework.verdicts.limits.first_tilt import RESOLUTION_DEG, first_tilt, tilted
from falsework.verdicts.limits.greatest_load import greatest_load, highest, top_of
from falsework.verdicts.limits.least_friction import RELATIVE, least_friction
from falsework.verdicts.limits.weakest import weakest
from tests.conftest import brick, on_baseplate
from tests.statics.structures import arch, block, incline, stack

DOWN, UP, RIGHT = np.array([0.0, 0.0, -1.0]), np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
ABOUT_Y = np.array([0.0, 1.0, 0.0])


def oracle_of(assembly: Assembly) -> Equilibrium:
    return Equilibrium(assembly, interfaces(assembly))


def on_slab(size: tuple[float, float, float], friction: float, at: float = 1.0) -> Assembly:
    """A block on a fixed slab 4 m long."""
    slab = block("slab", (0.0, 0.0, -1.0), (4.0, 2.0, 1.0))
    return Assembly((slab, block("block", (at, 0.5, 0.0), size)), fixed=frozenset({"slab"}), friction=friction)


def arm() -> Assembly:
    """A brick eight studs long, held at one end."""
    return on_baseplate(brick("foot", "brick_2x2", 0, 0, 0), brick("arm", "brick_8x2", 0, 0, 3))


# The smallest friction


@pytest.mark.parametrize("degrees", [5.0, 20.0, 40.0])
@pytest.mark.parametrize("given", [0.2, 1.5])
def test_a_block_on_an_incline_needs_the_tangent(degrees: float, given: float) -> None:
    assembly = incline(np.deg2rad(degrees), given)
    found = least_friction(oracle_of(assembly), State.complete(assembly))
    assert found.stands is not None
    assert found.falls is not None
    needed = np.tan(np.deg2rad(degrees))
    slack = 1e-6 / np.cos(np.deg2rad(degrees)) ** 2  # the referee forgives a millionth of the load
    assert found.falls - 2 * slack <= needed <= found.stands + 2 * slack
    assert found.stands - found.falls <= RELATIVE * found.stands * (1 + 1e-3)


def test_both_ends_of_the_friction_of_an_arch_are_certified() -> None:
    assembly = arch(7, 0.2, 0.55)
    found = least_friction(oracle_of(assembly), State.complete(assembly))
    answers = [check(assembly.changed(friction=friction)).answer for friction in (found.stands, found.falls)]
    assert answers == ["stable", "unstable"]


def test_a_stack_needs_no_friction_and_what_floats_is_not_helped_by_any() -> None:
    assembly = stack([0.1, 0.2])
    assert least_friction(oracle_of(assembly), State.complete(assembly)) == Bracket(0.0, None)
    floating = State.complete(assembly, absent=assembly.mask(["1"]))
    found = least_friction(oracle_of(assembly), floating)
    assert found.stands is None
    assert found.falls is not None
    assert found.falls > 100


def test_a_friction_at_which_nothing_is_certain_is_no_end_of_a_bracket(monkeypatch: pytest.MonkeyPatch) -> None:
    assembly = incline(0.3, 0.5)
    oracle = oracle_of(assembly)
    assess = Equilibrium.assess

    def hesitant(self: Equilibrium, state: State) -> Verdict:
        verdict = assess(self, state)
        smooth = not self.joints.patches.friction.any()
        return replace(verdict, answer="undecided") if smooth or not verdict.stands else verdict

    monkeypatch.setattr(Equilibrium, "assess", hesitant)
    assert least_friction(oracle, State.complete(assembly)) == Bracket(0.5, None)


# The greatest load


@pytest.mark.parametrize(("friction", "share"), [(0.1, 0.1), (0.9, 0.25)])
def test_a_block_pushed_at_its_top_slides_or_tips(friction: float, share: float) -> None:
    """1 x 1 x 2 m, 2000 kg: it slides at μ of its weight and tips at half a metre over two."""
    assembly = on_slab((1.0, 1.0, 2.0), friction)
    found = greatest_load(oracle_of(assembly), State.complete(assembly), "block", RIGHT, top_of(assembly, "block"))
    limit = share * 2000 * 9.81
    assert found.newtons.stands == pytest.approx(limit, rel=1e-4)
    assert found.newtons.falls == pytest.approx(limit, rel=1e-4)
    assert found.newtons.stands < limit < found.newtons.falls  # type: ignore[operator]


def test_an_overhanging_block_bears_at_its_end_what_the_lever_allows() -> None:
    """Centre 0.2 m behind the edge, end 0.3 m beyond it: two thirds of its weight."""
    assembly = on_slab((1.0, 1.0, 0.5), 0.5, at=3.3)
    end = np.array([4.3, 1.0, 0.5])
    found = greatest_load(oracle_of(assembly), State.complete(assembly), "block", DOWN, end)
    assert found.newtons.stands == pytest.approx(2 / 3 * 500 * 9.81, rel=1e-4)


@pytest.mark.parametrize(
    ("kind", "limit"), [("brick_1x1", 4 * 0.70), ("brick_2x2", 12 * 0.56), ("brick_2x4", 24 * 0.56)]
)
def test_a_straight_pull_takes_points_times_capacity_and_the_weight(kind: str, limit: float) -> None:
    assembly = on_baseplate(brick("a", kind, 0, 0, 0))
    weight = float(assembly.masses_kg[0]) * 9.81
    found = greatest_load(oracle_of(assembly), State.complete(assembly), "a", UP, top_of(assembly, "a"))
    assert found.newtons.stands == pytest.approx(limit + weight, rel=1e-4)
    assert found.newtons.falls == pytest.approx(limit + weight, rel=1e-4)


def test_pressing_what_stands_on_the_ground_finds_no_bound_and_says_what_is_certain() -> None:
    assembly = on_slab((1.0, 1.0, 1.0), 0.5)
    found = greatest_load(oracle_of(assembly), State.complete(assembly), "block", DOWN, top_of(assembly, "block"))
    assert found.newtons.falls is None
    assert found.newtons.stands == pytest.approx(1e4 * 1000 * 9.81)


def test_nothing_can_be_put_on_what_falls_already() -> None:
    assembly = on_slab((1.0, 1.0, 1.0), 0.5, at=3.6)
    found = greatest_load(oracle_of(assembly), State.complete(assembly), "block", DOWN, top_of(assembly, "block"))
    assert found.newtons == Bracket(None, 0.0)


def test_other_loads_stay_while_one_grows() -> None:
    assembly = on_slab((1.0, 1.0, 1.0), 0.5)
    pushed = replace(State.complete(assembly), loads=(Load("block", np.array([-100.0, 0.0, 0.0])),))
    found = greatest_load(oracle_of(assembly), pushed, "block", RIGHT, assembly.coms_m[1])
    assert found.newtons.stands == pytest.approx(0.5 * 9810 + 100, rel=1e-4)


def test_the_highest_free_part_is_the_one_to_load() -> None:
    assembly = stack([0.1, 0.1])
    assert highest(assembly, State.complete(assembly)) == "2"
    assert highest(assembly, State.complete(assembly, held=assembly.mask(["2"]))) == "1"
    assert highest(assembly, State.complete(assembly, held=assembly.mask(["1", "2"]))) is None


# The first tilt


@pytest.mark.parametrize(
    ("friction", "height", "degrees"), [(0.3, 0.5, np.rad2deg(np.arctan(0.3))), (0.9, 2.0, 26.565)]
)
def test_a_tilted_block_slides_or_tips(friction: float, height: float, degrees: float) -> None:
    assembly = on_slab((1.0, 1.0, height), friction)
    found = first_tilt(oracle_of(assembly), State.complete(assembly), ABOUT_Y)
    assert found.degrees.stands is not None
    assert found.degrees.falls is not None
    assert found.degrees.stands - 1e-3 <= degrees <= found.degrees.falls + 1e-3
    assert found.degrees.falls - found.degrees.stands <= RESOLUTION_DEG * (1 + 1e-9)
    assert found.proved


def test_tilting_turns_gravity_by_the_right_hand_rule() -> None:
    leaning = tilted(np.array([0.0, 0.0, -1.0]), ABOUT_Y, 30.0)  # about +y a thing leans towards +x
    assert leaning == pytest.approx([0.5, 0.0, -np.sqrt(0.75)])


def test_a_stack_leans_over_its_edge_on_the_side_it_overhangs() -> None:
    """The upper brick's centre is 0.2 m from one edge and 0.8 m from the other, 0.15 m up."""
    assembly = stack([0.3]).changed(friction=10.0)
    oracle, state = oracle_of(assembly), State.complete(assembly)
    over, back = (first_tilt(oracle, state, sign * ABOUT_Y).degrees for sign in (1, -1))
    assert over.stands == pytest.approx(np.rad2deg(np.arctan(0.2 / 0.15)), abs=0.02)
    assert back.stands == pytest.approx(np.rad2deg(np.arctan(0.5 / 0.15)), abs=0.02)  # about its own lower edge


def test_the_first_failure_is_found_where_larger_angles_stand_again() -> None:
    """A heavy arm that is weaker a little tilted than level or steep."""
    assembly = arm()
    heavy = assembly.changed(gravity=assembly.gravity * 100 / 1.2)
    oracle, state = oracle_of(heavy), State.complete(heavy)
    found = first_tilt(oracle, state, -ABOUT_Y)
    assert found.proved
    assert found.degrees.falls is not None
    assert found.degrees.falls < 15
    steep = tuple(tilted(heavy.gravity, -ABOUT_Y, 45.0).tolist())
    assert oracle.assess(replace(state, gravity=steep)).answer == "stable"
    for degrees in np.linspace(0.0, found.degrees.stands or 0.0, 7):
        gravity = tuple(tilted(heavy.gravity, -ABOUT_Y, float(degrees)).tolist())
        assert oracle.assess(replace(state, gravity=gravity)).answer == "stable"


def test_what_stands_up_to_the_largest_angle_says_so() -> None:
    assembly = on_baseplate(brick("a", "brick_2x4", 0, 0, 0))
    found = first_tilt(oracle_of(assembly), State.complete(assembly), ABOUT_Y)
    assert found.degrees == Bracket(90.0, None)
    assert found.proved


# The weakest joint, and what falls without a part


def test_an_arm_is_weakest_at_its_root_and_a_sliding_block_at_its_face() -> None:
    assembly = on_baseplate(
        brick("foot", "brick_2x2", 0, 0, 0), brick("arm", "brick_8x2", 0, 0, 3), brick("tip", "brick_2x2", 6, 0, 6)
    )
    assert weakest(oracle_of(assembly), State.complete(assembly)).pairs[0] == ("foot", "arm")
    sloped = incline(0.3, 0.5)
    found = weakest(oracle_of(sloped), State.complete(sloped))
    assert found.pairs == (("slab", "cube"),)
    assert found.motion is not None


def test_where_no_strength_is_needed_no_joint_is_weakest() -> None:
    assembly = stack([0.1, 0.1])
    assert weakest(oracle_of(assembly), State.complete(assembly)).pairs == ()


def test_what_falls_without_a_part_is_what_check_says_of_it_absent() -> None:
    assembly = arch(5, 0.3, 0.6)
    told: list[tuple[int, int]] = []
    found = falls_without(oracle_of(assembly), State.complete(assembly), lambda *count: told.append(count))
    assert set(found) == {"0", "1", "2", "3", "4"}
    assert told[-1] == (5, 5)
    for name, fallen in found.items():
        assert fallen == check(assembly, absent=[name]).falling
    tower = stack([0.1, 0.1, 0.1])
    assert falls_without(oracle_of(tower), State.complete(tower)) == {"1": ("2", "3"), "2": ("3",), "3": ()}


# Brackets, and all together


def test_a_bracket_narrows_around_an_undecided_middle() -> None:
    def hesitant(value: float) -> Answer:
        return "undecided" if 0.49 < value < 0.51 else "stable" if value < 0.5 else "unstable"

    found = narrowed(hesitant, 0.0, 1.0, 1e-6)
    assert found.stands is not None
    assert found.falls is not None
    assert 0.4 < found.stands <= 0.49
    assert 0.51 <= found.falls < 0.6


def test_margins_answers_what_was_asked_and_nothing_else() -> None:
    assembly = stack([0.1, 0.1])
    found = falsework.margins(assembly, only=["friction", "tilt"], axes=[(0.0, 1.0, 0.0)])
    assert found.verdict.stands
    assert found.friction == Bracket(0.0, None)
    assert len(found.tilts) == 1
    assert (found.loads, found.without, found.holding, found.chance) == ((), None, None, None)


def test_margins_of_what_falls_tell_what_to_hold() -> None:
    assembly = stack([0.1, 0.9])
    found = falsework.margins(assembly, only=["hold", "load", "tilt"])
    assert found.holding is not None
    assert found.holding.held == assembly.mask(["2"])
    assert found.greedy is not None
    assert found.greedy.held == assembly.mask(["2"])
    assert (found.loads, found.tilts) == ((), ())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"only": ["fricton"]}, "did you mean 'friction'"),
        ({"at": "7"}, "there is no part '7'"),
        ({"at": "1", "absent": ["1", "2"]}, "part '1' is absent"),
        ({"axes": [(0.0, 0.0, 0.0)]}, "not all 0"),
        ({"along": (1.0, np.nan, 0.0)}, "finite numbers"),
        ({"gravity": (0.0, 1.0)}, "three finite numbers"),
        ({"hands": -1}, "expected 0 or more"),
    ],
)
def test_questions_that_make_no_sense_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        falsework.margins(stack([0.1, 0.1]), **options)  # type: ignore[arg-type]


def test_without_anything_fixed_there_is_no_margin() -> None:
    with pytest.raises(BadInput, match="nothing is fixed"):
        falsework.margins(stack([0.1]).changed(fixed=frozenset()))
