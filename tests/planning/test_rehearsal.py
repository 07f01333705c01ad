"""Brick plans carried out in the brick world: what the planner calls borne is borne, what it refuses breaks."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from falsework.bench.brick_presses import presses
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.plan import Plan, Press, Step
from falsework.planning.plan import plan
from falsework.planning.rehearsal import disagreements, placings, rehearse
from tests.conftest import brick, on_baseplate


def planned(assembly: Assembly, robots: int = 1) -> Plan:
    found = plan(assembly, rules="bricks", robots=robots)
    assert found.status == "complete"
    return found.plan


def roof() -> Assembly:
    """A long brick over two pillars and two arms that reach out beneath it: four joints, two of them weak."""
    return on_baseplate(
        *(brick(f"left {z}", "brick_2x2", 0, 0, 3 * z) for z in range(2)),
        *(brick(f"right {z}", "brick_2x2", 14, 0, 3 * z) for z in range(2)),
        brick("left arm", "brick_6x1", 1, 0, 6),
        brick("right arm", "brick_6x1", 9, 0, 6),
        brick("roof", "brick_8x2", 4, 0, 9),
    )


@pytest.mark.parametrize(
    "model", [make("brick-bookshelf"), make("random-overhang", 3), roof()], ids=lambda m: m.names[0]
)
def test_every_brick_of_a_plan_goes_in_and_breaks_nothing(model: Assembly) -> None:
    chosen = planned(model, robots=2)
    done = rehearse(chosen, model)
    assert len(done) == sum(step.action == "place" for step in chosen.steps)
    assert all(placed.held for placed in done)


def test_what_is_held_meanwhile_and_afterwards_is_that_of_the_plan() -> None:
    model = roof()
    chosen = planned(model, robots=2)
    steps = list(placings(chosen, model, interfaces(model)))
    assert any(step.held for step in steps)
    assert steps[-1].held_then == ()
    for step, after in pairwise(steps):
        assert step.held_then == after.held


def test_a_plan_of_a_part_goes_on_from_what_is_there() -> None:
    model = on_baseplate(*(brick(str(n), "brick_2x4", 0, 0, 3 * n) for n in range(3)))
    whole = planned(model)
    rest = replace(whole, start=replace(whole.start, installed=("0",)), steps=_without(whole, "0"))
    assert [placed.parts for placed in rehearse(rest, model)] == [("1",), ("2",)]


def _without(whole: Plan, name: str) -> tuple[Step, ...]:
    return tuple(step for step in whole.steps if name not in step.parts)


def test_a_plan_that_turns_the_model_over_is_refused() -> None:
    model = on_baseplate(brick("a", "brick_2x4", 0, 0, 0))
    turned = replace(planned(model), steps=(Step("reorient", (), T_world_assembly=np.eye(4)),))
    with pytest.raises(BadInput, match="turns the assembly over"):
        rehearse(turned, model)


def test_the_world_sides_with_the_forces_where_the_polygon_does_not() -> None:
    model = make("random-bricks", 5, bricks=16)
    asked = list(presses(planned(model, robots=2), model, interfaces(model)))
    assert all(press.forces == press.world for press in asked)
    assert any(press.polygon != press.world for press in asked)


def test_a_press_that_is_too_weak_leaves_the_brick_out() -> None:
    model = on_baseplate(*(brick(str(n), "brick_2x4", 0, 0, 3 * n) for n in range(2)))
    chosen = planned(model)
    steps = [step if step.press is None else replace(step, press=weak(step.press)) for step in chosen.steps]
    told = disagreements(chosen, rehearse(replace(chosen, steps=tuple(steps)), model))
    assert [failure.why for failure in told] == [f"in the brick world {n} does not go in" for n in range(2)]
    assert disagreements(chosen, rehearse(chosen, model)) == ()


def weak(press: Press) -> Press:
    return replace(press, force_n=0.1 * press.force_n)


def test_blocks_are_not_rehearsed() -> None:
    blocks = make("flat-arch")
    chosen = plan(blocks, robots=2).plan
    with pytest.raises(BadInput, match="without bricks cannot be rehearsed"):
        rehearse(chosen, blocks)
