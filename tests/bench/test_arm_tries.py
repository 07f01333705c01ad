"""The bench of random problems with arms: what counts, and going on with a journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from falsework.bench.arms import bad_cells
from falsework.bench.motions import rows, tries
from falsework.bench.motions.tries import Tried


def test_one_problem_is_solved_judged_and_spoiled() -> None:
    found = tries.tried(5)
    assert found.moved
    assert found.accepted, found.why
    assert found.fault
    assert found.refused, found.why
    assert found.right


def test_a_journal_goes_on_where_it_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def fake(seed: int) -> Tried:
        asked.append(seed)
        return Tried(seed, moved=seed % 2 == 0, accepted=True, fault="payload", refused=seed != 2)

    monkeypatch.setattr(tries, "tried", fake)
    journal = tmp_path / "robots.jsonl"
    assert [one.seed for one in tries.tries(2, 10, journal)] == [0, 1, 2]
    journal.write_text(journal.read_text() + '{"version": "0')  # killed as it wrote
    assert [one.seed for one in tries.tries(3, 10, journal)] == [0, 1, 2, 3, 4]
    assert asked == [0, 1, 2, 3, 4]
    journal.unlink()
    monkeypatch.setattr(rows, "PROBLEMS", 3)
    verified, refused = rows._accepted_and_refused(None)
    assert (verified.figure, refused.figure) == ("3 of 3", "2 of 3")
    assert refused.notes["missed"] == ["payload (2)"]


def test_every_bad_cell_is_refused_in_one_line_and_the_good_one_is_taken() -> None:
    assert bad_cells.refusal_of(bad_cells.GOOD) == ""
    row = bad_cells._refused()
    assert row.figure == f"{len(bad_cells.BAD)} of {len(bad_cells.BAD)}", row.notes["missed"]
