"""`falsework bench`: rows as they come, and what is left of them when somebody stops it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from falsework.bench import brickworld
from falsework.bench.rows import Row
from falsework.cli import main


def stopped_after_a_row(full: bool = False) -> Iterator[Row]:
    yield Row("first", 12.0, notes={"full": full}, target="≤ 20 ms", figure="12 ms")
    raise KeyboardInterrupt


def test_what_was_measured_before_it_was_stopped_is_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(brickworld, "run", stopped_after_a_row)
    assert main(["bench", "brickworld", "--full", "--json"]) == 3
    printed = capsys.readouterr()
    (row,) = json.loads(printed.out)["rows"]
    assert row["case"] == "first"
    assert row["full"] is True
    assert "12 ms" in printed.err


def test_only_some_suites_have_more_to_measure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "contacts", "--full"]) == 2
    assert "only plan" in capsys.readouterr().err
