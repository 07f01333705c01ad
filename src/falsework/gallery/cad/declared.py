"""What is true of a CAD assembly by the way it was made: how its parts leave, in which order, and what they are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array, frozen
from falsework.model.assembly import Assembly
from falsework.model.travel import MadeAnew

UP, DOWN = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Motion(MadeAnew):
    """One stretch of a way: a shift in m, and a turn in rad about an axis through a point, both at an even pace.

    >>> Motion((0, 0, 0.01)).pose(0.5)[:3, 3].tolist()
    [0.0, 0.0, 0.005]
    """

    shift_m: Array  # (3,) world
    turn_rad: float
    axis: Array  # (3,) unit, world
    point_m: Array  # (3,) world, on the axis

    def __init__(
        self,
        shift_m: npt.ArrayLike,
        turn_rad: float = 0.0,
        axis: npt.ArrayLike = UP,
        point_m: npt.ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        object.__setattr__(self, "turn_rad", turn_rad)
        for name, given in (("shift_m", shift_m), ("axis", axis), ("point_m", point_m)):
            object.__setattr__(self, name, frozen(np.asarray(given, dtype=float), (3,)))

    def pose(self, share: float) -> Array:
        """(4, 4) where the part is after a share of the stretch, as a motion of the world."""
        x, y, z = self.axis
        skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        angle = share * self.turn_rad
        rotation = np.eye(3) + math.sin(angle) * skew + (1 - math.cos(angle)) * skew @ skew
        moved = np.eye(4)
        moved[:3, :3] = rotation
        moved[:3, 3] = self.point_m - rotation @ self.point_m + share * self.shift_m
        return moved


@dataclass(frozen=True, slots=True)
class Leaving:
    """A part that leaves, and its way, stretch by stretch; then it is clear of all that is still there."""

    part: str
    way: tuple[Motion, ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """The truth about a CAD assembly.

    `order`: one way to take it apart, first to leave first; the last part stays. `locked`: parts that cannot leave at
    all. `hands`: so many are enough for that order, the one that moves the part included, lying as it was made.
    """

    order: tuple[Leaving, ...]
    fasteners: frozenset[str] = frozenset()
    locked: frozenset[str] = frozenset()
    hands: int = 1
    play_m: float = 0.0  # between parts that fit into each other; overlaps are never deeper than rounding
    why: str = ""

    @property
    def feasible(self) -> bool:
        return not self.locked


@dataclass(frozen=True, slots=True, eq=False)
class Made(MadeAnew):
    """A CAD assembly and the truth about it."""

    assembly: Assembly
    declared: Declared


def straight(part: str, direction: Sequence[float], distance_m: float) -> Leaving:
    """A part that leaves along a line."""
    return Leaving(part, (Motion(distance_m * np.asarray(direction, dtype=float)),))


def unscrewed(
    part: str, turns: float, pitch_m: float, axis: Sequence[float], point_m: npt.ArrayLike = (0.0, 0.0, 0.0)
) -> Leaving:
    """A part that leaves along a right-handed thread, to where `axis` points."""
    along = np.asarray(axis, dtype=float)
    return Leaving(part, (Motion(turns * pitch_m * along, 2 * math.pi * turns, along, np.asarray(point_m)),))


def lifted(parts: Iterable[str], distance_m: float) -> tuple[Leaving, ...]:
    return tuple(straight(part, UP, distance_m) for part in parts)
