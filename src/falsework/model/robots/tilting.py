"""The second axis of a positioner: a turntable whose plate tilts with what is clamped to it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import BadInput

UNDER_M, THICK_M, CORNERS = 0.005, 0.01, 24  # how far under the structure its plate is: the clamps' own height; …


class Stance(NamedTuple):
    """How a turntable stands: turned about its own axis and tilted, rad.

    >>> Stance().tilt
    0.0
    """

    turn: float = 0.0
    tilt: float = 0.0


UPRIGHT = Stance()


@dataclass(frozen=True, slots=True)
class Tilt:
    """About which level axis, through the middle of the turntable, its plate tilts, and how its clamps hold.

    Fixed parts are bolted to the plate. Clamps hold all others while it tilts, and let go when it stands.

    >>> Tilt(0.2).clamp_n
    500.0
    """

    radius_m: float  # of the plate
    lower: float = -math.pi / 2  # rad
    upper: float = math.pi / 2
    speed: float = 0.5  # rad/s
    axis: float = math.pi / 2  # rad from the world's x axis
    clamp_n: float = 500.0  # with which they hold

    def __post_init__(self) -> None:
        numbers = (self.radius_m, self.lower, self.upper, self.speed, self.axis, self.clamp_n)
        if not all(map(math.isfinite, numbers)) or min(self.radius_m, self.speed, self.clamp_n) <= 0:
            raise BadInput(f"tilt: found {numbers}, expected finite numbers, and a radius, speed and clamp above 0")
        if not -math.pi < self.lower <= 0.0 <= self.upper < math.pi or self.lower == self.upper:
            raise BadInput(
                f"tilt: found {self.lower} to {self.upper} rad, expected a range with 0, less than half round"
            )

    @property
    def way(self) -> Array:
        """(3,) the axis in the world."""
        return np.array([math.cos(self.axis), math.sin(self.axis), 0.0])

    @property
    def plate_m(self) -> Array:
        """(k, 3) corners of the plate, from the middle of the turntable."""
        angles = np.arange(CORNERS) * (2 * np.pi / CORNERS)
        rim = self.radius_m * np.column_stack([np.cos(angles), np.sin(angles)])
        levels = (-UNDER_M - THICK_M, -UNDER_M)
        return np.concatenate([np.column_stack([rim, np.full(CORNERS, z)]) for z in levels])

    def bears(self, mass_kg: float, gravity_m_s2: float = 9.81) -> bool:
        """Whether clamps hold so much, whichever way it is pulled."""
        return mass_kg * gravity_m_s2 <= self.clamp_n
