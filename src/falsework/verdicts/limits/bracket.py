"""Limits as brackets: a value with which it certainly stands beside one with which it certainly falls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from falsework.model.verdict import Answer

SHARES = (0.5, 0.25, 0.75)  # of a bracket, where to look: an undecided middle need not end the search
NEAR_ZERO = 1e-9  # of the bracket at first: a limit at zero is not approached for ever


@dataclass(frozen=True, slots=True)
class Bracket:
    """Both ends certified; None where there is no such end.

    >>> import falsework
    >>> friction = falsework.margins("examples/arch.yaml", only="friction").friction
    >>> friction.falls < friction.stands
    True
    """

    stands: float | None
    falls: float | None


def narrowed(answer: Callable[[float], Answer], stands: float, falls: float, relative: float) -> Bracket:
    """Halve a bracket until it is narrow, relative to its larger end, or what is left of it stays undecided."""
    rounding = NEAR_ZERO * abs(falls - stands)
    while abs(falls - stands) > relative * max(abs(stands), abs(falls)) + rounding:
        for share in SHARES:
            middle = stands + share * (falls - stands)
            told = answer(middle)
            if told != "undecided":
                break
        else:
            break
        if told == "stable":
            stands = middle
        else:
            falls = middle
    return Bracket(stands, falls)
