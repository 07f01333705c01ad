"""The nearest point under linear equations and inequalities, to rounding: small dense problems of the plane.

    minimise Σ m |x − x̂|²   subject to   C x = d,   G x ≥ b

Equations are eliminated on the null space of C, redundant ones too; what is left is solved by the method of multipliers
of `least_restraint`, with dense matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import Undecided

RANK = 1e-10  # of the largest singular value
STIFF = 1e5  # ρ: weight of unit rows against the distance
EXACT = 1e-13  # of the largest violation at the start
ROUNDS = 200
NEWTON_STEPS = 60
SEARCHES = 30
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
    """The shortest z with rows·z ≥ limits, and its multipliers λ with z = rowsᵀλ."""
    z, multipliers = np.zeros(rows.shape[1]), np.zeros(len(limits))
    scale = float(np.maximum(limits, 0.0).max(initial=0.0))
    if scale == 0.0:
        return z, multipliers
    lengths = np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
    unit, ends = rows / lengths[:, None], limits / lengths
    scale = float(np.maximum(ends, 0.0).max())
    for _ in range(ROUNDS):
        z = _stationary(unit, ends, multipliers, z, EXACT * scale)
        new = np.maximum(0.0, multipliers + STIFF * (ends - unit @ z))
        missed = float(np.abs(new - multipliers).max()) / STIFF
        multipliers = new
        if missed <= EXACT * scale:
            return z, multipliers / lengths
    raise Undecided(f"no motion keeps all constraints; they are missed by {missed / scale:.1e}")


def _stationary(rows: Array, limits: Array, held: Array, z: Array, tolerance: float) -> Array:
    """z = rowsᵀ max(0, held + ρ(limits − rows·z)), by Newton's method with a line search."""
    for _ in range(NEWTON_STEPS):
        pushed = held + STIFF * (limits - rows @ z)
        left = z - rows.T @ np.maximum(0.0, pushed)
        if float(np.abs(left).max(initial=0.0)) <= tolerance:
            break
        active = rows[pushed > 0]
        step = np.linalg.solve(np.eye(len(z)) + STIFF * active.T @ active, -left)
        start, share = float(left @ step), 1.0
        for _ in range(SEARCHES):
            there = z + share * step
            rate = float((there - rows.T @ np.maximum(0.0, held + STIFF * (limits - rows @ there))) @ step)
            if rate <= -0.1 * start:
                break
            share *= min(0.9, max(0.1, start / (start - rate)))
        z = z + share * step
    return z
