"""The direction in which two convex pieces are furthest apart, or overlap least.

Seed 003 picks for each pair one separating edge (8.5); in space it is a face of either piece, or the common
perpendicular of two edges. An edge pair is taken only where it separates better than every face by more than the
blur, and where faces tie, the caller looks at what touches: no choice depends on which piece comes first.
"""

from __future__ import annotations

import math

import numpy as np

from falsework.collapse.hulls import Hulls
from falsework.collapse.placing import Placed
from falsework.kernels.compiled import inner
from falsework.model.arrays import Array

SQUARE = 1e-4  # sine between two edges below which they have no common perpendicular
MOST_TIES = 8


@inner
def face_axes(hulls: Hulls, placed: Placed, one: int, other: int, blur: float, axes: Array) -> tuple[int, float]:
    """axes (MOST_TIES, 4) ← directions from `one` to `other` with their gaps: the best face, and all as good.

    Returns how many, and the best gap.
    """
    best = -np.inf
    gaps = np.empty(
        hulls.face_starts[one + 1] - hulls.face_starts[one] + hulls.face_starts[other + 1] - hulls.face_starts[other]
    )
    at = 0
    for side in range(2):
        a, b = (one, other) if side == 0 else (other, one)
        for f in range(hulls.face_starts[a], hulls.face_starts[a + 1]):
            n0, n1, n2 = placed.normals[f, 0], placed.normals[f, 1], placed.normals[f, 2]
            base = n0 * placed.anchors[f, 0] + n1 * placed.anchors[f, 1] + n2 * placed.anchors[f, 2]
            least = np.inf
            for v in range(hulls.corner_starts[b], hulls.corner_starts[b + 1]):
                x = placed.corners[v]
                least = min(least, n0 * x[0] + n1 * x[1] + n2 * x[2])
            gaps[at] = least - base
            best = max(best, gaps[at])
            at += 1
    count, at = 0, 0
    for side in range(2):
        a = one if side == 0 else other
        sign = 1.0 if side == 0 else -1.0
        for f in range(hulls.face_starts[a], hulls.face_starts[a + 1]):
            if gaps[at] >= best - blur and count < MOST_TIES:
                known = False
                for k in range(count):
                    along = 0.0
                    for i in range(3):
                        along += axes[k, i] * sign * placed.normals[f, i]
                    if along > 0.999999:
                        known = True
                if not known:
                    for i in range(3):
                        axes[count, i] = sign * placed.normals[f, i]
                    axes[count, 3] = gaps[at]
                    count += 1
            at += 1
    return count, best


@inner
def edge_axis(hulls: Hulls, placed: Placed, one: int, other: int, axis: Array) -> float:
    """axis (3,) ← the common perpendicular of two edges, from `one` to `other`, with the largest gap; returns that."""
    best = -np.inf
    for e in range(hulls.edge_starts[one], hulls.edge_starts[one + 1]):
        for d in range(hulls.edge_starts[other], hulls.edge_starts[other + 1]):
            a, b = placed.edges[e], placed.edges[d]
            n0 = a[1] * b[2] - a[2] * b[1]
            n1 = a[2] * b[0] - a[0] * b[2]
            n2 = a[0] * b[1] - a[1] * b[0]
            length = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
            if length < SQUARE:
                continue
            n0, n1, n2 = n0 / length, n1 / length, n2 / length
            low, high = np.inf, -np.inf
            for v in range(hulls.corner_starts[one], hulls.corner_starts[one + 1]):
                x = placed.corners[v]
                along = n0 * x[0] + n1 * x[1] + n2 * x[2]
                low, high = min(low, along), max(high, along)
            other_low, other_high = np.inf, -np.inf
            for v in range(hulls.corner_starts[other], hulls.corner_starts[other + 1]):
                x = placed.corners[v]
                along = n0 * x[0] + n1 * x[1] + n2 * x[2]
                other_low, other_high = min(other_low, along), max(other_high, along)
            ahead, behind = other_low - high, low - other_high
            if max(ahead, behind) > best:
                best = max(ahead, behind)
                sign = 1.0 if ahead >= behind else -1.0
                axis[0], axis[1], axis[2] = sign * n0, sign * n1, sign * n2
    return best


@inner
def facing(hulls: Hulls, placed: Placed, piece: int, axis: Array, sign: float) -> int:
    """The face of a piece that looks most along sign × axis."""
    best, chosen = -np.inf, -1
    for f in range(hulls.face_starts[piece], hulls.face_starts[piece + 1]):
        along = 0.0
        for i in range(3):
            along += sign * axis[i] * placed.normals[f, i]
        if along > best:
            best, chosen = along, f
    return chosen
