"""What every pool promises, whoever does the work: every task once, whatever becomes of workers."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import pytest

from falsework.batch.pools.processes import Processes, Serial
from falsework.model.errors import BadInput, Undecided
from falsework.model.ports import WorkPool
from falsework.model.work import Limits, Outcome
from tests.contracts import work

FREE = Limits()
POOLS = ("serial", "processes:2", "processes:3", "ray")


@pytest.fixture(params=POOLS)
def pool(request: pytest.FixtureRequest) -> Iterator[WorkPool]:
    if request.param == "ray":
        pytest.importorskip("ray", reason="needs ray, which make ray brings")
        from falsework.batch.pools.ray_pool import Ray

        request.getfixturevalue("cluster")
        yield Ray()
        return
    yield Serial() if request.param == "serial" else Processes(int(request.param[-1]))


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def told(outcomes: Iterator[Outcome]) -> dict[int, Outcome]:
    """By number; none comes twice."""
    found = list(outcomes)
    assert len({outcome.number for outcome in found}) == len(found)
    return {outcome.number: outcome for outcome in found}


def test_every_task_is_done_once(pool: WorkPool) -> None:
    found = told(pool.outcomes(work.square, range(500), FREE))
    assert {number: outcome.value for number, outcome in found.items()} == {n: n * n for n in range(500)}
    assert all(outcome.tries == 1 and not outcome.lost and outcome.worker for outcome in found.values())


def test_nothing_to_do_is_done_at_once(pool: WorkPool) -> None:
    assert list(pool.outcomes(work.square, [], FREE)) == []


def test_values_are_the_same_to_the_last_bit_whoever_computes_them(pool: WorkPool) -> None:
    found = told(pool.outcomes(work.eigenvalues, range(20), FREE))
    backwards = told(Serial().outcomes(work.eigenvalues, range(19, -1, -1), FREE))
    assert [found[n].value for n in range(20)] == [backwards[19 - n].value for n in range(20)]


def test_a_worker_that_dies_costs_its_task_one_try_and_the_others_nothing(pool: WorkPool, tmp_path: Path) -> None:
    deadly = work.Deadly(frozenset({3, 40}), tmp_path)
    found = told(pool.outcomes(deadly, range(60), FREE))
    assert {number: outcome.value for number, outcome in found.items()} == {n: n * n for n in range(60)}
    assert {number for number, outcome in found.items() if outcome.tries == 2} == {3, 40}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_task_that_always_kills_is_given_up_with_its_reason(pool: WorkPool, number: signal.Signals) -> None:
    found = told(pool.outcomes(work.Deadly(frozenset({5}), None, number), range(12), FREE))
    assert {n for n, outcome in found.items() if outcome.lost} == {5}
    assert number.name in found[5].lost and found[5].tries == 2


def test_a_task_that_takes_too_long_is_given_up(pool: WorkPool) -> None:
    found = told(pool.outcomes(work.forever, [-1, 7, -1], Limits(timeout_s=0.3)))
    assert [found[n].lost for n in range(3)] == ["", "it took longer than 0.3 s", ""]
    assert found[1].tries == 2


def test_a_task_that_takes_too_much_memory_is_given_up(pool: WorkPool) -> None:
    found = told(pool.outcomes(work.hungry, [1, 2000, 2], Limits(memory_bytes=300 * 2**20)))
    assert [found[n].lost for n in range(3)] == ["", "it needed more memory than 300 MB", ""]


def test_what_the_work_raises_is_the_outcome_of_its_task_alone(pool: WorkPool) -> None:
    found = told(pool.outcomes(work.rejected, range(6), FREE))
    assert {n: outcome.lost for n, outcome in found.items() if outcome.lost} == {
        1: "ValueError: 1 is not to my taste",
        4: "ValueError: 4 is not to my taste",
    }
    assert found[1].tries == 1


def test_tasks_without_end_are_taken_as_they_are_needed_and_workers_end_with_the_iterator(
    pool: WorkPool, tmp_path: Path
) -> None:
    outcomes = pool.outcomes(work.Warmed(tmp_path), count(), FREE)
    assert {outcome.value for outcome in islice(outcomes, 20)} == {"yes"}
    outcomes.close()  # type: ignore[attr-defined]
    gone_within(5.0, [int(file.name) for file in tmp_path.iterdir()])


def test_what_is_under_way_is_stopped(pool: WorkPool) -> None:
    outcomes = pool.outcomes(work.forever, [-1, 1, 1], FREE)
    assert next(outcomes).number == 0
    outcomes.close()  # type: ignore[attr-defined]
    assert list(outcomes) == []


def gone_within(most_s: float, processes: list[int]) -> None:
    until = time.monotonic() + most_s
    while any(_runs(process) for process in processes):
        assert time.monotonic() < until, "a worker goes on"
        time.sleep(0.01)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_workers_without_number_and_limits_without_sense_are_refused() -> None:
    with pytest.raises(BadInput, match="workers: found 0, expected a whole number from 1 to"):
        Processes(0)
    with pytest.raises(BadInput, match="timeout_s: found -1, expected a number above 0"):
        Limits(timeout_s=-1)
    with pytest.raises(BadInput, match="memory_bytes: found 5, expected at least 16 MB"):
        Limits(memory_bytes=5)
    with pytest.raises(BadInput, match="tries: found 0, expected 1 or more"):
        Limits(tries=0)


class Unreadable:
    """Cannot be warmed."""

    def warm(self) -> None:
        raise OSError("the solver is out to lunch")

    def __call__(self, number: int) -> int:
        return number


def test_work_that_cannot_even_begin_says_why() -> None:
    with pytest.raises(Undecided, match="no worker could be made: OSError: the solver is out to lunch"):
        list(Processes(2).outcomes(Unreadable(), range(3), FREE))
