"""The hunt: its table, how it goes on after an interruption, what it writes down."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import yaml

import falsework
from tests.adversary import asking, invariance, run, show
from tests.adversary.keeping import Kept


def test_a_hunt_prints_its_seed_and_a_row_a_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["6", "--seed", "3", "--kinds", "stacks,slopes", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "seed 3, 6 cases of 2 kinds" in out
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()[-4:-1]}
    assert rows["stacks"][0] == rows["slopes"][0] == "3"
    assert rows["all"][0] == "6"
    assert rows["all"][-1] == "0"


def numbers_asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    asked: list[int] = []

    def noted(kind: str, number: int, seed: int) -> asking.Outcome:
        asked.append(number)
        return before(kind, number, seed)

    before = run.one_case
    monkeypatch.setattr(run, "one_case", noted)
    return asked


def test_a_hunt_that_was_cut_off_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    list(run.hunt(Kept(tmp_path, 3), {"stacks": 4}, 3, 1))
    file = tmp_path / "stacks.jsonl"
    whole = file.read_text()
    lines = whole.splitlines(keepends=True)
    file.write_text("".join(lines[:2]) + lines[2][:10])
    asked = numbers_asked(monkeypatch)
    list(run.hunt(Kept(tmp_path, 3), {"stacks": 4}, 3, 1))
    assert asked == [2, 3]
    assert file.read_text() == whole


def test_a_hunt_does_what_is_missing_whatever_came_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    list(run.hunt(Kept(tmp_path, 3), {"stacks": 4}, 3, 1))
    file = tmp_path / "stacks.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text(lines[3] + lines[1])
    asked = numbers_asked(monkeypatch)
    list(run.hunt(Kept(tmp_path, 3), {"stacks": 4}, 3, 1))
    assert asked == [0, 2]
    assert sorted(file.read_text().splitlines(keepends=True)) == sorted(lines)


def test_a_hunt_that_is_stopped_shows_its_table_and_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(kind: str, number: int, seed: int) -> asking.Outcome:
        if number == 1:
            raise KeyboardInterrupt
        return before(kind, number, seed)

    before = run.one_case
    monkeypatch.setattr(run, "one_case", stopped)
    monkeypatch.setattr(run, "CHUNK", 1)
    words = ["3", "--kinds", "stacks", "--out", str(tmp_path)]
    assert run.main(words) == 130
    out = capsys.readouterr().out
    assert "stopped; the same command goes on from here" in out
    assert out.splitlines()[-2].split()[:2] == ["all", "1"]
    monkeypatch.setattr(run, "one_case", before)
    assert run.main([*words, "--table"]) == 0
    assert capsys.readouterr().out.splitlines()[-2].split()[:2] == ["all", "1"]
    assert run.main(words) == 0
    assert capsys.readouterr().out.splitlines()[-2].split()[:2] == ["all", "3"]


def test_cases_of_two_seeds_are_not_kept_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["1", "--kinds", "stacks", "--out", str(tmp_path)]) == 0
    assert run.main(["1", "--kinds", "stacks", "--out", str(tmp_path), "--seed", "4"]) == 2
    assert capsys.readouterr().err.endswith("holds cases of seed 0, not of 4\n")


def test_what_the_judge_leaves_open_and_what_has_no_margin_is_counted_apart() -> None:
    outcomes = [
        asking.Outcome("stacks", 0, "undecided", "stands", 2e-6),
        asking.Outcome("stacks", 1, "undecided", "stands", 0.0),
        asking.Outcome("stacks", 2, "undecided", "cannot tell", 0.0),
        asking.Outcome("stacks", 3, "stable", "stands", 2e-6),
    ]
    lines = run.table(outcomes, ["stacks"]).splitlines()
    assert dict(zip(lines[0].split()[1:], lines[1].split()[1:], strict=True)) == {
        **{"cases": "4", "stable": "1", "unstable": "0", "refused": "0"},
        **{"undecided": "1", "near": "1", "open": "1", "wrong": "0"},
    }
    assert lines[-1] == "of the cases near or open, 2 are undecided"


def test_a_contradiction_is_a_file_that_falsework_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lies(document: dict[str, Any], **options: Any) -> Any:
        verdict = before(document, **options)
        return dataclasses.replace(verdict, answer={"stable": "unstable", "unstable": "stable"}[verdict.answer])

    before = asking.said_of
    monkeypatch.setattr(asking, "said_of", lies)
    assert run.main(["2", "--kinds", "stacks", "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines()[-2].split()[-1] == "2"
    path = tmp_path / "stacks-0-1.yaml"
    first = path.read_text().splitlines()[0]
    assert first == "# falsework check stacks-0-1.yaml"
    assert falsework.load(path).names == tuple(part["name"] for part in yaml.safe_load(path.read_text())["parts"])
    monkeypatch.setattr(asking, "said_of", before)
    assert show.main(["stacks", "1"]) == 0  # the truth


def test_an_unknown_kind_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["5", "--kinds", "stacks,stax"]) == 2
    assert capsys.readouterr().err.startswith("--kinds: there is no stax; there are planks, ")


def test_the_table_of_changes_counts_flips(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        invariance.Row("order", "walls", 0, "stable", "unstable", True),
        invariance.Row("order", "walls", 1, "stable", "undecided", True),
        invariance.Row("order", "walls", 2, "stable", "undecided", False),
        invariance.Row("order", "walls", 3, "unstable", "unstable", True),
        invariance.Row("order", "walls", 4, "unstable", "refused", True),
    ]
    line = next(line for line in invariance.table(rows).splitlines() if line.startswith("order"))
    assert line.split()[1:] == ["5", "3", "2", "2", "1"]
    assert invariance.main(["1", "--kinds", "stops", "--out", str(tmp_path)]) in (0, 1)
    out = capsys.readouterr().out
    assert "seed 0, 1 cases under 8 changes each" in out
    assert invariance.main(["1", "--kinds", "stops", "--out", str(tmp_path), "--table"]) in (0, 1)
    assert capsys.readouterr().out == out
