"""Rows about single frames, and the published table beside ours."""

from __future__ import annotations

import itertools

import pytest

pytest.importorskip("mujoco")

from falsework.bench.frame_times import frames
from falsework.bench.models import OF, PUBLISHED, run


def test_every_scene_tells_the_spread_of_its_frames() -> None:
    rows = list(frames((30,)))
    assert [row.case for row in rows] == [f"frames, {name}, 30 bricks" for name in ("tumbling", "dense drop", "break")]
    for row in rows:
        notes = row.notes
        assert 0 < notes["min"] <= row.ours <= notes["max"]
        assert notes["min"] <= notes["p99"] <= notes["max"]
        assert notes["undecided"] == 0
        assert row.target.endswith("max ≤ 16.7 ms")


def test_the_published_table_agrees_with_its_own_counts() -> None:
    for solved, false_stable, false_unstable, accuracy, _ in PUBLISHED.values():
        assert accuracy == pytest.approx(1 - (false_stable + false_unstable) / solved, abs=5e-4)


def test_quoted_rows_come_first_and_say_that_they_are_quoted() -> None:
    quoted = list(itertools.islice(run(), len(PUBLISHED)))
    assert [row.notes["quoted"] for row in quoted] == ["seed 000, Table II"] * len(PUBLISHED)
    assert [round(row.notes["solvable"] * OF) for row in quoted] == [98, 150, 150]
    assert [row.reference for row in quoted] == [None] * len(PUBLISHED)
