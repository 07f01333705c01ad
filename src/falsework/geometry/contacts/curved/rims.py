"""Circular rims: where a curved surface ends in an edge all points of which are as far from its axis.

The rim of a rod or of a hole is a circle that triangles cut into chords. Only the ends of the chords are on it, so what
touches the circle in between touches neither a corner nor a chord.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.contacts.curved.on_edges import Edges
from falsework.geometry.contacts.curved.placed_surfaces import FLAT
from falsework.geometry.shapes.planes import cross, unit
from falsework.model.arrays import Array, Ints

LEAST = 4  # chords that make a rim
ROUND = 1e-6  # of a radius, or single precision: so far may the ends of chords be off a circle
SQUARE = 1e-3  # rad between the plane of a rim and a face that it lies flat on


@dataclass(frozen=True, slots=True, eq=False)
class Rim:
    """A circle, or an arc, and how the material lies along it."""

    solid: int
    surfaces: tuple[int, ...]  # numbers of the curved surfaces beside it
    facets: tuple[int, ...]  # all facets beside it
    centre: Array  # (3,)
    axis: Array  # (3,) unit
    sides: tuple[Array, Array]  # unit, square to the axis and to each other
    radius_m: float
    arcs: Array  # (k, 2) turns from which to which its chords go, in (−π, 3π)
    into: Array  # (2, 2) radial and axial: the ways across the rim into the two faces beside it
    sag_m: float  # how far its chords are off it

    @property
    def convex(self) -> bool:
        """Whether the material is within the circle."""
        return bool(self.into[:, 0].sum() < 0)

    @property
    def low(self) -> Array:
        return np.asarray(self.centre - self.reach)

    @property
    def high(self) -> Array:
        return np.asarray(self.centre + self.reach)

    @property
    def reach(self) -> Array:
        """(3,) how far the circle goes from its centre along x, y and z."""
        return np.asarray(self.radius_m * np.sqrt(np.maximum(1 - self.axis**2, 0.0)))

    def at(self, turns: Array) -> Array:
        """(n, 3) points at turns (n,)."""
        u, v = self.sides
        ways = np.cos(turns)[:, None] * u + np.sin(turns)[:, None] * v
        points: Array = self.centre + self.radius_m * ways
        return points

    def turn_of(self, way: Array) -> float:
        return float(np.arctan2(way @ self.sides[1], way @ self.sides[0]))

    def covers(self, turn: float, slack_m: float) -> bool:
        """Whether there is a chord at a turn."""
        slack = slack_m / self.radius_m
        ahead = np.mod(turn - self.arcs[:, 0] + slack, 2 * np.pi)
        return bool((ahead <= self.arcs[:, 1] - self.arcs[:, 0] + 2 * slack).any())

    def opens(self, turn: float, normal: Array, level: float) -> bool:
        """Whether both faces beside the rim lead away from a plane with a normal (3,) there."""
        radial = unit(self.at(np.array([turn]))[0] - self.centre)
        return bool((self.into @ np.stack([radial, self.axis]) @ normal >= -level).all())


def rims_of(edges: Edges) -> dict[int, tuple[Rim, ...]]:
    """The rims of each solid."""
    features, surfaces = edges.features, edges.surfaces
    sides = np.where(edges.facets >= 0, surfaces.of_facet[edges.facets], FLAT)  # (2, e)
    rows = np.flatnonzero(edges.sharp & (sides != FLAT).any(axis=0) & (features.beside >= 0).all(axis=1))
    keys = np.where(sides[:, rows] != FLAT, sides[:, rows], -2 - edges.facets[:, rows])  # flat faces by their number
    _, group = np.unique(np.sort(keys, axis=0).T, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    runs = np.split(rows[order], np.flatnonzero(np.diff(group.ravel()[order])) + 1) if len(rows) else []
    found: dict[int, list[Rim]] = {}
    for run in runs:
        for circle in _levels(edges, run, sides) if len(run) >= LEAST else []:
            rim = _rim(edges, circle, sides)
            if rim is not None:
                found.setdefault(rim.solid, []).append(rim)
    return {solid: tuple(rims) for solid, rims in found.items()}


def _axis(edges: Edges, row: int, sides: Ints) -> tuple[Array, Array] | None:
    """A point of the axis that the rim through an edge may have, and its direction."""
    forms = [edges.surfaces.curved[number].form for number in sides[:, row] if number != FLAT]
    straight = [form for form in forms if form.kind in ("cylinder", "cone")]
    if straight:
        return straight[0].point, straight[0].axis
    flat = edges.facets[sides[:, row] == FLAT, row]
    if forms[0].kind != "sphere" or not len(flat):
        return None
    return forms[0].point, edges.placed.facets.normals[flat[0]]


def _levels(edges: Edges, run: Ints, sides: Ints) -> list[Ints]:
    """Edges of one pair of faces by how far along the axis they are: a cylinder may end in a face more than once."""
    about = _axis(edges, int(run[0]), sides)
    if about is None:
        return []
    along = (edges.ends[run] - about[0]) @ about[1]  # (n, 2)
    reach = float(np.abs(edges.ends[run] - about[0]).max())
    level = np.abs(along[:, 0] - along[:, 1]) <= ROUND * reach
    run, along = run[level], along[level, 0]
    order = np.argsort(along, kind="stable")
    return [
        part for part in np.split(run[order], np.flatnonzero(np.diff(along[order]) > ROUND * reach) + 1) if len(part)
    ]


def _rim(edges: Edges, run: Ints, sides: Ints) -> Rim | None:
    """The circle through the ends of some edges of one height; None where they are on none."""
    about = _axis(edges, int(run[0]), sides)
    if about is None or len(run) < LEAST:
        return None
    point, axis = about
    ends = edges.ends[run]
    centre = point + float((ends[0, 0] - point) @ axis) * axis
    arms = ends - centre
    radii = np.linalg.norm(arms, axis=2)
    radius = float(radii.mean())
    if float(np.ptp(radii)) > 4 * ROUND * max(radius, float(np.abs(ends).max()) * 0.1):
        return None
    u = unit(arms[0, 0])
    v = cross(axis, u)
    first = np.arctan2(arms[:, 0] @ v, arms[:, 0] @ u)
    turned = np.mod(np.arctan2(arms[:, 1] @ v, arms[:, 1] @ u) - first + np.pi, 2 * np.pi) - np.pi
    arcs = np.sort(np.stack([first, first + turned], axis=1), axis=1)
    middles = unit(arms.sum(axis=1))
    beside = edges.features.inward[edges.features.beside[run]]  # (n, 2, 3)
    kinds = sides[:, run].T  # (n, 2), in the same order
    beside = np.where((kinds[:, 0] > kinds[:, 1])[:, None, None], beside, beside[:, ::-1])
    across = np.stack([np.einsum("nfi,ni->nf", beside, middles), beside @ axis], axis=2).mean(axis=0)
    numbers = np.unique(kinds[kinds != FLAT])
    return Rim(
        int(edges.features.edge_solid[run[0]]),
        tuple(int(number) for number in numbers),
        tuple(int(facet) for facet in np.unique(edges.facets[:, run])),
        centre,
        axis,
        (u, v),
        radius,
        arcs,
        across,
        radius - float(np.linalg.norm(arms.mean(axis=1), axis=1).min()),
    )


def square_to(rim: Rim, normal: Array) -> bool:
    """Whether a plane is parallel to that of a rim."""
    return bool(np.linalg.norm(cross(rim.axis, normal)) <= SQUARE)


def is_near(rim: Rim, low: Array, high: Array, margin: float) -> bool:
    """Whether a box reaches a rim."""
    return bool(((low <= rim.high + margin) & (high >= rim.low - margin)).all())
