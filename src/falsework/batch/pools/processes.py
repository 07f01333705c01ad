"""Pools on this machine: several processes at a time, or one.

Tasks go to workers in chunks that are sized by how long tasks have taken so far, and the next chunk is on its way
before the last is done, so that workers do not wait for this process; outcomes come back one by one, so that it is
always known which task a worker was at when it died.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, islice
from multiprocessing.connection import Connection
from selectors import EVENT_READ, DefaultSelector
from typing import Any

from falsework.batch.pools.nursery import Nursery
from falsework.batch.pools.worker import cause_of_death, named
from falsework.model.errors import BadInput, Undecided, shown
from falsework.model.work import UNLIMITED, Limits, Outcome

CHUNK_S = 0.25  # of work in one chunk
MOST_AT_ONCE = 256  # tasks in one chunk
SHORT_S = 0.1  # tasks that are on average shorter than this are sent before a worker asks for them
SMALL_BYTES = 2**15  # chunks that certainly fit into a socket whose other end is not being read
FORGETTING = 0.1  # of the average, with each outcome
MOST_WORKERS = 1024


@dataclass(slots=True)
class _Task:
    number: int
    what: Any
    tries: int = 0


@dataclass(slots=True, eq=False)
class _Worker:
    connection: Connection
    process: int
    tasks: deque[_Task] = field(default_factory=deque)  # sent and not answered; it is at the first
    unread: int = 0  # bytes that were sent and may not have been read yet


class Processes:
    """Several workers on this machine.

    >>> Processes(2).workers
    2
    """

    shares_files = True

    def __init__(self, workers: int | None = None) -> None:
        """As many workers as there are processors for this process, unless told."""
        self._workers = usable_processors() if workers is None else workers
        if not 1 <= self._workers <= MOST_WORKERS:
            raise BadInput(f"workers: found {shown(workers)}, expected a whole number from 1 to {MOST_WORKERS}")

    @property
    def workers(self) -> int:
        return self._workers

    def outcomes(
        self, work: Callable[[Any], Any], tasks: Iterable[Any], limits: Limits = UNLIMITED
    ) -> Iterator[Outcome]:
        """What became of each task, as it comes to its end."""
        with Home(work, limits) as home:
            yield from home.outcomes(tasks, self._workers)


class Serial(Processes):
    """One worker, which is given one task after the other in their order; a process too, as tasks may kill theirs.

    >>> Serial().workers
    1
    """

    def __init__(self) -> None:
        super().__init__(1)


def usable_processors() -> int:
    """How many processors this process may use."""
    with suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Home:
    """Where workers come from: a nursery, made when it is first needed, and made anew should it die."""

    def __init__(self, work: Callable[[Any], Any], limits: Limits) -> None:
        self._work, self.limits = work, limits
        self._nursery: Nursery | None = None

    def __enter__(self) -> Home:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Nobody is left there."""
        if self._nursery is not None:
            self._nursery.close()
        self._nursery = None

    def outcomes(self, tasks: Iterable[Any], workers: int) -> Iterator[Outcome]:
        """What becomes of tasks, by so many workers; they end with the iterator, and the nursery stays."""
        crew = _Crew(self, tasks, workers)
        try:
            yield from crew.outcomes()
        finally:
            crew.close()

    def hired(self) -> _Worker:
        if self._nursery is None:
            self._nursery = Nursery(self._work, self.limits)
        return _Worker(*self._nursery.worker())

    def cause(self, process: int) -> str:
        """What a worker died of; where the nursery has gone too, all its workers have, and there will be another."""
        try:
            if self._nursery is not None:
                return cause_of_death(self._nursery.status(process), self.limits)
        except (OSError, Undecided):
            self.leave()
        return "its worker was ended together with all others"


class _Crew:
    """The workers of one call, and what they have still to do."""

    def __init__(self, home: Home, tasks: Iterable[Any], most: int) -> None:
        self._coming = map(_Task, count(), tasks)
        self._again: deque[_Task] = deque()  # whose worker died
        self._home, self._most, self._mean_s = home, most, CHUNK_S
        self._workers: list[_Worker] = []
        self._ears = DefaultSelector()

    def outcomes(self) -> Iterator[Outcome]:
        self._hand_out()
        while any(worker.tasks for worker in self._workers):
            for ready, _ in self._ears.select():
                yield from self._heard(ready.data)
                self._hand_out()

    def close(self) -> None:
        self._ears.close()
        for worker in self._workers:
            with suppress(OSError):
                os.kill(worker.process, signal.SIGKILL)
            worker.connection.close()
        for worker in self._workers:
            self._home.cause(worker.process)  # so that nothing is left of it

    def _hand_out(self) -> None:
        """Work for everybody who has none, and for those who soon have none."""
        for worker in self._workers:
            if self._wants(worker):
                self._send(worker, self._chunk())
        while len(self._workers) < self._most and (chunk := self._chunk()):
            worker = self._home.hired()
            self._workers.append(worker)
            self._ears.register(worker.connection, EVENT_READ, worker)
            self._send(worker, chunk)

    def _wants(self, worker: _Worker) -> bool:
        if not worker.tasks:
            return True
        soon = len(worker.tasks) <= self._size() // 2
        return soon and self._mean_s < SHORT_S and worker.unread < SMALL_BYTES

    def _size(self) -> int:
        return min(max(int(CHUNK_S / max(self._mean_s, 1e-9)), 1), MOST_AT_ONCE)

    def _chunk(self) -> list[_Task]:
        """The next tasks; those that cost a worker its life are alone."""
        if self._again:
            return [self._again.popleft()]
        return list(islice(self._coming, self._size()))

    def _send(self, worker: _Worker, chunk: list[_Task]) -> None:
        if not chunk:
            return
        data = pickle.dumps([(task.number, task.what) for task in chunk], pickle.HIGHEST_PROTOCOL)
        if worker.tasks and len(data) > SMALL_BYTES:  # it may be writing to us, and not read this
            self._again.extendleft(reversed(chunk))
            worker.unread += len(data)  # nothing more until it has nothing
            return
        worker.unread = len(data) if not worker.tasks else worker.unread + len(data)
        worker.tasks.extend(chunk)
        with suppress(OSError):  # it has died; what it leaves is heard next
            worker.connection.send_bytes(data)

    def _heard(self, worker: _Worker) -> Iterator[Outcome]:
        try:
            number, value, lost, took_s, cpu_s = pickle.loads(worker.connection.recv_bytes())
        except (EOFError, OSError, pickle.UnpicklingError):
            yield from self._buried(worker)
            return
        task = worker.tasks.popleft()
        self._mean_s += FORGETTING * (took_s - self._mean_s)
        yield Outcome(number, value, lost, task.tries + 1, took_s, cpu_s, named(worker.process))

    def _buried(self, worker: _Worker) -> Iterator[Outcome]:
        """The task that it died of has one try less; the others never began."""
        self._workers.remove(worker)
        self._ears.unregister(worker.connection)
        worker.connection.close()
        cause = self._home.cause(worker.process)
        if not worker.tasks:  # it had nothing to do
            return
        fatal = worker.tasks.popleft()
        fatal.tries += 1
        self._again.extendleft(reversed(worker.tasks))
        if fatal.tries >= self._home.limits.tries:
            yield Outcome(fatal.number, None, cause, fatal.tries, worker=named(worker.process))
        else:
            self._again.append(fatal)
