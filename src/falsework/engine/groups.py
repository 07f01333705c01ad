"""What the engine is told of parts and groups of them, and what it is in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.engine.colliders import Collider
from falsework.engine.sleep import Slept
from falsework.model.arrays import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """What the engine needs to know of one part: its convex pieces in its own frame, its studs, its friction."""

    pieces: tuple[Collider, ...]
    studs: tuple[Collider, ...]  # one slab for all, or each of them
    friction: float
    grip: float | None = None  # friction of its studs, whatever they touch; None: as of its pieces


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Parts that move as one. Mass, centre and inertia are in the group's frame."""

    members: Ints  # (m,) part numbers
    T_world_group: Array  # (4, 4)
    still: bool
    mass_kg: float
    com_m: Array  # (3,)
    inertia_kgm2: Array  # (3, 3) about the centre
    twist: Array  # (6,) velocity of the centre of mass, angular velocity; world axes

    @property
    def origin_m(self) -> Array:
        """(3,) where the engine's body has its frame: far from the centre of a light body its inertia would drown."""
        return np.zeros(3) if self.still else self.com_m


@dataclass(frozen=True, slots=True, eq=False)
class EngineState:
    """Everything that the next step depends on, the solver's warm start included."""

    values: Array  # the engine's own
    slept: Slept
