"""What `bench plan` measures, on small things: it must be able to see what it looks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from falsework import gallery, save
from falsework.bench import interruptions, table_one
from falsework.bench.disruptions import disrupted


def test_a_plan_that_is_killed_and_resumed_through_the_command_line_stays_the_same(tmp_path: Path) -> None:
    save(gallery.make("barrel-vault", stones=5, rows=2), tmp_path / "vault.yaml")
    wanted = interruptions.undisturbed(tmp_path / "vault.yaml", tmp_path / "undisturbed")
    came_to = interruptions.killed_and_resumed(tmp_path / "vault.yaml", wanted, tmp_path, kills=3, whole_s=1.5)
    assert came_to.kills == 3
    assert came_to.finished >= 1
    assert came_to.wrong == ()


def test_another_plan_and_a_corrupt_file_would_be_seen(tmp_path: Path) -> None:
    save(gallery.make("harmonic-tower", bricks=3), tmp_path / "tower.yaml")
    (tmp_path / "run-0").mkdir()
    (tmp_path / "run-0" / "half.json").write_text('{"steps": [')
    came_to = interruptions.killed_and_resumed(tmp_path / "tower.yaml", [], tmp_path, kills=1, whole_s=0.1)
    assert "half.json is corrupt" in came_to.wrong
    assert "another plan in run-0" in came_to.wrong


def test_disruptions_end_in_verified_plans_or_proofs_the_same_ones_every_time() -> None:
    arch = gallery.make("semicircular-arch", stones=5)
    first, second = (disrupted("arch", arch, count=12) for _ in range(2))
    assert first.notes["verified"] + first.notes["proved impossible"] == 12
    assert first.figure.endswith("0 open")
    same = ("verified", "proved impossible")
    assert [first.notes[key] for key in same] == [second.notes[key] for key in same]


def test_table_one_has_a_row_a_method_and_its_heuristic_beats_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    small = [one for one in gallery.planning_set() if one.name in ("flat-arch-1", "harmonic-tower-1", "a-shape-1")]
    monkeypatch.setattr(table_one, "planning_set", lambda: tuple(small))
    rows = {row.case: row.notes for row in table_one.table_one()}
    assert len(rows) == len(table_one.METHODS)
    column = table_one.COLUMNS[0]
    assert rows["Table I, outside-in"][column] >= rows["Table I, random permutation"][column]
    assert all(0 <= notes[key] <= 100 for notes in rows.values() for key in table_one.COLUMNS)
