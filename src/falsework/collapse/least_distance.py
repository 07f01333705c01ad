"""The nearest point under linear equations and inequalities, to rounding: small dense problems of the plane.

    minimise Σ m |x − x̂|²   subject to   C x = d,   G x ≥ b

Equations are eliminated on the null space of C, redundant ones too; what is left is a least distance, by active sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.shapes.least_distance import pressing_rows
from falsework.model.arrays import Array
from falsework.model.errors import Undecided

RANK = 1e-10  # of the largest singular value
KEPT = 1e-9  # of the largest violation at the start: how well the other constraints must be kept
NOTHING = 1e-12  # of the largest multiplier: less is none
PATIENCE = 50  # rows that rounding took in or left out
CONSISTENT = 1e-9  # of the right hand sides: how far redundant equations may contradict each other


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The solution and the multipliers of the inequalities."""

    x: Array  # (n,)
    multipliers: Array  # (m,) ≥ 0: Σ m (x − x̂) = Gᵀλ on the null space of C


def nearest(masses: Array, target: Array, C: Array, d: Array, G: Array, b: Array) -> Nearest:
    """x nearest to `target` (n,) in the metric of `masses` (n,) with C x = d and G x ≥ b."""
    root = np.sqrt(masses)
    start, basis = _solutions(C / root, d - C @ target)
    rows = (G / root) @ basis
    limits = b - G @ target - (G / root) @ start
    z, multipliers = _least_distance(rows, limits)
    return Nearest(target + (start + basis @ z) / root, multipliers)


def _solutions(C: Array, d: Array) -> tuple[Array, Array]:
    """The shortest solution of C y = d, and an orthonormal basis of the null space."""
    if not len(C):
        return np.zeros(C.shape[1]), np.eye(C.shape[1])
    U, s, Vt = np.linalg.svd(C)
    rank = int((s > RANK * s[0]).sum())
    start: Array = Vt[:rank].T @ ((U.T @ d)[:rank] / s[:rank])
    if np.abs(C @ start - d).max() > CONSISTENT * (1.0 + np.abs(d).max()):
        raise Undecided("the equations of redundant bars contradict each other; use a minimally rigid framework")
    return start, Vt[rank:].T


def _least_distance(rows: Array, limits: Array) -> tuple[Array, Array]:
    """The shortest z with rows·z ≥ limits, and its multipliers λ with z = rowsᵀλ.

    Lawson and Hanson's way finds the rows that press, and z follows from those, to rounding.
    """
    z, multipliers = np.zeros(rows.shape[1]), np.zeros(len(limits))
    lengths = np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
    unit, ends = rows / lengths[:, None], limits / lengths
    scale = float(np.maximum(ends, 0.0).max(initial=0.0))
    if scale == 0.0:
        return z, multipliers
    try:
        u = pressing_rows(unit, ends / scale)
    except RuntimeError as why:
        raise Undecided("no motion that keeps all constraints was found; a shorter step may help") from why
    pressing = u > NOTHING * u.max()
    for _ in range(PATIENCE):  # rounding may have left a row too many or too few
        z = np.linalg.lstsq(unit[pressing], ends[pressing], rcond=None)[0]
        pushes, short = np.linalg.lstsq(unit[pressing].T, z, rcond=None)[0], ends - unit @ z
        if pushes.min() < -KEPT * pushes.max():
            pressing[np.flatnonzero(pressing)[int(pushes.argmin())]] = False
        elif short.max() > KEPT * scale:
            pressing[int(short.argmax())] = True
        else:
            multipliers[pressing] = np.maximum(0.0, pushes)
            return z, multipliers / lengths
    raise Undecided(f"no motion keeps all constraints; they are missed by {float(short.max()) / scale:.1e}")
