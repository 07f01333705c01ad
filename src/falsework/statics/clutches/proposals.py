"""What the solver of snap-fit structures answers with: forces, or a motion and the slips it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from falsework.model.arrays import Array

Status = Literal["stable", "unstable", "undecided"]
LimitStatus = Literal["exact", "unbounded", "undecided"]


@dataclass(frozen=True, slots=True, eq=False)
class ClutchForces:
    """Forces in every interface, in newtons and metres."""

    clutch_wrenches: Array  # (k, 6) of the hole brick on the stud brick, in the clutch's frame about its origin
    clutch_pressure: Array  # (k, 4) ≥ 0, on the hole brick along +n at the corners (+u+v, −u+v, −u−v, +u−v)
    patch_weights: Array  # (p, e) ≥ 0, of the generators at the patch points
    start: Array | None = None  # where `feasible` may start from for other loads: the solver's own business


@dataclass(frozen=True, slots=True, eq=False)
class ClutchMotion:
    """A motion of the free bodies that closes no pressed corner or patch, and the slip of every capacity row.

    Per clutch Rᵀz is the twist of the hole brick relative to the stud brick, in the clutch's frame about its
    origin. No admissible wrench takes up more than limits·z on it, so capacities × s cannot hold the loads as
    soon as loads·twists > s · Σ limits·z.
    """

    twists: Array  # (n, 6) velocity of the centre of mass, angular velocity; world axes; zero where not free
    slips: Array  # (rows of all clutches, in clutch order) ≥ 0
    power: float  # loads · twists
    dissipation: float  # Σ limits·slips at strength 1


@dataclass(frozen=True, slots=True, eq=False)
class Feasibility:
    """Whether the loads can be carried. `unstable` comes with a motion that was found to prove it."""

    status: Status
    forces: ClutchForces | None = None
    motion: ClutchMotion | None = None
    steps: int = 0  # Newton steps, factorisations


@dataclass(frozen=True, slots=True, eq=False)
class LeastStrength:
    """The least factor on all capacities with which it stands; `exact`, or `unbounded` when none suffices."""

    status: LimitStatus
    factor: float  # NaN unless exact
    forces: ClutchForces | None = None  # within capacities × factor
    motion: ClutchMotion | None = None  # proves that no smaller factor does (power / dissipation ≈ factor)
