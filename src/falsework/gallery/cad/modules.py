"""What stands on one cell of a plate: a few parts that fit, what the plate has for them, and how they leave.

Modules are made about the middle of their cell, the plate's upper side at z = 0. Fits are nominal: facets coincide.
Sizes are whole tenths of a millimetre.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from falsework.gallery.cad.workpieces import Solid

MM = 1e-3
CELL = 36 * MM
PLATE = 8 * MM
UP, FRONT, BELOW = (0.0, 0.0, 1.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
Way = tuple[float, float, float]


@dataclass(slots=True)
class Module:
    """`leaving`: parts and directions, first to leave first; those that leave downwards wait for everything else."""

    pieces: dict[str, tuple[Solid, bool]] = field(default_factory=dict)  # solid, of steel
    leaving: list[tuple[str, Way]] = field(default_factory=list)
    holes: list[Solid] = field(default_factory=list)  # in the plate
    bosses: list[Solid] = field(default_factory=list)  # on the plate
    fasteners: set[str] = field(default_factory=set)
    height: float = 0.0
    hands: int = 1
    locked: set[str] = field(default_factory=set)

    def add(self, name: str, solid: Solid, *, steel: bool = False, fastener: bool = False) -> None:
        self.pieces[name] = solid, steel
        if fastener:
            self.fasteners.add(name)
        self.height = max(self.height, solid.bounding_box()[5])

    def leave(self, *names: str, way: Way = UP) -> None:
        self.leaving += [(name, way) for name in names]


@dataclass(frozen=True, slots=True)
class Draw:
    """Random sizes, and how finely circles are drawn."""

    rng: np.random.Generator
    facets: int

    def mm(self, low: float, high: float) -> float:
        """A length between two, in m, of whole tenths of a millimetre."""
        return int(self.rng.integers(round(10 * low), round(10 * high) + 1)) * 1e-4

    def whole(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))


@dataclass(frozen=True, slots=True)
class ModuleKind:
    """How to make modules of one sort with a number of parts from `fewest` to `most`."""

    name: str
    make: Callable[[Draw, int], Module]
    fewest: int
    most: int
    sideways: bool = False  # some part leaves to the front: nothing may stand before it
    from_below: bool = False  # some part leaves downwards: only on the lowest plate
