"""Where convex bodies touch or nearly do: points, normals and gaps, as a body that moves among others meets them.

Of two convex bodies one axis keeps them apart the best. The points that matter along it are corners of one over the
other and crossings of their edges: where none of these comes nearer, to first order nothing does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.shapes.convex_pieces import Convex
from falsework.geometry.shapes.planes import cross, plane_axes, unit
from falsework.model.arrays import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Touches:
    """Points (k, 3) of a moving body, normals (k, 3) along which others push it, and gaps (k,) that are left there."""

    points: Array
    normals: Array
    gaps: Array


def apart(a: Convex, b: Convex, turned_axes: Array) -> tuple[float, Array]:
    """How far two bodies are apart along the axis that shows the most of it, and that axis, from B to A.

    Negative where they reach into each other. `turned_axes` (k, 3): the directions of A's edges where it is now.
    """
    crossed = cross(turned_axes[:, None], b.axes[None]).reshape(-1, 3)
    crossed = unit(crossed[(crossed * crossed).sum(axis=1) > 1e-9])
    axes = np.concatenate([b.normals, -a.normals, crossed, -crossed])
    gaps = (a.vertices @ axes.T).min(axis=0) - (b.vertices @ axes.T).max(axis=0)
    best = int(np.argmax(gaps))
    return float(gaps[best]), axes[best]


def touches(a: Convex, edges: Ints, b: Convex, normal: Array, margin_m: float) -> Touches:
    """Where A is nearer to B than a margin along a normal that keeps them apart; `edges` of A by their corners."""
    along_a, along_b = a.vertices @ normal, b.vertices @ normal
    floor, ceiling = float(along_b.max()), float(along_a.min())
    near_a, near_b = along_a <= floor + margin_m, along_b >= ceiling - margin_m
    over = near_a & (a.vertices @ b.normals.T <= b.offsets + margin_m).all(axis=1)
    planes = (a.vertices @ a.normals.T).max(axis=0)
    under = near_b & (b.vertices @ a.normals.T <= planes + margin_m).all(axis=1)
    crossings, gaps = _crossings(
        a.vertices[edges[near_a[edges].all(axis=1)]],
        b.vertices[b.edge_corners[near_b[b.edge_corners].all(axis=1)]],
        normal,
    )
    points = np.concatenate([a.vertices[over], b.vertices[under], crossings])
    all_gaps = np.concatenate([along_a[over] - floor, ceiling - along_b[under], gaps])
    return Touches(points, np.broadcast_to(normal, points.shape), all_gaps)


def _crossings(one: Array, other: Array, normal: Array) -> tuple[Array, Array]:
    """Where edges (k, 2, 3) cross others (m, 2, 3), seen along a normal: points on the first, and gaps along it."""
    if not len(one) or not len(other):
        return np.zeros((0, 3)), np.zeros(0)
    u, v = plane_axes(normal[None])
    flat = np.stack([u[0], v[0]], axis=1)
    p, d = (one[:, 0] @ flat)[:, None], ((one[:, 1] - one[:, 0]) @ flat)[:, None]
    q, e = (other[:, 0] @ flat)[None], ((other[:, 1] - other[:, 0]) @ flat)[None]
    turn = d[..., 0] * e[..., 1] - d[..., 1] * e[..., 0]
    skew = np.abs(turn) > 1e-9 * np.maximum(np.linalg.norm(d, axis=2) * np.linalg.norm(e, axis=2), 1e-300)
    safe = np.where(skew, turn, 1.0)
    w = q - p
    s = (w[..., 0] * e[..., 1] - w[..., 1] * e[..., 0]) / safe
    t = (w[..., 0] * d[..., 1] - w[..., 1] * d[..., 0]) / safe
    i, j = np.nonzero(skew & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1))
    points = one[i, 0] + s[i, j, None] * (one[i, 1] - one[i, 0])
    opposite = other[j, 0] + t[i, j, None] * (other[j, 1] - other[j, 0])
    return points, (points - opposite) @ normal
