"""What is wrong with a plan, step by step, and what that makes of the whole."""

from __future__ import annotations

from dataclasses import dataclass

from falsework.model.answers import NotTrueOrFalse


@dataclass(frozen=True, slots=True)
class Failure:
    """What is wrong with one step; `undecided` where that could not be settled.

    >>> Failure(3, "the keystone falls").undecided
    False
    """

    step: int
    why: str
    undecided: bool = False


@dataclass(frozen=True, slots=True)
class Verification(NotTrueOrFalse):
    """What was found: every failure in order, and how many states were judged.

    >>> Verification((), states=4).valid
    True
    >>> Verification((Failure(3, "time ran out", undecided=True),), states=4).valid is None
    True
    """

    ASK_INSTEAD = "verification.valid, which is True, False, or None where it is undecided"

    failures: tuple[Failure, ...]
    states: int

    @property
    def valid(self) -> bool | None:
        """None where nothing is wrong but something could not be settled."""
        if any(not failure.undecided for failure in self.failures):
            return False
        return None if self.failures else True
