"""What a search has done so far: evaluations against its limits, nodes it has met, moves that were refused.

One evaluation is one move put to the checks. Budget and timeout stop a search *before* the evaluation that would go
beyond them; within one, the deadline is minded at every checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from falsework.model.ports import Hands
from falsework.planning.nodes.checks import Check, Proving, Refusal, first_refusal
from falsework.planning.nodes.deadline import Deadline, Stopped
from falsework.planning.nodes.moves import Move, Node, bits

MOST_BRANCHES = 100_000  # of the search tree that are kept, and as many refusals


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

    def settle(self, move: Move, proved: Refusal) -> None:
        """Tell the proof of a refusal, if it is the one that is told."""
        if self.nearest[proved.check][0] == move:
            self.nearest[proved.check] = move, proved


class Ledger:
    """Puts moves to the checks and keeps account."""

    def __init__(self, checks: Iterable[Check], budget: int | None = None, deadline: Deadline | None = None) -> None:
        """At most `budget` evaluations, and none once the deadline is past."""
        self._checks, self._budget = tuple(checks), budget
        self._deadline = Deadline() if deadline is None else deadline
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
            self.refuse(move, refusal)
        return refusal

    def refuse(self, move: Move, refusal: Refusal) -> None:
        """Note what stands against a move."""
        self.undecided += refusal.undecided
        if len(self.refused) < MOST_BRANCHES:
            self.refused.append(Refused(self.at, move, refusal))
        for part in bits(move.parts):
            self.blocked.setdefault(part, Blocked()).add(move, refusal)

    def settle(self) -> None:
        """Prove what was refused without a proof, until something cannot be proved: then the rest does not matter."""
        provers = {check.name: check for check in self._checks if isinstance(check, Proving)}
        for number, one in enumerate(self.refused):
            move, refusal = one.move, one.refusal
            if not refusal.undecided:
                continue
            prover = provers.get(refusal.check)
            proved = None if prover is None else prover.proved(move, refusal)
            if proved is None:
                return
            self.refused[number] = replace(one, refusal=proved)
            self.undecided -= 1
            for part in bits(move.parts):
                self.blocked[part].settle(move, proved)

    def count(self) -> None:
        """One evaluation more, if there is one left."""
        if self._budget is not None and self.evaluations >= self._budget:
            raise Stopped("budget")
        self._deadline.mind()
        self.evaluations += 1

    def branch(self, parent: int, parts: int, node: Node, left: int) -> int:
        """The number of a new branch of the tree; −1 where the tree is full."""
        if len(self.tree) >= MOST_BRANCHES:
            return -1
        self.tree.append(Branch(parent, parts, node, left))
        return len(self.tree) - 1


class Met:
    """Nodes that a search has met; `covers(a, b)`: whoever is at a node holding `a` need not go to one holding `b`.

    `minds_pose`: the same parts that lie in another way are another node.
    """

    def __init__(self, covers: Callable[[int, int], bool], minds_pose: bool = False) -> None:
        self._covers, self._minds_pose = covers, minds_pose
        self._held: dict[tuple[int, Hands, int], list[int]] = {}  # by parts, whose hands are on them, and how they lie

    def __contains__(self, node: Node) -> bool:
        there = self._held.get(self._key(node), ())
        return any(self._covers(held, node.held) for held in there)

    def _key(self, node: Node) -> tuple[int, Hands, int]:
        return node.installed, node.hands, node.pose if self._minds_pose else 0

    def add(self, node: Node) -> None:
        there = self._held.setdefault(self._key(node), [])
        there[:] = [held for held in there if not self._covers(node.held, held)]
        there.append(node.held)
