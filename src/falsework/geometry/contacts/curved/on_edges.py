"""Curved surfaces on edges and corners: a ball on the edge of a box, a log on two of them, a ball on the rim of a hole.

How far a point is outside a ball, a cylinder or a cone is a convex function, so along an edge it has one least value:
there the edge touches from outside. In a hole only corners touch. The rim of a curved surface is a row of chords; its
corners are on the true rim, the rest of the chords is not.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from falsework.geometry.contacts.curved.conforming import AROUND, thinned
from falsework.geometry.contacts.curved.placed_surfaces import FLAT, Surface, Surfaces
from falsework.geometry.contacts.curved.spans import common
from falsework.geometry.contacts.curved.touch import Room, Touch, line
from falsework.geometry.shapes.features import Features
from falsework.geometry.shapes.placed_solids import Scene
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.geometry.shapes.sagittas import SMOOTH
from falsework.model.arrays import Array, Bools, Ints

HALVINGS = 54  # of an edge: to rounding
LEVEL = 1e-3  # rad by which a face beside an edge may dip under the tangent plane
CHORD = 0.1  # of how far triangles are off a surface: an edge that is further off it is a chord
DIPS = float(np.sin(0.51 * SMOOTH))  # sine by which a chord of a rim may dip under the tangent plane at its end


class Edges:
    """Sharp edges and corners of a scene, for curved surfaces to touch."""

    def __init__(self, placed: Scene, surfaces: Surfaces) -> None:
        self.placed, self.surfaces, self.features = placed, surfaces, Features(placed)
        features = self.features
        one, other = features.beside.T
        sides = np.stack(
            [np.where(one >= 0, surfaces.of_facet[features.facet_of_half[half]], FLAT) for half in (one, other)]
        )
        curved = (sides != FLAT).any(axis=0)
        goes_on = curved & (np.abs(features.bend) < np.sin(SMOOTH))
        self.sharp: Bools = features.is_convex_edge & ~goes_on & ~((sides[0] == sides[1]) & curved)
        self.facets = np.where(one >= 0, features.facet_of_half[np.stack([one, other])], -1)  # (2, e)
        self.chord = self._chords(sides)
        self.ends = placed.vertices[features.ends]  # (e, 2, 3)
        corner = np.zeros(len(placed.vertices), dtype=bool)
        corner[features.ends[self.sharp].ravel()] = True
        self.corners = np.flatnonzero(corner)
        self.corner_solid = np.searchsorted(placed.vertex_starts, self.corners, side="right") - 1

    def _chords(self, sides: Array) -> Bools:
        """(e,) edges whose middles are off a curved surface beside them."""
        middles = self.placed.vertices[self.features.ends].mean(axis=1)
        chord = np.zeros(sides.shape[1], dtype=bool)
        for side in sides:
            for number in np.unique(side[side != FLAT]):
                surface, mine = self.surfaces.curved[number], np.flatnonzero(side == number)
                chord[mine] |= np.abs(surface.form.heights(middles[mine])) > CHORD * surface.sag_m
        return chord

    @cached_property
    def _straight(self) -> tuple[Ints, Ints]:
        rows = np.flatnonzero(self.sharp & ~self.chord)
        rows = rows[np.argsort(self.features.edge_solid[rows], kind="stable")]
        return rows, self.features.edge_solid[rows]

    def straight(self, solid: int) -> Ints:
        """(k,) the sharp edges of a solid that are no chords."""
        rows, solids = self._straight
        return rows[slice(*np.searchsorted(solids, [solid, solid + 1]))]

    @cached_property
    def at_vertex(self) -> tuple[Ints, Ints]:
        """Triangles at each vertex, as runs."""
        around = self.placed.triangles.ravel()
        counts = np.bincount(around, minlength=len(self.placed.vertices))
        return starts_of(counts), np.argsort(around, kind="stable") // 3

    def beside(self, vertices: Ints, facets: set[int]) -> Bools:
        """(k,) whether one of some facets meets each vertex."""
        chosen = np.zeros(len(self.placed.facets), dtype=bool)
        chosen[list(facets)] = True
        starts, halves = self.features.at_vertex
        rows, which = rows_of(starts, vertices)
        met: Bools = np.bincount(which[chosen[self.features.facet_of_half[halves[rows]]]], minlength=len(vertices)) > 0
        return met

    def facets_at(self, vertex: int) -> Ints:
        starts, halves = self.features.at_vertex
        rows, _ = rows_of(starts, np.array([vertex]))
        return np.unique(self.features.facet_of_half[halves[rows]])


def on_edges(edges: Edges, surface: Surface, solid: int, room: Room, taken: set[int]) -> list[Touch]:
    """Contacts of a surface with the edges and corners of a solid, but for those of facets that are taken."""
    found = _on_edges(edges, surface, solid, room, taken) if surface.convex else []
    corners = _on_corners(edges, surface, solid, room, taken | {facet for touch in found for facet in touch.facets})
    return [*found, *([] if corners is None else [corners])]


def _on_edges(edges: Edges, surface: Surface, solid: int, room: Room, taken: set[int]) -> list[Touch]:
    features, margin = edges.features, room.gap_m + surface.sag_m
    rows = edges.straight(solid)
    lows, highs = edges.ends[rows].min(axis=1), edges.ends[rows].max(axis=1)
    rows = rows[((lows <= surface.high + margin) & (highs >= surface.low - margin)).all(axis=1)]
    rows = rows[~np.isin(edges.facets[:, rows], list(taken)).any(axis=0)] if len(rows) and taken else rows
    if not len(rows):
        return []
    tails, arms = edges.ends[rows, 0], edges.ends[rows, 1] - edges.ends[rows, 0]
    share = _lowest(surface, tails, arms)
    points = tails + share[:, None] * arms
    gaps, normals = surface.form.heights(points), surface.form.outward(points)
    beside = features.inward[features.beside[rows]]  # (n, 2, 3)
    open_ = ((beside * normals[:, None]).sum(axis=2) >= -LEVEL).all(axis=1)
    found = []
    for k in np.flatnonzero(open_):
        points_of = _edge_ends(surface, tails[k], arms[k], points[k], float(gaps[k]), normals[k], room)
        if points_of is not None:
            facets = tuple(int(facet) for facet in edges.facets[:, rows[k]])
            found.append(Touch(surface, None, "edge", [points_of], [normals[k]], facets))
    return found


def _lowest(surface: Surface, tails: Array, arms: Array) -> Array:
    """(n,) where along edges, from 0 to 1, they are lowest over a form: there they stop going down, by bisection."""
    low, high = np.zeros(len(tails)), np.ones(len(tails))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        rises = (surface.form.outward(tails + middle[:, None] * arms) * arms).sum(axis=1) > 0
        low, high = np.where(rises, low, middle), np.where(rises, middle, high)
    return 0.5 * (low + high)


def _edge_ends(
    surface: Surface, tail: Array, arm: Array, point: Array, gap: float, normal: Array, room: Room
) -> Array | None:
    """The point, or the ends of the line, in which an edge touches; None at its ends, where corners are."""
    if not room.holds(gap, surface):
        return None
    form, length = surface.form, float(np.linalg.norm(arm))
    heights = form.heights(np.stack([tail, tail + arm]))
    if surface.kind == "cylinder" and float(np.abs(heights - gap).max()) <= room.gap_m:
        along = np.sort((np.stack([tail, tail + arm]) - form.point) @ form.axis)[None]
        own = surface.spans(surface.turn_of(normal), room.near_m)
        return line(form.point + (form.radius_m + 0.5 * gap) * normal, form.axis, common(own, along), room.near_m)
    share = float((point - tail) @ arm) / length
    if min(share, length - share) <= room.near_m:
        return None
    return (point - 0.5 * gap * normal)[None] if surface.covers(point, room.near_m + surface.sag_m) else None


def _on_corners(edges: Edges, surface: Surface, solid: int, room: Room, taken: set[int]) -> Touch | None:
    margin = room.gap_m + surface.sag_m
    vertices = edges.corners[slice(*np.searchsorted(edges.corner_solid, [solid, solid + 1]))]
    places = edges.placed.vertices[vertices]
    near = ((places <= surface.high + margin) & (places >= surface.low - margin)).all(axis=1)
    vertices, places = vertices[near], places[near]
    gaps = surface.out * surface.form.heights(places)
    normals = surface.out * surface.form.outward(places)
    free = room.hold(gaps, surface) & ~edges.beside(vertices, taken)
    kept = [
        k
        for k in np.flatnonzero(free).tolist()
        if _above(edges, int(vertices[k]), normals[k]) and surface.covers(places[k], room.near_m + surface.sag_m)
    ]
    if not kept:
        return None
    few = [kept[k] for k in np.sort(thinned(places[kept], AROUND))]
    facets = tuple({int(facet) for k in kept for facet in edges.facets_at(int(vertices[k]))})
    ends = [(places[k] - 0.5 * gaps[k] * normals[k])[None] for k in few]
    return Touch(surface, None, "corner", ends, [normals[k] for k in few], facets)


def _above(edges: Edges, vertex: int, normal: Array) -> bool:
    """Whether all triangles at a corner lead away from a tangent plane; those of curved surfaces may dip a little.

    So may flat ones along the chords of a rim, which they share with a curved surface.
    """
    placed = edges.placed
    starts, order = edges.at_vertex
    rows, _ = rows_of(starts, np.array([vertex]))
    triangles = order[rows]
    arms = placed.vertices[placed.triangles[triangles]] - placed.vertices[vertex]  # (k, 3, 3), one of each nothing
    lengths = np.linalg.norm(arms, axis=2)
    curved = edges.surfaces.of_triangle[triangles] != FLAT
    chords = np.isin(placed.triangles[triangles], placed.triangles[triangles[curved]])
    dips = np.where(chords, DIPS, LEVEL)
    return bool((arms @ normal >= -dips * lengths).all())
