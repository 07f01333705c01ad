"""Bricks that come as one: how they are put together before is planned, written and checked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from falsework import plan, replan
from falsework.model.assembly import Assembly
from falsework.model.plan import Press
from falsework.planning.bricks.groups import BrickGroups
from falsework.planning.rehearsal import disagreements_apart
from falsework.planning.verification.verify import verify
from tests.conftest import brick, on_baseplate


def hook() -> Assembly:
    """Two bricks hang from an arm, so near to the plate that no hand gets under them."""
    return on_baseplate(
        brick("foot", "brick_2x2", 0, 0, 0),
        brick("knee", "brick_2x2", 0, 0, 3),
        brick("arm", "brick_4x2", 0, 0, 6),
        brick("hand", "brick_2x2", 2, 0, 3),
        brick("finger", "brick_1x2", 3, 0, 0),
    )


def hanging() -> Assembly:
    """The same without a finger on the plate."""
    return on_baseplate(*(part for part in hook().parts if part.name != "finger"))


def test_a_plan_says_how_bricks_are_put_together_that_come_as_one() -> None:
    planned = plan(hanging())
    (built,) = planned.plan.apart
    assert (built.parts, built.fast) == (("arm", "hand"), "hand")
    assert [(step.action, step.parts) for step in built.steps] == [("place", ("arm",)), ("release", ("arm",))]
    assert built.steps[0].press is not None
    assert verify(planned.plan, hanging()).valid


def test_what_stands_on_the_plate_needs_no_group() -> None:
    planned = plan(hook())
    assert planned.status == "complete"
    assert planned.plan.apart == ()


def test_how_they_are_put_together_is_verified_by_the_rules_for_bricks() -> None:
    whole = plan(hanging()).plan
    (built,) = whole.apart
    bare = replace(built, steps=(replace(built.steps[0], grasp=None), *built.steps[1:]))
    found = verify(replace(whole, apart=(bare,)), hanging())
    assert found.valid is False
    assert [failure.why for failure in found.failures] == [
        "'arm', 'hand' apart: step 1: it does not say how the brick is taken"
    ]


def test_how_they_are_put_together_is_rehearsed_too() -> None:
    whole = plan(hanging()).plan
    assert list(disagreements_apart(whole, hanging())) == []
    (built,) = whole.apart
    press = built.steps[0].press
    assert press is not None
    softly = replace(built.steps[0], press=Press(0.5 * press.force_n, press.point_m))
    (failure,) = disagreements_apart(replace(whole, apart=(replace(built, steps=(softly,)),)), hanging())
    assert failure.why == "arm, hand apart: step 1: in the brick world arm does not go in"


def test_groups_that_nobody_can_put_together_are_not_carried_and_prove_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(BrickGroups, "_built", lambda *_: None)
    planned = plan(hanging())
    assert planned.status == "budget"
    assert "none is ruled out" in planned.why
    assert planned.plan.proof is None


def test_a_group_that_is_pressed_up_is_gripped_from_below() -> None:
    """Two bricks under the end of an arm that is there already; one by one, the second press would break it off."""
    pillar = [brick(str(z), "brick_2x2", 0, 0, 3 * z) for z in range(15)]
    arm = brick("arm", "brick_6x2", 0, 0, 45)
    model = on_baseplate(*pillar, arm, brick("upper", "brick_2x2", 4, 0, 42), brick("lower", "brick_1x2", 5, 0, 39))
    rest = replan(plan(model).plan, model, target=[*(part.name for part in pillar), "arm"])
    assert rest.status == "complete"
    (group,) = (step for step in rest.plan.steps if step.action == "place")
    assert (group.parts, group.grasped) == (("upper", "lower"), ("lower",))
    assert group.grasp is not None
    assert group.grasp.approach[2] == pytest.approx(1.0)
    assert verify(rest.plan, model).valid
