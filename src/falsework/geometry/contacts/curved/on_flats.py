"""Curved surfaces on flat faces: a ball in a point, a cylinder or a cone in a line."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from falsework.geometry.contacts.curved.placed_surfaces import FLAT, Surface, Surfaces
from falsework.geometry.contacts.curved.spans import common, contains, spans
from falsework.geometry.contacts.curved.touch import Room, Touch, line
from falsework.geometry.shapes.placed_solids import Scene
from falsework.geometry.shapes.planes import cross, plane_axes, unit
from falsework.model.arrays import Array, Ints


class Boxed(Protocol):
    """A surface or a rim: where it is, and how far its triangles or chords are off it."""

    @property
    def low(self) -> Array: ...

    @property
    def high(self) -> Array: ...

    @property
    def sag_m(self) -> float: ...


def flats_near(placed: Scene, surfaces: Surfaces, surface: Surface | Boxed, solid: int, room: Room) -> Ints:
    """Flat facets of a solid whose boxes come near a surface or a rim."""
    facets = placed.facet_order[slice(*placed.facet_starts[solid : solid + 2])]
    facets = facets[surfaces.of_facet[facets] == FLAT]
    margin = room.gap_m + surface.sag_m
    near = (placed.facet_lows[facets] <= surface.high + margin) & (placed.facet_highs[facets] >= surface.low - margin)
    chosen: Ints = facets[near.all(axis=1)]
    return chosen


def on_flats(placed: Scene, surfaces: Surfaces, surface: Surface, solid: int, room: Room) -> list[Touch]:
    """Contacts of a surface with the flat faces of a solid; what is concave meets them only at its rim."""
    facets = flats_near(placed, surfaces, surface, solid, room) if surface.convex else np.zeros(0, dtype=np.int64)
    if not len(facets):
        return []
    normals, centres = placed.facets.normals[facets], placed.facets.centres[facets]
    solve = {"sphere": _ball, "cylinder": _cylinder, "cone": _cone}[surface.kind]
    found = []
    for row in _candidates(surface, normals, centres, room):
        corners = surfaces.corners(placed, int(facets[row]))
        points = solve(surface, normals[row], centres[row], corners, room)
        if points is not None:
            found.append(Touch(surface, None, "plane", [points], [-normals[row]], (int(facets[row]),)))
    return found


def _candidates(surface: Surface, normals: Array, centres: Array, room: Room) -> Ints:
    """Rows of planes that a form comes near to, along a line or in a point."""
    form, length = surface.form, float(np.linalg.norm(surface.high - surface.low))
    height = ((form.point - centres) * normals).sum(axis=1)
    lean = (normals @ form.axis) - (np.sin(form.half_angle_rad) if surface.kind == "cone" else 0.0)
    loose = room.gap_m + surface.sag_m
    if surface.kind == "sphere":
        return np.flatnonzero(np.abs(height - form.radius_m) <= loose)
    level = np.abs(lean) * length <= 4 * loose
    if surface.kind == "cylinder":
        middle = 0.5 * (surface.low + surface.high)
        height = height + ((middle - form.point) @ form.axis) * (normals @ form.axis)
        return np.flatnonzero(level & (np.abs(height - form.radius_m) <= 4 * loose))
    return np.flatnonzero(level & (np.abs(height) <= 4 * loose))


def _ball(surface: Surface, normal: Array, centre: Array, corners: Array, room: Room) -> Array | None:
    form = surface.form
    gap = float((form.point - centre) @ normal) - form.radius_m
    point = form.point - (form.radius_m + 0.5 * gap) * normal
    if not room.holds(gap, surface) or not surface.covers(point, room.near_m + surface.sag_m):
        return None
    u, v = (way[0] for way in plane_axes(normal[None]))
    over = spans((corners - point) @ u, (corners - point) @ v, room.near_m, room.near_m)
    return point[None] if contains(over, 0.0, room.near_m) else None


def _cylinder(surface: Surface, normal: Array, centre: Array, corners: Array, room: Room) -> Array | None:
    form = surface.form
    way = unit(form.axis - (form.axis @ normal) * normal)
    own = surface.spans(surface.turn_of(-normal), room.near_m)
    return _along(surface, form.point - form.radius_m * normal, way, own, (normal, centre, corners), room)


def _cone(surface: Surface, normal: Array, centre: Array, corners: Array, room: Room) -> Array | None:
    form = surface.form
    radial = unit(-normal - (-normal @ form.axis) * form.axis)
    cosine, sine = np.cos(form.half_angle_rad), np.sin(form.half_angle_rad)
    way = cosine * form.axis + sine * radial
    own = surface.spans(surface.turn_of(radial), room.near_m) / cosine
    return _along(surface, form.point, way, own, (normal, centre, corners), room)


def _along(
    surface: Surface, origin: Array, way: Array, own: Array, plane: tuple[Array, Array, Array], room: Room
) -> Array | None:
    """Ends of the line in which a generator through `origin`, there over intervals `own`, lies on a face."""
    normal, centre, corners = plane
    side = unit(cross(normal, way))
    on_face = spans((corners - origin) @ side, (corners - origin) @ way, room.near_m, room.near_m)
    points = line(origin, way, common(own, on_face), room.near_m)
    if points is None:
        return None
    heights = (points - centre) @ normal
    if not all(room.holds(float(height), surface) for height in heights):
        return None
    return points - 0.5 * heights[:, None] * normal
