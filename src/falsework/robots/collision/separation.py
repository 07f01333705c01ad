"""How far two convex bodies are apart at least: Gilbert, Johnson and Keerthi's way over their corners.

What is returned is a lower bound that a separating plane proves, but for rounding: a body is called clear only where
that plane says so.
"""

from __future__ import annotations

import math

from falsework.kernels.exact import inner
from falsework.model.arrays import Array
from falsework.robots.kinematics.vectors import Vector, cross, dot, minus, plus, row, times

ROUNDS = 64
CLOSE = 1e-10  # of the distance squared: what is left between bound and distance
TOUCHING = 1e-18  # m²: nearer than this they touch


@inner
def separation(
    a: Array, a0: int, a1: int, b: Array, b0: int, b1: int, stop: float, settle: float, simplex: Array
) -> float:
    """A lower bound on the distance of the hulls of a[a0:a1] and b[b0:b1], 0 where they overlap.

    It is the distance itself to rounding, unless it is known to be above `stop`, where the bound is as good, or at most
    `settle`, where it may be anything below. `simplex` (4, 3) is scratch.
    """
    v = minus(row(a, a0), row(b, b0))
    simplex[0, 0], simplex[0, 1], simplex[0, 2] = v
    count = 1
    best = 0.0
    for _ in range(ROUNDS):
        vv = dot(v, v)
        if vv < TOUCHING:
            return 0.0
        length = math.sqrt(vv)
        w = _difference(a, a0, a1, b, b0, b1, v)
        best = max(best, dot(v, w) / length)
        if best > stop or length <= settle or vv - dot(v, w) <= CLOSE * vv or _has(simplex, count, w):
            return best
        simplex[count, 0], simplex[count, 1], simplex[count, 2] = w
        count, v = _nearest(simplex, count + 1)
        if count == 4 or dot(v, v) >= vv:  # it holds the origin, or rounding has the last word
            return 0.0 if count == 4 else best
    return best


@inner
def _difference(a: Array, a0: int, a1: int, b: Array, b0: int, b1: int, v: Vector) -> Vector:
    """The corner of a − b that is farthest against v."""
    low, high = math.inf, -math.inf
    first, second = a0, b0
    for k in range(a0, a1):
        value = a[k, 0] * v[0] + a[k, 1] * v[1] + a[k, 2] * v[2]
        if value < low:
            low, first = value, k
    for k in range(b0, b1):
        value = b[k, 0] * v[0] + b[k, 1] * v[1] + b[k, 2] * v[2]
        if value > high:
            high, second = value, k
    return minus(row(a, first), row(b, second))


@inner
def _has(simplex: Array, count: int, w: Vector) -> bool:
    found = False
    for k in range(count):
        found = found or (simplex[k, 0] == w[0] and simplex[k, 1] == w[1] and simplex[k, 2] == w[2])
    return found


@inner
def _keep(simplex: Array, a: Vector, b: Vector, c: Vector) -> None:
    simplex[0, 0], simplex[0, 1], simplex[0, 2] = a
    simplex[1, 0], simplex[1, 1], simplex[1, 2] = b
    simplex[2, 0], simplex[2, 1], simplex[2, 2] = c


@inner
def _nearest(simplex: Array, count: int) -> tuple[int, Vector]:
    """The point of the simplex that is nearest to the origin; keeps only the corners that span it, in front."""
    a, b = row(simplex, 0), row(simplex, 1)
    if count == 2:
        kept, v, c, d, e = _on_segment(a, b)
        _keep(simplex, c, d, e)
        return kept, v
    c = row(simplex, 2)
    if count == 3:
        kept, v, p, q, r = _on_triangle(a, b, c)
        _keep(simplex, p, q, r)
        return kept, v
    d = row(simplex, 3)
    if _inside(a, b, c, d):
        return 4, (0.0, 0.0, 0.0)
    best, v, p, q, r = _on_triangle(a, b, c)
    for side in range(3):
        if side == 0:
            kept, found, x, y, z = _on_triangle(a, b, d)
        elif side == 1:
            kept, found, x, y, z = _on_triangle(a, c, d)
        else:
            kept, found, x, y, z = _on_triangle(b, c, d)
        if dot(found, found) < dot(v, v):
            best, v, p, q, r = kept, found, x, y, z
    _keep(simplex, p, q, r)
    return best, v


@inner
def _inside(a: Vector, b: Vector, c: Vector, d: Vector) -> bool:
    """Whether the origin lies within a tetrahedron: on the inner side of all four faces, strictly."""
    volume = dot(minus(d, a), cross(minus(b, a), minus(c, a)))
    one = -dot(a, cross(minus(b, a), minus(c, a)))  # with d replaced by the origin
    two = -dot(a, cross(minus(d, a), minus(b, a)))
    three = -dot(a, cross(minus(c, a), minus(d, a)))
    four = -dot(b, cross(minus(d, b), minus(c, b)))
    if volume > 0.0:
        return one > 0.0 and two > 0.0 and three > 0.0 and four > 0.0
    return volume < 0.0 and one < 0.0 and two < 0.0 and three < 0.0 and four < 0.0


@inner
def _on_segment(a: Vector, b: Vector) -> tuple[int, Vector, Vector, Vector, Vector]:
    """Of a segment: how many corners span the nearest point, the point, and the corners, the last ones of no use."""
    d = minus(b, a)
    t = -dot(a, d)
    length2 = dot(d, d)
    if t <= 0.0:
        return 1, a, a, a, a
    if t >= length2:
        return 1, b, b, b, b
    return 2, plus(a, times(d, t / length2)), a, b, b


@inner
def _on_triangle(a: Vector, b: Vector, c: Vector) -> tuple[int, Vector, Vector, Vector, Vector]:
    """The same of a triangle, by the region in which the origin lies."""
    ab, ac = minus(b, a), minus(c, a)
    d1, d2 = -dot(ab, a), -dot(ac, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1, a, a, a, a
    d3, d4 = -dot(ab, b), -dot(ac, b)
    if d3 >= 0.0 and d4 <= d3:
        return 1, b, b, b, b
    d5, d6 = -dot(ab, c), -dot(ac, c)
    if d6 >= 0.0 and d5 <= d6:
        return 1, c, c, c, c
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return _on_segment(a, b)
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return _on_segment(a, c)
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        return _on_segment(b, c)
    total = va + vb + vc
    if not total > 0.0:  # no area: one of its sides
        return _flattest(a, b, c)
    return 3, plus(a, plus(times(ab, vb / total), times(ac, vc / total))), a, b, c


@inner
def _flattest(a: Vector, b: Vector, c: Vector) -> tuple[int, Vector, Vector, Vector, Vector]:
    best = _on_segment(a, b)
    other = _on_segment(a, c)
    if dot(other[1], other[1]) < dot(best[1], best[1]):
        best = other
    other = _on_segment(b, c)
    return other if dot(other[1], other[1]) < dot(best[1], best[1]) else best
