"""Trainings of the bench: in which order, and what a journal spares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from falsework.bench.learning.trials import Figures, Trial, tried
from falsework.model.work import UNLIMITED, Limits, Outcome


def trial(case: str, minutes: float, done: list[tuple[str, int]], *, large: bool = False) -> Trial:
    def measure(seed: int) -> Figures:
        done.append((case, seed))
        return {"figure": 0.9 + 0.02 * seed, "cpu_s": 3.0, "beside": {"search": "100 %"}}

    return Trial(case, minutes, measure, "95 %", "86.53 %", large)


def test_small_cases_come_first_with_one_seed_each_and_large_ones_last() -> None:
    done: list[tuple[str, int]] = []
    list(tried([trial("dome", 1.0, done, large=True), trial("slow", 3.0, done), trial("quick", 1.0, done)], (0, 1)))
    assert done == [("quick", 0), ("slow", 0), ("quick", 1), ("slow", 1), ("dome", 0), ("dome", 1)]


def test_rows_have_a_mean_over_the_seeds_and_the_worst_of_them() -> None:
    rows = list(tried([trial("quick", 1.0, [])], (0, 1)))
    assert [row.figure for row in rows] == ["90.00 %", "92.00 %", "91.00 % (90.00 to 92.00)"]
    assert rows[2].notes == {"seeds": [0, 1], "search": "100 %", "paper": "86.53 %"}
    assert rows[2].case == "quick, 1 min, 2 seeds" and rows[2].target == "95 %"


def test_what_a_journal_knows_is_not_trained_again(tmp_path: Path) -> None:
    done: list[tuple[str, int]] = []
    file = tmp_path / "journal"
    first = [row.as_dict() for row in tried([trial("quick", 1.0, done)], (0,), file)]
    assert [row.as_dict() for row in tried([trial("quick", 1.0, done)], (0,), file)] == first
    assert done == [("quick", 0)]
    list(tried([trial("quick", 2.0, done)], (0,), file))  # other minutes are another training
    assert done == [("quick", 0), ("quick", 0)]


def test_a_pool_trains_and_rows_come_as_they_are_done(tmp_path: Path) -> None:
    class Pool:
        workers, shares_files = 2, True

        def outcomes(
            self, work: Callable[[Any], Any], tasks: Iterable[Any], limits: Limits = UNLIMITED
        ) -> Iterator[Outcome]:
            for number, task in reversed(list(enumerate(tasks))):
                yield Outcome(number, work(task))

    done: list[tuple[str, int]] = []
    trials = [trial("quick", 1.0, done), trial("slow", 3.0, done)]
    rows = [row.case for row in tried(trials, (0,), tmp_path / "journal", Pool())]
    assert rows == ["slow, 3 min", "quick, 1 min"]
    again = [row.case for row in tried(trials, (0,), tmp_path / "journal", Pool())]
    assert again == ["quick, 1 min", "slow, 3 min"] and len(done) == 2


def test_a_training_that_died_is_named() -> None:
    class Pool:
        workers, shares_files = 1, True

        def outcomes(
            self, work: Callable[[Any], Any], tasks: Iterable[Any], limits: Limits = UNLIMITED
        ) -> Iterator[Outcome]:
            yield Outcome(0, lost="died of SIGKILL")

    with pytest.raises(RuntimeError, match="quick, 1 min, seed 7: died of SIGKILL"):
        list(tried([trial("quick", 1.0, [])], (7,), pool=Pool()))
