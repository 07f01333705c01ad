"""What a clutch can carry: the six-mode form of seed 000's snap-fit joint, as rows on its wrench.

Two rigid bricks can shift against each other in six ways, so the tractions at the contact points are

    p_n = α₀ + α₁u + α₂v        p_u = β₀ − θv        p_v = γ₀ + θu

with six coefficients, not the nine of eq. 5: the three that are left out squeeze the studs without any net
wrench and would buy friction for nothing. Forces at the points then follow from the wrench alone, and eq. 8
and 9 become rows R·w ≤ c·s on the wrench w = (F_u, F_v, F_n, M_u, M_v, M_n) of the *hole* brick on the
*stud* brick, about the origin of the joint: s = 1 at full strength.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

import numpy as np

from falsework.model.arrays import Array, frozen
from falsework.model.interfaces import ClutchKind


@dataclass(frozen=True, slots=True)
class Capacity:
    """Strength of one class of joints."""

    point_n: float  # μ·F₀, what one contact point holds axially
    friction: float  # μ
    spread: float  # relative standard deviation
    calibrated: bool


@dataclass(frozen=True, slots=True, eq=False)
class ClutchRows:
    """Capacity and energy of one kind of clutch, in terms of its wrench w on the stud brick."""

    rows: Array  # (r, 6): rows · w ≤ limits
    limits: Array  # (r,) N
    energy: Array  # (6, 6): elastic energy ½ wᵀ energy w, eq. 13 with unit weights
    points: Array  # (3m, 6): w -> forces (u, v, n) at the contact points


@cache
def capacities() -> dict[tuple[str, bool], Capacity]:
    """(make, upper brick one stud wide) -> capacity, as `capacities.toml` has it."""
    text = resources.files("falsework.statics.clutches").joinpath("capacities.toml").read_text(encoding="utf-8")
    return {
        (system, width == "narrow"): Capacity(
            fields[width]["point_n"], fields["friction"], fields[width]["spread"], fields["calibrated"]
        )
        for system, fields in tomllib.loads(text).items()
        for width in ("wide", "narrow")
    }


def clutch_rows(kind: ClutchKind) -> ClutchRows:
    """The capacity polytope of a kind of clutch: per point F_a ≥ 0 and ±F_t + F_a − μF_r ≤ μF₀ (eq. 8, 9)."""
    capacity = capacities()[kind.system, kind.narrow]
    points = _point_forces(kind)
    u, v, n = (points[axis::3] for axis in range(3))  # (m, 6) each
    radial = kind.inward[:, :1] * u + kind.inward[:, 1:] * v
    tangential = -kind.inward[:, 1:] * u + kind.inward[:, :1] * v  # t = n̂ × inward
    sliding = n - capacity.friction * radial
    rows = np.concatenate([-n, sliding + tangential, sliding - tangential])
    count = len(n)
    limits = np.concatenate([np.zeros(count), np.full(2 * count, capacity.point_n)])
    return ClutchRows(rows, limits, points.T @ points, points)


@lru_cache(maxsize=4096)
def _point_forces(kind: ClutchKind) -> Array:
    """(3m, 6) forces on the stud brick at the contact points, along u, v, n, from the wrench."""
    u, v = kind.points.T
    one, zero = np.ones_like(u), np.zeros_like(u)
    # columns: α₀, α₁, α₂, β₀, γ₀, θ
    along_u = np.column_stack([zero, zero, zero, one, zero, -v])
    along_v = np.column_stack([zero, zero, zero, zero, one, u])
    along_n = np.column_stack([one, u, v, zero, zero, zero])
    modes = np.stack([along_u, along_v, along_n], axis=1)  # (m, 3, 6)
    wrench = np.concatenate(
        [
            modes.sum(axis=0),
            [(v[:, None] * along_n).sum(axis=0)],
            [-(u[:, None] * along_n).sum(axis=0)],
            [(u[:, None] * along_v - v[:, None] * along_u).sum(axis=0)],
        ]
    )
    forces: Array = frozen(modes.reshape(-1, 6) @ np.linalg.inv(wrench))
    return forces
