"""What a file says, before the caller's wishes and the ground are added."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from falsework.model.arrays import Array
from falsework.model.as_filed import FileStep, Shortfall
from falsework.model.assembly import DEFAULT_FRICTION, STANDARD_GRAVITY, Ground, Hinge, Load
from falsework.model.part import Part

NO_GROUND = Ground("none")


@dataclass(frozen=True, slots=True)
class Content:
    """Parts in the file's order, and the rest where the file or its format says so."""

    parts: list[Part]
    fixed: frozenset[str] = frozenset()
    ground: Ground = NO_GROUND
    friction: float = DEFAULT_FRICTION
    gravity: Array = field(default_factory=lambda: np.array(STANDARD_GRAVITY))
    loads: tuple[Load, ...] = ()
    hinges: tuple[Hinge, ...] = ()
    allow_overlap_m: float = 0.0
    gap_m: float | None = None
    as_drawn: bool = False
    steps: tuple[FileStep, ...] = ()
    partial: tuple[Shortfall, ...] = ()
    notes: tuple[str, ...] = ()  # what had to be done to read it, for whoever asked
