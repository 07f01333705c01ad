"""`plan` and `replan` from the command line: exit codes, JSON, files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from falsework import gallery, save
from falsework.cli import main
from falsework.cli.plan_output import _print_steps
from falsework.model.plan import Step

PLAN_KEYS = {"status", "plan", "steps", "evaluations", "max_held", "wall_s"}


@pytest.fixture
def arch(tmp_path: Path) -> Path:
    file = tmp_path / "arch.yaml"
    save(gallery.make("semicircular-arch", stones=5), file)
    return file


def said(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_a_plan_is_written_and_holds_up(arch: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["plan", str(arch), "--robots", "2", "--out", str(out), "--json"]) == 0
    answer = said(capsys)
    assert set(answer) >= PLAN_KEYS
    assert (answer["status"], answer["plan"]) == ("complete", str(out / "plan.json"))
    assert {file.name for file in out.iterdir()} == {"plan.json", "report.html", "tree.json"}
    assert main(["verify", answer["plan"], "--json"]) == 0


def test_a_small_plan_of_blocks_does_not_wait_for_scipy(arch: Path) -> None:
    asked = (
        f"import sys; from falsework.cli import main; main(['plan', {str(arch)!r}]); sys.exit('scipy' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_brick_plan_is_rehearsed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tower, out = tmp_path / "tower.txt", tmp_path / "out"
    tower.write_text("2x4 (0,0,0)\n2x2 (0,0,1)\n")
    assert main(["plan", str(tower), "--out", str(out)]) == 0
    capsys.readouterr()
    assert main(["verify", str(out / "plan.json"), "--rehearse", "--json"]) == 0
    answer = said(capsys)
    assert (answer["valid"], answer["rehearsed"]) == (True, True)


def test_blocks_are_not_rehearsed(arch: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(arch), "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "out" / "plan.json"), "--rehearse"]) == 2
    assert "a plan without bricks cannot be rehearsed" in capsys.readouterr().err


def test_a_cell_rehearses_and_does_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path / "plan.json"), "--cell", "panda"]) == 2
    assert "--cell: the arms of a cell rehearse a plan; add --rehearse" in capsys.readouterr().err


def test_hands_that_grip_are_those_of_a_cell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path / "plan.json"), "--rehearse", "--grip", "weld"]) == 2
    assert "--grip: the hands of a cell grip; add --rehearse and --cell" in capsys.readouterr().err


def test_without_out_the_plan_itself_is_printed(arch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(arch), "--json"]) == 0
    answer = said(capsys)
    assert answer["plan"]["format"] == "falsework-plan/1"
    assert len(answer["plan"]["steps"]) == answer["steps"]


def test_no_plan_is_exit_1_and_says_why(arch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(arch), "--robots", "1", "--json"]) == 1
    answer = said(capsys)
    assert answer["status"] == "infeasible"
    fall = next(reason for reason in answer["blocked"] if reason["check"] == "stability")
    assert fall["certificate"]["kind"] == "motion"
    assert fall["certificate"]["residual"] >= 1e-6


def test_a_budget_is_exit_3_and_the_rest_is_resumed(
    arch: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert main(["plan", str(arch), "--out", str(whole), "--json"]) == 0
    steps = json.loads((whole / "plan.json").read_text())["steps"]
    assert main(["plan", str(arch), "--out", str(cut), "--budget", "3", "--json"]) == 3
    assert (cut / "plan.journal.json").exists()
    assert main(["plan", str(arch), "--out", str(cut), "--resume", "--json"]) == 0
    assert json.loads((cut / "plan.json").read_text())["steps"] == steps
    assert not (cut / "plan.journal.json").exists()
    capsys.readouterr()


def test_a_journal_of_another_question_is_not_resumed(
    arch: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", str(arch), "--out", str(tmp_path), "--budget", "3", "--json"]) == 3
    assert main(["plan", str(arch), "--out", str(tmp_path), "--robots", "3", "--resume", "--json"]) == 2
    assert "another input or other options" in capsys.readouterr().err


def test_a_journal_of_another_structure_of_the_same_file_is_not_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    towers = {"low": "2x2 (0,0,0)\n2x2 (0,0,1)\n", "high": "2x2 (0,0,0)\n2x2 (0,0,1)\n2x2 (1,0,2)\n"}
    file, out = tmp_path / "towers.json", str(tmp_path / "out")
    file.write_text(json.dumps({name: {"output_txt": text} for name, text in towers.items()}))
    assert main(["plan", f"{file}#high", "--out", out, "--budget", "1"]) == 3
    assert main(["plan", f"{file}#low", "--out", out, "--resume"]) == 2
    assert "another input or other options" in capsys.readouterr().err
    assert main(["plan", f"{file}#high", "--out", out, "--resume"]) == 0


def test_a_file_is_no_folder_to_write_into(arch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(arch), "--out", str(arch)]) == 2
    assert "is a file, expected a folder" in capsys.readouterr().err


def test_resuming_needs_a_place(arch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(arch), "--resume"]) == 2
    assert "--resume needs the --out" in capsys.readouterr().err


def test_the_rest_is_planned_anew(arch: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["plan", str(arch), "--out", str(out), "--json"]) == 0
    capsys.readouterr()
    again = tmp_path / "again"
    assert main(["replan", str(out / "plan.json"), "--at", "2", "--robots", "3", "--out", str(again), "--json"]) == 0
    assert set(said(capsys)) >= PLAN_KEYS
    assert main(["verify", str(again / "plan.json"), "--json"]) == 0
    capsys.readouterr()
    assert main(["replan", str(out / "plan.json"), "--at", "99"]) == 2
    assert "steps; found --at 99" in capsys.readouterr().err


def test_the_fewest_hands(arch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(arch), "--robots", "fewest", "--json"]) == 0
    assert said(capsys)["fewest_hands"] == {"robots": 2, "proved": True}


def test_the_table_for_people(arch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(arch), "--alternatives", "2"]) == 0
    shown = capsys.readouterr().out
    assert "can be built" in shown
    assert "place" in shown
    assert "diversity" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--robots", "0"], "whole number that is 1 or more, or fewest"),
        (["--robots", "two"], "whole number"),
        (["--budget", "-1"], "budget"),
        (["--rules", "houses"], "rules 'houses'"),
        (["--planner", "magic"], "planner 'magic'"),
        (["--planner", "subassemblies"], "takes --rules bricks, not holds"),
        (["--planner", "one-by-one", "--rules", "reorient"], "takes --rules bricks, not reorient"),
        (["--grasps", "side"], "are for rules bricks, not holds"),
        (["--grasps", "magic"], "grasps 'magic'"),
        (["--press", "5"], "are for rules bricks, not holds"),
    ],
)
def test_wrong_options_are_one_line(
    arch: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", str(arch), *options]) == 2
    complaint = capsys.readouterr().err.strip()
    assert message in complaint
    assert "\n" not in complaint


def test_a_plan_without_steps_is_not_called_valid(
    arch: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", str(arch), "--robots", "1", "--out", str(tmp_path / "out")]) == 1
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "out" / "plan.json"), "--json"]) == 3
    answer = json.loads(capsys.readouterr().out)
    assert answer["valid"] is None
    assert "its status is infeasible and it has no steps" in answer["failures"][0]["why"]


def test_a_good_plan_says_how_good_it_is_and_what_is_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "examples/arch.yaml", "--paths", "none", "--minimise", "holds"]) == 0
    assert "holds      6; no plan has fewer" in capsys.readouterr().out
    assert main(["plan", "examples/arch.yaml", "--paths", "none", "--minimise", "holds", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["minimised"]
    assert (told["measure"], told["value"], told["bound"], told["proved"]) == ("holds", 6, 6, True)


def test_a_net_leads_where_one_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "examples/arch.yaml", "--paths", "none", "--guide", "generalist"]) == 0
    assert "can be built" in capsys.readouterr().out
    assert main(["plan", "examples/arch.yaml", "--guide", "nowhere.safetensors"]) == 2
    assert "there is no such file" in capsys.readouterr().err


def test_ways_are_told_as_the_model_lies_when_parts_come(capsys: pytest.CaptureFixture[str]) -> None:
    """A part that slides in along the file's z, into a model that lies on its side."""
    path = np.repeat(np.eye(4)[None], 2, axis=0)
    path[0, 2, 3] = 0.1
    over = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
    place = Step("place", ("a",), path=path)
    _print_steps((place, Step("reorient", T_world_assembly=over), place))
    before, _, after = capsys.readouterr().out.splitlines()[1:]
    assert "down 100 mm" in before and "-y 100 mm" in after
    _print_steps((place,), over)
    assert "-y 100 mm" in capsys.readouterr().out
