"""What baselines are made of: instructions, what a policy observes, and the commands that it may give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from falsework.model.arrays import Array, freeze
from falsework.model.perception.frames import Frame
from falsework.model.robots.driving import ArmState
from falsework.model.travel import MadeAnew


@dataclass(frozen=True, slots=True)
class Instruction:
    """One step of building: which brick of the product comes, and the same in words.

    >>> Instruction("3", "Put the red 2x4 onto 1 and press it down.").brick
    '3'
    """

    brick: str
    words: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """What a policy gets to see before each command: never the truth."""

    time_s: float
    arms: Mapping[str, ArmState]
    look: Callable[[], tuple[Frame, ...]]  # pictures of all cameras that stand, taken as they are asked for
    worked: bool = True  # whether the last command did what it should: something was held, a force was felt


@dataclass(frozen=True, slots=True, eq=False)
class Follow(MadeAnew):
    """Through joints (k, n), within a share of the arm's limits; with `speed_m_s` the tool is no faster than that.

    >>> Follow("arm", [[0.0], [0.1]], 0.5).way.shape
    (2, 1)
    """

    arm: str
    way: Array
    share: float = 0.5
    speed_m_s: float | None = None

    def __post_init__(self) -> None:
        freeze(self, way=(None, None))


@dataclass(frozen=True, slots=True)
class Open:
    """Fingers so far apart."""

    arm: str
    opening_m: float


@dataclass(frozen=True, slots=True)
class Grip:
    """Fingers together, on something of a width, with a force."""

    arm: str
    width_m: float
    force_n: float


@dataclass(frozen=True, slots=True)
class Ease:
    """Fingers a little apart, slowly."""

    arm: str


@dataclass(frozen=True, slots=True)
class Press:
    """Along the way the tool points, until a force is felt, so far at most."""

    arm: str
    force_n: float
    limit_m: float


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing for so long."""

    for_s: float


Command = Follow | Open | Grip | Ease | Press | Wait
