"""What a move needs, as small objects that are asked in turn, cheapest first.

A check is anything with a `name` and `refusal(move)`: None if the move may be made, else what stands against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from falsework.model.arrays import Array
from falsework.model.placement import Placement
from falsework.model.ports import PlacementCheck, RemovalOracle
from falsework.model.state import State
from falsework.planning.nodes.moves import Move, Node, between, bits
from falsework.planning.nodes.own_checks import asked
from falsework.planning.nodes.stability import Stability


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a move cannot be made: which check says so, in words, and its evidence."""

    check: str  # path, grasp, stability, press, …
    why: str
    blockers: int = 0  # bit mask of the parts that are in the way, or that would fall
    node: Node | None = None  # what does not stand
    undecided: bool = False  # nobody could tell: no proof of anything
    minds_hands: bool = False  # with other parts held at first, it may be possible


class Check(Protocol):
    """One thing a move needs."""

    @property
    def name(self) -> str:
        """One word, as a refusal shows it."""
        ...

    def refusal(self, move: Move) -> Refusal | None:
        """None if the move may be made."""
        ...


@runtime_checkable
class Proving(Protocol):
    """A check whose proofs cost more than its refusals: they are made where a search has come to nothing."""

    @property
    def name(self) -> str:
        """One word, as a refusal shows it."""
        ...

    def proved(self, move: Move, refusal: Refusal) -> Refusal | None:
        """The same refusal with nothing undecided about it; None where that cannot be proved."""
        ...


def first_refusal(checks: Iterable[Check], move: Move) -> Refusal | None:
    """What the first check that refuses says; None if none does."""
    for check in checks:
        refusal = check.refusal(move)
        if refusal is not None:
            return refusal
    return None


class PathCheck:
    """The parts can be moved to their place past what is there (seed 002, 6.1)."""

    name = "path"

    def __init__(self, removals: RemovalOracle) -> None:
        self._removals = removals

    def refusal(self, move: Move) -> Refusal | None:
        there = move.earlier.installed
        if not move.parts or self._removals.leaves(move.parts, there):
            return None
        ways = [blockers & there for blockers in self._removals.blockers(move.parts)]
        fewest = min(ways, key=int.bit_count, default=there)
        if self._removals.certain:
            return Refusal(self.name, "no way leads to its place past what is there", fewest)
        return Refusal(self.name, "no way to its place was found", fewest, undecided=True)

    def proved(self, move: Move, refusal: Refusal) -> Refusal | None:
        """By an oracle that is not certain of all it does not find, but may be of this."""
        locked = getattr(self._removals, "locked", None)
        if locked is None or not locked(move.parts, move.earlier.installed):
            return None
        return replace(refusal, why="no way leads to its place past what is there", undecided=False)


class WaysLeft:
    """Every part that is still to come finds a way when its turn comes.

    Ways only open as parts leave. So take the whole, let every absent part leave that can, again and again: what
    cannot leave then never gets in. Not a rule, but the end of any search in building order that ignores it.
    """

    name = "path"

    def __init__(self, removals: RemovalOracle, everything: int) -> None:
        self._removals, self._everything = removals, everything
        self._shut_in: dict[int, int] = {}

    def refusal(self, move: Move) -> Refusal | None:
        there = move.later.installed
        if there not in self._shut_in:
            self._shut_in[there] = self._cannot_come(there)
        stuck = self._shut_in[there]
        return Refusal(self.name, "it would bar the way of parts still to come", stuck) if stuck else None

    def _cannot_come(self, there: int) -> int:
        left = self._everything
        while True:
            leaving = [part for part in bits(left & ~there) if self._removals.leaves(1 << part, left & ~(1 << part))]
            if not leaving:
                return left & ~there
            for part in leaving:
                left &= ~(1 << part)


class ConnectedCheck:
    """What the parts are put on hangs together (seed 001's Algorithm 2 takes a part that touches nothing as fallen).

    What is fixed is of one piece, whether or not it touches.
    """

    name = "connected"

    def __init__(self, touching: Sequence[int], fixed: int) -> None:
        self._touching, self._fixed = touching, fixed

    def refusal(self, move: Move) -> Refusal | None:
        there = move.earlier.installed
        reached, grow = 0, self._fixed & there or there & -there
        while grow:
            reached |= grow
            near = 0
            for body in bits(grow):
                near |= self._touching[body]
            grow = near & there & ~reached
        return Refusal(self.name, "what it is put on is in pieces", there & ~reached) if reached != there else None


class StabilityCheck:
    """What the parts are put on stands, and so does the outcome, held as they are."""

    name = "stability"

    def __init__(self, stability: Stability) -> None:
        self._stability = stability

    def refusal(self, move: Move) -> Refusal | None:
        nodes = [(move.earlier, "what it is put on"), (move.later, "what is left held")]
        if not self._stability.monotone:
            nodes += [(node, "what is held meanwhile") for node in between(move)]
        for node, which in nodes:
            finding = self._stability.finding(node)
            if finding.answer == "undecided":
                free = node.installed & ~node.held
                return Refusal(self.name, f"whether {which} stands is undecided", free, node, undecided=True)
            if finding.answer == "unstable":
                return Refusal(self.name, f"{which} falls", finding.moving, node)
        return None


class OwnCheck:
    """A check that the caller passed, as searches ask it: once for each placement.

    Searches leave out ways to hold that are no better by statics alone. Where a check minds hands they may be better by
    it; so whatever it refuses is no proof of anything.
    """

    def __init__(self, check: PlacementCheck, turn: Callable[[int], Array]) -> None:
        """`turn`: T_world_assembly of a way to lie."""
        self._check, self._turn, self.name = check, turn, check.name
        self._known: dict[tuple[int, Node], Refusal | None] = {}

    def refusal(self, move: Move) -> Refusal | None:
        if not move.parts:
            return None
        key = move.parts, move.earlier.at_rest
        if key not in self._known:
            self._known[key] = self._asked(move.parts, move.earlier)
        return self._known[key]

    def _asked(self, parts: int, on: Node) -> Refusal | None:
        turn = self._turn(on.pose) if on.pose else None
        found = asked(self._check, Placement(parts, State(on.installed, on.held), turn))
        if found is None:
            return None
        hands, hold = self._check.minds_hands, found.hold & on.installed & ~on.held
        unproved = hands or not self._check.certain
        return Refusal(self.name, found.why, hold or found.blockers, on if hold else None, unproved, hands)
