"""What a driver of one arm tells: where it is, and how a press ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from falsework.model.arrays import Array, freeze
from falsework.model.travel import MadeAnew

PressEnd = Literal["pressed", "stopped", "nothing"]


@dataclass(frozen=True, slots=True, eq=False)
class ArmState(MadeAnew):
    """An arm at an instant; angles rad, lengths m, force N along the tool's z axis, pushing back on it positive.

    >>> ArmState(0.0, [0.1, 0.2], 0.08, 0.0).q.tolist()
    [0.1, 0.2]
    """

    time_s: float
    q: Array  # (n,)
    opening_m: float
    force_n: float

    def __post_init__(self) -> None:
        freeze(self, q=(None,))


@dataclass(frozen=True, slots=True)
class Pressed:
    """How a press ended: by its force, because it felt too much, or in the air.

    >>> Pressed("pressed", 1.2, 0.003).end
    'pressed'
    """

    end: PressEnd
    force_n: float
    moved_m: float
