"""`--gap` on the command line: what nearly touches is told first, and what was asked for is kept with the proof."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from falsework.cli import main
from tests.cli.test_command_line import complaint

TWO = """format: falsework-assembly/1
parts:
  - {name: a, box: [0.2, 0.2, 0.2], fixed: true}
  - {name: b, box: [0.2, 0.2, 0.2], at: [0, 0, 0.2001]}
"""
FIRST = "b touches nothing; it is 0.1 mm above a: if they are meant to touch, set --gap 0.0001"


@pytest.fixture
def two(tmp_path: Path) -> str:
    path = tmp_path / "two.yaml"
    path.write_text(TWO)
    return str(path)


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int) -> str:
    assert main(list(words)) == code
    return capsys.readouterr().out


def answer(capsys: pytest.CaptureFixture[str], *words: str, code: int) -> dict[str, object]:
    found: dict[str, object] = json.loads(told(capsys, *words, "--json", code=code))
    return found


@pytest.mark.parametrize(
    ("verb", "word"),
    [
        (("check",), "falls"),
        (("margins", "--only", "hold"), "falls"),
        (("collapse", "--seconds", "0.01"), "falls"),
        (("plan",), "cannot be built"),
    ],
)
def test_the_first_line_says_what_is_missing_and_what_to_set(
    two: str, verb: tuple[str, ...], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = told(capsys, verb[0], two, *verb[1:], code=1).splitlines()[0]
    assert line.startswith(f"{two}: {word}: {FIRST}")
    found = answer(capsys, verb[0], two, *verb[1:], code=1)
    assert found["isolated"] == ["b"]
    (miss,) = found["near_misses"]  # type: ignore[misc]
    assert (miss["parts"], miss["side"]) == (["b", "a"], "above")
    assert found["suggested_gap_m"] == 1e-4


@pytest.mark.parametrize("verb", ["check", "margins", "collapse", "plan"])
def test_with_the_gap_they_touch_and_no_more_is_said(two: str, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    more = {"margins": ("--only", "friction"), "collapse": ("--seconds", "0.01")}.get(verb, ())
    found = answer(capsys, verb, two, "--gap", "0.0001", *more, code=0)
    assert found["isolated"] == found["near_misses"] == []
    assert "suggested_gap_m" not in found
    assert found["gap"]["asked_m"] == 1e-4  # type: ignore[index]


def test_the_gap_that_is_used_is_told(two: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "parts up to 35 µm apart: 0.0001 of the smaller one's size; --gap sets it" in told(
        capsys, "info", two, code=0
    )
    assert "parts up to 0.2 mm apart, as was asked for" in told(capsys, "check", two, "--gap", "0.0002", code=0)
    assert answer(capsys, "info", two, "--gap", "0.0002", code=0)["interfaces"]["contacts"] == 1  # type: ignore[index]


def test_the_certificate_says_the_gap_and_acts_midway_on_both_parts(
    two: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told(capsys, "check", two, "--gap", "0.0002", "--out", str(tmp_path / "out"), code=0)
    with np.load(tmp_path / "out" / "certificate.npz") as arrays:
        assert float(arrays["gap_m"]) == 2e-4
        points, forces = arrays["points"], arrays["forces"]
    assert points[:, 2] == pytest.approx(np.full(len(points), 0.20005), abs=1e-12)
    weight_n = 8.0 * 9.81
    assert forces.sum(axis=0) == pytest.approx([0, 0, weight_n], abs=1e-5)
    arms = points - np.array([0.1, 0.1, 0.3001])  # about the upper cube's centre
    assert np.cross(arms, forces).sum(axis=0) == pytest.approx([0, 0, 0], abs=1e-5)


def test_a_plan_is_verified_with_its_own_gap_unless_another_is_asked_for(
    two: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told(capsys, "plan", two, "--gap", "0.0001", "--out", str(tmp_path / "p"), code=0)
    file = str(tmp_path / "p" / "plan.json")
    assert json.loads(Path(file).read_text())["assembly"]["gap"] == 1e-4
    assert told(capsys, "verify", file, code=0).splitlines()[0] == f"{file}: valid, 2 states judged"
    refused = told(capsys, "verify", file, "--gap", "0.00001", code=1).splitlines()[0]
    assert refused == f"{file}: invalid, 2 states judged: {FIRST}"
    told(capsys, "replan", file, "--at", "0", "--gap", "0.0002", "--out", str(tmp_path / "q"), code=0)
    assert json.loads((tmp_path / "q" / "plan.json").read_text())["assembly"]["gap"] == 2e-4


def test_a_file_may_tell_its_gap_in_its_own_unit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mm.yaml"
    path.write_text(
        "format: falsework-assembly/1\nunits: mm\ngap: 0.1\nparts:\n"
        "  - {name: a, box: [200, 200, 200], fixed: true}\n  - {name: b, box: [200, 200, 200], at: [0, 0, 200.1]}\n"
    )
    assert answer(capsys, "check", str(path), code=0)["gap"]["asked_m"] == pytest.approx(1e-4)  # type: ignore[index]
    assert answer(capsys, "check", str(path), "--gap", "0.00001", code=1)["isolated"] == ["b"]


@pytest.mark.parametrize("text", ["0", "-1", "nan", "much"])
def test_a_gap_that_is_no_distance_is_one_line(two: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--gap" in complaint(capsys, "check", two, "--gap", text)
