"""Vectors of three numbers as tuples, which machine code keeps in registers, and four little problems about turning.

The problems are those of Paden, Kahan and their successors: every arm whose axes meet or are parallel in the usual
places is solved by a few of them in a row. Angles are rad; where there is no answer, the nearest is given and checked
by whoever asks.
"""

from __future__ import annotations

import math
from typing import Any

from falsework.kernels.exact import inner

Vector = Any  # a tuple of three floats
OVER = 1e-7  # by how much a cosine may exceed 1 through rounding and still be 1


@inner
def dot(a: Vector, b: Vector) -> float:
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@inner
def cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inner
def plus(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inner
def minus(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inner
def times(a: Vector, factor: float) -> Vector:
    return (a[0] * factor, a[1] * factor, a[2] * factor)


@inner
def row(table: Any, k: int) -> Vector:
    """A row of an array (n, 3)."""
    return (table[k, 0], table[k, 1], table[k, 2])


@inner
def column(table: Any, k: int) -> Vector:
    """A column of an array of three rows."""
    return (table[0, k], table[1, k], table[2, k])


@inner
def applied(matrix: Any, v: Vector) -> Vector:
    """A matrix (3, 3) times a vector."""
    return (
        matrix[0, 0] * v[0] + matrix[0, 1] * v[1] + matrix[0, 2] * v[2],
        matrix[1, 0] * v[0] + matrix[1, 1] * v[1] + matrix[1, 2] * v[2],
        matrix[2, 0] * v[0] + matrix[2, 1] * v[1] + matrix[2, 2] * v[2],
    )


@inner
def applied_back(matrix: Any, v: Vector) -> Vector:
    """A transposed matrix (3, 3) times a vector."""
    return (
        matrix[0, 0] * v[0] + matrix[1, 0] * v[1] + matrix[2, 0] * v[2],
        matrix[0, 1] * v[0] + matrix[1, 1] * v[1] + matrix[2, 1] * v[2],
        matrix[0, 2] * v[0] + matrix[1, 2] * v[1] + matrix[2, 2] * v[2],
    )


@inner
def turned(axis: Vector, angle: float, v: Vector) -> Vector:
    """A vector turned about a unit axis."""
    c, s = math.cos(angle), math.sin(angle)
    along = dot(axis, v) * (1.0 - c)
    w = cross(axis, v)
    return (
        c * v[0] + s * w[0] + along * axis[0],
        c * v[1] + s * w[1] + along * axis[1],
        c * v[2] + s * w[2] + along * axis[2],
    )


@inner
def across(axis: Vector) -> Vector:
    """Some unit vector that is perpendicular to the axis."""
    x, y, z = abs(axis[0]), abs(axis[1]), abs(axis[2])
    other = (1.0, 0.0, 0.0)
    if y <= x and y <= z:
        other = (0.0, 1.0, 0.0)
    elif z <= x and z <= y:
        other = (0.0, 0.0, 1.0)
    found = cross(axis, other)
    return times(found, 1.0 / math.sqrt(dot(found, found)))


@inner
def angle_between(axis: Vector, p: Vector, q: Vector) -> float:
    """By how much to turn p about the axis so that it comes as near to q as it can."""
    w = cross(axis, p)
    return math.atan2(dot(w, q), dot(p, q) - dot(axis, p) * dot(axis, q))


@inner
def angles_to_plane(axis: Vector, p: Vector, h: Vector, d: float) -> tuple[int, float, float]:
    """By how much to turn p about the axis so that its product with h is d: how many answers, and both of them."""
    w = cross(axis, p)
    slant = dot(h, axis) * dot(axis, p)
    a, b = dot(h, p) - slant, dot(h, w)
    size = math.sqrt(a * a + b * b)
    if size < 1e-12:
        return 0, 0.0, 0.0
    cosine = (d - slant) / size
    if abs(cosine) > 1.0 + OVER:
        return 0, 0.0, 0.0
    middle = math.atan2(b, a)
    half = math.acos(min(1.0, max(-1.0, cosine)))
    return 2, middle + half, middle - half


@inner
def angles_to_distance(axis: Vector, p: Vector, q: Vector, distance2: float) -> tuple[int, float, float]:
    """By how much to turn p about the axis so that its distance from q, squared, is `distance2`."""
    return angles_to_plane(axis, p, q, 0.5 * (dot(p, p) + dot(q, q) - distance2))


@inner
def angles_of_two(first: Vector, second: Vector, p: Vector, q: Vector) -> tuple[int, float, float, float, float]:
    """Turn p about the second axis, then about the first, so that it comes to q: two pairs of angles, first axis first.

    The point in between lies on both circles: it is α·first + β·second ± γ·(first × second).
    """
    c = dot(first, second)
    normal = cross(first, second)
    n2 = dot(normal, normal)
    if n2 < 1e-18:
        return 0, 0.0, 0.0, 0.0, 0.0
    u, v = dot(first, q), dot(second, p)
    alpha, beta = (u - c * v) / n2, (v - c * u) / n2
    rest = (dot(p, p) - alpha * alpha - beta * beta - 2.0 * alpha * beta * c) / n2
    if rest < -OVER * dot(p, p):
        return 0, 0.0, 0.0, 0.0, 0.0
    gamma = math.sqrt(max(0.0, rest))
    base = plus(times(first, alpha), times(second, beta))
    one, other = plus(base, times(normal, gamma)), minus(base, times(normal, gamma))
    return (
        2,
        angle_between(first, one, q),
        angle_between(second, p, one),
        angle_between(first, other, q),
        angle_between(second, p, other),
    )
