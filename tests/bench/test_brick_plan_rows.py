"""The bench of brick plans: what counts as a plan, a proof, or neither, and what presses are asked about."""

from __future__ import annotations

from falsework.bench.brick_models import Model, random_models
from falsework.bench.brick_plans import _named, _settled
from falsework.bench.brick_presses import presses
from tests.conftest import brick, on_baseplate


def tower() -> Model:
    return Model("tower", on_baseplate(brick("low", "brick_2x2", 0, 0, 0), brick("high", "brick_2x2", 0, 0, 3)))


def floating() -> Model:
    return Model("floating", on_baseplate(brick("low", "brick_2x2", 0, 0, 0), brick("high", "brick_2x2", 9, 9, 9)))


def arm() -> Model:
    """Inside no polygon but its foot's, and strong enough for a press all the same."""
    bricks = (
        brick("foot", "brick_2x4", 0, 0, 0),
        brick("arm", "brick_4x4", 0, 0, 3),
        brick("end", "brick_2x4", 2, 0, 6),
    )
    return Model("arm", on_baseplate(*bricks))


def test_plans_are_counted_and_models_that_fall_are_not_asked_for_one() -> None:
    row = _named("some", iter([tower(), floating()]))
    assert row.notes == {"plan": 1, "falls": 1}
    assert row.figure == "1 of 1 that stand"


def test_a_plan_and_a_proof_settle_a_model() -> None:
    model = tower()
    row = _settled(1, [(model, model.planned(1)), (floating(), floating().planned(1))])
    assert row.figure == "1 plans, 1 proofs: 100.0%"


def test_every_press_is_judged_twice() -> None:
    model = arm()
    asked = list(presses(model, model.planned(1)))
    assert len(asked) == 3
    assert [press.bears for press in asked] == [True, True, True]
    assert not all(press.inside for press in asked)


def test_random_models_are_the_same_every_time() -> None:
    names = [model.name for model in random_models(3)]
    assert names == [model.name for model in random_models(3)] and names[0].startswith("random-bricks")
