"""`falsework margins`: one JSON object, a readable table, exit codes of the contract."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falsework.cli import main
from tests.cli.test_command_line import complaint

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TOWER = "2x4 (0,0,0)\n2x4 (0,2,1)\n2x2 (0,4,2)\n"


@pytest.fixture
def tower(tmp_path: Path) -> str:
    path = tmp_path / "tower.txt"
    path.write_text(TOWER)
    return str(path)


def answer(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, object]:
    assert main(["margins", *words, "--json"]) == code
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_bricks_get_strength_loads_tilts_and_a_probability(tower: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, tower, "--samples", "200")
    assert found["verdict"] == "stable"
    assert 0 < found["utilization"] < 1  # type: ignore[operator]
    assert found["friction"] is None  # side faces of bricks have none
    assert len(found["loads"]) == 5  # type: ignore[arg-type]
    assert len(found["tilts"]) == 4  # type: ignore[arg-type]
    assert found["without"] == {"1": ["2", "3"], "2": ["3"], "3": []}
    assert found["hold"] is None
    assert found["chance"]["samples"] == 200  # type: ignore[index]


def test_an_arch_without_its_keystone_is_told_what_to_hold(capsys: pytest.CaptureFixture[str]) -> None:
    words = (str(EXAMPLES / "arch.yaml"), "--absent", "keystone", "--only", "hold")
    found = answer(capsys, *words, code=1)
    hold = found["hold"]
    assert hold["parts"] == ["stone-5", "stone-7"]  # type: ignore[index]
    assert hold["exact"] is True  # type: ignore[index]
    assert len(hold["moving"]) == 2  # type: ignore[index]
    assert main(["margins", *words]) == 1
    assert "hold       stone-5 and stone-7 (no smaller set is enough)" in capsys.readouterr().out


def test_a_load_at_a_point_in_a_direction_and_an_axis(tower: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--only", "load,tilt", "--at", "3@0.008,0.04,0.0288", "--along", "0,0,1", "--axis", "1,1,0")
    found = answer(capsys, tower, *words)
    (load,) = found["loads"]  # type: ignore[misc]
    assert (load["part"], load["direction"]) == ("3", [0.0, 0.0, 1.0])
    assert load["newtons"]["stands"] < load["newtons"]["falls"]
    assert len(found["tilts"]) == 1  # type: ignore[arg-type]
    assert main(["margins", tower, *words]) == 0
    table = capsys.readouterr().out
    assert "load       3 up: bears" in table
    assert "tilt       about +0.707, +0.707, 0" in table


def test_ways_have_names(tower: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--only", "load,tilt", "--along", "up", "--axis", "x", "--axis=-y")
    found = answer(capsys, tower, *words)
    assert [one["direction"] for one in found["loads"]] == [[0.0, 0.0, 1.0]]  # type: ignore[attr-defined]
    assert [one["axis"] for one in found["tilts"]] == [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]  # type: ignore[attr-defined]
    assert "expected three numbers" in complaint(capsys, "margins", tower, "--axis", "sideways")


def test_wrong_questions_are_one_line(tower: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean 'friction'" in complaint(capsys, "margins", tower, "--only", "frictions")
    assert "tower.txt: there is no part '9'" in complaint(capsys, "margins", tower, "--at", "9")
    assert "--at: found '3@1,2,x'" in complaint(capsys, "margins", tower, "--at", "3@1,2,x")
    assert "not all 0" in complaint(capsys, "margins", tower, "--axis", "0,0,0")
