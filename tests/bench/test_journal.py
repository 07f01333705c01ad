"""A journal of measurements: what was kept is there again, what was cut off is not, and anything else is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from falsework.bench.journal import Journal
from falsework.model.errors import BadFile


def test_what_was_added_is_there_again(tmp_path: Path) -> None:
    file = tmp_path / "done.jsonl"
    for number in range(3):
        Journal(file).add(number=number)
    assert [entry["number"] for entry in Journal(file).entries] == [0, 1, 2]


def test_without_a_file_it_is_kept_for_this_run_only() -> None:
    journal = Journal()
    journal.add(number=1)
    assert journal.entries[0]["number"] == 1 and Journal().entries == []


def test_a_line_that_was_cut_off_counts_as_not_written(tmp_path: Path) -> None:
    file = tmp_path / "done.jsonl"
    Journal(file).add(number=1)
    file.write_text(file.read_text(encoding="utf-8") + '{"version": "0.1', encoding="utf-8")
    journal = Journal(file)
    journal.add(number=2)
    assert [entry["number"] for entry in Journal(file).entries] == [1, 2]


def test_entries_of_another_version_are_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "done.jsonl"
    file.write_text('{"version": "0.0.0", "number": 1}\n', encoding="utf-8")
    assert Journal(file).entries == []
    Journal(file).add(number=2)
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.parametrize("text", ["# notes\n", "[1, 2]\n", "3\n"])
def test_a_file_of_something_else_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "notes.md"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadFile, match="line 1: expected an entry of an earlier run, as JSON"):
        Journal(file)
