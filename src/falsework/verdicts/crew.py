"""Threads that share the work on many states; what they find does not depend on how many they are."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from threading import Event, Lock
from typing import TYPE_CHECKING

from falsework.model.checkpoints import checkpoint
from falsework.model.state import State
from falsework.statics.core.batches import Finding, findings, proved
from falsework.statics.core.equilibrium import Equilibrium

if TYPE_CHECKING:
    from falsework.statics.cones.queue import ConeQueue

CHUNK = 64  # states that a thread solves at a time; clutches are warm-started from those before
FEW, HANDFUL = 4, 16  # states that are put where helpers take them, at first and then at a time
LEFT = 32  # states that wait for helpers before the thread that looks for more solves some too
QUEUE = 1024  # states, until what is found of them is taken

Gravity = tuple[float, float, float] | None


class Crew:
    """Works on one assembly."""

    def __init__(self, equilibrium: Equilibrium, threads: int) -> None:
        self._equilibrium, self._threads = equilibrium, threads
        self._spare = [equilibrium]  # solvers keep workspace: one a thread
        self._pool = ThreadPoolExecutor(max(1, threads - 1))
        self._queue: tuple[Gravity, ConeQueue] | None = None
        self._helpers: list[Future[None]] = []  # at a queue

    def findings(self, states: Iterator[State], most: int, *, alike: bool) -> list[Finding]:
        """Of at most so many states, in their order; `alike` if they share a gravity and have no loads.

        Threads solve while this one looks for the next states.
        """
        first = next(states, None)
        if first is None:
            return []
        states = chain((first,), states)
        queue = self._queue_for(first) if alike else None
        if queue is None:
            return self._in_chunks(states, most)
        found, helpers = list[Finding](), min(self._threads - 1, most // HANDFUL)
        while some := self._in_queue(queue, islice(states, QUEUE), helpers):
            found += some
        return found

    def _queue_for(self, state: State) -> ConeQueue | None:
        if self._queue is None or self._queue[0] != state.gravity:
            queue = self._equilibrium.queue(state, QUEUE)
            self._queue = None if queue is None else (state.gravity, queue)
        return self._queue and self._queue[1]

    def _in_queue(self, queue: ConeQueue, states: Iterator[State], helpers: int) -> list[Finding]:
        """In machine code, each thread on the next state that waits."""
        asked: list[State] = []
        try:
            while handful := list(islice(states, CHUNK if not helpers else HANDFUL if asked else FEW)):
                asked += handful
                queue.put(handful)
                self._call_helpers(queue, helpers)
                queue.prove(LEFT if helpers else 0)
                checkpoint()
            queue.prove()
            while not queue.wait():
                self._call_helpers(queue, helpers)
        except BaseException:
            self._queue = None  # what waits there is no longer asked
            raise
        return proved(self._equilibrium, asked, queue.judgement())

    def _call_helpers(self, queue: ConeQueue, most: int) -> None:
        """Until so many are there; a failure of one that is back is told here."""
        back = [helper for helper in self._helpers if helper.done()]
        self._helpers = [helper for helper in self._helpers if helper not in back]
        for helper in back:
            helper.result()
        self._helpers += [self._pool.submit(queue.help) for _ in range(most - len(self._helpers))]

    def _in_chunks(self, states: Iterator[State], most: int) -> list[Finding]:
        """In Python, each thread on the next chunk of them."""
        found = dict[int, list[Finding]]()
        chunks = enumerate(iter(lambda: list(islice(states, CHUNK)), []))
        turn, over = Lock(), Event()

        def work() -> None:
            while not over.is_set():
                with turn:
                    number, chunk = next(chunks, (0, []))
                if not chunk:
                    return
                found[number] = self._solve_chunk(chunk)

        helpers = [self._pool.submit(work) for _ in range(min(self._threads, -(-most // CHUNK)) - 1)]
        try:
            work()
        finally:
            over.set()
            for helper in helpers:
                helper.result()
        return [finding for number in sorted(found) for finding in found[number]]

    def _solve_chunk(self, states: list[State]) -> list[Finding]:
        try:
            equilibrium = self._spare.pop()
        except IndexError:
            like = self._equilibrium
            equilibrium = Equilibrium(like.assembly, like.found, compiled=like.is_compiled)
        try:
            return findings(equilibrium, states)
        finally:
            self._spare.append(equilibrium)
