"""A pool on the machines of a Ray cluster, or on a local one that is started for it.

A chunk of tasks is one Ray task, and whichever process of the cluster runs it hands it to a worker of its own, as on
this machine: so limits, retries and reasons are the same everywhere. That process keeps its nursery, with libraries and
machine code in memory, from one chunk to the next. What Ray loses, a process or a machine, is sent again: that is the
fault of no task, unless it happens to one again and again.

The package travels to the cluster by Ray's own means; the libraries that it needs must be there.
"""

from __future__ import annotations

import pickle
import socket
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

from falsework.batch.pools.processes import FORGETTING, Home
from falsework.model.errors import Undecided, one_line
from falsework.model.extras import library
from falsework.model.work import UNLIMITED, Limits, Outcome

CHUNK_S = 1.0  # of work in one chunk: what goes over the network goes seldom
MOST_AT_ONCE = 1024
WAITING = 2  # chunks a processor: one that it is at, one that waits there
MOST_MOVES = 5  # of a task whose machine was lost
KNOCKING_S = 5.0
TRIES_S = 0.5  # between two looks at whether anything has arrived


@dataclass(slots=True)
class _Task:
    number: int
    what: Any
    moves: int = 0


class Ray:
    """The processors of a Ray cluster."""

    def __init__(self, address: str | None = None) -> None:
        """An existing cluster by its address, or a local one; one that this process is connected to already is used."""
        self._ray = library("ray")
        self._address = address

    @property
    def shares_files(self) -> bool:
        """A local cluster does; elsewhere inputs are sent."""
        return self._address is None

    @property
    def workers(self) -> int:
        """Processors of the cluster by now; machines may come and go."""
        with suppress(Exception):
            if self._ray.is_initialized():
                return max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
        return 1

    def outcomes(
        self, work: Callable[[Any], Any], tasks: Iterable[Any], limits: Limits = UNLIMITED
    ) -> Iterator[Outcome]:
        """What became of each task, as it comes to its end."""
        ours = not self._ray.is_initialized()
        if ours:
            self._connect()
        flow = _Flow(self, self._ray, work, tasks, limits)
        try:
            yield from flow.outcomes()
        finally:
            flow.cancel()
            if ours:
                self._ray.shutdown()

    def _connect(self) -> None:
        import falsework

        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
        if self._address is None:
            options |= {"include_dashboard": False}
        else:
            self._knock(self._address)
            options |= {"address": self._address}
            options |= {"runtime_env": {"py_modules": [str(Path(falsework.__file__).parent)]}}
        try:
            self._ray.init(**options)
        except (ConnectionError, ValueError, RuntimeError, OSError) as why:
            raise Undecided(f"ray: there is no cluster at {self._address or 'this machine'}: {one_line(why)}") from why

    def _knock(self, address: str) -> None:
        """Ray itself would try for minutes where nobody is."""
        host, _, port = address.removeprefix("ray://").rpartition(":")
        if not host or not port.isdigit():  # as `auto` is
            return
        try:
            socket.create_connection((host, int(port)), KNOCKING_S).close()
        except (OSError, OverflowError) as why:
            raise Undecided(f"ray: there is no cluster at {address}: {one_line(why)}") from why


class _Flow:
    """The tasks of one call on their way."""

    def __init__(self, pool: Ray, ray: Any, work: Callable[[Any], Any], tasks: Iterable[Any], limits: Limits) -> None:
        self._pool, self._ray = pool, ray
        self._coming = map(_Task, count(), tasks)
        self._again: deque[_Task] = deque()
        self._mean_s = CHUNK_S
        self._about = ray.put((uuid.uuid4().hex, pickle.dumps(work), limits))
        self._remote = ray.remote(num_cpus=1, max_retries=0)(answer_chunk)
        self._under_way: dict[Any, list[_Task]] = {}

    def outcomes(self) -> Iterator[Outcome]:
        self._send()
        while self._under_way:
            ready, _ = self._ray.wait(list(self._under_way), num_returns=1, timeout=TRIES_S)
            for reference in ready:
                yield from self._arrived(reference, self._under_way.pop(reference))
            self._send()

    def cancel(self) -> None:
        for reference in self._under_way:
            with suppress(Exception):
                self._ray.cancel(reference, force=True)

    def _send(self) -> None:
        """No more than the cluster is at and about to be at: what waits here waits for whoever is free first."""
        most = WAITING * self._pool.workers
        while len(self._under_way) < most and (chunk := self._chunk()):
            reference = self._remote.remote(self._about, [task.what for task in chunk])
            self._under_way[reference] = chunk

    def _chunk(self) -> list[_Task]:
        if self._again:
            return [self._again.popleft()]
        return list(islice(self._coming, min(max(int(CHUNK_S / max(self._mean_s, 1e-9)), 1), MOST_AT_ONCE)))

    def _arrived(self, reference: Any, chunk: list[_Task]) -> Iterator[Outcome]:
        try:
            found = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as why:  # it could not even begin
            raise Undecided(f"ray: no worker could be made: {one_line(why.cause or why)}") from why
        except self._ray.exceptions.RayError as why:
            yield from self._lost(chunk, type(why).__name__)
            return
        for outcome in found:
            task = chunk[outcome.number]
            self._mean_s += FORGETTING * (outcome.took_s - self._mean_s)
            yield Outcome(
                task.number,
                outcome.value,
                outcome.lost,
                outcome.tries + task.moves,
                outcome.took_s,
                outcome.cpu_s,
                outcome.worker,
            )

    def _lost(self, chunk: list[_Task], why: str) -> Iterator[Outcome]:
        """A process or a machine is gone: what it had goes elsewhere, each task by itself."""
        for task in chunk:
            task.moves += 1
            if task.moves >= MOST_MOVES:
                yield Outcome(task.number, None, f"its machine was lost {task.moves} times ({why})", task.moves)
            else:
                self._again.append(task)


_home: tuple[str, Home] | None = None  # of this process of the cluster, for the call that it works for


def answer_chunk(about: tuple[str, bytes, Limits], tasks: list[Any]) -> list[Outcome]:
    """What a process of the cluster does: numbers are places in the chunk."""
    global _home
    call, work, limits = about
    if _home is None or _home[0] != call:
        if _home is not None:
            _home[1].leave()
        _home = (call, Home(pickle.loads(work), limits))
    return list(_home[1].outcomes(tasks, 1))
