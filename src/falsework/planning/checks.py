"""What a move needs, as small objects that are asked in turn, cheapest first.

A check is anything with a `name` and `refusal(move)`: None if the move may be made, else what stands against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from falsework.model.arrays import Array
from falsework.model.verdict import Verdict
from falsework.planning.moves import Move


@dataclass(frozen=True, slots=True, eq=False)
class Refusal:
    """Why a move cannot be made: which check says so, in words, and its evidence."""

    check: str  # path, grasp, stability, press, …
    why: str
    blockers: int = 0  # bit mask of the parts that are in the way, or that would fall
    verdict: Verdict | None = None  # of the state that does not stand


class Check(Protocol):
    """One thing a move needs."""

    @property
    def name(self) -> str:
        """One word, as a refusal shows it."""
        ...

    def refusal(self, move: Move) -> Refusal | None:
        """None if the move may be made."""
        ...


def first_refusal(checks: Iterable[Check], move: Move) -> Refusal | None:
    """What the first check that refuses says; None if none does."""
    for check in checks:
        refusal = check.refusal(move)
        if refusal is not None:
            return refusal
    return None


class Removals(Protocol):
    """Says how a group of parts can leave the installed rest; see `geometry.removal`."""

    def directions(self, moved: int, installed: int) -> Array:
        """(k, 3) unit directions along which `moved` leaves `installed` without touching it."""
        ...

    def path(self, moved: int, installed: int) -> Array | None:
        """(k, 4, 4) poses of the first moved part, from free to final; None if there is no such path."""
        ...


class PathCheck:
    """The parts reach their place along a straight line (seed 002, 6.1)."""

    name = "path"

    def __init__(self, removals: Removals) -> None:
        self._removals = removals

    def refusal(self, move: Move) -> Refusal | None:
        if len(self._removals.directions(move.parts, move.earlier.installed)):
            return None
        return Refusal(self.name, "no straight line leads to its place", move.earlier.installed)


class StabilityCheck:
    """The structure that the parts are put on stands, held as it is."""

    name = "stability"

    def __init__(self, stands: Callable[[Move], Verdict]) -> None:
        self._stands = stands

    def refusal(self, move: Move) -> Refusal | None:
        verdict = self._stands(move)
        if verdict.stands:
            return None
        return Refusal(self.name, verdict.why or "what it is put on would fall", verdict=verdict)
