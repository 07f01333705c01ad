"""Where studs are gripped, as the referee sees it: what wrenches do at the points, and slips there to the bricks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from falsework.model.arrays import Array, Ints, frozen
from falsework.model.interfaces import Clutches, ClutchKind

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Grips:
    """The points at which studs are gripped, of all clutches one after the other.

    A wrench on the hole brick is spread over the points of a clutch as a rigid field of tractions along u, v, n,
    p = (β₀ − θv, γ₀ + θu, α₀ + α₁u + α₂v), with (β₀, γ₀, θ, α₀, α₁, α₂) such that the wrench is its resultant.
    """

    owner: Ints  # (p,) the clutch
    kind: Ints  # (p,) of it
    counts: Ints  # (k,) points of each clutch
    starts: Ints  # (k,) the first of them
    points: Array  # (2, p) u and v
    inward: Array  # (2, p)
    slips: Ints  # (3, p) where the slips of −F_a ≤ 0, +F_t + F_a − μF_r ≤ μF₀, −F_t + F_a − μF_r ≤ μF₀ stand
    fields: Array  # (k, 6, 6) coefficients of the field of each unit wrench
    half: Array  # (k, 2) extents of the faces
    lengths: Array  # (k, 6) by which components of twists are weighed

    @staticmethod
    def of(clutches: Clutches) -> Grips:
        kinds, kind = clutches.kinds, clutches.kind
        counts = np.array([len(one.points) for one in kinds], dtype=np.int64)[kind]
        starts = np.cumsum(counts) - counts
        owner = np.repeat(np.arange(len(kind)), counts)
        first = 3 * starts[owner] + np.arange(len(owner)) - starts[owner]
        points, inward = (
            np.concatenate([np.zeros((0, 2)), *(getattr(kinds[n], name) for n in kind)]).T
            for name in ("points", "inward")
        )
        fields = np.array([_field(one) for one in kinds]).reshape(-1, 6, 6)[kind]
        half = np.array([one.half for one in kinds]).reshape(-1, 2)[kind]
        reach = np.linalg.norm(half, axis=1)
        return Grips(
            owner,
            kind[owner],
            counts,
            starts,
            points,
            inward,
            first + np.arange(3)[:, None] * counts[owner],
            fields,
            half,
            np.stack([np.ones(len(kind))] * 3 + [reach] * 3, axis=1),
        )

    def forces(self, wrenches: Array) -> tuple[Array, Array, Array]:
        """Axial, radial and tangential force on the stud bricks at the points (p,), from wrenches (k, 6)."""
        axial, radial, tangential = (self.tractions @ wrenches.ravel()).reshape(3, -1)
        return axial, radial, tangential

    @cached_property
    def tractions(self) -> csr_array:
        """(3p, 6k) axial, radial and tangential forces at the points of the unit wrenches."""
        from scipy.sparse import csr_array

        field = self.fields[self.owner].transpose(2, 1, 0)  # (6, 6, p): each coefficient, of each unit wrench
        (u, v), (x, y) = self.points, self.inward
        along_u, along_v = field[2] * v - field[0], -field[1] - field[2] * u
        axial = -(field[3] + field[4] * u + field[5] * v)
        each = np.stack([axial, x * along_u + y * along_v, x * along_v - y * along_u]).swapaxes(1, 2)  # (3, p, 6)
        used = np.nonzero(each)
        which, point, wrench = used
        count = len(self.owner)
        places = (which * count + point, 6 * self.owner[point] + wrench)
        return csr_array((each[used], places), shape=(3 * count, 6 * len(self.half)))

    def twists(self, z: Array, friction: Array) -> Array:
        """(k, 6) relative twists that slips (3, p) make up.

        A slip is a velocity at its point; its power on the tractions of a unit wrench is the twist's component along
        that wrench.
        """
        opening, plus, minus = z
        (u, v), (x, y) = self.points, self.inward
        pressed, tangential = friction[self.kind] * (plus + minus), plus - minus
        along_u, along_v, axial = -pressed * x - tangential * y, tangential * x - pressed * y, plus + minus - opening
        each = (along_u, along_v, u * along_v - v * along_u, axial, u * axial, v * axial)
        sums = np.array([np.bincount(self.owner, weights=one, minlength=len(self.half)) for one in each])
        twists: Array = np.einsum("kwc,ck->kw", self.fields, sums)
        return twists


@lru_cache(maxsize=4096)
def _field(kind: ClutchKind) -> Array:
    """(6, 6) coefficients β₀, γ₀, θ, α₀, α₁, α₂ of the field of each unit wrench, found from sums over the points."""
    u, v = kind.points.T
    count, unit = len(u), np.eye(6)
    axial = np.array([[count, u.sum(), v.sum()], [v.sum(), u @ v, v @ v], [-u.sum(), -(u @ u), -(u @ v)]])
    planar = np.array([[count, 0, -v.sum()], [0, count, u.sum()], [-v.sum(), u.sum(), u @ u + v @ v]])
    field: Array = frozen(
        np.concatenate([np.linalg.solve(planar, unit[[0, 1, 5]]), np.linalg.solve(axial, unit[2:5])]).T
    )
    return field
