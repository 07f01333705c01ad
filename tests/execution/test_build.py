"""A build from pictures to the referee: the same log for the same seed, going on after a kill, and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework.cli import main
from falsework.execution.building import build, building_task
from falsework.execution.control.builder import Builder, Built
from falsework.execution.control.finger_room import FingerRoom
from falsework.execution.control.settings import ControlSettings
from falsework.execution.eyes import BrickEyes
from falsework.execution.journal import read_journal
from falsework.execution.running import LOG, WORLD, run_task
from falsework.execution.simulated import SimulatedCell
from falsework.execution.tiers.tasks import build_task, building_cell, on_plate
from falsework.execution.watching import Instant
from falsework.gallery.bricklaying import Layout
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadFile, BadInput
from falsework.model.perception.frames import Frame
from falsework.model.placement import Placement
from falsework.model.state import State
from falsework.planning.plan import plan
from falsework.studio.robots.build_film import BuildFilm


def stack(count: int) -> Assembly:
    layout = Layout("duplo")
    for layer in range(count):
        layout.piece("brick_2x2", 0, 0, layer * layout.measures.plates_per_brick, color=("red", "blue")[layer % 2])
    return layout.on_baseplate()


def test_one_brick_is_built_from_pictures_and_the_same_seed_gives_the_same_log(tmp_path: Path) -> None:
    done = [run_task(build_task(1, 0), out=tmp_path / folder) for folder in ("first", "again")]
    assert done[0].scores.success
    assert done[0].scores.accuracy == 1.0 and done[0].scores.violations == 0.0
    assert done[0].collisions == ()
    logs = [(tmp_path / folder / LOG).read_bytes() for folder in ("first", "again")]
    assert logs[0] == logs[1]
    states = [line["state"] for line in map(json.loads, logs[0].splitlines()) if line["event"] == "state"]
    assert states[:3] == ["LOOK", "PREGRASP", "DESCENDTOGRASP"] and states[-1] == "INSPECT"


def test_who_is_killed_after_a_brick_goes_on_with_the_next(tmp_path: Path) -> None:
    product = stack(2)

    def kill(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(product, out=tmp_path, progress=kill)
    assert (tmp_path / WORLD).exists()
    with (tmp_path / LOG).open("ab") as log:
        log.write(b'{"t": 99.0, "event": "state", "st')  # a line that was cut off
    done = build(product, out=tmp_path, resume=True)
    assert done.scores.success
    lines = read_journal(tmp_path / LOG).lines
    assert [line["brick"] for line in lines if line["event"] == "placed"] == ["1", "2"]
    assert [line["t"] for line in lines] == sorted(line["t"] for line in lines)


class Broken(SimulatedCell):
    """A cell whose cameras are dark, or whose arm does not move."""

    dark = stalls = False

    def look(self, camera: str) -> Frame:
        frame = super().look(camera)
        return replace(frame, depth_m=np.zeros_like(frame.depth_m)) if self.dark else frame

    def follow(
        self, arm: str, way: Array, share: float, speed_m_s: float | None = None, stop_n: float = np.inf
    ) -> float:
        return 0.0 if self.stalls else super().follow(arm, way, share, speed_m_s, stop_n)


def built_in(prepare: Callable[[Broken], None]) -> Built:
    task = build_task(1, 0)
    cell = Broken(task.cell, task.product, task.loose)
    prepare(cell)
    return Builder(cell, BrickEyes(task.cell, task.product), task.product).build()


def test_a_camera_that_shows_nothing_stops_the_build() -> None:
    built = built_in(lambda cell: setattr(cell, "dark", True))
    assert not built.complete
    assert built.failures[-1].words == "camera 'over plate' shows nothing"


def test_an_arm_that_stalls_stops_the_build() -> None:
    built = built_in(lambda cell: setattr(cell, "stalls", True))
    assert not built.complete
    assert built.failures[-1].words.startswith("arm 'arm' stalled: a joint is ")


def hanging() -> Assembly:
    layout = Layout("duplo")
    plates = layout.measures.plates_per_brick
    for kind, x, layer in (("brick_2x2", 0, 0), ("brick_2x2", 0, 1), ("brick_4x2", 0, 2), ("brick_2x2", 2, 1)):
        layout.piece(kind, x, 0, layer * plates, color="red")
    return layout.on_baseplate()


def test_a_brick_that_hangs_cannot_be_built_brick_by_brick_and_that_is_told() -> None:
    done = build(hanging(), ablate=["subassemblies"])
    assert not done.scores.success and not done.is_late
    assert [one.kind for one in done.built.failures] == ["no plan"]


def test_a_brick_in_a_gap_too_narrow_for_fingers_goes_first() -> None:
    layout = Layout("duplo")
    for x, y in ((0, 0), (4, 0), (2, 3), (2, -3), (2, 0)):  # the last one: bricks at two sides, a stud's gap at two
        layout.piece("brick_2x2", x, y, 0, color="red")
    product = on_plate(layout.on_baseplate())
    names = [part.name for part in product.parts]
    room = FingerRoom(product, building_cell().arms[0].tool)
    others = sum(1 << number for number in range(4))
    against = room.objection(Placement(1 << 4, State(others)))
    assert against is not None and against.why == "fingers find no room beside it" and against.blockers == others
    assert room.objection(Placement(1 << 4, State(0))) is None
    assert room.objection(Placement(0b11, State(0))) is not None
    found = plan(product, rules="bricks", grasps="side", groups=False, checks=[room])
    order = [step.parts[0] for step in found.plan.steps if step.action == "place"]
    assert found.status == "complete" and order.index(names[4]) < 4


def test_an_order_is_sought_in_which_nothing_comes_down_between_two_others() -> None:
    layout = Layout("duplo")
    for x in (0, 2, 4):
        layout.piece("brick_2x2", x, 0, 0, color="red")
    product = on_plate(layout.on_baseplate())
    room = FingerRoom(product, building_cell().arms[0].tool, between=False)
    against = room.objection(Placement(0b010, State(0b101)))
    assert against is not None and against.blockers == 0b101
    assert against.why == "it would come down between two others"
    assert room.objection(Placement(0b010, State(0b001))) is None
    assert room.objection(Placement(0b100, State(0b011))) is None
    assert room.comes_apart()


def test_the_command_line_says_no_with_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    falsework.save(hanging(), tmp_path / "hanging.yaml")
    options = ["--ablate", "subassemblies", "--json", "--out", str(tmp_path / "built")]
    assert main(["build", str(tmp_path / "hanging.yaml"), *options]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["success"] is False and answer["bricks"] == 4
    assert answer["failures"][0]["class"] == "no plan"
    assert json.loads((tmp_path / "built" / "build.json").read_text(encoding="utf-8")) == answer
    assert main(["build", "examples/arch.yaml"]) == 2
    said = capsys.readouterr().err
    assert said == "falsework: examples/arch.yaml: 'right' is no brick of the catalogue; a build needs bricks\n"


def test_what_cannot_be_begun_is_refused() -> None:
    with pytest.raises(BadInput, match="'right' is no brick of the catalogue; a build needs bricks"):
        build(falsework.load("examples/arch.yaml"))
    with pytest.raises(BadInput, match="it has no camera that stands; a build needs one that sees the bricks"):
        building_task(stack(1), replace(building_cell(), cameras=()))
    only_plate = replace(building_cell(), cameras=building_cell().cameras[:1])
    with pytest.raises(BadInput, match="no camera sees feeder 'table'"):
        building_task(stack(1), only_plate)
    with pytest.raises(BadInput, match="there is no such file, nor a kind of cell; did you mean 'panda'"):
        building_task(stack(1), "pnada")
    with pytest.raises(BadInput, match="--resume: goes on from what is in --out DIR"):
        build(stack(1), resume=True)
    with pytest.raises(BadInput, match=r"--ablate 'verfication'.*verification"):
        ControlSettings().without("verfication")


def test_a_log_that_is_none_is_not_gone_on_from(tmp_path: Path) -> None:
    (tmp_path / LOG).write_text('{"t": 0.0, "event": "begin"}\n', encoding="utf-8")
    with pytest.raises(BadInput, match="expected a log of falsework-build-log/1 to go on from"):
        build(stack(1), out=tmp_path, resume=True)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BadFile, match="cannot be written"):
        build("examples/duplo-bridge.yaml", out=tmp_path / "file" / "log")


def test_ctrl_c_in_the_midst_of_a_command_leaves_a_whole_log_to_go_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    falsework.save(stack(2), tmp_path / "stack.yaml")
    words = ["build", str(tmp_path / "stack.yaml"), "--out", str(tmp_path / "built")]
    seen = BuildFilm.moved

    def interrupted(film: BuildFilm, instant: Instant) -> None:
        placed = [line["t"] for line in film.lines if line["event"] == "placed"]
        if placed and instant.time_s > placed[0] + 3.0:
            raise KeyboardInterrupt
        seen(film, instant)

    monkeypatch.setattr(BuildFilm, "moved", interrupted)
    assert main(words) == 130
    assert capsys.readouterr().err.count("\n") == 1
    lines = (tmp_path / "built" / LOG).read_bytes().splitlines(keepends=True)
    assert all(line.endswith(b"\n") and json.loads(line) for line in lines)
    assert json.loads(lines[-1])["event"] != "end"
    monkeypatch.setattr(BuildFilm, "moved", seen)
    assert main([*words, "--resume"]) == 0
    told = read_journal(tmp_path / "built" / LOG).lines
    assert [line["brick"] for line in told if line["event"] == "placed"] == ["1", "2"]
    assert (tmp_path / "built" / "report.html").stat().st_size > 500_000
