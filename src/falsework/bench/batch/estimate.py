"""Where the limit is with a thousand workers: what a job costs whoever hands it out, measured, and a cluster simulated.

Measured: the bytes of a job and of its answer, and the processor time that one process takes to name a job, send it,
take its answer and keep it. Simulated: so many workers that ask one such process for chunks of a second's work.
"""

from __future__ import annotations

import heapq
import pickle
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from falsework.batch.inputs.sources import FileSource, packed
from falsework.batch.keys import Job
from falsework.batch.pools.ray_pool import CHUNK_S, MOST_AT_ONCE, WAITING
from falsework.batch.running import batch
from falsework.bench.rows import Row
from falsework.formats import save
from falsework.gallery import make
from falsework.lazy import upstairs
from falsework.model.work import UNLIMITED, Limits, Outcome

CHUNK_COST_S = 2e-3  # to submit a Ray task and take its result, in the process that does; measured with Ray 2.60
JOBS = 1000
WORKERS = (1, 10, 100, 1000)
JOB_S = (0.015, 0.1, 1.0)  # of a check of 30 bricks, of a hundred times as much, of a plan


class _Echo:
    """A pool that costs nothing but what jobs and answers cost on their way: every answer is the same."""

    workers, shares_files = 1, False

    def __init__(self, answer: bytes) -> None:
        self._answer = answer

    def outcomes(self, work: Any, tasks: Iterable[Any], limits: Limits = UNLIMITED) -> Iterator[Outcome]:
        for number, task in enumerate(tasks):
            pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
            yield pickle.loads(pickle.dumps(Outcome(number, pickle.loads(self._answer))))


def estimates() -> Iterator[Row]:
    """Bytes and time a job, then clusters of several sizes."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "models").mkdir()
        for seed in range(JOBS):
            save(make("random-bricks", seed, bricks=1 + seed % 30), folder / "models" / f"{seed}.txt")
        source = FileSource(str(folder / "models" / "15.txt"))
        answered = upstairs("Answering")("check", "none", str(folder))(Job("check", source, {}))
        answer = pickle.dumps(answered, pickle.HIGHEST_PROTOCOL)
        sent = len(pickle.dumps(Job("check", packed(source), {}), pickle.HIGHEST_PROTOCOL))
        begun = time.process_time()
        batch("check", folder / "models", out=folder / "out", pool=_Echo(answer))
        job_cost_s = (time.process_time() - begun) / JOBS
    yield Row(
        "a job over the network, to hand out and keep",
        1e3 * job_cost_s,
        notes={"bytes_there": sent, "bytes_back": len(answer), "limit_jobs_per_s": 1 / job_cost_s},
    )
    for job_s in JOB_S:
        rates = {workers: simulated(workers, job_s, job_cost_s, CHUNK_COST_S) for workers in WORKERS}
        busy = {f"{workers} workers": f"{100 * rate * job_s / workers:.0f} %" for workers, rate in rates.items()}
        yield Row(f"jobs of {1e3 * job_s:g} ms, simulated", 1e3 / rates[WORKERS[-1]], notes={"busy": busy})


def simulated(workers: int, job_s: float, job_cost_s: float, chunk_cost_s: float, chunks: int = 20) -> float:
    """Jobs a second of so many workers, with so many chunks each: one process hands out and keeps, in turn.

    A worker has WAITING chunks, of which it is at one.

    >>> round(simulated(10, 0.1, 0.0, 0.0))
    100
    """
    size = min(max(int(CHUNK_S / job_s), 1), MOST_AT_ONCE)
    cost_s = size * job_cost_s + chunk_cost_s
    free_s = 0.0  # when the one process has time again
    ready = [0.0] * workers  # when each worker is through with what it has
    arriving: list[tuple[float, int]] = []
    for worker in [*range(workers)] * WAITING:
        free_s += cost_s
        ready[worker] = max(ready[worker], free_s) + size * job_s
        heapq.heappush(arriving, (ready[worker], worker))
    for _ in range(workers * chunks):
        done_s, worker = heapq.heappop(arriving)
        free_s = max(free_s, done_s) + cost_s
        ready[worker] = max(ready[worker], free_s) + size * job_s
        heapq.heappush(arriving, (ready[worker], worker))
    return workers * chunks * size / max(free_s, 1e-12)
