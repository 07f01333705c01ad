"""Building brick by brick: what is pressed hard enough goes in, what cannot bear the press breaks."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.brickworld.building import Placing, build
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadInput
from falsework.verdicts.check import check
from tests.conftest import brick, on_baseplate

DOWN = np.array([0.0, 0.0, -1.0])


def arm() -> Assembly:
    """A pillar of two with an arm on top, and a brick for the arm's end."""
    parts = (
        brick("foot", "brick_2x2", 0, 0, 0),
        brick("knee", "brick_2x2", 0, 0, 3),
        brick("arm", "brick_6x2", 0, 0, 6),
        brick("load", "brick_2x2", 4, 0, 9),
    )
    return on_baseplate(*parts)


def onto(assembly: Assembly, name: str, newtons: float) -> Load:
    """Straight down through the middle of a brick."""
    return Load(name, newtons * DOWN, assembly.bodies[assembly.index[name]].com_world_m)


def steps(assembly: Assembly, newtons: float, held: tuple[str, ...] = ()) -> list[Placing]:
    return [Placing((name,), onto(assembly, name, newtons), held) for name in assembly.names]


def test_a_tower_goes_together_brick_by_brick() -> None:
    model = on_baseplate(*(brick(str(n), "brick_2x4", 0, 0, 3 * n) for n in range(3)))
    built = build(model, steps(model, 1.2))
    assert len(built) == 3
    assert all(placed.held and placed.drift_m < 1e-12 for placed in built)


def test_what_is_pressed_too_softly_stays_on_the_studs() -> None:
    model = on_baseplate(brick("a", "brick_2x4", 0, 0, 0))
    (placed,) = build(model, steps(model, 0.8))
    assert not placed.joined
    assert placed.broken == ()
    assert placed.drift_m == pytest.approx(1.7e-3, abs=1e-4)


@pytest.mark.parametrize("newtons", [1.2, 6.0])
def test_a_press_breaks_what_check_says_cannot_bear_it(newtons: float) -> None:
    model = arm()
    *_, last = build(model, steps(model, newtons))
    loaded = check(model, loads=[onto(model, "load", newtons)], joints=interfaces(model))
    assert loaded.stands == (newtons < 3)
    assert last.held == loaded.stands
    if not last.held:
        assert last.utilization is not None
        assert last.utilization > 1
        assert last.broken[0] in [("ground", "foot"), ("foot", "knee"), ("knee", "arm")]


def test_a_hand_that_holds_what_would_break_helps() -> None:
    model = arm()
    held = (*steps(model, 6.0)[:3], Placing(("load",), onto(model, "load", 6.0), ("arm",)))
    assert build(model, held)[-1].held


def test_one_steps_damage_is_not_counted_against_the_next() -> None:
    model = arm()
    more = model.changed(parts=(*model.parts, brick("beside", "brick_2x2", 12, 0, 0)))
    found = build(more, steps(more, 6.0))
    assert not found[-2].held
    assert found[-1].held


def test_a_brick_from_below_is_carried_until_it_is_in() -> None:
    parts = (
        brick("foot", "brick_2x2", 0, 0, 0),
        brick("knee", "brick_2x2", 0, 0, 3),
        brick("arm", "brick_6x2", 0, 0, 6),
        brick("under", "brick_2x2", 2, 0, 3),
    )
    model = on_baseplate(*parts)
    up = Load("under", -1.2 * DOWN, model.coms_m[3])
    assert build(model, [*steps(model, 1.2)[:3], Placing(("under",), up)])[-1].held


def test_several_bricks_come_as_one() -> None:
    model = on_baseplate(brick("a", "brick_2x4", 0, 0, 0), brick("b", "brick_2x4", 0, 0, 3))
    (placed,) = build(model, [Placing(("a", "b"), onto(model, "b", 1.5))])
    assert placed.held


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ([Placing((), None)], "places no part"),
        ([Placing(("foot",), None), Placing(("foot",), None)], "'foot', which is there already"),
        ([Placing(("nobody",), None)], "there is no part 'nobody'"),
        ([Placing(("foot",), Load("knee", DOWN))], "presses 'knee', which it does not place"),
        ([Placing(("foot",), Load("foot", np.zeros(3)))], "with no force"),
    ],
)
def test_steps_that_make_no_sense_are_refused(wrong: list[Placing], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        build(arm(), wrong)


def test_a_brick_is_pressed_onto_one_that_lies_loose_on_a_tile() -> None:
    model = on_baseplate(
        brick("foot", "brick_1x1", 0, 0, 0),
        brick("tile", "tile_1x2", 0, 0, 3),
        brick("loose", "plate_1x2", 0, 0, 4),
        brick("top", "plate_1x1", 0, 0, 5),
    )
    press = Load("top", 1.25 * DOWN, np.array([0.004, 0.004, 0.016]))
    (placed,) = build(model, [Placing(("top",), press)], already=("foot", "tile", "loose"))
    assert placed.held
    assert placed.drift_m < 5e-4
