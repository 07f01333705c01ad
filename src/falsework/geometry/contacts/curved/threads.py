"""Threads on threads: flanks of one pitch about one axis that face each other.

Along a flank each turn is the one before, shifted along the axis. A force at a point of some turn is a sum of forces at
the same places of the first turn and of the last, so only these two are sampled, along both edges of what the flanks
have in common.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.geometry.contacts.curved.conforming import AROUND
from falsework.geometry.contacts.curved.placed_surfaces import Surface
from falsework.geometry.contacts.curved.spans import common, spans_of_lines
from falsework.geometry.contacts.curved.touch import Room, Touch
from falsework.geometry.shapes.planes import cross
from falsework.geometry.shapes.runs import starts_of
from falsework.geometry.surfaces.helicoids import Helicoid
from falsework.model.arrays import Array

FIT = 0.25  # of the pitch: flanks further apart than this are none of one fit; loose ones must share radii as well


def mate(one: Surface, other: Surface) -> bool:
    """Whether two flanks have one axis, one pitch and one slope, and face each other."""
    a, b = one.form, other.form
    if not isinstance(a, Helicoid) or not isinstance(b, Helicoid):
        return False
    sign = float(np.sign(a.axis @ b.axis))
    length = min(_length(one), _length(other))  # of what they may have in common
    wide = min(_width(one), _width(other))
    loose = 0.02 * abs(a.pitch_m)
    lean = float(np.linalg.norm(cross(a.axis, b.axis)))
    apart = float(np.linalg.norm(cross(b.point - a.point, a.axis)))
    turns = length / abs(a.pitch_m)
    same = abs(a.pitch_m - b.pitch_m) * turns <= loose and abs(a.slope - sign * b.slope) * wide <= loose
    return same and lean * length <= loose and apart <= loose * 4 and one.out * sign * other.out < 0


def _length(flank: Surface) -> float:
    return float(np.linalg.norm(flank.high - flank.low))


def _width(flank: Surface) -> float:
    """From the inner edge of a flank to its outer one."""
    radius, _, _ = flank.form.round_about(flank.corners.reshape(-1, 3))
    return float(np.ptp(radius))


def threads(one: Surface, other: Surface, room: Room) -> Touch | None:
    """The contact of two flanks, normals out of the first."""
    form = one.form
    if not isinstance(form, Helicoid) or not mate(one, other):
        return None
    corners = other.corners.reshape(-1, 3)
    above = float(np.median(form.above(corners)))  # of the other flank, along the axis
    rise = float(np.median(form.outward(corners) @ form.axis))
    gap = one.out * above * rise
    if not -(room.gap_m + one.sag_m + other.sag_m) <= gap <= FIT * abs(form.pitch_m):
        return None
    own = _laid_out(form, one.corners, 0.0)
    theirs = _laid_out(form, other.corners, above)
    low = max(float(own.low.min()), float(theirs.low.min()))
    high = min(float(own.high.max()), float(theirs.high.max()))
    ends: list[Array] = []
    normals: list[Array] = []
    turns = _turns(low, high)
    radii_of = (_across(flank, turns, room) for flank in (own, theirs))
    for turn, mine, others in zip(turns, *radii_of, strict=True):
        shared = common(mine, others)
        if len(shared):
            radii = np.unique([shared[:, 0].min(), shared[:, 1].max()])
            points = _placed(form, radii, turn)
            ways = one.out * form.outward(points)
            ends += [point[None] for point in points + 0.5 * gap * ways]
            normals += list(ways)
    if not ends:
        return None
    gaps = [gap if gap > room.gap_m else 0.0] * len(ends)
    return Touch(one, other, "thread", ends, normals, (), gaps, max(gap, 0.0), 2 * np.pi / AROUND)


class _LaidOut(NamedTuple):
    """Triangles of a flank, unwound."""

    turns: Array  # (k, 3) of their corners, counted on
    radii: Array  # (k, 3)
    low: Array  # (k,) of the turns
    high: Array  # (k,)
    scale: float  # the largest radius


def _laid_out(form: Helicoid, corners: Array, above: float) -> _LaidOut:
    """Triangles on a flank shifted so far along the axis."""
    flat = corners.reshape(-1, 3) - above * form.axis
    radius, _, _ = form.round_about(flat)
    turns, radii = form.wound(flat).reshape(-1, 3), radius.reshape(-1, 3)
    return _LaidOut(turns, radii, turns.min(axis=1), turns.max(axis=1), float(radii.max()))


def _turns(low: float, high: float) -> Array:
    """Places along a flank, from its beginning over a turn and over the last turn to its end."""
    if high <= low:
        return np.zeros(0)
    step = 2 * np.pi / AROUND
    if high - low <= 4 * np.pi:
        return np.linspace(low, high, int(np.ceil((high - low) / step)) + 1)
    first = low + step * np.arange(AROUND)
    last = first + 2 * np.pi * np.floor((high - first) / (2 * np.pi))
    return np.sort(np.concatenate([first, last, [high]]))


def _across(laid: _LaidOut, places: Array, room: Room) -> list[Array]:
    """At each of some turns (n,), ascending, the intervals (m, 2) of radii that a flank has there."""
    slack = room.near_m + 1e-6 * laid.scale
    begin = np.searchsorted(places, laid.low - 2 * slack / laid.scale)
    end = np.searchsorted(places, laid.high + 2 * slack / laid.scale)
    row = np.repeat(np.arange(len(begin)), end - begin)
    line = np.arange(len(row)) - np.repeat(starts_of(end - begin)[:-1], end - begin) + begin[row]
    across = (laid.turns[row] - places[line][:, None]) * laid.scale
    return spans_of_lines(across, laid.radii[row], line, len(places), slack, room.near_m)


def _placed(form: Helicoid, radii: Array, turn: float) -> Array:
    """(n, 3) points of a flank at radii (n,)."""
    way = np.cos(turn) * form.side + np.sin(turn) * cross(form.axis, form.side)
    points: Array = form.point + radii[:, None] * way + (form.climb_m * turn + form.slope * radii)[:, None] * form.axis
    return points
