"""Which faces of two surfaces can meet on a screw at all: both are seen along the orbits of its points. Compiled.

On a screw with a lead h a radian every point keeps its distance r from the axis and its ζ = z − h·θ; only its angle θ
grows. So faces that are apart in the plane of r and ζ never meet, however long the screw is: a nut's thread beside its
bolt's. ζ is the same after a whole turn but for 2π·h, so faces are compared once for every turn by which the motion can
bring them together.

Straight faces are curved in that plane, by no more than their second derivatives allow: along (c, s), with tangent t
and normal n of the circle through a point, an edge e bends c·r + s·ζ by c·(e·t)²/r + 2·s·h·(e·n)(e·t)/r². Where that
is much, a face is known by more points than its corners. Between three points it misses 2/9 of that at the most: the
half of Σ λᵢ (1 − λᵢ)², which is the largest in the middle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from falsework.geometry.distance.clouds import REACH, Sweepable
from falsework.geometry.distance.trees import DEEPEST
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints

WAYS = 12  # directions in the plane of r and ζ along which nodes are known
COSINES, SINES = (turned(np.pi * np.arange(WAYS) / WAYS) for turned in (np.cos, np.sin))
ANGLES, HEIGHTS, WIDE = 2 * WAYS, 2 * WAYS + 2, 2 * WAYS + 4  # places of a node's lowest and highest θ and z
NEAREST, ANGLE, HEIGHT, BENT, TWISTED, FACE = 0, 2, 4, 6, 7, 8  # the same of a face: r, θ, z; what its points miss
FLAT = 1e-3  # of r: how much of a face its points may miss
MOST = 16  # pieces into which an edge is cut for that
ON_AXIS = 1e-2  # of its size: faces nearer to the axis are known by r only
TURN = 2.0 * math.pi
WHOLE = 1e-9  # turns: what rounding could make


class Orbits(NamedTuple):
    """A surface seen along the orbits of a screw."""

    bounds: Array  # (n, WIDE) of each node, along each way; r is the first of them
    faces: Array  # (m, FACE) of each triangle
    cuts: Ints  # (m,) pieces of each edge
    starts: Ints  # (m + 1,) of a triangle's points
    points: Array  # (k, 2) r and ζ of a triangle's points, row by row from its first corner to its second


@compiled
def seen_along(surface: Sweepable, frame: Array, lead: float) -> Orbits:
    """`frame` (3, 4) leads from the surface to where the screw's axis is z; `lead` in m a radian."""
    count = len(surface.corners)
    faces, cuts, starts = np.empty((count, FACE)), np.empty(count, np.int64), np.zeros(count + 1, np.int64)
    placed, angles = np.empty((count, 9)), np.empty((count, 3))
    for f in range(count):
        for c in range(0, 9, 3):
            for i in range(3):
                placed[f, c + i] = frame[i, 3] + (
                    frame[i, 0] * surface.corners[f, c]
                    + frame[i, 1] * surface.corners[f, c + 1]
                    + frame[i, 2] * surface.corners[f, c + 2]
                )
        cuts[f] = _look(placed, f, angles, faces, lead)
        starts[f + 1] = starts[f] + (cuts[f] + 1) * (cuts[f] + 2) // 2
    points = np.empty((starts[count], 2))
    for f in range(count):
        _set_points(placed, f, angles, cuts[f], points, starts[f], lead)
    bounds = np.empty((len(surface.first), WIDE))
    for node in range(len(surface.first) - 1, -1, -1):  # children come after their parents
        first = surface.first[node]
        if surface.is_leaf[node]:
            _set_bounds(bounds, node, faces, first, points, starts[first], starts[first + 1])
        else:
            for k in range(0, WIDE, 2):
                bounds[node, k] = min(bounds[first, k], bounds[first + 1, k])
                bounds[node, k + 1] = max(bounds[first, k + 1], bounds[first + 1, k + 1])
    return Orbits(bounds, faces, cuts, starts, points)


@inner
def _look(placed: Array, f: int, angles: Array, faces: Array, lead: float) -> int:
    """What is known of a face but its points; and into how many pieces its edges are to be cut."""
    least, far, longest, within, side = np.inf, 0.0, 0.0, True, 0.0
    low, high = 0, 0  # the corners with the least and the largest angle
    for c in range(0, 9, 3):
        d = (c + 3) % 9
        x, y, dx, dy = placed[f, c], placed[f, c + 1], placed[f, d] - placed[f, c], placed[f, d + 1] - placed[f, c + 1]
        square, turning = dx * dx + dy * dy, x * dy - y * dx
        longest = max(longest, square)
        if c == 0:
            side = turning
        elif turning * side <= 0.0:
            within = False
        share = min(max(-(x * dx + y * dy) / square, 0.0), 1.0) if square > 0.0 else 0.0
        least = min(least, (x + share * dx) ** 2 + (y + share * dy) ** 2)
        far = max(far, x * x + y * y)
        angle = math.atan2(y, x)
        angles[f, c // 3] = angle if c == 0 else angles[f, 0] + _nearest_turn(angle - angles[f, 0])
        low = c // 3 if angles[f, c // 3] < angles[f, low] else low
        high = c // 3 if angles[f, c // 3] > angles[f, high] else high
    least = 0.0 if within else math.sqrt(least)
    faces[f, NEAREST], faces[f, NEAREST + 1] = least, math.sqrt(far)
    faces[f, HEIGHT] = min(placed[f, 2], placed[f, 5], placed[f, 8])
    faces[f, HEIGHT + 1] = max(placed[f, 2], placed[f, 5], placed[f, 8])
    if least <= ON_AXIS * math.sqrt(longest):
        faces[f, ANGLE], faces[f, ANGLE + 1] = -0.5 * TURN, 0.5 * TURN
        faces[f, BENT] = faces[f, TWISTED] = np.inf
        return 1
    faces[f, ANGLE], faces[f, ANGLE + 1] = angles[f, low], angles[f, high]
    across, along = _extents(placed, f, low, high)
    bent, twisted = across * across / (4.5 * least), abs(lead) * across * along / (2.25 * least * least)
    cut = min(max(math.ceil(math.sqrt((bent + twisted) / (FLAT * least))), 1), MOST)
    faces[f, BENT], faces[f, TWISTED] = bent / (cut * cut), twisted / (cut * cut)
    return cut


@inner
def _extents(placed: Array, f: int, low: int, high: int) -> tuple[float, float]:
    """The most that an edge of a face goes along the circles about the axis, and out from it, anywhere on the face.

    What an edge does along either direction is a sine of the angle, so what it does at the corners with the least
    and the largest angle bounds it between.
    """
    across, along, product, size = 0.0, 0.0, 0.0, 1.0
    for corner in (low, high):
        x, y = placed[f, 3 * corner], placed[f, 3 * corner + 1]
        r = math.sqrt(x * x + y * y)
        product, size = placed[f, 3 * low] * x + placed[f, 3 * low + 1] * y, r * size
        cosine, sine = x / r, y / r
        for c in range(0, 9, 3):
            d = (c + 3) % 9
            dx, dy = placed[f, d] - placed[f, c], placed[f, d + 1] - placed[f, c + 1]
            across, along = max(across, abs(cosine * dy - sine * dx)), max(along, abs(cosine * dx + sine * dy))
    opened = math.sqrt(max(0.5 + 0.5 * product / size, 1e-12))  # the cosine of half the angle between the two
    return across / opened, along / opened


@inner
def _nearest_turn(angle: float) -> float:
    return angle - TURN * math.floor(angle / TURN + 0.5)


@inner
def _set_points(placed: Array, f: int, angles: Array, cut: int, points: Array, at: int, lead: float) -> None:
    begin = angles[f, 0]
    if cut == 1:
        for k in range(3):
            c = (0, 2, 1)[k]
            x, y, z = placed[f, 3 * c], placed[f, 3 * c + 1], placed[f, 3 * c + 2]
            points[at + k, 0], points[at + k, 1] = math.sqrt(x * x + y * y), z - lead * angles[f, c]
        return
    for i in range(cut + 1):
        for j in range(cut + 1 - i):
            u, v = i / cut, j / cut
            w = 1.0 - u - v
            x = w * placed[f, 0] + u * placed[f, 3] + v * placed[f, 6]
            y = w * placed[f, 1] + u * placed[f, 4] + v * placed[f, 7]
            z = w * placed[f, 2] + u * placed[f, 5] + v * placed[f, 8]
            angle = begin + _nearest_turn(math.atan2(y, x) - begin)
            points[at, 0], points[at, 1] = math.sqrt(x * x + y * y), z - lead * angle
            at += 1


@inner
def _set_bounds(bounds: Array, node: int, faces: Array, f: int, points: Array, begin: int, end: int) -> None:
    """Of a leaf."""
    bounds[node, 0], bounds[node, 1] = faces[f, NEAREST], faces[f, NEAREST + 1]
    for k in range(1, WAYS):
        c, s = COSINES[k], SINES[k]
        low, high = np.inf, -np.inf
        for p in range(begin, end):
            at = c * points[p, 0] + s * points[p, 1]
            low, high = min(low, at), max(high, at)
        if faces[f, BENT] == np.inf:
            low, high = -np.inf, np.inf
        else:  # r is convex: its chords lie outside
            low -= max(c, 0.0) * faces[f, BENT] + s * faces[f, TWISTED]
            high += max(-c, 0.0) * faces[f, BENT] + s * faces[f, TWISTED]
        bounds[node, 2 * k], bounds[node, 2 * k + 1] = low, high
    for k in range(2):
        bounds[node, ANGLES + k], bounds[node, HEIGHTS + k] = faces[f, ANGLE + k], faces[f, HEIGHT + k]


@compiled
def can_meet(
    one: Sweepable, other: Sweepable, seen: Orbits, seen_other: Orbits, screw: tuple[float, float, float], most: int
) -> tuple[Ints, int]:
    """Pairs of leaves (k, 2) that are not apart along the orbits, and how many pairs of nodes were looked at.

    The screw: its lead, its angle (not negative), the least gap. After `most` pairs it ends; there may be more then.
    """
    found, nodes = np.empty((256, 2), np.int64), np.zeros((4 * DEEPEST, 2), np.int64)
    count, tests, number = 1, 0, 0
    while count and tests < most:
        count -= 1
        i, j = nodes[count, 0], nodes[count, 1]
        tests += 1
        if _nodes_apart(seen.bounds, seen_other.bounds, i, j, screw):
            continue
        if one.is_leaf[i] and other.is_leaf[j]:
            if not _faces_apart(seen, seen_other, one.first[i], other.first[j], screw):
                if number == len(found):
                    found = np.concatenate((found, np.empty_like(found)))
                found[number, 0], found[number, 1] = i, j
                number += 1
            continue
        larger = one.nodes[i, REACH] >= other.nodes[j, REACH]
        first = other.is_leaf[j] or (not one.is_leaf[i] and larger)
        for child in range(2):
            nodes[count, 0] = one.first[i] + child if first else i
            nodes[count, 1] = j if first else other.first[j] + child
            count += 1
    return found[:number].copy(), tests


@inner
def _nodes_apart(a: Array, b: Array, i: int, j: int, screw: tuple[float, float, float]) -> bool:
    lead, angle, gap = screw
    if a[i, 0] > b[j, 1] + gap or b[j, 0] > a[i, 1] + gap:
        return True
    rise = lead * angle
    if a[i, HEIGHTS] + min(rise, 0.0) > b[j, HEIGHTS + 1] + gap:
        return True
    if b[j, HEIGHTS] > a[i, HEIGHTS + 1] + max(rise, 0.0) + gap:
        return True
    first = math.ceil((a[i, ANGLES] - b[j, ANGLES + 1]) / TURN - WHOLE)
    last = math.floor((a[i, ANGLES + 1] + angle - b[j, ANGLES]) / TURN + WHOLE)
    for turns in range(first, last + 1):
        apart = False
        for k in range(1, WAYS):
            drop = lead * TURN * turns * SINES[k]
            if a[i, 2 * k] + drop > b[j, 2 * k + 1] + gap or b[j, 2 * k] > a[i, 2 * k + 1] + drop + gap:
                apart = True
                break
        if not apart:
            return False
    return True


@inner
def _faces_apart(one: Orbits, other: Orbits, f: int, g: int, screw: tuple[float, float, float]) -> bool:
    """Two faces, by lines along the edges of either as they are seen."""
    lead, angle, gap = screw
    first = math.ceil((one.faces[f, ANGLE] - other.faces[g, ANGLE + 1]) / TURN - WHOLE)
    last = math.floor((one.faces[f, ANGLE + 1] + angle - other.faces[g, ANGLE]) / TURN + WHOLE)
    for turns in range(first, last + 1):
        apart = False
        for edge in range(6):
            c, s = _across_edge(one, f, edge) if edge < 3 else _across_edge(other, g, edge - 3)
            drop = s * lead * TURN * turns
            above = _lowest(one, f, c, s) + drop + _lowest(other, g, -c, -s) > gap
            if above or _lowest(other, g, c, s) + _lowest(one, f, -c, -s) - drop > gap:
                apart = True
                break
        if not apart:
            return False
    return True


@inner
def _across_edge(seen: Orbits, f: int, edge: int) -> tuple[float, float]:
    """A unit normal of an edge; zero where the edge is seen as a point."""
    begin, end = seen.starts[f], seen.starts[f + 1]
    a, b = begin, begin + seen.cuts[f]
    if edge == 1:
        a, b = b, end - 1
    elif edge == 2:
        a, b = end - 1, begin
    c, s = seen.points[b, 1] - seen.points[a, 1], seen.points[a, 0] - seen.points[b, 0]
    length = math.sqrt(c * c + s * s)
    return (c / length, s / length) if length > 0.0 else (0.0, 0.0)


@inner
def _lowest(seen: Orbits, f: int, c: float, s: float) -> float:
    """The least c·r + s·ζ of a face."""
    if seen.faces[f, BENT] == np.inf:
        return -np.inf
    least = np.inf
    for p in range(seen.starts[f], seen.starts[f + 1]):
        least = min(least, c * seen.points[p, 0] + s * seen.points[p, 1])
    missed: float = max(c, 0.0) * seen.faces[f, BENT] + abs(s) * seen.faces[f, TWISTED]
    return least - missed
