"""How parts that enter each other fit: tight, exactly or with play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

FitKind = Literal["press", "nominal", "loose", "overlap"]


@dataclass(frozen=True, slots=True)
class Fit:
    """A shaft in a hole, or two parts that share a little space.

    `press`, `nominal`, `loose`: a shaft in a hole, thicker, as thick, or thinner; `play_m` is the difference of their
    diameters, negative where the shaft is thicker. `overlap`: parts that share space and are no such shafts; `play_m`
    is minus how deep. Lengths in m.

    >>> Fit("pin", "plate", "loose", 0.0002, 0.01).as_dict()
    {'parts': ['pin', 'plate'], 'kind': 'loose', 'play_m': 0.0002, 'diameter_m': 0.01}
    """

    first: str
    second: str
    kind: FitKind
    play_m: float
    diameter_m: float | None = None  # of the hole

    def as_dict(self) -> dict[str, Any]:
        """As `falsework info --json` prints it."""
        about = {} if self.diameter_m is None else {"diameter_m": self.diameter_m}
        return {"parts": [self.first, self.second], "kind": self.kind, "play_m": self.play_m, **about}
