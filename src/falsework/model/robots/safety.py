"""What nobody lets an arm exceed: where its hand may be, how fast, and how hard it may push."""

from __future__ import annotations

import math
from dataclasses import dataclass

from falsework.model.errors import BadInput


@dataclass(frozen=True, slots=True)
class Safety:
    """Limits of a cell, in world axes; whatever a controller asks for, the façade keeps them.

    >>> Safety(force_n=40.0).force_n
    40.0
    """

    low_m: tuple[float, float, float] = (-1.5, -1.5, -0.01)  # of the box in which tool points stay
    high_m: tuple[float, float, float] = (1.5, 1.5, 1.5)
    force_n: float = 60.0  # that a press may ask for, and that a tool may feel
    speed_m_s: float | None = None  # of a tool's point; None: whatever the arm's joints allow
    share: float = 1.0  # of the arm's limits of speed and acceleration

    def __post_init__(self) -> None:
        corners = zip(self.low_m, self.high_m, strict=True)
        if not all(math.isfinite(low) and math.isfinite(high) and low < high for low, high in corners):
            raise BadInput(f"safety: found a box from {self.low_m} to {self.high_m}, expected low corners below high")
        if not 0 < self.force_n < math.inf:
            raise BadInput(f"safety: found a force of {self.force_n} N, expected one above 0")
        if self.speed_m_s is not None and not 0 < self.speed_m_s < math.inf:
            raise BadInput(f"safety: found a speed of {self.speed_m_s} m/s, expected one above 0")
        if not 0 < self.share <= 1:
            raise BadInput(f"safety: found a share of {self.share}, expected one above 0, 1 at most")
