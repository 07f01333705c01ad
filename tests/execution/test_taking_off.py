"""What stands rightly and is in the way: which bricks come off, how a hand pulls them off, and what is told if none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.execution.control.builder import Builder
from falsework.execution.eyes import BrickEyes
from falsework.execution.simulated import SimulatedCell, truth_of
from falsework.execution.tiers.tasks import BuildTask, build_task


@pytest.fixture
def task() -> BuildTask:
    return build_task(2, 0)


def builder_of(task: BuildTask, cell: SimulatedCell) -> Builder:
    return Builder(cell, BrickEyes(task.cell, task.product), task.product)


def test_as_few_as_possible_come_off_from_the_top_down(task: BuildTask) -> None:
    placing = builder_of(task, SimulatedCell(task.cell, task.product, task.loose)).placing
    lowest, middle, top = [part.name for part in sorted(task.product.parts, key=lambda one: one.T_world_part[2, 3])][:3]
    placing.belief = placing.belief.standing(lowest, middle, top)
    assert placing.belief.on_top() == [top]
    assert placing.to_take_off(lambda left: top not in left) == [top]
    assert placing.to_take_off(lambda left: left == {lowest}) == [top, middle]
    assert placing.to_take_off(lambda left: False) == []


def test_a_brick_is_pulled_off_the_plate_and_lies_on_a_tray_then() -> None:
    task = build_task(1, 0)
    cell = SimulatedCell(task.cell, task.product, task.loose)
    builder = builder_of(task, cell)
    assert builder.build().complete and truth_of(cell, task.cell).connections
    (part,) = task.product.parts
    assert builder.placing.take_off(part.name)
    assert builder.placing.belief.placed == frozenset()
    truth = truth_of(cell, task.cell)
    assert not truth.connections
    (feeder,) = task.cell.feeders
    at = np.linalg.inv(feeder.T_world_feeder) @ truth.parts[0].T_world_part
    assert (np.abs(at[:2, 3]) < np.array(feeder.size_m) / 2).all()


def test_a_rest_that_cannot_be_built_is_told_with_its_reason(task: BuildTask, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that could be asked is refused, and nothing can be taken off: the first plan is all there was."""
    builder = builder_of(task, SimulatedCell(task.cell, task.product, task.loose))
    plan = builder._plan()
    assert plan is not None
    found = builder._orders.rest(plan, (), (), next(builder._orders.to_ask()))
    refused = replace(found, plan=replace(found.plan, status="infeasible", steps=()))
    monkeypatch.setattr(type(builder._orders), "rest", lambda *_: refused)
    assert builder._plan_rest(plan, set()) is None
    (failed,) = builder.failures
    assert failed.kind == "no plan" and failed.words.startswith("from what stands, one hand cannot build it")
