"""`falsework cell` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falsework.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_new_cell_goes_to_a_file_and_what_it_reaches_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "cell.yaml"
    assert main(["cell", "--new", "two-ur5e", "--out", str(target)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{target}: 2 arms, ") and "left: ur5e with robotiq-2f-85" in said
    assert main(["cell", str(target), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["kind"] for one in told["arms"]] == ["ur5e", "ur5e"]
    assert told["arms"][0]["reach_m"] == 0.85 and told["arms"][0]["payload_kg"] == 5.0
    assert 0.9 < told["coverage"] <= 1.0


def test_a_new_cell_without_a_file_is_printed_as_yaml(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cell", "--new", "panda"]) == 0
    assert capsys.readouterr().out.startswith("format: falsework-cell/1\n")


def test_a_cell_is_placed_for_an_assembly_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bridge = str(EXAMPLES / "bridge.txt")
    words = ["cell", "--new", "panda", "--for", bridge, "--layouts", "20", "--out", str(tmp_path), "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["coverage"] == 1.0 and told["layouts"] == 20 and told["covers"]["unreached"] == []
    target = Path(told["path"])
    assert target.name == "panda.cell.yaml"
    assert main(["cell", str(target), "--for", bridge, "--out", str(tmp_path / "report")]) == 0
    assert "100 % in reach" in capsys.readouterr().out
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "panda-hand" in page


def test_all_arms_and_tools_are_listed_with_their_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cell", "--list"]) == 0
    assert "irb2600" in capsys.readouterr().out
    assert main(["cell", "--list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["arms"]) == 9 and len(told["tools"]) == 7 and "two-gofa" in told["kinds"]
    assert all(one["sources"] for one in (*told["arms"], *told["tools"]))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "name a cell's FILE, or ask for --new KIND: one of them"),
        (["--new", "two-pandas"], "unknown kind of cell 'two-pandas'; did you mean 'two-panda'?"),
        (["--new", "panda", "--layouts", "5"], "--layouts: only --new with --for tries layouts"),
        (["--new", "panda", "--layouts", "0"], "expected a whole number above 0"),
        (["nowhere.yaml"], "nowhere.yaml: there is no such file"),
        ([str(EXAMPLES / "arch.yaml")], "format: found 'falsework-assembly/1', expected 'falsework-cell/1'"),
    ],
)
def test_wrong_usage_is_one_line(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cell", *words]) == 2
    captured = capsys.readouterr()
    assert line in captured.err and captured.err.count("\n") == 1 and captured.out == ""


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("arm: panda", "arm: nobody", "unknown arm 'nobody'"),
        ("at: [-0.47, 0.0, 0.0]", "at: [-0.1, 0.0, 0.0]", "its base stands inside the structure"),
        ("at: [-0.47, 0.0, 0.0]", "at: [.nan, 0.0, 0.0]", "expected a finite number"),
        ("feeders:", "cameras:", "line"),
        ("name: right", "name: left", "the name 'left' is given to 2 things"),
    ],
)
def test_a_bad_cell_is_one_line_and_nothing_is_written(
    before: str, after: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (EXAMPLES / "two-panda.cell.yaml").read_text(encoding="utf-8")
    assert before in text
    path = tmp_path / "bad.yaml"
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    assert main(["cell", str(path), "--out", str(tmp_path / "out")]) == 2
    captured = capsys.readouterr()
    assert line in captured.err and captured.err.count("\n") == 1 and str(path) in captured.err
    assert not (tmp_path / "out").exists()
