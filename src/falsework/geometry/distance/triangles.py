"""Arithmetic of single triangles, compiled: nearest points of points, edges and triangles, and rays that meet them.

A triangle is nine numbers in a row, its corners a, b, c.
"""

from __future__ import annotations

import math

import numpy as np

from falsework.kernels.compiled import inner
from falsework.model.arrays import Array

FLAT = 1e-30  # of squared lengths: below, an edge is a point


@inner
def nearest_on_triangle(x: float, y: float, z: float, corners: Array, k: int) -> tuple[float, float, float, float, int]:
    """Squared distance, nearest point and feature of triangle k, by the region of its plane that the point is over.

    Features: 0 inside, 1–3 the edges ab, bc, ca, 4–6 the corners.
    """
    ax, ay, az = corners[k, 0], corners[k, 1], corners[k, 2]
    bx, by, bz = corners[k, 3] - ax, corners[k, 4] - ay, corners[k, 5] - az  # edge ab
    cx, cy, cz = corners[k, 6] - ax, corners[k, 7] - ay, corners[k, 8] - az  # edge ac
    px, py, pz = x - ax, y - ay, z - az
    d1, d2 = bx * px + by * py + bz * pz, cx * px + cy * py + cz * pz
    bb, bc, cc = bx * bx + by * by + bz * bz, bx * cx + by * cy + bz * cz, cx * cx + cy * cy + cz * cz
    d3, d4 = d1 - bb, d2 - bc  # seen from b
    d5, d6 = d1 - bc, d2 - cc  # seen from c
    v, w, feature = 0.0, 0.0, 0
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0 and d2 <= 0:
        feature = 4
    elif d3 >= 0 and d4 <= d3:
        v, feature = 1.0, 5
    elif d6 >= 0 and d5 <= d6:
        w, feature = 1.0, 6
    elif vc <= 0 and d1 >= 0 and d3 <= 0:
        v, feature = d1 / (d1 - d3), 1
    elif vb <= 0 and d2 >= 0 and d6 <= 0:
        w, feature = d2 / (d2 - d6), 3
    elif va <= 0 and d4 >= d3 and d5 >= d6:
        w, feature = (d4 - d3) / ((d4 - d3) + (d5 - d6)), 2
        v = 1.0 - w
    else:
        total = va + vb + vc
        v, w = vb / total, vc / total
    qx, qy, qz = v * bx + w * cx, v * by + w * cy, v * bz + w * cz
    ex, ey, ez = px - qx, py - qy, pz - qz
    return ex * ex + ey * ey + ez * ez, ax + qx, ay + qy, az + qz, feature


@inner
def nearest_of_edges(one: Array, i: int, p: int, other: Array, j: int, r: int) -> tuple[float, float, float]:
    """Squared distance of two edges, from the corners at p and r on, and how far along each the nearest points are."""
    q, s = (p + 3) % 9, (r + 3) % 9
    p0, p1, p2 = one[i, p], one[i, p + 1], one[i, p + 2]
    r0, r1, r2 = other[j, r], other[j, r + 1], other[j, r + 2]
    d0, d1, d2 = one[i, q] - p0, one[i, q + 1] - p1, one[i, q + 2] - p2
    e0, e1, e2 = other[j, s] - r0, other[j, s + 1] - r1, other[j, s + 2] - r2
    g0, g1, g2 = p0 - r0, p1 - r1, p2 - r2
    dd, ee, de = d0 * d0 + d1 * d1 + d2 * d2, e0 * e0 + e1 * e1 + e2 * e2, d0 * e0 + d1 * e1 + d2 * e2
    dg, eg = d0 * g0 + d1 * g1 + d2 * g2, e0 * g0 + e1 * g1 + e2 * g2
    u, t = 0.0, 0.0
    if dd <= FLAT:
        t = min(max(eg / ee, 0.0), 1.0) if ee > FLAT else 0.0
    elif ee <= FLAT:
        u = min(max(-dg / dd, 0.0), 1.0)
    else:
        square = dd * ee - de * de
        if square > 1e-12 * dd * ee:
            u = min(max((de * eg - dg * ee) / square, 0.0), 1.0)
        t = (de * u + eg) / ee
        if t < 0.0:
            t = 0.0
            u = min(max(-dg / dd, 0.0), 1.0)
        elif t > 1.0:
            t = 1.0
            u = min(max((de - dg) / dd, 0.0), 1.0)
    h0, h1, h2 = g0 + u * d0 - t * e0, g1 + u * d1 - t * e1, g2 + u * d2 - t * e2
    return h0 * h0 + h1 * h1 + h2 * h2, u, t


@inner
def meets_triangle(
    x: float, y: float, z: float, d0: float, d1: float, d2: float, corners: Array, k: int, slack: float
) -> float:
    """How many lengths of a way d from x, y, z on a line meets triangle k; NaN where it does not, or runs along it.

    `slack`: how far outside, in shares of its edges, still counts: rays between two triangles then miss neither.
    """
    b0, b1, b2 = corners[k, 3] - corners[k, 0], corners[k, 4] - corners[k, 1], corners[k, 5] - corners[k, 2]
    c0, c1, c2 = corners[k, 6] - corners[k, 0], corners[k, 7] - corners[k, 1], corners[k, 8] - corners[k, 2]
    n0, n1, n2 = d1 * c2 - d2 * c1, d2 * c0 - d0 * c2, d0 * c1 - d1 * c0
    volume = b0 * n0 + b1 * n1 + b2 * n2
    if volume == 0.0:
        return math.nan
    o0, o1, o2 = x - corners[k, 0], y - corners[k, 1], z - corners[k, 2]
    v = (o0 * n0 + o1 * n1 + o2 * n2) / volume
    if v < -slack or v > 1.0 + slack:
        return math.nan
    m0, m1, m2 = o1 * b2 - o2 * b1, o2 * b0 - o0 * b2, o0 * b1 - o1 * b0
    w = (d0 * m0 + d1 * m1 + d2 * m2) / volume
    if w < -slack or v + w > 1.0 + slack:
        return math.nan
    far: float = (c0 * m0 + c1 * m1 + c2 * m2) / volume
    return far


@inner
def nearest_of_triangles(one: Array, i: int, other: Array, j: int, enough: float, points: Array) -> float:
    """Squared distance of two triangles, 0 where they meet; points (2, 3) ← the nearest points.

    Where it is more than `enough`, squared, any number that is more may be returned.
    """
    over, under = _height(one, i, other, j), _height(other, j, one, i)
    if over > enough or under > enough:
        return np.inf
    if over == 0.0 and under == 0.0 and _pierced(one, i, other, j, points):
        return 0.0
    best = np.inf
    for side in range(2):  # corners over the other triangle
        a, k, b, m = (one, i, other, j) if side == 0 else (other, j, one, i)
        for c in range(3):
            x, y, z = a[k, 3 * c], a[k, 3 * c + 1], a[k, 3 * c + 2]
            square, q0, q1, q2, _ = nearest_on_triangle(x, y, z, b, m)
            if square < best:
                best = square
                points[side, 0], points[side, 1], points[side, 2] = x, y, z
                points[1 - side, 0], points[1 - side, 1], points[1 - side, 2] = q0, q1, q2
    for p in range(0, 9, 3):  # edges over edges
        for r in range(0, 9, 3):
            square, u, t = nearest_of_edges(one, i, p, other, j, r)
            if square < best:
                best = square
                q, s = (p + 3) % 9, (r + 3) % 9
                for axis in range(3):
                    points[0, axis] = one[i, p + axis] + u * (one[i, q + axis] - one[i, p + axis])
                    points[1, axis] = other[j, r + axis] + t * (other[j, s + axis] - other[j, r + axis])
    return best


@inner
def _height(one: Array, i: int, other: Array, j: int) -> float:
    """Squared distance of triangle j from the plane of triangle i; 0 where it reaches to both sides."""
    b0, b1, b2 = one[i, 3] - one[i, 0], one[i, 4] - one[i, 1], one[i, 5] - one[i, 2]
    c0, c1, c2 = one[i, 6] - one[i, 0], one[i, 7] - one[i, 1], one[i, 8] - one[i, 2]
    n0, n1, n2 = b1 * c2 - b2 * c1, b2 * c0 - b0 * c2, b0 * c1 - b1 * c0
    square = n0 * n0 + n1 * n1 + n2 * n2
    low, high = np.inf, -np.inf
    for c in range(0, 9, 3):
        rise = n0 * (other[j, c] - one[i, 0]) + n1 * (other[j, c + 1] - one[i, 1]) + n2 * (other[j, c + 2] - one[i, 2])
        low, high = min(low, rise), max(high, rise)
    least = max(low, -high)
    return least * least / square if least > 0.0 and square > 0.0 else 0.0


@inner
def _pierced(one: Array, i: int, other: Array, j: int, points: Array) -> bool:
    """Whether an edge of either passes through the other; points (2, 3) ← where, twice."""
    for side in range(2):
        a, k, b, m = (one, i, other, j) if side == 0 else (other, j, one, i)
        for p in range(0, 9, 3):
            q = (p + 3) % 9
            x, y, z = a[k, p], a[k, p + 1], a[k, p + 2]
            d0, d1, d2 = a[k, q] - x, a[k, q + 1] - y, a[k, q + 2] - z
            share = meets_triangle(x, y, z, d0, d1, d2, b, m, 0.0)
            if 0.0 <= share <= 1.0:
                for side_too in range(2):
                    points[side_too, 0] = x + share * d0
                    points[side_too, 1] = y + share * d1
                    points[side_too, 2] = z + share * d2
                return True
    return False
