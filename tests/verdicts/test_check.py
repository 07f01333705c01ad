"""The verb and function `check`: options, bad questions, undecided, and what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework.cli import main
from falsework.model.errors import BadInput
from falsework.statics.core import program
from falsework.statics.core.outcome import Outcome
from falsework.statics.core.program import Program
from tests.statics.structures import arch, harmonic, stack

TOWER = "2x4 (0,0,0)\n2x4 (0,2,1)\n2x4 (0,4,2)\n"


@pytest.fixture
def tower(tmp_path: Path) -> Path:
    path = tmp_path / "tower.txt"
    path.write_text(TOWER)
    return path


def asked(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, object]]:
    code = main(["check", *map(str, words), "--json"])
    out = capsys.readouterr().out
    return code, json.loads(out)


def test_json_has_every_key_of_the_contract(tower: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = asked(capsys, tower)
    assert code == 0
    keys = {
        "verdict", "model", "parts", "interfaces", "utilization", "connections", "breaking", "falling", "certificate",
        "calibrated", "build_ms", "solve_ms",
    }  # fmt: skip
    assert keys <= set(said)
    assert said["verdict"] == "stable"
    assert said["model"] == "snapfit"
    assert said["certificate"] == {"kind": "forces", "residual": pytest.approx(0, abs=1e-6), "checked": True}
    pairs = [connection["parts"] for connection in said["connections"]]  # type: ignore[attr-defined]
    assert pairs == [["1", "2"], ["2", "3"], ["ground", "1"]]


def test_a_missing_support_makes_it_fall_with_exit_1(tower: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = asked(capsys, tower, "--absent", "2")
    assert code == 1
    assert said["verdict"] == "unstable"
    assert said["falling"] == ["3"]
    assert said["unbounded"] is True
    assert said["utilization"] is None


def test_held_parts_do_not_fall(tower: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, tower, "--absent", "2", "--held", "3")[0] == 0


def test_loads_are_forces_at_points(tower: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, tower, "--load", "3:0,0,-1")[0] == 0
    assert asked(capsys, tower, "--load", "3:0,0,-30@0.008,0.064,0.03")[0] == 1


def test_gravity_may_begin_with_a_minus(tower: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = asked(capsys, tower, "--gravity", "-1.5,0,-9.6")
    assert code == 0
    assert said["verdict"] == "stable"


def test_the_table_for_people(tower: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tower), "--load", "3:0,0,-30"]) == 1
    said = capsys.readouterr().out
    assert "falls  (model snapfit)" in said
    assert "breaks     1 - 2" in said  # the load is over the edge of 2, so 3 presses there and 1 - 2 has the lever
    assert "of the clutch strength is needed" in said


def test_joints_that_work_equally_hard_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    bridge = Path(__file__).resolve().parents[2] / "examples" / "bridge.txt"  # mirror-symmetric, but for rounding
    load = ("--load", "10:0,0,-10")
    order = [" - ".join(row["parts"]) for row in asked(capsys, bridge, *load)[1]["connections"]]  # type: ignore[attr-defined]
    assert main(["check", str(bridge), *load]) == 1
    joints = [line.split("%  ")[1] for line in capsys.readouterr().out.splitlines() if "  joint " in line]
    assert len(joints) == 5
    assert joints == sorted(joints, key=order.index)  # all of them at 133.2 %


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--held", "9"), "there is no part '9'"),
        (("--absent", "7"), "there is no part '7'"),
        (("--load", "3"), "--load: found '3', expected NAME:FX,FY,FZ"),
        (("--load", "3:1,2"), "--load: found '1,2', expected three numbers"),
        (("--load", "8:1,2,3"), "there is no part '8'"),
        (("--load", "3:0,0,1", "--absent", "3"), "load: part '3' is absent"),
        (("--gravity", "0,0,inf"), "expected three numbers like 0,0,-9.81"),
        (("--model", "snapit"), "did you mean 'snapfit'?"),
        (("--model", "blocks"), "model blocks knows no clutches"),
        (("--ground", "none"), "nothing is fixed and there is no ground; name parts with --fixed, or use --ground"),
        (("--fixed", "1", "--absent", "1"), "fixed parts cannot be absent: 1"),
    ],
)
def test_bad_questions_are_one_line(
    tower: Path, words: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(tower), *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert expected in err


def test_the_certificate_can_be_checked_by_outsiders(
    tower: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sum forces and torques over the file alone."""
    assert asked(capsys, tower, "--out", tmp_path / "out")[0] == 0
    with np.load(tmp_path / "out" / "certificate.npz") as written:
        arrays = dict(written)
    assembly = falsework.load(tower)
    assert arrays["names"].tolist() == ["1", "2", "3", "ground"]
    for body in range(3):
        force = np.array([0, 0, -9.81 * assembly.masses_kg[body]])
        torque = np.zeros(3)
        for side, sign in ((1, 1.0), (0, -1.0)):
            mine = arrays["pairs"][:, side] == body
            force = force + sign * arrays["forces"][mine].sum(axis=0)
            arms = arrays["points"][mine] - assembly.coms_m[body]
            torque = torque + sign * np.cross(arms, arrays["forces"][mine]).sum(axis=0)
        assert force == pytest.approx(np.zeros(3), abs=1e-9)
        assert torque == pytest.approx(np.zeros(3), abs=1e-10)


def test_a_motion_is_written_too(tower: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, tower, "--absent", "2", "--out", tmp_path / "out")[0] == 1
    with np.load(tmp_path / "out" / "certificate.npz") as written:
        assert written["motion"][2, 2] == pytest.approx(-9.81)


def fails(*_: object) -> Outcome:
    raise RuntimeError("the solver stumbled")


def finds_nothing(*_: object) -> Outcome:
    return Outcome(None, None, "MaxTime")


def guesses(self: Program, *_: object) -> Outcome:
    """Forces of nothing at all: a proposal that the referee must not believe."""
    return Outcome(self._forces(np.zeros(len(self._units))), None, "Solved")


@pytest.mark.parametrize("trouble", [fails, finds_nothing, guesses])
def test_a_solver_in_trouble_gives_undecided_and_exit_3(
    tower: Path, trouble: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program.Program, "solve", trouble)
    code, said = asked(capsys, tower)
    assert code == 3
    assert said["verdict"] == "undecided"
    assert said["certificate"] == {"kind": None, "residual": None, "checked": False}
    assert said["why"]


def test_a_time_limit_that_runs_out_gives_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    verdict = falsework.check(arch(60, 0.12, 0.7), timeout_s=1e-9)
    assert verdict.answer == "undecided"


def test_the_library_says_what_the_command_line_says(tower: Path) -> None:
    verdict = falsework.check(falsework.load(tower), absent=["2"])
    assert verdict.answer == "unstable"
    assert verdict.falling == ("3",)


def test_nothing_free_is_stable() -> None:
    pile = stack([0.1, 0.1])
    assert falsework.check(pile, held=["1", "2"]).answer == "stable"
    assert falsework.check(pile, absent=["1", "2"]).answer == "stable"


def test_without_weight_everything_stands() -> None:
    assert falsework.check(harmonic(5, 3.0), gravity=(0, 0, 0)).answer == "stable"


def test_the_same_question_gives_the_same_answer_twice() -> None:
    first, second = (falsework.check(arch(12, 0.09, 0.7)) for _ in range(2))
    assert first.residual == second.residual
    assert np.array_equal(first.certificate.twists, second.certificate.twists)  # type: ignore[union-attr]


def test_gravity_must_be_three_numbers() -> None:
    with pytest.raises(BadInput, match="expected three finite numbers"):
        falsework.check(stack([0.1]), gravity=(0, 0))
