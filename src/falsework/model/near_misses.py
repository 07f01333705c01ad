"""What may be missing where something falls: parts that touch nothing, and parts that nearly touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Side = Literal["above", "under", "beside"]


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A part that falls, and another that it does not quite touch."""

    part: str
    other: str
    apart_m: float  # where their faces are furthest apart; negative: as deep as they are sunk into each other
    side: Side  # where the part is, seen from the other

    def as_dict(self) -> dict[str, Any]:
        return {"parts": [self.part, self.other], "apart_m": self.apart_m, "side": self.side}


@dataclass(frozen=True, slots=True)
class NearMisses:
    """Of one state that falls."""

    isolated: tuple[str, ...] = ()  # parts that fall and touch nothing
    pairs: tuple[NearMiss, ...] = ()  # the nearest first; where none is near enough for a gap, the nearest alone
    gap_m: float | None = None  # up to which parts would have to touch for those near to others to be held by them

    def __bool__(self) -> bool:
        return bool(self.isolated or self.pairs)
