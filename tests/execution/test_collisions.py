"""What arms run into: seen by the referee whatever hit it, felt or seen by the controller, and told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from falsework.execution.control.belief import moved
from falsework.execution.control.builder import Builder
from falsework.execution.control.handling import TOUCHED_N, back_up
from falsework.execution.eyes import BrickEyes
from falsework.execution.facade import Stopped
from falsework.execution.guarding import GuardedCell, Safety
from falsework.execution.journal import Journal
from falsework.execution.referee.collisions import judged
from falsework.execution.simulated import SimulatedCell, strikes_of
from falsework.execution.tiers.tasks import BuildTask, build_task
from falsework.model.arrays import Array
from falsework.model.catalogue import brick_type
from falsework.model.perception.findings import Located
from falsework.robots.brickcell.paths import straight
from falsework.robots.brickcell.strikes import STRUCK_N, Strike


@pytest.fixture(scope="module")
def task() -> BuildTask:
    return build_task(1, 0)


def fresh_cell(task: BuildTask) -> SimulatedCell:
    return SimulatedCell(task.cell, task.product, task.loose)


def led(cell: SimulatedCell, *points_m: tuple[float, float, float]) -> list[Array]:
    """Straight ways of a hand that points down, from point to point, the first one included."""
    control = cell._world.arm("arm")
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = points_m[0]
    now = control.kinematics.solve(control.in_base(T), control.drive.q)
    assert now is not None
    ways = [np.stack([control.drive.q, now])]
    for point in points_m[1:]:
        T[:3, 3] = point
        ways.append(straight(control.kinematics, ways[-1][-1], control.in_base(T)))
    return ways


def beside(cell: SimulatedCell, task: BuildTask, by_m: float, height_m: float) -> tuple[float, float, float]:
    """A point so far along x from the middle of the only brick."""
    x, y, _ = _middle(cell, task)
    return x + by_m, y, height_m


def _middle(cell: SimulatedCell, task: BuildTask) -> Array:
    part = task.product.parts[0]
    at: Array = (cell._world.T_world_part(part.name) @ np.append(part.com_part_m, 1.0))[:3]
    return at


def test_a_hand_stops_where_it_meets_something_and_a_guard_stops_it_at_the_limit_of_force(task: BuildTask) -> None:
    cell = fresh_cell(task)
    cell.close("arm")
    over, down = led(cell, beside(cell, task, 0.0, 0.1), beside(cell, task, 0.0, 0.01))
    cell.follow("arm", over, 0.5)
    felt_n = cell.follow("arm", down, 0.5, 0.12, stop_n=10.0)
    stopped_m = float(cell.state("arm").T_world_tool[2, 3])
    assert 10.0 < felt_n < 120.0 and stopped_m > 0.02
    cell.follow("arm", back_up(cell.state("arm").q, down), 0.5, 0.2)
    assert cell.state("arm").T_world_tool[2, 3] == pytest.approx(0.1, abs=1e-3)

    guarded = GuardedCell(cell, Safety(force_n=15.0))
    with pytest.raises(Stopped, match=r"arm 'arm' felt \d+ N, 30 N are allowed"):
        guarded.follow("arm", down, 0.5, 0.12)
    assert cell.state("arm").T_world_tool[2, 3] > 0.02  # amidst its way


def test_a_brick_that_a_hand_sweeps_aside_is_a_collision_however_light_it_is(task: BuildTask) -> None:
    cell = fresh_cell(task)
    cell.close("arm")
    before = _middle(cell, task)
    ways = [beside(cell, task, by, height) for by, height in ((-0.08, 0.2), (-0.08, 0.03), (0.0, 0.03))]
    over, down, through = led(cell, *ways)
    cell.follow("arm", over, 0.5)
    cell.follow("arm", down, 0.5, 0.2)
    assert strikes_of(cell) == []
    felt_n = cell.follow("arm", through, 0.5, 0.02)
    (strike,) = {one.what: one for one in strikes_of(cell)}.values()
    gone = float(np.linalg.norm(_middle(cell, task) - before))
    assert strike.what == task.product.parts[0].name and strike.by.startswith("arm/fingers")
    assert strike.moved_m == pytest.approx(gone) and gone > 0.01
    assert felt_n < STRUCK_N  # a brick that is pushed slowly is struck because it moved


def test_a_hand_that_runs_onto_the_table_is_a_collision_and_the_log_tells_of_it(task: BuildTask) -> None:
    cell, journal = fresh_cell(task), Journal()
    hands = Builder(cell, BrickEyes(task.cell, task.product), task.product, journal=journal).placing
    cell.close("arm")
    x, y, _ = beside(cell, task, -0.12, 0.0)
    over, down = led(cell, (x, y, 0.1), (x, y, 0.004))
    hands._follow("arm", over, 0.5)
    assert journal.lines == []
    hands._follow("arm", down, 0.5, 0.1)
    (line,) = journal.lines
    assert line["event"] == "touched" and line["most_n"] > TOUCHED_N
    found = judged(strikes_of(cell), journal.lines)
    assert "table" in {one["what"] for one in found} and all(one["reported"] for one in found)
    assert not any(one["reported"] for one in judged(strikes_of(cell), ()))


def test_what_the_log_does_not_tell_is_untold() -> None:
    strike = Strike(5.0, "arm", "arm/hand", "3", 2.0, 0.0)
    quiet: list[dict[str, Any]] = [
        {"t": 4.0, "event": "touched"},
        {"t": 7.0, "event": "placed"},
        {"t": 9.0, "event": "placed"},
        {"t": 9.5, "event": "trouble"},
    ]
    assert not judged([strike], quiet)[0]["reported"]
    assert judged([strike], [*quiet[:2], {"t": 8.0, "event": "moved"}, *quiet[2:]])[0]["reported"]


def test_bricks_that_are_seen_elsewhere_were_moved_unless_a_hand_did_it() -> None:
    def at(x: float, color: str = "red") -> Located:
        T = np.eye(4)
        T[0, 3] = x
        return Located(brick_type("duplo:brick_2x4"), color, T)

    before = [at(0.0), at(0.2), at(0.4, "blue")]
    after = [at(0.0005), at(0.23), at(0.4, "blue")]
    (found,) = moved(before, after, [])
    assert found[0] is after[1] and found[1] == pytest.approx(0.03)
    assert list(moved(before, after, [before[1].middle_m])) == []
    taken = [at(0.0), at(0.4, "blue")]  # one is gone, and none like it is new
    assert list(moved(before, taken, [])) == []
    assert list(moved(before, [replace(one, color="green") for one in after], [])) == []
