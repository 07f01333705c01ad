"""Journals of benches: what was measured before is there again, what was cut off is not."""

from __future__ import annotations

import json
from pathlib import Path

from falsework.bench.kept import Kept
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
    lines = [{"version": "0.0.0", "seed": 0}, {"version": __version__, "seed": 1}, {"seed": 2}]
    file.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    assert Kept(file).before == [{"seed": 1}]
