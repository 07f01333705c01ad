"""The order of a file's own steps, judged state by state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import falsework
from falsework.cli import main
from falsework.model.errors import BadInput
from falsework.planning.verification.file_steps import verify_steps

STILL = "1 0 0 0 1 0 0 0 1"
FOOT = f"1 4 0 -24 0 {STILL} 3005.dat\n"
POST = f"1 4 220 -24 0 {STILL} 3005.dat\n"
BEAM = "".join(f"1 1 110 {-48 - 24 * k} 0 {STILL} 6112.dat\n" for k in range(16))


def model(folder: Path, *steps: str) -> Path:
    path = folder / "model.ldr"
    path.write_text("0 A long beam on two feet\n" + "0 STEP\n".join(steps))
    return path


def test_a_beam_before_its_second_foot_falls_in_that_step(tmp_path: Path) -> None:
    """Sixteen beams of 12 studs on one stud: far more than its clutch of 2.8 N holds; on two feet they stand."""
    found = falsework.verify(model(tmp_path, FOOT, BEAM, POST))
    assert found.valid is False
    assert [failure.step for failure in found.failures] == [2]
    assert "falls" in found.failures[0].why
    assert falsework.verify(model(tmp_path, FOOT, POST, BEAM)).valid is True


def test_the_command_line_says_which_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = model(tmp_path, FOOT, BEAM, POST)
    assert main(["verify", str(path)]) == 1
    assert "invalid, 3 states judged\n  step 2    the structure falls" in capsys.readouterr().out
    assert main(["verify", str(path), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["valid"] is False and told["failures"][0]["step"] == 2


def test_a_file_without_steps_is_told_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "model.ldr"
    path.write_text(FOOT)
    with pytest.raises(BadInput, match=r"says nothing of steps .* falsework plan finds an order"):
        falsework.verify(path)


def test_parts_that_no_step_places_are_named() -> None:
    model = falsework.load("examples/guitar.ldr")
    found = verify_steps(model.changed(steps=model.steps[:-1]))
    assert found.valid is False and "its steps never place 20" in found.failures[-1].why
