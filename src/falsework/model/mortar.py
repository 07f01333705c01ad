"""What fills joints: how much shear they bear without being pressed, and how much pressure before they crush."""

from __future__ import annotations

import math
from dataclasses import dataclass

from falsework.model.errors import BadInput, shown


@dataclass(frozen=True, slots=True)
class Mortar:
    """Strengths of a joint, pascals. It bears no tension.

    >>> Mortar(cohesion_pa=1e5).crushing_pa
    inf
    """

    cohesion_pa: float = 0.0  # shear that it bears beside friction times pressure
    crushing_pa: float = math.inf  # pressure, everywhere

    def __post_init__(self) -> None:
        if not 0.0 <= self.cohesion_pa < math.inf:  # rejects NaN too
            raise BadInput(f"cohesion: found {shown(self.cohesion_pa)}, expected 0 Pa or more")
        if not self.crushing_pa > 0.0:
            raise BadInput(f"crushing: found {shown(self.crushing_pa)}, expected a pressure above 0 Pa")


DRY = Mortar()  # no mortar: friction alone, and nothing crushes
