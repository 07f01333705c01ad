"""Surfaces that lie in each other: a shaft in its hole, a ball in its socket or in a tube, a cone in a cone.

They touch all over, or with play wherever they are pushed to, so points all around stand for the region: `AROUND` to a
turn, ends of lines along an axis, rims exactly. What forces at points between them can do, those at their neighbours
can, but for the square of half the angle between them (`docs/theory/contacts.md`). With play each patch knows how far
it is from touching; its points are those of what lies in the hole, whose levers are the shorter ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from falsework.geometry.contacts.curved.placed_surfaces import Surface
from falsework.geometry.contacts.curved.spans import common
from falsework.geometry.contacts.curved.touch import Room, Touch, line
from falsework.geometry.shapes.planes import cross, unit
from falsework.model.arrays import Array, Ints

AROUND = 64  # points to a turn
ON_BALLS = 32  # points to a turn of a ball's great circle
BISECTIONS = 30  # to where a region ends
PLAY = 1e-5  # of a radius: what is less wide than this is a nominal fit, as exact as files are

At = Callable[[Array], "list[tuple[Array, Array] | None]"]  # at turns (n,): ends and normal of the patch, None beyond


def thinned(points: Array, most: int) -> Ints:
    """(k,) numbers of at most so many of some points (n, 3), each as far as can be from those before it."""
    if len(points) <= most:
        return np.arange(len(points))
    middle = points.mean(axis=0)
    chosen = [int(np.argmax(np.linalg.norm(points - middle, axis=1)))]
    away = np.linalg.norm(points - points[chosen[0]], axis=1)
    while len(chosen) < most:
        chosen.append(int(np.argmax(away)))
        away = np.minimum(away, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return np.array(chosen)


def cylinders(shaft: Surface, hole: Surface, play: float, room: Room) -> Touch | None:
    """A shaft in a hole along the same way; lines along both, all around."""
    axis = shaft.form.axis
    sign = float(np.sign(hole.form.axis @ axis))
    arm = shaft.form.point - hole.form.point
    shift = -float(arm @ axis)
    off = arm - (arm @ axis) * axis
    slack = room.near_m + 0.01 * shaft.form.radius_m / AROUND

    def at(turns: Array) -> list[tuple[Array, Array] | None]:
        ways = np.array([shaft.way_at(turn) for turn in turns])
        own = shaft.spans_at(turns, slack)
        theirs = [np.sort(shift + sign * found, axis=1) for found in hole.spans_at(hole.turns_of(ways), slack)]
        shared = [common(one, other) for one, other in zip(own, theirs, strict=True)]
        foot, radius = shaft.form.point, shaft.form.radius_m
        lines = [line(foot + radius * way, axis, both, room.near_m) for way, both in zip(ways, shared, strict=True)]
        return [None if points is None else (points, way) for points, way in zip(lines, ways, strict=True)]

    return _around(shaft, hole, at, play, lambda way: play - float(off @ way), room)


def ball_in_hole(ball: Surface, hole: Surface, play: float, room: Room) -> Touch | None:
    """A ball on the axis of a tube, or in a funnel: a circle of points."""
    form = hole.form
    along = float((ball.form.point - form.point) @ form.axis)
    off = ball.form.point - form.point - along * form.axis
    slack = room.near_m + ball.sag_m + hole.sag_m

    def patch(turn: float) -> tuple[Array, Array] | None:
        radial = hole.way_at(turn)
        normal = np.cos(form.half_angle_rad) * radial - np.sin(form.half_angle_rad) * form.axis
        point = ball.form.point + ball.form.radius_m * normal
        if not (hole.covers(point, slack) and ball.covers(point, slack)):
            return None
        return point[None], normal

    def at(turns: Array) -> list[tuple[Array, Array] | None]:
        return [patch(float(turn)) for turn in turns]

    gap = (lambda way: play - float(off @ way)) if hole.kind == "cylinder" else (lambda way: 0.0)
    return _around(ball, hole, at, play, gap, room)


def cones(plug: Surface, seat: Surface, room: Room) -> Touch | None:
    """A cone in a cone of the same opening and axis: lines along both, all around."""
    form, cosine, sine = plug.form, np.cos(plug.form.half_angle_rad), np.sin(plug.form.half_angle_rad)
    shift = float((seat.form.point - form.point) @ form.axis)
    gap = -shift * sine
    if not room.holds(gap, plug, seat):
        return None

    def at(turns: Array) -> list[tuple[Array, Array] | None]:
        found: list[tuple[Array, Array] | None] = []
        radials = np.array([plug.way_at(turn) for turn in turns])
        owns, seats = plug.spans_at(turns, room.near_m), seat.spans_at(seat.turns_of(radials), room.near_m)
        for radial, own, theirs in zip(radials, owns, seats, strict=True):
            normal = cosine * radial - sine * form.axis
            shared = common(own, shift + theirs) / cosine
            points = line(form.point + 0.5 * gap * normal, cosine * form.axis + sine * radial, shared, room.near_m)
            found.append(None if points is None else (points, normal))
        return found

    return _around(plug, seat, at, gap, lambda way: 0.0, room)


def _around(
    one: Surface, other: Surface, at: At, play: float, gap: Callable[[Array], float], room: Room
) -> Touch | None:
    """Patches at turns all around, and where the region begins and ends."""
    turns: Array = np.arange(AROUND, dtype=np.float64) * (2 * np.pi / AROUND)
    made = {float(turn): found for turn, found in zip(turns, at(turns), strict=True) if found is not None}
    if not made:
        return None
    for turn, after in zip(turns, np.append(turns[1:], 2 * np.pi), strict=True):
        here, there = float(turn) in made, float(after % (2 * np.pi)) in made
        if here != there:
            inside, outside = (float(turn), float(after)) if here else (float(after), float(turn))
            for _ in range(BISECTIONS):
                middle = 0.5 * (inside + outside)
                found = at(np.array([middle]))[0]
                inside, outside = (inside, middle) if found is None else (middle, outside)
            last = at(np.array([inside]))[0]
            if last is not None:
                made[inside] = last
    ends, normals = zip(*(made[turn] for turn in sorted(made)), strict=True)
    gaps = [_open(gap(normal), play, other) for normal in normals]
    return Touch(one, other, other.kind, list(ends), list(normals), (), gaps, play, 2 * np.pi / AROUND)


def _open(gap_m: float, play: float, hole: Surface) -> float:
    """How far there is to go until it touches; nothing where there is no play."""
    return max(gap_m, 0.0) if play > PLAY * hole.form.radius_m else 0.0


def in_socket(ball: Surface, socket: Surface, play: float, room: Room) -> Touch | None:
    """A ball in a socket: points all over what both have, and along the rim."""
    triangles = socket.corners
    weighted = cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]).sum(axis=0)
    rim = _rim(socket)
    pole = unit(-weighted) if len(rim) else socket.sides[0]
    off = ball.form.point - socket.form.point
    slack = room.near_m + 0.01 * socket.form.radius_m / ON_BALLS
    ways = np.concatenate([_grid(pole, socket), unit(rim - socket.form.point)])
    inside = np.concatenate([socket.pierced(ways[: len(ways) - len(rim)], slack), np.ones(len(rim), dtype=bool)])
    inside &= ball.pierced(ways, slack + ball.sag_m)
    ways = ways[inside]
    if not len(ways):
        return None
    points = ball.form.point + ball.form.radius_m * ways
    gaps = [_open(float(gap), play, socket) for gap in play - ways @ off]
    ends = [point[None] for point in points]
    return Touch(ball, socket, "sphere", ends, list(ways), (), gaps, play, 2 * np.pi / ON_BALLS)


def _grid(pole: Array, socket: Surface) -> Array:
    """(n, 3) ways all over a ball, in circles about a pole."""
    arms = socket.corners[0] - socket.form.point
    level = arms - (arms @ pole)[:, None] * pole
    u = unit(level[int(np.argmax(np.linalg.norm(level, axis=1)))])  # turns with the triangles
    v = cross(pole, u)
    rows = [pole[None]]
    for polar in np.arange(1, ON_BALLS // 2) * (2 * np.pi / ON_BALLS):
        count = max(int(np.ceil(ON_BALLS * np.sin(polar))), 4)
        turns = np.arange(count) * (2 * np.pi / count)
        flat = np.cos(turns)[:, None] * u + np.sin(turns)[:, None] * v
        rows.append(np.cos(polar) * pole + np.sin(polar) * flat)
    return np.concatenate([*rows, -pole[None]])


def _rim(surface: Surface) -> Array:
    """(k, 3) corners along the edge of a region, thinned."""
    flat, inverse = np.unique(surface.corners.reshape(-1, 3), axis=0, return_inverse=True)
    triangles = inverse.reshape(-1, 3)
    edges = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    single, counts = np.unique(edges, axis=0, return_counts=True)
    rim = flat[np.unique(single[counts == 1])]
    few: Array = rim[np.sort(thinned(rim, AROUND))]
    return few
