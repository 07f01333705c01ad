"""A cone on a cylinder or on another cone, side by side: a point, or a line where both have one in common.

A cylinder or a cone is made of the balls that lie in it and touch it all around: centres on its axis, the radius one
and the same, or growing with the way from the apex. How far the other form is outside of such a ball is a convex
function of the place along the axis; where that is least they touch.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.curved.placed_surfaces import Surface
from falsework.geometry.contacts.curved.spans import common
from falsework.geometry.contacts.curved.touch import Room, Touch, line
from falsework.model.arrays import Array

HALVINGS = 60  # of an axis: to rounding
TURNED = 1e-6  # of what the balls' gap changes along the axis: more at the least one, and it is at an end of the axis


def side_by_side(one: Surface, other: Surface, room: Room) -> Touch | None:
    """The contact of two convex surfaces, cylinders or cones."""
    low, high = _axial(one)
    place = _nearest(one, other, low, high)
    gap = _apart(one, other, place)
    if not room.holds(gap, one, other):
        return None
    centre, radius = _ball(one, place)
    normal = -other.form.outward(centre[None])[0]
    level = max(_apart(one, other, end) for end in (low, high)) - gap <= room.gap_m
    if level:
        return _line(one, other, normal, gap, room)
    if abs(_slope(one, other, place)) > TURNED:
        return None  # at an end of the axis: there a rim may touch
    point = centre + (radius + 0.5 * gap) * normal
    slack = room.near_m + one.sag_m + other.sag_m
    if not (one.covers(point, slack) and other.covers(point, slack)):
        return None
    return Touch(one, other, other.kind, [point[None]], [normal])


def _grows(surface: Surface) -> float:
    """By how much the radius of the balls grows along the axis."""
    return float(np.sin(surface.form.half_angle_rad)) if surface.kind == "cone" else 0.0


def _axial(surface: Surface) -> tuple[float, float]:
    """Between which places along the axis the centres of the balls are that touch the region."""
    along = (surface.corners.reshape(-1, 3) - surface.form.point) @ surface.form.axis
    square = 1.0 - _grows(surface) ** 2
    return float(along.min()) / square, float(along.max()) / square


def _ball(surface: Surface, place: float) -> tuple[Array, float]:
    form = surface.form
    radius = form.radius_m if surface.kind == "cylinder" else place * _grows(surface)
    return form.point + place * form.axis, float(radius)


def _apart(one: Surface, other: Surface, place: float) -> float:
    centre, radius = _ball(one, place)
    return float(other.form.heights(centre[None])[0]) - radius


def _slope(one: Surface, other: Surface, place: float) -> float:
    centre, _ = _ball(one, place)
    return float(other.form.outward(centre[None])[0] @ one.form.axis) - _grows(one)


def _nearest(one: Surface, other: Surface, low: float, high: float) -> float:
    """Where the balls stop coming nearer, by bisection."""
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _slope(one, other, middle) > 0 else (middle, high)
    return 0.5 * (low + high)


def _line(one: Surface, other: Surface, normal: Array, gap: float, room: Room) -> Touch | None:
    """Along a line of both forms, as far as both have it."""
    radial = normal - (normal @ one.form.axis) * one.form.axis
    centre, radius = _ball(one, sum(_axial(one)) / 2)
    origin = centre + (radius + 0.5 * gap) * normal
    grows = _grows(one)
    way = (one.form.axis + grows * normal) / np.sqrt(1.0 - grows**2)  # unit, square to the normal
    own = _along(one, one.spans(one.turn_of(radial), room.near_m), origin, way)
    theirs = _along(other, other.spans(other.turn_of(origin - other.form.point), room.near_m), origin, way)
    points = line(origin, way, common(own, theirs), room.near_m)
    return None if points is None else Touch(one, other, other.kind, [points], [normal])


def _along(surface: Surface, intervals: Array, origin: Array, way: Array) -> Array:
    """Intervals along an axis as places on a line through `origin`, which is not square to that axis."""
    cosine = float(way @ surface.form.axis)
    return np.sort((intervals - float((origin - surface.form.point) @ surface.form.axis)) / cosine, axis=1)
