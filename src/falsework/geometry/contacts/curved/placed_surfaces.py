"""The curved surfaces of a scene: forms in the world, the triangles that stand for them, and how far these are off."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from falsework.geometry.contacts.curved.spans import contains, spans_of_lines
from falsework.geometry.shapes.equal_shapes import as_moved
from falsework.geometry.shapes.placed_solids import Scene
from falsework.geometry.shapes.planes import TINY, cross, unit
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.geometry.surfaces.forms import Form, form_of
from falsework.geometry.surfaces.freely_curved import freely_curved
from falsework.geometry.surfaces.helicoids import Helicoid, helicoid_of
from falsework.geometry.surfaces.recognition import primitives_of
from falsework.model.arrays import Array, Bools, Ints

FLAT = -1  # the number of no curved surface
NARROW = 1e-9  # rad: rounding of turns


class Surface:
    """One curved surface of one solid."""

    def __init__(self, number: int, solid: int, form: Form | Helicoid, convex: bool, corners: Array) -> None:
        self.number, self.solid, self.convex, self.corners = number, solid, convex, corners
        self.form: Any = form  # of threads a `Helicoid`, of all else a `Form`
        self.low, self.high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        middles = np.concatenate([corners.mean(axis=1), *(0.5 * (corners[:, k] + corners[:, k - 1]) for k in range(3))])
        self.sag_m = float(np.abs(form.heights(middles)).max())  # how far triangles are off the form

    @property
    def kind(self) -> str:
        return str(self.form.kind)

    @property
    def out(self) -> float:
        """1 if outward of the form, up the axis of a thread, is out of the material, else −1."""
        return 1.0 if self.convex else -1.0

    @cached_property
    def sides(self) -> tuple[Array, Array]:
        """Unit, square to the axis and to each other; they turn with the triangles."""
        radial = self.form.outward(self.corners[0])
        radial = radial - (radial @ self.form.axis)[:, None] * self.form.axis
        first = unit(radial[int(np.argmax(np.linalg.norm(radial, axis=1)))])
        return first, cross(self.form.axis, first)

    @cached_property
    def _about(self) -> tuple[Array, Array, Bools]:
        """Of the corners (k, 3): the turn about the axis, within half a turn of the first, how far along; an apex."""
        u, v = self.sides
        arms = self.corners - self.form.point
        x, y, along = arms @ u, arms @ v, arms @ self.form.axis
        apex = np.hypot(x, y) <= 1e-9 * float(np.abs(arms).max())
        turn = np.arctan2(y, x)
        turn[apex] = np.nan
        base = np.nanmean(np.where(apex, np.nan, np.unwrap(np.where(apex, 0.0, turn), axis=1)), axis=1, keepdims=True)
        turn = base + np.mod(turn - base + np.pi, 2 * np.pi) - np.pi
        return turn, along, apex

    @cached_property
    def _reaches(self) -> tuple[Array, Array, float]:
        """Of the triangles (k,): the middle of their turns, and how far they reach at most; the widest radius."""
        turns, _, apex = self._about
        low, high = np.nanmin(turns, axis=1), np.nanmax(turns, axis=1)
        halves = 0.5 * (high - low) + NARROW
        halves[apex.any(axis=1) | (halves > 0.5 * np.pi)] = np.pi + NARROW  # these are on every line, or wind about
        radius = max(float(self.form.bows(self.corners.reshape(-1, 3)).max()), TINY)
        return 0.5 * (low + high), halves, radius

    def turn_of(self, way: Array) -> float:
        """Where about the axis a way (3,) points."""
        u, v = self.sides
        return float(np.arctan2(way @ v, way @ u))

    def way_at(self, turn: float) -> Array:
        """(3,) unit, square to the axis."""
        u, v = self.sides
        way: Array = np.cos(turn) * u + np.sin(turn) * v
        return way

    def turns_of(self, ways: Array) -> Array:
        """(n,) where about the axis ways (n, 3) point."""
        u, v = self.sides
        return np.asarray(np.arctan2(ways @ v, ways @ u))

    def spans(self, turn: float, slack_m: float) -> Array:
        """(m, 2) where along the axis, from the form's point, this reaches at a turn about it."""
        return self.spans_at(np.array([turn]), slack_m)[0]

    def spans_at(self, places: Array, slack_m: float) -> list[Array]:
        """The same at several turns (n,)."""
        turns, along, apex = self._about
        middles, halves, radius = self._reaches
        line, row = _within(places, middles, halves + slack_m / radius)
        if not len(row):
            return [np.zeros((0, 2))] * len(places)
        turns, along, apex = turns[row], along[row], apex[row]
        off = np.mod(turns - places[line][:, None] + np.pi, 2 * np.pi) - np.pi
        centre = np.nanmean(off, axis=1, keepdims=True)
        off = np.where(apex, 0.0, centre + np.mod(off - centre + np.pi, 2 * np.pi) - np.pi)
        return spans_of_lines(off * radius, along, line, len(places), slack_m, 2 * slack_m)

    def covers(self, point: Array, slack_m: float) -> bool:
        """Whether a point (3,) of the form, or near it, is on the region."""
        arm = point - self.form.point
        if self.form.kind == "sphere":
            return bool(self.pierced(arm[None], slack_m)[0])
        return contains(self.spans(self.turn_of(arm), slack_m), float(arm @ self.form.axis), slack_m)

    def pierced(self, ways: Array, slack_m: float) -> Bools:
        """(n,) whether rays from a sphere's centre along ways (n, 3) go through a triangle."""
        a, b, c = (self.corners[:, k] - self.form.point for k in range(3))
        sides = np.stack([cross(b, c), cross(c, a), cross(a, b)])  # (3, k, 3)
        bound = -slack_m / self.form.radius_m * np.linalg.norm(sides, axis=2)  # beyond an edge by so little is on it
        sides, bound = (sides, bound) if self.convex else (-sides, bound)
        return np.array([(sides @ unit(way) >= bound).all(axis=0).any() for way in ways], dtype=bool)


def _within(places: Array, middles: Array, halves: Array) -> tuple[Ints, Ints]:
    """Which turns (n,) are within halves (k,) of middles (k,), all the way round: number of the turn, of the middle."""
    order = np.argsort(places, kind="stable")
    around = places[order][None] + 2 * np.pi * np.arange(-2, 3)[:, None]
    begin, end = np.searchsorted(around.ravel(), middles - halves), np.searchsorted(around.ravel(), middles + halves)
    row = np.repeat(np.arange(len(middles)), end - begin)
    place = np.arange(len(row)) - np.repeat(starts_of(end - begin)[:-1], end - begin) + begin[row]
    return order[place % len(places)], row


@dataclass(frozen=True, slots=True, eq=False)
class Surfaces:
    """All curved surfaces of a scene, and which facets are parts of them."""

    curved: tuple[Surface, ...]
    by_solid: dict[int, tuple[Surface, ...]]
    of_facet: Ints  # (f,) the surface of each facet of the scene, FLAT for flat ones
    of_triangle: Ints  # (t,) the same of each triangle
    triangle_starts: Ints  # (f + 1,) triangles of each facet, as runs
    triangle_order: Ints

    def corners(self, placed: Scene, facet: int) -> Array:
        """(k, 3, 3) the triangles of a facet."""
        rows, _ = rows_of(self.triangle_starts, np.array([facet]))
        corners: Array = placed.vertices[placed.triangles[self.triangle_order[rows]]]
        return corners


@lru_cache(maxsize=2)
def free_facets(placed: Scene) -> Bools:
    """(f,) facets of a scene that stand for curved surfaces of no known form."""
    free = np.zeros(len(placed.facets), dtype=bool)
    for solid, moved in enumerate(as_moved(placed.shapes)):
        begin, end = placed.triangle_starts[solid : solid + 2]
        if begin == end or moved is None:
            continue
        of_it = placed.facets.facet_of[begin:end][freely_curved(moved.shape)]
        free[of_it[of_it >= 0]] = True
    return free


@lru_cache(maxsize=2)
def placed_surfaces(placed: Scene) -> Surfaces:
    """The curved surfaces of the solids of a scene, each in the world."""
    found: list[Surface] = []
    of_triangle = np.full(len(placed.triangles), FLAT)
    for solid, moved in enumerate(as_moved(placed.shapes)):
        begin, end = placed.triangle_starts[solid : solid + 2]
        if begin == end or moved is None:
            continue
        pose = placed.poses[solid] @ moved.pose
        for primitive in primitives_of(moved.shape):
            form = helicoid_of(primitive) if primitive.kind == "thread" else form_of(primitive)
            if form is None:
                continue
            rows = begin + primitive.triangles
            of_triangle[rows] = len(found)
            corners = placed.vertices[placed.triangles[rows]]
            found.append(Surface(len(found), solid, form.moved(pose), primitive.convex, corners))
    order = np.argsort(placed.facets.facet_of, kind="stable")
    starts = np.searchsorted(placed.facets.facet_of[order], np.arange(len(placed.facets) + 1))
    lowest = np.minimum.reduceat(of_triangle[order], starts[:-1]) if len(placed.facets) else of_triangle[:0]
    by_solid: dict[int, list[Surface]] = {}
    for surface in found:
        by_solid.setdefault(surface.solid, []).append(surface)
    return Surfaces(
        tuple(found), {solid: tuple(own) for solid, own in by_solid.items()}, lowest, of_triangle, starts, order
    )
