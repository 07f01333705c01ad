"""Journals of benches: what was measured before is there again, what was cut off is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falsework.bench.kept import Kept
from falsework.model.errors import BadFile
from falsework.version import __version__


def test_entries_are_there_again_in_their_order(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    for seed in range(3):
        Kept(file).add({"seed": seed, "why": "näher"})
    assert Kept(file).before == [{"seed": seed, "why": "näher"} for seed in range(3)]


def test_a_line_that_was_cut_off_is_measured_again(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    Kept(file).add({"seed": 0})
    file.write_text(file.read_text(encoding="utf-8") + '{"version": "', encoding="utf-8")
    kept = Kept(file)
    assert kept.before == [{"seed": 0}]
    kept.add({"seed": 1})
    assert Kept(file).before == [{"seed": 0}, {"seed": 1}]


def test_what_another_version_measured_does_not_count(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    lines = [{"version": "0.0.0", "seed": 0}, {"version": __version__, "seed": 1}]
    file.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    assert Kept(file).before == [{"seed": 1}]


@pytest.mark.parametrize("text", ["# notes\n", "[1, 2]\n", "3\n", '{"seed": 2}\n'])
def test_a_file_of_something_else_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "notes.md"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadFile, match="line 1: expected an entry of an earlier run, as JSON"):
        Kept(file)
    assert file.read_text(encoding="utf-8") == text


def test_a_folder_or_a_place_that_is_not_there_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be written: Is a directory"):
        Kept(tmp_path)
    with pytest.raises(BadFile, match="cannot be written: No such file or directory"):
        Kept(tmp_path / "nowhere" / "journal.jsonl")
    binary = tmp_path / "picture.png"
    binary.write_bytes(bytes(range(256)))
    with pytest.raises(BadFile):
        Kept(binary)
    assert binary.read_bytes() == bytes(range(256))
