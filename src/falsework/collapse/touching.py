"""Which corners, faces and edges of near pieces touch or may touch within a step.

The two faces that look at each other along the separating axis are seen in its direction: where their outlines
overlap, every corner of the common region is a corner of one over the face of the other, or a crossing of two edges.
Each of these is one sidedness constraint of seed 003 (S, S′), with its own exact gap.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from falsework.collapse.hulls import Hulls
from falsework.collapse.placing import Placed
from falsework.collapse.separating_axis import MOST_TIES, SQUARE, edge_axis, face_axes, facing
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints

CORNER_OF_SECOND, CORNER_OF_FIRST, EDGES = 0, 1, 2
BLUR = 1e-4  # of the smaller piece: an outline counts this much beyond its edges
TIE = 1e-7  # of the smaller piece: gaps along two axes that differ less are as good
MOST_CORNERS = 64  # of a face that are looked at


class Features(NamedTuple):
    """Possible contacts, sorted by pieces; see `gaps` for what their gap is."""

    pieces: Ints  # (k, 2)
    kind: Ints  # (k,)
    places: Ints  # (k, 4) face and corner; or the two corners of the first edge and of the second
    axes: Array  # (k, 3) unit, from the first piece to the second: along it they are furthest apart


@compiled
def touching(hulls: Hulls, placed: Placed, pairs: Ints, margins: Array, gravity: Array) -> Features:
    """Everything within the margins (p,) of both pieces of a pair."""
    pieces, places, ways = np.empty((512, 2), np.int64), np.empty((512, 5), np.int64), np.empty((512, 3))
    fill, way = 0, np.zeros(3)
    found, best = np.empty((4 * MOST_CORNERS, 5), np.int64), np.empty((4 * MOST_CORNERS, 5), np.int64)
    axes, edge = np.empty((MOST_TIES, 4)), np.empty(3)
    for pair in range(pairs.shape[0]):
        one, other = pairs[pair, 0], pairs[pair, 1]
        margin = margins[one] + margins[other]
        if hulls.sizes_m[one] == np.inf:
            count = _over_floor(hulls, placed, one, other, margin, best)
            way[:] = placed.normals[hulls.face_starts[one]]
        else:
            size = min(hulls.sizes_m[one], hulls.sizes_m[other])
            ties, gap = face_axes(hulls, placed, one, other, TIE * size, axes)
            if gap > margin:
                continue
            sharp = edge_axis(hulls, placed, one, other, edge)
            if sharp > margin:
                continue
            if sharp > gap + TIE * size:
                ties = 1
                axes[0, 0], axes[0, 1], axes[0, 2] = edge[0], edge[1], edge[2]
            count, score, level = 0, -1.0, -1.0
            for tie in range(ties):
                axis = axes[tie, :3]
                number, area = _seen_along(hulls, placed, one, other, axis, margin, BLUR * size, found)
                steep = abs(axis[0] * gravity[0] + axis[1] * gravity[1] + axis[2] * gravity[2])
                if area > score + TIE * size * size or (area > score - TIE * size * size and steep > level):
                    score, level, count = area, steep, number
                    way[:] = axis
                    for k in range(number):
                        for i in range(5):
                            best[k, i] = found[k, i]
            if ties == 1:
                count = _with_outermost(hulls, placed, one, other, way, BLUR * size, best, count)
        while fill + count > pieces.shape[0]:
            pieces, places, ways = _longer(pieces), _longer(places), _longer(ways)
        for k in range(count):
            pieces[fill, 0], pieces[fill, 1] = one, other
            ways[fill] = way
            for i in range(5):
                places[fill, i] = best[k, i]
            fill += 1
    return Features(pieces[:fill].copy(), places[:fill, 0].copy(), places[:fill, 1:].copy(), ways[:fill].copy())


@inner
def _longer(table: Any) -> Any:
    longer = np.empty((2 * table.shape[0], table.shape[1]), table.dtype)
    longer[: table.shape[0]] = table
    return longer


@inner
def _put(found: Ints, count: int, kind: int, a: int, b: int, c: int, d: int) -> int:
    if count < found.shape[0]:
        found[count, 0], found[count, 1], found[count, 2], found[count, 3], found[count, 4] = kind, a, b, c, d
        return count + 1
    return count


@inner
def _put_once(found: Ints, count: int, kind: int, a: int, b: int, c: int, d: int) -> int:
    for k in range(count):
        if found[k, 0] == kind and found[k, 1] == a and found[k, 2] == b and found[k, 3] == c and found[k, 4] == d:
            return count
    return _put(found, count, kind, a, b, c, d)


@inner
def _over_floor(hulls: Hulls, placed: Placed, floor: int, piece: int, margin: float, found: Ints) -> int:
    """Every low corner of a piece, over an endless face."""
    face, count = hulls.face_starts[floor], 0
    n, base = placed.normals[face], placed.anchors[face]
    for v in range(hulls.corner_starts[piece], hulls.corner_starts[piece + 1]):
        gap = 0.0
        for i in range(3):
            gap += n[i] * (placed.corners[v, i] - base[i])
        if gap <= margin:
            count = _put(found, count, CORNER_OF_SECOND, face, v, -1, -1)
    return int(count)


@inner
def _outline(hulls: Hulls, placed: Placed, face: int, first: Array, second: Array, flat: Array) -> int:
    """flat (MOST_CORNERS, 2) ← a face's corners as seen along the axis; returns how many."""
    start = hulls.loop_starts[face]
    count = min(hulls.loop_starts[face + 1] - start, flat.shape[0])
    for k in range(count):
        x = placed.corners[hulls.loops[start + k]]
        flat[k, 0] = first[0] * x[0] + first[1] * x[1] + first[2] * x[2]
        flat[k, 1] = second[0] * x[0] + second[1] * x[1] + second[2] * x[2]
    return int(count)


@inner
def _inside(flat: Array, count: int, turn: float, x: float, y: float, blur: float) -> bool:
    """Whether a point is in an outline, or beyond its edges by less than the blur."""
    for k in range(count):
        after = k + 1 if k + 1 < count else 0
        a, b = flat[after, 0] - flat[k, 0], flat[after, 1] - flat[k, 1]
        length = math.sqrt(a * a + b * b)
        if turn * (a * (y - flat[k, 1]) - b * (x - flat[k, 0])) < -blur * length:
            return False
    return True


@inner
def _height(placed: Placed, face: int, corner: int) -> float:
    gap = 0.0
    for i in range(3):
        gap += placed.normals[face, i] * (placed.corners[corner, i] - placed.anchors[face, i])
    return gap


@inner
def _seen_along(
    hulls: Hulls, placed: Placed, one: int, other: int, axis: Array, margin: float, blur: float, found: Ints
) -> tuple[int, float]:
    """found ← contacts of the two faces that look at each other along the axis; how many, and the common area."""
    first, second = np.empty(3), np.empty(3)
    least = 0
    for i in range(1, 3):
        if abs(axis[i]) < abs(axis[least]):
            least = i
    unit = np.zeros(3)
    unit[least] = 1.0
    first[0] = axis[1] * unit[2] - axis[2] * unit[1]
    first[1] = axis[2] * unit[0] - axis[0] * unit[2]
    first[2] = axis[0] * unit[1] - axis[1] * unit[0]
    length = math.sqrt(first[0] ** 2 + first[1] ** 2 + first[2] ** 2)
    for i in range(3):
        first[i] /= length
    second[0] = axis[1] * first[2] - axis[2] * first[1]
    second[1] = axis[2] * first[0] - axis[0] * first[2]
    second[2] = axis[0] * first[1] - axis[1] * first[0]
    upper, lower = facing(hulls, placed, one, axis, 1.0), facing(hulls, placed, other, axis, -1.0)
    mine, theirs = np.empty((MOST_CORNERS, 2)), np.empty((MOST_CORNERS, 2))
    many = _outline(hulls, placed, upper, first, second, mine)
    more = _outline(hulls, placed, lower, first, second, theirs)
    count, spots, spot = 0, np.empty((4 * MOST_CORNERS, 2)), 0
    start, begin = hulls.loop_starts[upper], hulls.loop_starts[lower]
    for k in range(more):
        if _inside(mine, many, 1.0, theirs[k, 0], theirs[k, 1], blur):
            spots[spot, 0], spots[spot, 1] = theirs[k, 0], theirs[k, 1]
            spot += 1
            if _height(placed, upper, hulls.loops[begin + k]) <= margin:
                count = _put(found, count, CORNER_OF_SECOND, upper, hulls.loops[begin + k], -1, -1)
    for k in range(many):
        if _inside(theirs, more, -1.0, mine[k, 0], mine[k, 1], blur):
            spots[spot, 0], spots[spot, 1] = mine[k, 0], mine[k, 1]
            spot += 1
            if _height(placed, lower, hulls.loops[start + k]) <= margin:
                count = _put(found, count, CORNER_OF_FIRST, lower, hulls.loops[start + k], -1, -1)
    for k in range(many):
        after = k + 1 if k + 1 < many else 0
        a0, a1 = mine[after, 0] - mine[k, 0], mine[after, 1] - mine[k, 1]
        long = math.sqrt(a0 * a0 + a1 * a1)
        for m in range(more):
            then = m + 1 if m + 1 < more else 0
            b0, b1 = theirs[then, 0] - theirs[m, 0], theirs[then, 1] - theirs[m, 1]
            wide = math.sqrt(b0 * b0 + b1 * b1)
            sine = a0 * b1 - a1 * b0
            if abs(sine) <= SQUARE * long * wide:
                continue
            c0, c1 = theirs[m, 0] - mine[k, 0], theirs[m, 1] - mine[k, 1]
            s, t = (c0 * b1 - c1 * b0) / sine, (c0 * a1 - c1 * a0) / sine
            if not (blur < s * long < long - blur and blur < t * wide < wide - blur):
                continue
            spots[spot, 0], spots[spot, 1] = mine[k, 0] + s * a0, mine[k, 1] + s * a1
            spot += 1
            p, q = hulls.loops[start + k], hulls.loops[start + after]
            r, w = hulls.loops[begin + m], hulls.loops[begin + then]
            gap = 0.0
            for i in range(3):
                low = placed.corners[p, i] + s * (placed.corners[q, i] - placed.corners[p, i])
                gap += axis[i] * (placed.corners[r, i] + t * (placed.corners[w, i] - placed.corners[r, i]) - low)
            if gap <= margin:
                count = _put(found, count, EDGES, min(p, q), max(p, q), min(r, w), max(r, w))
    return count, _spread(spots, spot)


@inner
def _furthest(hulls: Hulls, placed: Placed, piece: int, axis: Array, sign: float, blur: float, ends: Ints) -> int:
    """ends (2,) ← the first corners of a piece that are furthest along sign × axis; how many are."""
    furthest, count = -np.inf, 0
    for v in range(hulls.corner_starts[piece], hulls.corner_starts[piece + 1]):
        x = placed.corners[v]
        furthest = max(furthest, sign * (axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2]))
    for v in range(hulls.corner_starts[piece], hulls.corner_starts[piece + 1]):
        x = placed.corners[v]
        if sign * (axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2]) >= furthest - blur:
            if count < 2:
                ends[count] = v
            count += 1
    return count


@inner
def _with_outermost(
    hulls: Hulls, placed: Placed, one: int, other: int, axis: Array, blur: float, found: Ints, count: int
) -> int:
    """found ← also the corners and edges that are nearest along an axis, where they are not among the first `count`.

    A sharp tip can lie beside the face of its piece that looks most towards the other.
    """
    mine, theirs = np.empty(2, np.int64), np.empty(2, np.int64)
    many, more = (
        _furthest(hulls, placed, one, axis, 1.0, blur, mine),
        _furthest(hulls, placed, other, axis, -1.0, blur, theirs),
    )
    if many > 2 and more <= 2:
        face = facing(hulls, placed, one, axis, 1.0)
        for k in range(more):
            if _over(hulls, placed, face, theirs[k], blur):
                count = _put_once(found, count, CORNER_OF_SECOND, face, theirs[k], -1, -1)
    if more > 2 and many <= 2:
        face = facing(hulls, placed, other, axis, -1.0)
        for k in range(many):
            if _over(hulls, placed, face, mine[k], blur):
                count = _put_once(found, count, CORNER_OF_FIRST, face, mine[k], -1, -1)
    if many == 2 and more == 2 and _cross(placed, mine, theirs, axis):
        p, q, r, w = mine[0], mine[1], theirs[0], theirs[1]  # in ascending order
        count = _put_once(found, count, EDGES, p, q, r, w)
    return count


@inner
def _over(hulls: Hulls, placed: Placed, face: int, corner: int, blur: float) -> bool:
    """Whether a corner is over a face, seen along its normal."""
    start, end = hulls.loop_starts[face], hulls.loop_starts[face + 1]
    arm, offset = np.empty(3), np.empty(3)
    for k in range(start, end):
        tail, head = hulls.loops[k], hulls.loops[k + 1 if k + 1 < end else start]
        length = 0.0
        for i in range(3):
            arm[i] = placed.corners[head, i] - placed.corners[tail, i]
            offset[i] = placed.corners[corner, i] - placed.corners[tail, i]
            length += arm[i] * arm[i]
        if _triple(arm, offset, placed.normals[face]) < -blur * math.sqrt(length):
            return False
    return True


@inner
def _cross(placed: Placed, mine: Ints, theirs: Ints, axis: Array) -> bool:
    """Whether two edges, by their corners, cross as seen along an axis."""
    a, b, c = np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        a[i] = placed.corners[mine[1], i] - placed.corners[mine[0], i]
        b[i] = placed.corners[theirs[1], i] - placed.corners[theirs[0], i]
        c[i] = placed.corners[theirs[0], i] - placed.corners[mine[0], i]
    sine = _triple(a, b, axis)
    if sine == 0.0:
        return False
    s, t = _triple(c, b, axis) / sine, _triple(c, a, axis) / sine
    return bool(0.0 <= s <= 1.0 and 0.0 <= t <= 1.0)


@inner
def _triple(a: Array, b: Array, n: Array) -> float:
    """(a × b)·n"""
    value = (a[1] * b[2] - a[2] * b[1]) * n[0]
    value += (a[2] * b[0] - a[0] * b[2]) * n[1]
    return float(value + (a[0] * b[1] - a[1] * b[0]) * n[2])


@inner
def _spread(spots: Array, count: int) -> float:
    """A measure of how large a region is: the product of its second moments' roots, whatever its corners' order."""
    if count < 3:
        return 0.0
    x = y = 0.0
    for k in range(count):
        x += spots[k, 0] / count
        y += spots[k, 1] / count
    xx = yy = xy = 0.0
    for k in range(count):
        a, b = spots[k, 0] - x, spots[k, 1] - y
        xx += a * a / count
        yy += b * b / count
        xy += a * b / count
    return math.sqrt(max(xx * yy - xy * xy, 0.0))
