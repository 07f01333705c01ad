"""`falsework bench`: rows as they come, and what is left of them when somebody stops it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import falsework
from falsework.bench import brickworld, collapse
from falsework.bench.reference_data import DATA
from falsework.bench.rows import Row
from falsework.bench.suites import SUITES
from falsework.cli import main
from falsework.model.errors import BadInput


def stopped_after_a_row(full: bool = False) -> Iterator[Row]:
    yield Row("first", 12.0, notes={"full": full}, target="≤ 20 ms", figure="12 ms")
    raise KeyboardInterrupt


def test_what_was_measured_before_it_was_stopped_is_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(brickworld, "run", stopped_after_a_row)
    assert main(["bench", "brickworld", "--full", "--json"]) == 130
    printed = capsys.readouterr()
    (row,) = json.loads(printed.out)["rows"]
    assert row["case"] == "first"
    assert row["full"] is True
    assert "12 ms" in printed.err


def test_only_some_suites_have_more_to_measure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "contacts", "--full"]) == 2
    assert "only plan" in capsys.readouterr().err


def test_all_measures_every_suite(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for suite in SUITES:
        monkeypatch.setattr(f"falsework.bench.{suite}.run", lambda suite=suite, **_: iter([Row(f"of {suite}", 1.0)]))
    assert main(["bench", "all", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["suite"], row["case"]) for row in rows] == [(suite, f"of {suite}") for suite in SUITES]


def test_an_unknown_suite_is_refused_before_anything_is_measured() -> None:
    with pytest.raises(BadInput, match="suite 'contact': did you mean 'contacts'"):
        falsework.bench("contact")


def measured_where_it_is(**_: object) -> Iterator[Row]:
    if DATA.find("blocks/arch") is not None:
        yield Row("arch", 1.0)


def test_rows_without_their_data_say_so_and_how_to_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(collapse, "run", measured_where_it_is)
    monkeypatch.delenv("FALSEWORK_DATA", raising=False)
    assert main(["bench", "collapse"]) == 0
    assert "blocks/arch            skipped: no reference data: name its folder with --data" in capsys.readouterr().out
    assert main(["bench", "collapse", "--data", str(tmp_path), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["skipped"] == f"not in {tmp_path}" and row["ours"] is None
    (tmp_path / "blocks" / "arch").mkdir(parents=True)
    monkeypatch.setenv("FALSEWORK_DATA", str(tmp_path))
    assert main(["bench", "collapse", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["case"] == "arch" and row["ours"] == 1.0
