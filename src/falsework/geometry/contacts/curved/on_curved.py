"""Curved surfaces on curved ones: points and lines outside each other, and what lies in a hole.

Balls and cylinders are all that is within a distance of a point and of a line. So they touch where these points and
lines are as far apart as both radii together, or, one in a hole of the other, as the radii differ.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.curved.conforming import ball_in_hole, cones, cylinders, in_socket
from falsework.geometry.contacts.curved.on_cones import side_by_side
from falsework.geometry.contacts.curved.placed_surfaces import Surface
from falsework.geometry.contacts.curved.spans import common
from falsework.geometry.contacts.curved.threads import mate, threads
from falsework.geometry.contacts.curved.touch import Room, Touch, line
from falsework.geometry.shapes.planes import cross, unit
from falsework.model.arrays import Array

PRESS = 0.005  # of a radius: what is more oversize is no press fit (ISO 286: u6, x7)
LOOSE = 0.15  # of a hole's radius: so much wider are holes for screws and washers, drawn around their middle (ISO 273)
FIT = 0.03  # of a hole's radius: with more play than the loosest of fits (ISO 286: c11), what is in it lies in it


def is_handled(one: Surface, other: Surface) -> bool:
    """Whether `on_curved` finds all contacts of two surfaces; those of the others are left to their facets."""
    kinds = {one.kind, other.kind}
    if "thread" in kinds:
        return mate(one, other)
    return "sphere" in kinds or kinds == {"cylinder"} or (one.convex and other.convex) or _nest(one, other)


def on_curved(one: Surface, other: Surface, room: Room) -> Touch | None:
    """The contact of two curved surfaces, normals out of the first."""
    if one.kind == "thread" or other.kind == "thread":
        return threads(one, other, room)
    if not one.convex and not other.convex:
        return None
    if one.kind == "sphere" or other.kind == "sphere":
        ball, rest = (one, other) if _is_the_ball(one, other) else (other, one)
        found = _ball_on(ball, rest, room)
    elif one.kind == other.kind == "cylinder":
        found = _cylinders(one, other, room)
    elif _nest(one, other):
        found = cones(*((one, other) if one.convex else (other, one)), room)
    elif one.convex and other.convex:
        found = side_by_side(*((one, other) if one.kind == "cylinder" else (other, one)), room)
    else:
        return None
    return found if found is None or found.one is one else _turned(found)


def _is_the_ball(one: Surface, other: Surface) -> bool:
    """Whether the first is the ball, not the socket or what the ball lies on."""
    return one.kind == "sphere" and (one.convex or other.kind != "sphere")


def _turned(touch: Touch) -> Touch:
    assert touch.other is not None
    return Touch(
        touch.other,
        touch.one,
        touch.one.kind,
        touch.ends,
        [-normal for normal in touch.normals],
        (),
        touch.gaps_m,
        touch.play_m,
        touch.step_rad,
    )


def _nest(one: Surface, other: Surface) -> bool:
    """Whether two cones have one axis and one opening, one in the other."""
    if one.kind != "cone" or other.kind != "cone" or one.convex == other.convex:
        return False
    length = float(np.linalg.norm(one.high - one.low))
    loose = 1e-4 * length + one.sag_m + other.sag_m
    apart = float(np.linalg.norm(cross(one.form.point - other.form.point, other.form.axis)))
    lean = float(np.linalg.norm(cross(one.form.axis, other.form.axis)))
    opening = abs(one.form.half_angle_rad - other.form.half_angle_rad)
    same_way = float(one.form.axis @ other.form.axis) > 0
    return same_way and max(apart, lean * length, opening * length) <= loose


def _ball_on(ball: Surface, rest: Surface, room: Room) -> Touch | None:
    """A ball, convex or a socket, and a ball, a cylinder or a cone."""
    centre = ball.form.point
    if not ball.convex:  # a socket, in which something else than a ball is: it has no line in common with it
        return None
    height = float(rest.form.heights(centre[None])[0])
    if rest.convex:
        gap = height - ball.form.radius_m
        return _point(ball, rest, rest.form.feet(centre[None])[0], gap, room)
    play = -height - ball.form.radius_m
    off = _off_middle(ball, rest)
    reach = rest.form.radius_m if rest.kind != "cone" else float(rest.form.bows(centre[None])[0])
    fits = play + off if rest.kind != "cone" else play  # what is left of the hole's radius
    if rest.kind == "cone" and off * np.cos(rest.form.half_angle_rad) <= room.gap_m:
        return ball_in_hole(ball, rest, play, room) if room.holds(play, ball, rest) else None
    if rest.kind != "cone" and -_press(ball, rest, room) <= fits <= max(FIT * reach, room.gap_m):
        return in_socket(ball, rest, fits, room) if rest.kind == "sphere" else ball_in_hole(ball, rest, fits, room)
    return _point(ball, rest, rest.form.feet(centre[None])[0], play, room)


def _press(one: Surface, other: Surface, room: Room) -> float:
    """How much wider than its hole something may be drawn."""
    return max(room.gap_m, PRESS * float(min(one.form.radius_m, other.form.radius_m)))


def _off_middle(ball: Surface, rest: Surface) -> float:
    """How far the centre of a ball is from the centre, or the axis, of the hole that it is in."""
    arm = ball.form.point - rest.form.point
    if rest.kind == "sphere":
        return float(np.linalg.norm(arm))
    return float(np.linalg.norm(arm - (arm @ rest.form.axis) * rest.form.axis))


def _point(ball: Surface, rest: Surface, foot: Array, gap: float, room: Room) -> Touch | None:
    """A ball that touches the rest in one point, next to a foot on it."""
    if not room.holds(gap, ball, rest):
        return None
    normal = unit(foot - ball.form.point)
    if float(ball.form.radius_m + gap) <= 0:
        return None
    point = foot - 0.5 * gap * normal
    slack = room.near_m + ball.sag_m + rest.sag_m
    if not (ball.covers(point, slack) and rest.covers(foot, slack)):
        return None
    return Touch(ball, rest, rest.kind, [point[None]], [normal])


def _cylinders(one: Surface, other: Surface, room: Room) -> Touch | None:
    lean = float(np.linalg.norm(cross(one.form.axis, other.form.axis)))
    length = min(float(np.linalg.norm(surface.high - surface.low)) for surface in (one, other))
    loose = room.gap_m + (0.0 if one.convex and other.convex else one.sag_m + other.sag_m)
    if lean * length > loose:
        return _crossed(one, other, room) if one.convex and other.convex else None
    arm = other.form.point - one.form.point
    apart = arm - (arm @ one.form.axis) * one.form.axis
    off = float(np.linalg.norm(apart))
    if one.convex and other.convex:
        gap = off - one.form.radius_m - other.form.radius_m
        return _line(one, other, unit(apart), gap, room) if room.holds(gap, one, other) else None
    shaft, hole = (one, other) if one.convex else (other, one)
    play = hole.form.radius_m - shaft.form.radius_m
    if -_press(shaft, hole, room) <= play <= max(FIT * hole.form.radius_m, room.gap_m):
        return cylinders(shaft, hole, play, room) if off <= max(play, 0.0) + room.gap_m + hole.sag_m else None
    gap, way = play - off, unit(apart if shaft is other else -apart)
    if gap > room.gap_m + shaft.sag_m + hole.sag_m and play <= LOOSE * hole.form.radius_m:
        return cylinders(shaft, hole, play, room)
    return _line(shaft, hole, way, gap, room) if play > 0 and room.holds(gap, shaft, hole) else None


def _line(one: Surface, other: Surface, way: Array, gap: float, room: Room) -> Touch | None:
    """Parallel cylinders that touch in a line, on the side of the first to which `way` points."""
    origin = one.form.point + (one.form.radius_m + 0.5 * gap) * way
    own = one.spans(one.turn_of(way), room.near_m)
    theirs = _intervals_on(other, other.spans(other.turn_of(way if not other.convex else -way), room.near_m), one)
    points = line(origin, one.form.axis, common(own, theirs), room.near_m)
    return None if points is None else Touch(one, other, other.kind, [points], [way])


def _intervals_on(other: Surface, intervals: Array, one: Surface) -> Array:
    """Intervals along the axis of one cylinder, as seen along the parallel axis of another."""
    shift = float((other.form.point - one.form.point) @ one.form.axis)
    sign = float(np.sign(other.form.axis @ one.form.axis))
    return np.sort(shift + sign * intervals, axis=1)


def _crossed(one: Surface, other: Surface, room: Room) -> Touch | None:
    """Two cylinders across each other touch in a point of their axes' common perpendicular."""
    normal = unit(cross(one.form.axis, other.form.axis))
    arm = other.form.point - one.form.point
    across = cross(one.form.axis, other.form.axis)
    squared = float(across @ across)
    here = one.form.point + float(cross(arm, other.form.axis) @ across) / squared * one.form.axis
    there = other.form.point + float(cross(arm, one.form.axis) @ across) / squared * other.form.axis
    way = normal if float(arm @ normal) > 0 else -normal
    gap = abs(float(arm @ normal)) - one.form.radius_m - other.form.radius_m
    if not room.holds(gap, one, other):
        return None
    on_one, on_other = here + one.form.radius_m * way, there - other.form.radius_m * way
    if not (one.covers(on_one, room.near_m) and other.covers(on_other, room.near_m)):
        return None
    return Touch(one, other, other.kind, [0.5 * (on_one + on_other)[None]], [way])
