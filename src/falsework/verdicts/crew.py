"""Threads that share the work on many states; what they find does not depend on how many they are."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from threading import Event, Lock

from falsework.model.checkpoints import checkpoint
from falsework.model.state import State
from falsework.statics.core.batches import Finding, findings
from falsework.statics.core.equilibrium import Equilibrium

CHUNK = 64  # states that a thread solves at a time; clutches are warm-started from those before
SHARED_CHUNK = 16  # the same where threads share contacts, which are solved each for itself
BETWEEN_LOOKS = 256  # states, until somebody who waits may stop the rest
ROUNDS = 4  # chunks a thread, at least, if there are so many states: the last thread at work is alone for a short while


class Crew:
    """Works on one assembly."""

    def __init__(self, equilibrium: Equilibrium, threads: int) -> None:
        self._equilibrium, self._threads = equilibrium, threads
        self._spare = [equilibrium]  # solvers keep workspace: one a thread
        self._pool = ThreadPoolExecutor(max(1, threads - 1))

    def findings(self, states: Iterator[State], most: int) -> list[Finding]:
        """Of at most so many states, in their order."""
        found: list[Finding] = []
        while some := self._together(islice(states, BETWEEN_LOOKS), min(most, BETWEEN_LOOKS)):
            found += some
            checkpoint()
        return found

    def _together(self, states: Iterator[State], most: int) -> list[Finding]:
        """Each thread takes the next chunk of them."""
        found = dict[int, list[Finding]]()
        size = self._chunk(most)
        chunks = enumerate(iter(lambda: list(islice(states, size)), []))
        turn, over = Lock(), Event()

        def work() -> None:
            while not over.is_set():
                with turn:
                    number, chunk = next(chunks, (0, []))
                if not chunk:
                    return
                found[number] = self._solve_chunk(chunk)

        helpers = [self._pool.submit(work) for _ in range(min(self._threads, -(-most // size)) - 1)]
        try:
            work()
        finally:
            over.set()
            for helper in helpers:
                helper.result()
        return [finding for number in sorted(found) for finding in found[number]]

    def _chunk(self, most: int) -> int:
        """Where answers depend on those before, chunks do not depend on how many threads there are."""
        if self._threads == 1 or not self._equilibrium.has_contacts_only:
            return CHUNK
        return max(1, min(SHARED_CHUNK, most // (ROUNDS * self._threads)))

    def _solve_chunk(self, states: list[State]) -> list[Finding]:
        try:
            equilibrium = self._spare.pop()
        except IndexError:
            like = self._equilibrium
            equilibrium = Equilibrium(like.assembly, like.joints, compiled=like.is_compiled)
        try:
            return findings(equilibrium, states)
        finally:
            self._spare.append(equilibrium)
