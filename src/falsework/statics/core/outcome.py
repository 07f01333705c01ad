"""What solvers are asked for, and what they propose to the referee."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from falsework.model.state import State
from falsework.model.verdict import Forces, Motion


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a proposal is for."""

    accelerations: bool = False  # motions are those of eq. 14, seed 002
    any_motion: bool = False  # any motion that proves a fall will do; else, of clutches, that at their limit
    timeout_s: float | None = None  # for one solve


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Forces, or a motion, or both; and how the solver ended."""

    forces: Forces | None
    motion: Motion | None
    status: str


class Proposer(Protocol):
    """Any solver: what it says proves nothing until the referee has judged it."""

    @property
    def gives_accelerations(self) -> bool:
        """Whether its motions can be accelerations."""
        ...

    def propose(self, state: State, wanted: Wanted) -> Outcome:
        """Forces or a motion of a state."""
        ...
