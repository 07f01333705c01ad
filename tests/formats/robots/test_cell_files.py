"""Cells in files: what is read, what is written, and what is refused in one line."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from falsework import load_cell, new_cell, save_cell
from falsework.formats.robots.cell_writing import cell_text
from falsework.model.errors import BadFile
from falsework.model.robots.cell import Cell
from falsework.model.robots.safety import Safety
from falsework.robots.cells.kinds import cell_kinds

GOOD = """
format: falsework-cell/1
arms:
- {name: left, arm: panda, tool: panda-hand, at: [0, 0.4, 0], turn: -90}
structure: {at: [0.5, 0, 0], size: [0.3, 0.3, 0.3]}
feeders:
- {name: tray, at: [0.5, 0.4, 0], size: [0.4, 0.3]}
"""


def read(folder: Path, text: str) -> Cell:
    path = folder / "cell.yaml"
    path.write_text(text, encoding="utf-8")
    return load_cell(path)


def same(first: Cell, second: Cell) -> bool:
    """Written alike, they are alike."""
    return cell_text(first) == cell_text(second)


@pytest.mark.parametrize("kind", [*cell_kinds()[:9], "two-panda", "three-irb2600", "two-panda+positioner"])
def test_a_cell_comes_back_from_its_file_as_it_was(kind: str, tmp_path: Path) -> None:
    cell = new_cell(kind)
    save_cell(cell, tmp_path / "cell.yaml")
    again = load_cell(tmp_path / "cell.yaml")
    assert same(cell, again)
    for one, other in zip(cell.arms, again.arms, strict=True):
        assert np.array_equal(one.T_world_base, other.T_world_base)
        assert one.arm is other.arm and one.tool is other.tool
    assert np.array_equal(cell.T_world_structure, again.T_world_structure)


def test_everything_that_a_cell_can_have_is_read_and_written(tmp_path: Path) -> None:
    text = GOOD.replace("format: falsework-cell/1", "format: falsework-cell/1\nunits: cm")
    text = text.replace("turn: -90}", "turn: -90, home: [10, -40, 0, -130, 0, 90, 45], payload: 2}")
    text += """
table: {at: [0, 0, 0], size: [200, 150], thickness: 4}
obstacles:
- {name: wall, box: [200, 5, 100], at: [-100, 100, 0]}
- {name: hatch, polygon: [[0, 0], [10, 0], [0, 10]], depth: 5, at: [50, 50, 0]}
cameras:
- {name: above, at: [50, 0, 120], look_at: [50, 0, 0], view: 60, pixels: [640, 480]}
- {name: wrist, arm: left, at: [5, 0, 0], view: 60, pixels: [640, 480]}
rotary: {at: [50, 0, 0], range: [-90, 90], speed: 30}
safety: {box: [[-50, -60, 0], [80, 60, 50]], force: 40, speed: 25}
"""
    cell = read(tmp_path, text)
    assert cell.table is not None and cell.table.size_m == (2.0, 1.5)
    assert cell.arms[0].home[0] == pytest.approx(np.radians(10))
    assert cell.arms[0].arm.payload_kg == 2.0
    assert cell.cameras[0].T_mount_camera[:3, 2] == pytest.approx([0, 0, -1])
    assert cell.rotary is not None and cell.rotary.upper == pytest.approx(np.pi / 2)
    assert cell.safety == Safety((-0.5, -0.6, 0.0), (0.8, 0.6, 0.5), 40.0, 0.25)
    assert [one.name for one in cell.obstacles] == ["wall", "hatch"]
    with_own_payload = cell_text(cell).replace("arm: panda", "arm: panda\n  payload: 2")
    assert same(cell, read(tmp_path, with_own_payload))


def test_limits_that_make_no_sense_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"safety.*expected two corners"):
        read(tmp_path, GOOD + "\nsafety: {box: [[0, 0, 0]]}\n")
    with pytest.raises(BadFile, match=r"safety.*expected low corners below high"):
        read(tmp_path, GOOD + "\nsafety: {box: [[0, 0, 0], [1, 1, -1]]}\n")


def test_a_tool_of_ones_own_is_written_out_and_read_back(tmp_path: Path) -> None:
    own = "tool: {name: hook, kind: parallel, point: {at: [0, 0, 0.1], turn: [0, 0, 30]}, opening: [0, 0.05], "
    own += "body: [{name: palm, box: [0.05, 0.1, 0.05], at: [0, 0, 0.025]}, "
    own += "{name: tip, cylinder: [0.01, 0.04], at: [0, 0.01, 0.08], opens: [0, 1, 0]}]}"
    cell = read(tmp_path, GOOD.replace("tool: panda-hand", own))
    tool = cell.arms[0].tool
    assert tool.bodies[1].at(0.02)[:, 1].max() == pytest.approx(0.01 + 0.02 + 0.01, abs=1e-3)
    again = read(tmp_path, cell_text(cell)).arms[0].tool
    assert again.T_flange_tool == pytest.approx(tool.T_flange_tool, abs=1e-12)
    assert np.array_equal(again.bodies[1].corners_m, tool.bodies[1].corners_m)


def test_a_cell_that_travelled_between_processes_is_written_the_same() -> None:
    cell = new_cell("two-panda")
    assert same(cell, pickle.loads(pickle.dumps(cell)))


def test_an_arm_from_a_file_beside_the_cell_keeps_its_name(tmp_path: Path) -> None:
    example = Path(__file__).parents[3] / "examples" / "desk-arm.urdf"
    (tmp_path / "mine.urdf").write_text(example.read_text(encoding="utf-8"), encoding="utf-8")
    cell = read(tmp_path, GOOD.replace("arm: panda, tool: panda-hand", "arm: mine.urdf, flange: spin, tool: suction"))
    assert [joint.name for joint in cell.arms[0].arm.joints] == ["pan", "shoulder", "elbow", "roll", "pitch", "spin"]
    assert same(cell, read(tmp_path, cell_text(cell)))


BAD = {
    "an arm nobody knows": (
        "arm: panda,",
        "arm: pandas,",
        r"arms\[0\]\.arm: unknown arm 'pandas'; did you mean 'panda'\?",
    ),
    "a tool nobody knows": ("tool: panda-hand", "tool: claw", r"unknown tool 'claw'; expected one of: panda-hand, "),
    "no feeder": ("- {name: tray, at: [0.5, 0.4, 0], size: [0.4, 0.3]}", "", "has no feeder; expected one or more"),
    "no arm": ("- {name: left", "#", r"there is no 'arms', which is needed here"),
    "not a number": (
        "at: [0, 0.4, 0]",
        "at: [0, .nan, 0]",
        "line 4, column .*: found '.nan', expected a finite number",
    ),
    "a base in the structure": (
        "at: [0, 0.4, 0]",
        "at: [0.5, 0.1, 0]",
        "arm 'left': its base stands inside the structure",
    ),
    "one name twice": ("name: tray", "name: left", "the name 'left' is given to 2 things of the cell"),
    "another version": (
        "falsework-cell/1",
        "falsework-cell/9",
        "format: found 'falsework-cell/9', expected 'falsework-cell/1'",
    ),
    "a misspelt key": ("turn: -90", "trun: -90", r"arms\[0\]: unknown key 'trun'; did you mean 'turn'\?"),
    "a feeder without size": (", size: [0.4, 0.3]}", "}", r"feeders\[0\]: there is no 'size'"),
    "a negative size": (
        "size: [0.4, 0.3]",
        "size: [0.4, -0.3]",
        r"feeder 'tray': found the size .*, expected two numbers above 0",
    ),
    "a home out of limits": (
        "turn: -90",
        "turn: -90, home: [0, 170, 0, -90, 0, 90, 0]",
        "home: joint 'joint2': found 2.967",
    ),
    "too few joints": (
        "turn: -90",
        "turn: -90, home: [0, 1]",
        r"arms\[0\]\.home: found a list of 2, expected 7 numbers",
    ),
    "a file elsewhere": ("arm: panda", "arm: ../up.urdf", "leaves this file's folder"),
    "a file that is not there": ("arm: panda", "arm: mine.urdf", "mine.urdf: there is no such file"),
    "flange of ours": ("turn: -90", "turn: -90, flange: x", "only an arm from a file has a base and a flange"),
    "a squashed pose": ("turn: -90", "quaternion: [0, 0, 0, 0]", "quaternion"),
    "a room inside out": (
        "size: [0.3, 0.3, 0.3]",
        "room: [[1, 1, 1], [0, 2, 2]]",
        "expected a lowest and a highest corner",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_cell_is_refused_in_one_line(case: str, tmp_path: Path) -> None:
    before, after, message = BAD[case]
    assert before in GOOD
    with pytest.raises(BadFile, match=message) as caught:
        read(tmp_path, GOOD.replace(before, after, 1))
    assert "\n" not in str(caught.value)
