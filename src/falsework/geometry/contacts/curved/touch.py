"""What is found where a curved surface touches something: patches of one or two points, each with its normal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from falsework.geometry.contacts.curved.placed_surfaces import FLAT, Surface
from falsework.model.arrays import Array, Bools


class Tessellated(Protocol):
    """What triangles or chords stand for."""

    @property
    def sag_m(self) -> float: ...

    @property
    def convex(self) -> bool: ...


class Room(NamedTuple):
    """How near is touching, for one pair of solids."""

    gap_m: float  # how far apart two surfaces may be and touch, wherever triangles are
    near_m: float  # what is this near to an edge, seen along a normal, is on it

    def holds(self, gap_m: float, *surfaces: Tessellated) -> bool:
        """Whether forms that are so far apart touch: triangles lie within convex forms, and before concave ones."""
        return bool(self.hold(np.array([gap_m]), *surfaces)[0])

    def hold(self, gaps_m: Array, *surfaces: Tessellated) -> Bools:
        """(n,) the same of several gaps (n,)."""
        inside = sum(surface.sag_m for surface in surfaces if surface.convex)
        before = sum(surface.sag_m for surface in surfaces if not surface.convex)
        held: Bools = (gaps_m >= -(self.gap_m + inside)) & (gaps_m <= self.gap_m + before)
        return held


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """One contact of a curved surface with a curved or flat one, an edge or a corner of another solid."""

    one: Surface
    other: Surface | None  # None: `onto` says what
    onto: str
    ends: list[Array]  # of each patch, its points (1 or 2, 3)
    normals: list[Array]  # of each patch, (3,) unit, out of the material of `one`
    facets: tuple[int, ...] = ()  # flat facets of the other solid that this contact is with, or that meet there
    gaps_m: list[float] = field(default_factory=list)  # of each patch, how far it has to go until it touches; or none
    play_m: float | None = None  # of a fit: by how much the radius of the hole is larger
    step_rad: float = 0.0  # of a surface that lies in another: by how much the normals of neighbouring patches differ
    also: tuple[int, ...] = ()  # numbers of other surfaces that meet in the rim that this contact is of

    @property
    def other_number(self) -> int:
        return FLAT if self.other is None else self.other.number


def line(origin: Array, way: Array, intervals: Array, short_m: float) -> Array | None:
    """(1 or 2, 3) the outermost points of intervals along a line; one if they are not further apart than `short_m`."""
    if not len(intervals):
        return None
    low, high = float(intervals[:, 0].min()), float(intervals[:, 1].max())
    places = np.array([0.5 * (low + high)]) if high - low <= short_m else np.array([low, high])
    points: Array = origin + places[:, None] * way
    return points
