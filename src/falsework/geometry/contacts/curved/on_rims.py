"""Circular rims on flat faces and on curved surfaces: the points of the true circle that touch.

Rims that touch all around, as a ball on a hole does, are left to their corners: those are on the circle.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.curved.on_edges import LEVEL, Edges
from falsework.geometry.contacts.curved.on_flats import flats_near
from falsework.geometry.contacts.curved.placed_surfaces import Surface
from falsework.geometry.contacts.curved.rims import Rim, is_near, square_to
from falsework.geometry.contacts.curved.spans import contains, spans
from falsework.geometry.contacts.curved.touch import Room, Touch
from falsework.geometry.shapes.planes import plane_axes, unit
from falsework.model.arrays import Array

AROUND = 96  # places on a circle from which the nearest ones are looked for
NARROWINGS = 60  # of the arc about such a place
GOLDEN = 0.6180339887498949


def rim_on_flats(edges: Edges, rim: Rim, solid: int, room: Room, lying: set[tuple[int, int]]) -> list[Touch]:
    """Contacts of a rim with the flat faces of a solid, but for faces on which a surface beside the rim lies."""
    placed, surfaces = edges.placed, edges.surfaces
    facets = flats_near(placed, surfaces, rim, solid, room)
    found = []
    for facet in facets.tolist():
        normal, centre = placed.facets.normals[facet], placed.facets.centres[facet]
        if square_to(rim, normal) or any((number, facet) in lying for number in rim.surfaces):
            continue
        turn = rim.turn_of(-normal)
        foot = rim.at(np.array([turn]))[0]
        gap = float((foot - centre) @ normal)
        if not (room.holds(gap, rim) and rim.covers(turn, room.near_m) and rim.opens(turn, normal, LEVEL)):
            continue
        point = foot - 0.5 * gap * normal
        u, v = (way[0] for way in plane_axes(normal[None]))
        corners = surfaces.corners(placed, facet)
        over = spans((corners - point) @ u, (corners - point) @ v, room.near_m, room.near_m)
        if contains(over, 0.0, room.near_m):
            beside = surfaces.curved[rim.surfaces[0]]
            found.append(Touch(beside, None, "plane", [point[None]], [-normal], (facet,), also=rim.surfaces))
    return found


def rim_on_curved(rim: Rim, surface: Surface, room: Room) -> Touch | None:
    """Where a rim comes nearest to a curved surface, if it does not touch it all around."""
    if not is_near(rim, surface.low, surface.high, room.gap_m + surface.sag_m + rim.sag_m):
        return None
    turns = 2 * np.pi * np.arange(AROUND) / AROUND
    gaps = _gaps(rim, surface, turns)
    if float(np.ptp(gaps)) <= 4 * room.gap_m:
        return None
    least = np.flatnonzero((gaps <= np.roll(gaps, 1)) & (gaps < np.roll(gaps, -1)))
    ends, normals = [], []
    for turn in turns[least]:
        turn = _narrowed(rim, surface, float(turn))
        foot = rim.at(np.array([turn]))
        gap = float(_gaps(rim, surface, np.array([turn]))[0])
        normal = surface.out * surface.form.outward(foot)[0]
        if not (room.holds(gap, surface, rim) and rim.covers(turn, room.near_m) and rim.opens(turn, normal, LEVEL)):
            continue
        point = foot[0] - 0.5 * gap * normal
        if surface.covers(point, room.near_m + surface.sag_m):
            ends.append(point[None])
            normals.append(unit(normal))
    return Touch(surface, None, "rim", ends, normals, rim.facets) if ends else None


def _gaps(rim: Rim, surface: Surface, turns: Array) -> Array:
    gaps: Array = surface.out * surface.form.heights(rim.at(turns))
    return gaps


def _narrowed(rim: Rim, surface: Surface, turn: float) -> float:
    """The nearest place about a turn, by golden section."""
    step = 2 * np.pi / AROUND
    low, high = turn - step, turn + step
    for _ in range(NARROWINGS):
        width = GOLDEN * (high - low)
        one, other = _gaps(rim, surface, np.array([high - width, low + width]))
        low, high = (low, low + width) if one < other else (high - width, high)
    return 0.5 * (low + high)
