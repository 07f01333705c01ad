"""The same build with drivers and cameras: a dry run that writes every command, and drivers that cannot be trusted."""

from __future__ import annotations

import csv
import json
import re
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework.cli import main
from falsework.execution.control.settings import ControlSettings
from falsework.execution.controls import Controls
from falsework.execution.driving import DrivenCell, Patience
from falsework.execution.dry_run import DryDriver, DryWorld
from falsework.execution.facade import Stopped
from falsework.execution.guarding import GuardedCell
from falsework.execution.journal import read_journal
from falsework.execution.real import Robot, robot_of, run_driven, run_dry
from falsework.execution.recorded import COMMANDS
from falsework.execution.running import LOG, BuildDone
from falsework.execution.tiers.tasks import build_task
from falsework.model.errors import BadInput
from falsework.model.perception.frames import Frame
from falsework.model.ports import Camera
from falsework.model.robots.driving import ArmState, Pressed
from falsework.model.robots.motion import Track
from falsework.model.robots.safety import Safety

TASK = build_task(1, 0)
SHORT = Patience(answer_s=1.0, picture_s=30.0, grip_s=1.0, stop_s=0.1)
IMPATIENT = replace(SHORT, picture_s=0.5)


def test_a_dry_run_builds_without_physics_and_writes_every_command(tmp_path: Path) -> None:
    done = run_dry(build_task(2, 0), out=tmp_path)
    assert done.success and done.scores is None
    answer = done.as_dict()
    assert answer["refereed"] is False and answer["accuracy"] is None and answer["in_place"] == answer["bricks"] > 1
    commands = read_journal(tmp_path / COMMANDS).lines
    assert {line["event"] for line in commands} == {"move", "grip", "press"}
    ends, presses = np.array(TASK.cell.arms[0].home), 0
    for line in commands:
        if line["event"] == "move":
            with (tmp_path / line["file"]).open(encoding="utf-8") as file:
                heads, *rows = list(csv.reader(file))
            values = np.array(rows, dtype=float)
            assert heads[:2] == ["time_s", f"q:{TASK.cell.arms[0].arm.joints[0].name}"]
            assert len(values) == line["rows"] and values[-1, 0] == pytest.approx(line["seconds"])
            assert np.abs(values[0, 1:8] - ends).max() < (0.2 if presses else 1e-6), "it begins where the arm is"
            ends, presses = values[-1, 1:8], 0
        presses += line["event"] == "press"


def test_the_same_dry_run_writes_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("first", "again"):
        run_dry(TASK, out=tmp_path / folder)
    for name in (LOG, COMMANDS):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


class Faulty(DryDriver):
    """A driver that behaves until its third track."""

    fault = ""
    moves = stops = 0

    def state(self) -> ArmState:
        told = super().state()
        if self.moves >= 3 and self.fault == "lies":
            return replace(told, q=np.array(told.q) + 0.3)
        if self.moves >= 3 and self.fault == "nan":
            return replace(told, q=np.array(told.q) * np.nan)
        return told

    def move(self, track: Track) -> None:
        self.moves += 1
        if self.moves >= 3 and self.fault == "hangs":
            time.sleep(30)
        if self.moves >= 3 and self.fault == "raises":
            raise OSError("connection reset by the arm")
        if self.moves >= 3 and self.fault == "stalls":
            return
        super().move(track)

    def press_until(self, until_n: float, stop_n: float, most_m: float, speed_m_s: float) -> Pressed:
        if self.fault == "pushes":
            return Pressed("stopped", 200.0, 0.001)
        return super().press_until(until_n, stop_n, most_m, speed_m_s)

    def stop(self) -> None:
        self.stops += 1
        if self.fault == "hangs":
            time.sleep(30)
        if self.fault == "raises":
            raise OSError("connection reset by the arm")


class OddCamera:
    """A camera that sends nothing, raises, or sends pictures without a number in them."""

    def __init__(self, inner: Camera, fault: str) -> None:
        self._inner, self._fault, self.name = inner, fault, inner.name

    def look(self) -> Frame:
        if self._fault == "silent":
            time.sleep(30)
        frame = self._inner.look()
        if self._fault == "raises":
            raise RuntimeError("no such device")
        if self._fault == "nothing":
            return None  # type: ignore[return-value]
        return replace(frame, depth_m=np.full_like(frame.depth_m, np.nan))


def built_with(fault: str, eyes: str = "", controls: Controls | None = None) -> tuple[BuildDone, Faulty]:
    world = DryWorld(TASK.cell, TASK.product, TASK.loose)
    driver = Faulty(world, TASK.cell.arms[0])
    driver.fault = fault
    cameras: dict[str, Camera] = dict(world.cameras())
    if eyes:
        cameras = {name: OddCamera(one, eyes) for name, one in cameras.items()}
    robot = Robot({TASK.cell.arms[0].name: driver}, cameras, IMPATIENT if eyes == "silent" else SHORT)
    settings = ControlSettings(looks_s=0.01, plans_s=0.01)
    return run_driven(TASK, robot, settings, controls=controls), driver


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("hangs", r"arm 'arm' did not answer within \d+\.\d s"),
        ("raises", r"arm 'arm': OSError\('connection reset by the arm'\)"),
        ("stalls", "arm 'arm' stalled: a joint is "),
        ("lies", "from where it was |says that its hand is at .*, out of its workspace"),
        ("nan", "arm 'arm' says that its joints are .*, expected 7 numbers"),
    ],
)
def test_a_driver_that_cannot_be_trusted_ends_the_build_and_is_told_to_stop(fault: str, why: str) -> None:
    begun = time.monotonic()
    done, driver = built_with(fault)
    assert not done.success
    assert done.built.failures[-1].kind == "stopped"
    assert re.search(why, done.built.failures[-1].words)
    assert driver.stops == 1
    assert time.monotonic() - begun < 25


@pytest.mark.parametrize(
    ("eyes", "why"),
    [
        ("silent", "camera 'over plate' did not answer within 0.5 s"),
        ("raises", "camera 'over plate': RuntimeError('no such device')"),
        ("nothing", "camera 'over plate' sent no frame but None"),
    ],
)
def test_a_camera_that_sends_nothing_ends_the_build(eyes: str, why: str) -> None:
    done, _ = built_with("", eyes)
    assert done.built.failures[-1].words == why


def test_pictures_without_numbers_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("falsework.execution.control.looking.WAIT_S", 0.01)
    done, _ = built_with("", "nan")
    assert done.built.failures[-1].words == "camera 'over plate' shows nothing"


def test_the_emergency_stop_answers_while_a_driver_hangs() -> None:
    controls = Controls()
    world = DryWorld(TASK.cell, TASK.product, TASK.loose)
    driver = Faulty(world, TASK.cell.arms[0])
    driver.fault, driver.moves = "hangs", 3
    cell = DrivenCell(TASK.cell, {"arm": driver}, world.cameras(), patience=replace(SHORT, answer_s=30.0))
    controls.on_stop.append(cell.stop)
    guarded = GuardedCell(cell, controls=controls)
    home = np.array(TASK.cell.arms[0].home)
    threading.Timer(0.3, controls.stop).start()
    begun = time.monotonic()
    with pytest.raises(Stopped, match="the emergency stop was pressed"):
        guarded.follow("arm", np.stack([home, home + 0.1]), 0.5)
    assert time.monotonic() - begun < 5.0, "not the thirty seconds that the driver takes"
    while driver.stops == 0 and time.monotonic() - begun < 5.0:
        time.sleep(0.01)  # it is told on the thread of whoever pressed
    assert driver.stops >= 1
    with pytest.raises(Stopped, match="the emergency stop was pressed"):
        guarded.open("arm", 0.05)


def test_an_arm_that_says_it_is_elsewhere_is_not_believed_and_one_out_of_its_box_is_stopped() -> None:
    world = DryWorld(TASK.cell, TASK.product, TASK.loose)
    driver = Faulty(world, TASK.cell.arms[0])
    cell = DrivenCell(TASK.cell, {"arm": driver}, world.cameras(), patience=SHORT)
    home = np.array(TASK.cell.arms[0].home)
    cell.follow("arm", np.stack([home, home + 0.05]), 0.5)
    driver.fault, driver.moves = "lies", 3
    with pytest.raises(Stopped, match=r"a joint is 17\.2° from where it was left"):
        cell.press("arm", 2.0, 0.01)
    honest = DrivenCell(TASK.cell, {"arm": DryDriver(world, TASK.cell.arms[0])}, world.cameras(), patience=SHORT)
    tip = honest.state("arm").T_world_tool[:3, 3]
    box = Safety(high_m=(1.5, 1.5, float(tip[2]) - 0.05), low_m=(-1.5, -1.5, -1.0))
    with pytest.raises(Stopped, match="sent out of its workspace"):
        GuardedCell(honest, box).follow("arm", np.stack([home, home + 0.01]), 0.5)


def test_what_is_thought_is_the_time_between_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("falsework.execution.guarding.perf_counter", lambda: now[0])
    world = DryWorld(TASK.cell, TASK.product, TASK.loose)
    cell = DrivenCell(TASK.cell, {"arm": DryDriver(world, TASK.cell.arms[0])}, world.cameras(), patience=SHORT)
    guarded = GuardedCell(cell)

    def moves(arm: str, opening_m: float) -> None:
        now[0] += 100.0

    monkeypatch.setattr(cell, "open", moves)
    for thinks in (1.0, 2.0):
        now[0] += thinks
        guarded.open("arm", 0.05)
    assert guarded.thought_s == 3.0
    now[0] += 4.0
    with pytest.raises(Stopped):
        guarded.follow("arm", np.full((2, 7), np.nan), 0.5)
    assert guarded.thought_s == 7.0, "also before what is refused"


def test_names_that_do_not_fit_the_cell_are_refused() -> None:
    world = DryWorld(TASK.cell, TASK.product, TASK.loose)
    driver, cameras = DryDriver(world, TASK.cell.arms[0]), world.cameras()
    with pytest.raises(BadInput, match=r"there is no arm 'arn' in the cell; did you mean 'arm'"):
        DrivenCell(TASK.cell, {"arn": driver}, cameras)
    with pytest.raises(BadInput, match="arm 'arm' is in it, and no driver is given for it"):
        DrivenCell(TASK.cell, {}, cameras)
    with pytest.raises(BadInput, match="camera 'over plate' is in it, and none is given for it"):
        DrivenCell(TASK.cell, {"arm": driver}, {"over table": cameras["over table"]})


def connect(cell: object) -> Robot:
    """What a user writes: the robot of a cell. Here a dry one."""
    world = DryWorld(TASK.cell, TASK.product, TASK.loose)
    return Robot({"arm": DryDriver(world, TASK.cell.arms[0])}, world.cameras(), SHORT)


def test_a_robot_is_named_by_its_function() -> None:
    assert robot_of("tests.execution.test_driving:connect", TASK.cell).drivers.keys() == {"arm"}
    with pytest.raises(BadInput, match="expected MODULE:FUNCTION"):
        robot_of("tests.execution.test_driving", TASK.cell)
    with pytest.raises(BadInput, match="No module named 'no_such_robot'"):
        robot_of("no_such_robot:connect", TASK.cell)
    with pytest.raises(BadInput, match=r"expected falsework\.execution\.real\.Robot"):
        robot_of("builtins:str", TASK.cell)
    with pytest.raises(BadInput, match=r"--robot 'os:getcwd': TypeError: .*takes no arguments"):
        robot_of("os:getcwd", TASK.cell)


def test_the_command_line_runs_dry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(*words: str) -> str:
        assert main(["build", "examples/duplo-bridge.yaml", *words]) == 2
        return capsys.readouterr().err

    assert "into --out DIR; name that folder too" in refused("--dry-run")
    out = ["--out", str(tmp_path)]
    assert "give it or --robot, not both" in refused("--dry-run", *out, "--robot", "a:b")
    assert "only a simulated cell is disrupted" in refused("--dry-run", *out, "--disrupt", "arm-lost")
    assert "a dry run begins anew" in refused("--dry-run", *out, "--resume")
    assert "expected six numbers" in refused("--box", "1,2,3")
    low = ["--box", "-1,-1,0,1,1,0.1"]
    assert main(["build", "examples/duplo-bridge.yaml", "--dry-run", *out, *low, "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["failures"][-1]["why"] == "arm 'arm' was sent out of its workspace"
    assert (tmp_path / COMMANDS).exists() and not answer["believed"]
