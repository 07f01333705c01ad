"""What is said against a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from falsework.model.answers import NotTrueOrFalse

Kind = Literal[
    "start", "joint-limit", "joint-jump", "speed", "acceleration", "jerk", "collision", "payload", "grip", "hand",
    "place", "stand", "order", "clamp", "tilt",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is wrong, by name, when, in words, and of which arm, where it is of one.

    >>> Complaint("payload", 2.0, "arm 'left' carries 17 kg, its payload is 3 kg", "left").kind
    'payload'
    """

    kind: Kind
    time_s: float
    why: str
    arm: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedMotion(NotTrueOrFalse):
    """What became of verifying a motion; `looks` is at how many instants distances were measured.

    >>> JudgedMotion((), 120, 0.004).valid
    True
    """

    ASK_INSTEAD = "judged.valid"

    complaints: tuple[Complaint, ...]
    looks: int = 0
    least_gap_m: float | None = None  # between things that must not touch, at the instants looked at

    @property
    def valid(self) -> bool:
        return not self.complaints
