"""Who watches, pauses or limits a build changes nothing of it; who stops it, stops it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from falsework.execution.control.builder import Builder
from falsework.execution.controls import Controls
from falsework.execution.eyes import BrickEyes
from falsework.execution.facade import Stopped
from falsework.execution.guarding import GuardedCell
from falsework.execution.running import LOG, run_task
from falsework.execution.simulated import SimulatedCell
from falsework.execution.tiers.tasks import build_task
from falsework.execution.watching import Instant, Look
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.robots.cell import Cell
from falsework.model.robots.safety import Safety

TASK = build_task(1, 0)


class Pausing:
    """A watcher that pauses and goes on, and counts."""

    def __init__(self, controls: Controls) -> None:
        self.controls = controls
        self.instants: list[Instant] = []
        self.looks: list[Look] = []
        self.lines: list[dict[str, Any]] = []

    def begins(self, cell: Cell, product: Assembly, instant: Instant) -> None:
        self.instants.append(instant)

    def moved(self, instant: Instant) -> None:
        self.instants.append(instant)

    def looked(self, look: Look) -> None:
        self.looks.append(look)

    def told(self, line: dict[str, Any]) -> None:
        self.lines.append(line)
        if len(self.lines) == 4:
            self.controls.pause()
            threading.Timer(0.3, self.controls.step).start()
            threading.Timer(0.6, self.controls.go).start()


def test_neither_a_watcher_nor_a_pause_changes_the_log(tmp_path: Path) -> None:
    controls = Controls()
    watcher = Pausing(controls)
    run_task(TASK, out=tmp_path / "alone")
    done = run_task(TASK, out=tmp_path / "watched", watcher=watcher, controls=controls, safety=Safety(force_n=50.0))
    assert (tmp_path / "alone" / LOG).read_bytes() == (tmp_path / "watched" / LOG).read_bytes()
    times = np.array([one.time_s for one in watcher.instants])
    assert np.diff(times[1:]).max() < 0.13
    assert times[-1] > done.built.seconds - 0.2
    assert [line["event"] for line in watcher.lines][-1] == "end"
    assert any(look.found for look in watcher.looks)
    last = watcher.instants[-1].T_world_part[0]
    assert np.linalg.norm(last[:3, 3] - watcher.instants[0].T_world_part[0, :3, 3]) > 0.1, "the brick was carried"


def test_a_stop_in_the_midst_of_a_command_is_heard_at_once() -> None:
    controls = Controls()
    watcher = Pausing(Controls())
    stopped_at: list[float] = []

    class Stopping(Pausing):
        def moved(self, instant: Instant) -> None:
            if instant.time_s > 3.0 and not stopped_at:
                stopped_at.append(instant.time_s)
                threading.Thread(target=controls.stop).start()

    done = run_task(TASK, watcher=Stopping(watcher.controls), controls=controls)
    assert done.built.failures[-1].words == "the emergency stop was pressed"
    assert done.built.seconds < stopped_at[0] + 2.0
    assert not done.built.complete


def test_whoever_waits_steps_command_by_command() -> None:
    controls = Controls(paused=True)
    done: list[int] = []

    def work() -> None:
        for number in range(3):
            controls.before_command()
            done.append(number)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(0.3)
    assert done == []
    controls.step()
    thread.join(0.5)
    assert done == [0]
    controls.go()
    thread.join(2.0)
    assert done == [0, 1, 2]


@pytest.fixture(scope="module")
def simulated() -> SimulatedCell:
    return SimulatedCell(TASK.cell, TASK.product, TASK.loose)


def test_the_limits_hold_whatever_is_asked_for(simulated: SimulatedCell) -> None:
    home = np.array(simulated.state("arm").q)

    def refused(command: Callable[[GuardedCell], object], why: str, safety: Safety | None = None) -> None:
        cell = SimulatedCell(TASK.cell, TASK.product, TASK.loose)
        guarded = GuardedCell(cell, safety)
        with pytest.raises(Stopped, match=why):
            command(guarded)
        with pytest.raises(Stopped, match=why):
            guarded.open("arm", 0.05)  # and nothing is done any more
        with pytest.raises(Stopped, match=why):
            cell.press("arm", 1.0, 0.001)

    up = home + np.array([0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0])
    tip = simulated.state("arm").T_world_tool[:3, 3]
    low = Safety(high_m=(1.5, 1.5, float(tip[2]) + 0.01))
    refused(lambda cell: cell.follow("arm", np.stack([home, up]), 0.5), "sent out of its workspace", low)
    refused(lambda cell: cell.follow("arm", np.stack([home, home * np.nan]), 0.5), "joints that are no numbers")
    refused(lambda cell: cell.press("arm", 20.0, 0.001), "a press of 20 N was asked for, 10 N", Safety(force_n=10.0))
    refused(lambda cell: cell.press("arm", np.nan, 0.001), "60 N are allowed")
    refused(lambda cell: cell.press("arm", 5.0, 0.6), "sent out of its workspace")


def test_a_way_that_leaves_the_box_between_two_points_in_it_is_refused() -> None:
    cell = SimulatedCell(TASK.cell, TASK.product, TASK.loose)
    home = np.array(cell.state("arm").q)
    left, right = home.copy(), home.copy()
    left[0], right[0] = -0.7, 0.7
    tips = [_tip(cell, q) for q in (left, home, right)]
    box = Safety(high_m=(float(tips[0][0]) + 0.02, 1.5, 1.5))
    assert tips[1][0] > tips[0][0] + 0.05, "in the middle it reaches farther"
    with pytest.raises(Stopped, match="sent out of its workspace"):
        GuardedCell(cell, box).follow("arm", np.stack([left, right]), 0.5)


def test_the_hand_is_no_faster_than_allowed() -> None:
    cell = SimulatedCell(TASK.cell, TASK.product, TASK.loose)
    guarded = GuardedCell(cell, Safety(speed_m_s=0.1))
    home = np.array(cell.state("arm").q)
    there = home.copy()
    there[0] += 0.5
    tips: list[Array] = []
    cell.meanwhile.append(lambda: tips.append(cell.state("arm").T_world_tool[:3, 3].copy()))
    times: list[float] = []
    cell.meanwhile.append(lambda: times.append(cell.time_s))
    guarded.follow("arm", np.stack([home, there]), 0.8)
    speeds = np.linalg.norm(np.diff(tips, axis=0), axis=1) / np.diff(times)
    assert 0.05 < speeds.max() < 0.105


def test_what_a_cell_cannot_do_stops_the_build_and_says_why() -> None:
    class Failing(SimulatedCell):
        def open(self, arm: str, opening_m: float) -> None:
            raise BadInput("the gripper does not answer")

    cell = Failing(TASK.cell, TASK.product, TASK.loose)
    built = Builder(GuardedCell(cell), BrickEyes(TASK.cell, TASK.product), TASK.product).build()
    assert built.failures[-1].kind == "stopped"
    assert built.failures[-1].words == "the gripper does not answer"


def test_limits_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadInput, match="expected low corners below high"):
        Safety(low_m=(1.0, 0.0, 0.0), high_m=(0.0, 1.0, 1.0))
    with pytest.raises(BadInput, match="found a force of nan N"):
        Safety(force_n=float("nan"))
    with pytest.raises(BadInput, match="found a speed of 0"):
        Safety(speed_m_s=0)
    with pytest.raises(BadInput, match="found a share of 2"):
        Safety(share=2)


def _tip(cell: SimulatedCell, q: Array) -> Array:
    from falsework.robots import Kinematics

    (placed,) = cell.cell.arms
    tip: Array = (placed.T_world_base @ Kinematics(placed.arm, placed.tool).forward(q))[:3, 3]
    return tip
