"""Vectors as tuples of three numbers, for a reference that uses no arrays."""

from __future__ import annotations

import math

Vector = tuple[float, float, float]


def axes(normal: Vector) -> tuple[Vector, Vector]:
    """Unit vectors u and v with u × v = normal."""
    least = min(range(3), key=lambda k: abs(normal[k]))
    u = unit(cross(normal, vector(tuple(float(k == least) for k in range(3)))))
    return u, cross(normal, u)


def vector(numbers: tuple[float, ...]) -> Vector:
    x, y, z = numbers
    return x, y, z


def plus(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(factor: float, a: Vector) -> Vector:
    return factor * a[0], factor * a[1], factor * a[2]


def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def unit(a: Vector) -> Vector:
    return times(1 / math.sqrt(dot(a, a)), a)


def mean(points: list[Vector]) -> Vector:
    return times(1 / len(points), vector(tuple(map(sum, zip(*points, strict=True)))))
