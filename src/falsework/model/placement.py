"""One placement of a plan, as checks see it, and what they may have against it."""

from __future__ import annotations

from dataclasses import dataclass

from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.model.state import State


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """Parts are brought to their place as one. Masks are over the bodies of the assembly that is planned.

    How hands take hold and let go between two placements shows in what the next one finds held.
    """

    parts: int
    before: State  # what they are put on, and which of it hands hold meanwhile
    T_world_assembly: Array | None = None  # (4, 4) how it lies then; None: as the file has it
    apart: bool = False  # not on the structure: a group is put together elsewhere, on a part that is held fast

    @property
    def after(self) -> State:
        """They are in their place, still held."""
        return State(self.before.installed | self.parts, self.before.held | self.parts)


@dataclass(frozen=True, slots=True)
class Objection:
    """Why parts cannot be placed so."""

    why: str  # what people read after the check's name: "no arm reaches it"
    blockers: int = 0  # bodies that are in the way
    hold: int = 0  # bodies that are there: with one of them held as well it may be possible

    def __post_init__(self) -> None:
        if not self.why:
            raise BadInput("an objection says why; found no words")
