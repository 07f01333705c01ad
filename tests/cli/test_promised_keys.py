"""What programs are promised of the JSON of verbs: keys in their places, paths that lead somewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falsework import Assembly, save
from falsework.cli import main

CELL = "two-panda"


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("blocks") / "blocks.yaml"
    boxes = {"low": ((0.04, 0.04, 0.04), (0.0, 0.0, 0.02)), "high": ((0.04, 0.04, 0.04), (0.0, 0.0, 0.06))}
    save(Assembly.from_boxes(boxes, ground="table"), path)
    return path


def _told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_a_plan_for_a_kind_of_cell_tells_its_motion_which_verifies(
    blocks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["plan", str(blocks), "--cell", CELL, "--out", str(tmp_path), "--json"]
    assert main([*words, "--minimise", "makespan"]) == 0
    told = _told(capsys)
    assert told["status"] == "complete" and told["blocked"] == []
    assert told["minimised"]["measure"] == "makespan"
    assert told["minimised"]["value"] == pytest.approx(told["makespan_s"])
    assert 0 < told["bound"] <= told["makespan_s"] <= told["one_by_one_s"] + 1e-9
    assert main(["verify", told["motion"], "--json"]) == 0
    assert _told(capsys)["valid"] is True


def test_a_plan_that_arms_cannot_carry_out_says_by_part_what_blocks_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heavy = tmp_path / "heavy.yaml"
    save(Assembly.from_boxes({"stone": ((0.2, 0.2, 0.2), (0.0, 0.0, 0.1))}, ground="table"), heavy)
    assert main(["plan", str(heavy), "--cell", CELL, "--json"]) == 3
    told = _told(capsys)
    assert told["status"] == "budget"
    assert {one["part"] for one in told["blocked"]} == {"stone"}
    assert "payload" in told["blocked"][0]["why"]


def test_a_policy_tells_what_it_is_worth_and_what_it_cost(
    blocks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", str(blocks), "--updates", "1", "--out", str(tmp_path), "--json"]) == 0
    told = _told(capsys)
    assert Path(told["policy"]).is_file()
    assert 0.0 <= told["accuracy"] <= 1.0
    assert told["oracle_calls"] > 0 and told["minutes"] > 0.0
