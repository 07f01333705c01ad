"""What the controller asks of pictures. Whoever answers gives poses or says that it cannot; it never guesses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.perception.findings import Brick, Sight
from falsework.model.perception.frames import Frame

Standing = Literal["in place", "missing", "wrong", "off", "not seen"]


@dataclass(frozen=True, slots=True)
class Inspected:
    """What is to be said of one brick of the product."""

    state: Standing
    off_m: float = 0.0  # level, from its place
    high_m: float = 0.0  # above its seat
    words: str = ""
    instead: Brick | None = None  # what is there, as far as it can be told


class Eyes(Protocol):
    """Pictures to answers."""

    def loose(
        self, frames: Sequence[Frame], product: Assembly, T_world_structure: Array, standing: Collection[str]
    ) -> Sight:
        """All bricks that are seen, where they are; `standing` are those of the product that are known to stand."""
        ...

    def structure(
        self, frames: Sequence[Frame], product: Assembly, T_world_structure: Array, expected: Collection[str]
    ) -> dict[str, Inspected]:
        """How the bricks stand that should be in their place by now, by name."""
        ...

    def toppled(
        self,
        frames: Sequence[Frame],
        sought: Brick,
        T_world_structure: Array,
        standing: Collection[str],
        loose: Sequence[Brick],
    ) -> Brick | None:
        """A brick of a kind and colour that lies on a side or upside down, beside all that stand or were found.

        None where none is seen for sure.
        """
        ...

    def held(self, frame: Frame, expected: Brick) -> Array | None:
        """(3,) how far what a hand holds is from where it is expected, by a camera that rides on its wrist.

        None where the picture does not tell.
        """
        ...
