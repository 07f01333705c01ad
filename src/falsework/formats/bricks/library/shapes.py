"""A part's triangles, put together from its file, its pieces and primitives; and the fittings that primitives are.

Primitives whose names begin with `stud` are studs where they are as thick and as high as one; the others of that name
are tubes and bars inside parts. `connect`, `confric` are pins, `peghole` and their like the mouths of bores, `axle` an
axle. Studs and pins are drawn, but are no part of the solid; bores are plugged in it, since pins are not solid there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from falsework.formats.bricks.library.lines import Drawing, Reference
from falsework.model.arrays import Array

Find = Callable[[str], Drawing | None]
MOST_DEEP = 24  # files inside one another
MOST_TRIANGLES = 200_000  # of one part
STUD_RADIUS, STUD_HEIGHT = 6.0, 4.0
MOUTH = 4.0  # a primitive of a bore that is no longer than this is one end of it
_STUD = re.compile(r"(?:[0-9]+/)?(?:[0-9]+-[0-9]+)?stud[^/]*\.dat")
_GROUP = re.compile(r"(?:[0-9]+/)?stug[^/]*\.dat")
_PIN = re.compile(r"(?:[0-9]+/)?(?:connect|confric)[^/]*\.dat")
_BORE = re.compile(r"(?:[0-9]+/)?(?:peghol|axlehol|axl[0-9]hol)[^/]*\.dat")
_AXLE = re.compile(r"(?:[0-9]+/)?axle(?:[0-9]*|end[0-9]*|sphe)?\.dat")
# Names by which studs are known where the primitive itself is not there.
_USUAL_STUDS = re.compile(r"(?:[0-9]+/)?stud(?:2|2a|6|6a|10|13|15|p01|-logo[0-9]*|2-logo[0-9]*|line|open)?\.dat")
_USUAL_GROUP = re.compile(r"stug(?P<open>[0-9]*a?)-(?P<x>[0-9]+)x(?P<z>[0-9]+)\.dat")


@dataclass(slots=True)
class Drawn:
    """What was gathered of one part, in LDraw's axes and units of the part."""

    looks: list[Array] = field(default_factory=list)  # (t, 3, 3) everything, outward where it is certified
    solid: list[Array] = field(default_factory=list)  # (t, 3, 3) without studs, pins and bores
    studs: list[Array] = field(default_factory=list)  # (6,) base and direction
    pins: list[Array] = field(default_factory=list)
    bores: list[Array] = field(default_factory=list)
    rods: list[Array] = field(default_factory=list)
    certified: bool = True
    missing: set[str] = field(default_factory=set)  # files that nobody has
    count: int = 0

    def triangles(self, which: str) -> Array:
        return np.concatenate([np.zeros((0, 3, 3)), *getattr(self, which)])


def drawn(find: Find, part: Drawing) -> Drawn:
    """Everything that a part's drawing refers to, flattened."""
    found = Drawn()
    _gather(find, part, np.eye(4), False, found, 0, True)
    return found


def _gather(find: Find, one: Drawing, T: Array, inverted: bool, found: Drawn, depth: int, is_solid: bool) -> None:
    found.certified &= one.certified or not len(one.triangles)
    if len(one.triangles) and found.count < MOST_TRIANGLES:
        placed = one.triangles @ T[:3, :3].T + T[:3, 3]
        if inverted != (np.linalg.det(T[:3, :3]) < 0):
            placed = placed[:, ::-1]
        found.looks.append(placed)
        found.count += len(placed)
        if is_solid:
            found.solid.append(placed)
    if depth >= MOST_DEEP:
        return
    for reference in one.references:
        child = T @ reference.matrix
        inner = find(reference.file)
        solid = is_solid and not _noted(find, reference, inner, child, found)
        if inner is None:
            found.missing.add(reference.file)
        else:
            _gather(find, inner, child, inverted != reference.inverted, found, depth + 1, solid)


def _noted(find: Find, reference: Reference, inner: Drawing | None, T: Array, found: Drawn) -> bool:
    """Whether a reference is a fitting, which is noted, or a bar or tube inside, and so no part of the solid."""
    name = reference.file.removeprefix("p/")
    if _STUD.fullmatch(name):
        if _is_stud(find, name, inner):
            found.studs.append(_row(T, (0, 0, 0), (0, -1, 0)))
        return True
    if inner is None and (group := _USUAL_GROUP.fullmatch(name)) and group["open"] in ("", "2", "2a", "6"):
        found.studs += [_row(T, place, (0, -1, 0)) for place in _grid(int(group["x"]), int(group["z"]))]
        return True
    if _PIN.fullmatch(name):
        found.pins.append(_row(T, (0, 0, 0), (0, -1, 0)))
        return True
    if _BORE.fullmatch(name):
        found.bores += [_row(T, place, way) for place, way in _mouths(find, inner, T)]
        found.solid.append(_plug(T))
        return True
    if _AXLE.fullmatch(name):
        low, high = _along(find, inner)
        middle, half = (T @ (0, (low + high) / 2, 0, 1))[:3], T[:3, 1] * (high - low) / 2
        found.rods.append(np.concatenate([middle, half]))
        return True
    return False


def _row(T: Array, place: tuple[float, float, float], way: tuple[float, float, float]) -> Array:
    along = T[:3, :3] @ np.array(way, dtype=float)
    size = float(np.linalg.norm(along))
    return np.concatenate([(T @ (*place, 1.0))[:3], along / size if size > 0 else (0.0, -1.0, 0.0)])


def _grid(x: int, z: int) -> list[tuple[float, float, float]]:
    return [(20.0 * i - 10 * (x - 1), 0.0, 20.0 * j - 10 * (z - 1)) for i in range(x) for j in range(z)]


def _is_stud(find: Find, name: str, inner: Drawing | None) -> bool:
    """Told by its measures: as wide and as high as a stud, standing on y = 0; by its name where it is not there."""
    if inner is None:
        return bool(_USUAL_STUDS.fullmatch(name))
    points = _points(find, inner)
    if not len(points):
        return bool(_USUAL_STUDS.fullmatch(name))
    radius = float(np.hypot(points[:, 0], points[:, 2]).max())
    low, high = float(points[:, 1].min()), float(points[:, 1].max())
    return abs(radius - STUD_RADIUS) < 0.6 and -1.25 * STUD_HEIGHT < low < -0.75 * STUD_HEIGHT and high < 1.0


def _mouths(
    find: Find, inner: Drawing | None, T: Array
) -> list[tuple[tuple[float, float, float], tuple[float, float, float]]]:
    """Where a bore opens, by its primitive: at y = 0 where that is the end of one only, else at both of its ends."""
    low, high = _along(find, inner)
    if (high - low) * float(np.linalg.norm(T[:3, 1])) <= MOUTH:
        return [((0, 0, 0), (0, -1.0 if high > -low else 1.0, 0))]
    return [((0, low, 0), (0, -1, 0)), ((0, high, 0), (0, 1, 0))]


def _along(find: Find, inner: Drawing | None) -> tuple[float, float]:
    """From where to where a primitive goes along its y."""
    points = np.zeros((0, 3)) if inner is None else _points(find, inner)
    return (float(points[:, 1].min()), float(points[:, 1].max())) if len(points) else (0.0, 1.0)


def _points(find: Find, inner: Drawing) -> Array:
    found = Drawn()
    for reference in inner.references:
        child = find(reference.file)
        if child is not None:
            _gather(find, child, reference.matrix, False, found, 2, True)
    return np.concatenate([inner.triangles, found.triangles("looks")]).reshape(-1, 3)


def _plug(T: Array) -> Array:
    """(2, 3, 3) a square across a bore, so that nobody sees through it."""
    corners = (
        np.array([(-8.0, 0.0, -8.0), (8.0, 0.0, -8.0), (8.0, 0.0, 8.0), (-8.0, 0.0, 8.0)]) @ T[:3, :3].T + T[:3, 3]
    )
    return corners[[[0, 1, 2], [0, 2, 3]]]
