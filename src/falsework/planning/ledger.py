"""What a search has done so far: evaluations against its limits, nodes it has met, moves that were refused.

One evaluation is one move put to the checks. Budget and timeout stop a search *before* the evaluation that would go
beyond them, so neither is ever exceeded by more than one evaluation's time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from falsework.planning.checks import Check, Refusal, first_refusal
from falsework.planning.moves import Move, Node, bits

MOST_BRANCHES = 100_000  # of the search tree that are kept, and as many refusals


class Stopped(Exception):
    """The search ran into a limit."""

    def __init__(self, limit: Literal["budget", "timeout"]) -> None:
        self.limit = limit
        super().__init__(limit)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a search may go on."""

    budget: int | None = None  # evaluations
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """One node of the tree that a search walked: where it came from, by which parts, and what is left to do."""

    parent: int  # number of the branch before it; −1 for a root
    parts: int
    node: Node
    left: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A move that a search tried at a branch of its tree, and what stood against it."""

    branch: int  # −1 where the search keeps no tree
    move: Move
    refusal: Refusal


@dataclass(slots=True)
class Blocked:
    """What stood against a part, check by check: how often, and the refusal with the fewest parts left in place."""

    counts: dict[str, int] = field(default_factory=dict)
    nearest: dict[str, tuple[Move, Refusal]] = field(default_factory=dict)

    def add(self, move: Move, refusal: Refusal) -> None:
        self.counts[refusal.check] = self.counts.get(refusal.check, 0) + 1
        before = self.nearest.get(refusal.check)
        if before is None or move.later.installed.bit_count() < before[0].later.installed.bit_count():
            self.nearest[refusal.check] = move, refusal


class Ledger:
    """Puts moves to the checks and keeps account."""

    def __init__(
        self,
        checks: Iterable[Check],
        limits: Limits,
        *,
        clock: Callable[[], float] = time.monotonic,
        started_s: float | None = None,
    ) -> None:
        """`started_s`: when the work began, by the clock, if that was before now."""
        self._checks, self._limits, self._clock = tuple(checks), limits, clock
        self._started = clock() if started_s is None else started_s
        self.evaluations = 0
        self.undecided = 0  # refusals that rest on a state nobody could decide
        self.blocked: dict[int, Blocked] = {}  # by part
        self.tree: list[Branch] = []
        self.refused: list[Refused] = []
        self.at = -1  # the branch from which moves are tried now

    def refusal(self, move: Move, ahead: Check | None = None, *, counted: bool = True) -> Refusal | None:
        """What stands against a move; `ahead` is asked first. Not `counted`: it belongs to an earlier evaluation."""
        if counted:
            self.count()
        refusal = first_refusal(self._checks if ahead is None else (ahead, *self._checks), move)
        if refusal is not None:
            self.undecided += refusal.undecided
            if len(self.refused) < MOST_BRANCHES:
                self.refused.append(Refused(self.at, move, refusal))
            for part in bits(move.parts):
                self.blocked.setdefault(part, Blocked()).add(move, refusal)
        return refusal

    def count(self) -> None:
        """One evaluation more, if there is one left."""
        if self._limits.budget is not None and self.evaluations >= self._limits.budget:
            raise Stopped("budget")
        self.mind_the_time()
        self.evaluations += 1

    def mind_the_time(self) -> None:
        """Stop if there is none left: for whatever takes long beside evaluations."""
        if self.is_late():
            raise Stopped("timeout")

    def is_late(self) -> bool:
        """Whether the time is up: what makes a plan better, but does not have to be, is then left undone."""
        return self._limits.timeout_s is not None and self.elapsed_s >= self._limits.timeout_s

    def branch(self, parent: int, parts: int, node: Node, left: int) -> int:
        """The number of a new branch of the tree; −1 where the tree is full."""
        if len(self.tree) >= MOST_BRANCHES:
            return -1
        self.tree.append(Branch(parent, parts, node, left))
        return len(self.tree) - 1

    @property
    def elapsed_s(self) -> float:
        return self._clock() - self._started


class Met:
    """Nodes that a search has met; `covers(a, b)`: whoever is at a node holding `a` need not go to one holding `b`."""

    def __init__(self, covers: Callable[[int, int], bool]) -> None:
        self._covers = covers
        self._held: dict[int, list[int]] = {}  # by installed parts

    def __contains__(self, node: Node) -> bool:
        there = self._held.get(node.installed, ())
        return any(self._covers(held, node.held) for held in there)

    def add(self, node: Node) -> None:
        there = self._held.setdefault(node.installed, [])
        there[:] = [held for held in there if not self._covers(node.held, held)]
        there.append(node.held)
