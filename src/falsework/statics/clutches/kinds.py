"""What all clutches of a kind have in common, in the units in which networks are solved: made once for an assembly.

Lengths are in units of a typical pressed rectangle and forces in units of a typical capacity, so that all numbers are
near one: a torque is divided by both, an angular velocity multiplied by the length. Springs see a clutch in coordinates
x in which its elastic energy is ½|x|²: its wrench is L⁻ᵀ·x, with energy = L·Lᵀ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.statics.clutches.capacities import ClutchRows
from falsework.statics.clutches.thinning import needed_rows

CORNERS = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


@dataclass(frozen=True, slots=True, eq=False)
class ClutchKinds:
    """Scaled arrays over kinds; capacity rows that others imply are dropped."""

    length_m: float
    force_n: float
    starts: Ints  # (kinds + 1,) thinned rows of kind i are rows[starts[i]:starts[i + 1]]
    rows: Array  # (r, 6) of all kinds, thinned
    limits: Array  # (r,)
    places: Ints  # (r,) of the thinned rows among their kind's own
    sizes: Ints  # (kinds,) how many rows each kind has of its own
    stiffness: Array  # (kinds,) along the normal
    corners: Array  # (kinds, 4, 3) arms of the corners in the clutch's frame
    pull: Array  # (kinds, 6) wrench of a unit tension at every contact point
    roots: Array  # (kinds, 6, 6) L⁻ᵀ
    unit_rows: Array  # (r, 6) in the springs' coordinates, of unit length
    unit_limits: Array  # (r,)
    openings: Array  # (kinds, 4, 6) opening rate at each corner, in the springs' coordinates

    @staticmethod
    def of(kinds: Sequence[ClutchRows], halves: Array) -> ClutchKinds:
        """`halves` (kinds, 2) are half extents of the pressed rectangles."""
        halves = np.reshape(np.asarray(halves, dtype=np.float64), (-1, 2))
        length, force = _units(kinds, halves)
        stretch = np.array([1.0, 1.0, 1.0, length, length, length])
        kept = [np.flatnonzero(needed_rows(one.rows, one.limits)) for one in kinds]
        rows = [one.rows[keep] * stretch for one, keep in zip(kinds, kept, strict=True)]
        limits = [one.limits[keep] / force for one, keep in zip(kinds, kept, strict=True)]
        energy = np.array([one.energy * np.outer(stretch, stretch) for one in kinds]).reshape(-1, 6, 6)
        inverse = np.linalg.inv(np.linalg.cholesky(energy))  # L⁻¹
        seen = [table @ one.T for table, one in zip(rows, inverse, strict=True)]
        long = [np.linalg.norm(table, axis=1) for table in seen]
        corners = np.concatenate([CORNERS * halves[:, None, :] / length, np.zeros((len(halves), 4, 1))], axis=2)
        opening = np.zeros((len(kinds), 4, 6))  # of a corner, per relative twist in the clutch's frame
        opening[:, :, 2] = 1.0
        opening[:, :, 3], opening[:, :, 4] = corners[:, :, 1], -corners[:, :, 0]
        return ClutchKinds(
            length_m=length,
            force_n=force,
            starts=np.cumsum([0, *map(len, kept)], dtype=np.int64),
            rows=np.concatenate([np.zeros((0, 6)), *rows]),
            limits=np.concatenate([np.zeros(0), *limits]),
            places=np.concatenate([np.zeros(0, np.int64), *kept]),
            sizes=np.array([len(one.limits) for one in kinds], np.int64),
            stiffness=1.0 / energy[:, 2, 2],
            corners=corners,
            pull=np.array([_pull(one) / stretch for one in kinds]).reshape(-1, 6),
            roots=np.ascontiguousarray(inverse.transpose(0, 2, 1)),
            unit_rows=np.concatenate([np.zeros((0, 6)), *(t / n[:, None] for t, n in zip(seen, long, strict=True))]),
            unit_limits=np.concatenate([np.zeros(0), *(c / n for c, n in zip(limits, long, strict=True))]),
            openings=np.ascontiguousarray(np.einsum("kcq,kqp->kcp", opening, np.linalg.inv(inverse))),
        )


@lru_cache(maxsize=4096)
def _pull(kind: ClutchRows) -> Array:
    """Wrench of a unit tension at every contact point."""
    wanted = np.zeros(len(kind.points))
    wanted[2::3] = 1.0
    return np.asarray(np.linalg.lstsq(kind.points, wanted, rcond=None)[0], dtype=np.float64)


def _units(kinds: Sequence[ClutchRows], halves: Array) -> tuple[float, float]:
    """A stud pitch or so, and what a contact point holds."""
    if not len(kinds):
        return 1.0, 1.0
    limits = np.concatenate([one.limits for one in kinds])
    positive = limits[limits > 0]
    return float(2.0 * halves.min()), float(np.median(positive)) if len(positive) else 1.0
