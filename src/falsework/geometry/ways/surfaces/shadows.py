"""Which straight ways run one surface into another: exact for triangles, however many. Compiled.

A solid A that moves along d runs into B if and only if on some line along d a stretch of A comes before one of B: where
A ends there its surface faces along d, and where B begins it faces against it. So of the two surfaces only such faces
matter, seen along d: whether one of A lies over one of B, and before it. Faces along d cast no shadow, so what slides
along them is free to.
"""

from __future__ import annotations

import math

import numpy as np

from falsework.geometry.distance.pairs import place
from falsework.geometry.distance.trees import DEEPEST, Tree
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Bools

FACING = 1e-9  # sine between a face and a way, up to which the face lies along it
NARROW = 1e-12  # of the smaller shadow: overlaps of less are none


@compiled
def runs_into(one: Tree, other: Tree, turn: Array, shift: Array, ways: Array) -> Bools:
    """(k,) whether the first surface, moving along unit ways (k, 3) without end, runs into the second.

    x → turn x + shift leads from the second's frame to the first's, in which the ways are given. The two do not meet
    as they are.
    """
    met = np.zeros(len(ways), np.bool_)
    ahead, against = np.empty(len(one.first), np.bool_), np.empty(len(other.first), np.bool_)
    frame, turned = np.empty((5, 3)), np.empty((5, 3))
    for k in range(len(ways)):
        _look_along(ways[k], frame)
        for axis in range(5):
            for i in range(3):
                turned[axis, i] = (
                    frame[axis, 0] * turn[0, i] + frame[axis, 1] * turn[1, i] + frame[axis, 2] * turn[2, i]
                )
        _facing(one, frame[4], 1.0, ahead)
        _facing(other, turned[4], -1.0, against)
        met[k] = _meets(one, other, turn, shift, frame, turned, ahead, against)
    return met


@inner
def _look_along(way: Array, frame: Array) -> None:
    """frame (5, 3) ← four axes across a unit way, an eighth turn apart, and the way."""
    least = 0
    for i in range(3):
        if abs(way[i]) < abs(way[least]):
            least = i
    length = math.sqrt(1.0 - way[least] * way[least])
    u, v = frame[0], frame[1]
    for i in range(3):
        u[i] = ((1.0 if i == least else 0.0) - way[i] * way[least]) / length
    v[0] = way[1] * u[2] - way[2] * u[1]
    v[1] = way[2] * u[0] - way[0] * u[2]
    v[2] = way[0] * u[1] - way[1] * u[0]
    for i in range(3):
        frame[2, i], frame[3, i], frame[4, i] = (u[i] + v[i]) * math.sqrt(0.5), (u[i] - v[i]) * math.sqrt(0.5), way[i]


@inner
def _facing(tree: Tree, way: Array, sign: float, there: Bools) -> None:
    """there (n,) ← whether a node has a face that looks along sign · way."""
    for node in range(len(tree.first) - 1, -1, -1):  # children come after their parents
        first = tree.first[node]
        if not tree.held[node]:
            there[node] = there[first] or there[first + 1]
            continue
        there[node] = False
        for t in range(first, first + tree.held[node]):
            if _faces(tree.corners, t, way, sign):
                there[node] = True
                break


@inner
def _faces(corners: Array, t: int, way: Array, sign: float) -> bool:
    """Whether a triangle looks along sign · way."""
    a0, a1, a2 = corners[t, 3] - corners[t, 0], corners[t, 4] - corners[t, 1], corners[t, 5] - corners[t, 2]
    b0, b1, b2 = corners[t, 6] - corners[t, 0], corners[t, 7] - corners[t, 1], corners[t, 8] - corners[t, 2]
    n0, n1, n2 = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    along = sign * (n0 * way[0] + n1 * way[1] + n2 * way[2])
    looks: bool = along > FACING * math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    return looks


@inner
def _meets(
    one: Tree, other: Tree, turn: Array, shift: Array, frame: Array, turned: Array, ahead: Bools, against: Bools
) -> bool:
    """Both trees are walked together, what is near along the way first."""
    if not ahead[0] or not against[0]:
        return False
    offsets = np.empty(5)
    for axis in range(5):
        offsets[axis] = frame[axis, 0] * shift[0] + frame[axis, 1] * shift[1] + frame[axis, 2] * shift[2]
    stack = np.empty((8 * DEEPEST, 2), np.int64)
    placed, seen, polygon = np.empty((1, 9)), np.empty((6, 3)), np.empty((2, 12, 2))
    stack[0, 0], stack[0, 1], depth = 0, 0, 1
    while depth:
        depth -= 1
        i, j = stack[depth, 0], stack[depth, 1]
        if one.held[i] and other.held[j]:
            for m in range(other.first[j], other.first[j] + other.held[j]):
                if not _faces(other.corners, m, turned[4], -1.0):
                    continue
                place(other, m, turn, shift, placed)
                for k in range(one.first[i], one.first[i] + one.held[i]):
                    if _faces(one.corners, k, frame[4], 1.0) and _covers(one.corners, k, placed, frame, seen, polygon):
                        return True
            continue
        opens = other.held[j] > 0 or (one.held[i] == 0 and _width(one, i) >= _width(other, j))
        child = one.first[i] if opens else other.first[j]
        gaps = (np.inf, np.inf)
        if opens:
            if ahead[child]:
                gaps = (_before(one, child, other, j, frame, turned, offsets), gaps[1])
            if ahead[child + 1]:
                gaps = (gaps[0], _before(one, child + 1, other, j, frame, turned, offsets))
        else:
            if against[child]:
                gaps = (_before(one, i, other, child, frame, turned, offsets), gaps[1])
            if against[child + 1]:
                gaps = (gaps[0], _before(one, i, other, child + 1, frame, turned, offsets))
        for step in range(2):  # the nearer one last, so that it comes first
            second = (step == 0) == (gaps[0] <= gaps[1])
            if (gaps[1] if second else gaps[0]) < np.inf:
                which = child + 1 if second else child
                stack[depth, 0], stack[depth, 1] = (which, j) if opens else (i, which)
                depth += 1
    return False


@inner
def _width(tree: Tree, node: int) -> float:
    square = 0.0
    for i in range(3):
        square += (tree.boxes[node, 3 + i] - tree.boxes[node, i]) ** 2
    return square


@inner
def _before(one: Tree, i: int, other: Tree, j: int, frame: Array, turned: Array, offsets: Array) -> float:
    """How far one box is before the other along the way; infinite where it is not, or not in its shadow."""
    a, b = one.boxes, other.boxes
    gap = 0.0
    for axis in range(5):
        middle, half, at, reach = 0.0, 0.0, offsets[axis], 0.0
        for x in range(3):
            middle += frame[axis, x] * 0.5 * (a[i, x] + a[i, 3 + x])
            half += abs(frame[axis, x]) * 0.5 * (a[i, 3 + x] - a[i, x])
            at += turned[axis, x] * 0.5 * (b[j, x] + b[j, 3 + x])
            reach += abs(turned[axis, x]) * 0.5 * (b[j, 3 + x] - b[j, x])
        if axis < 4:
            if abs(at - middle) > half + reach:
                return np.inf
        else:
            if at + reach < middle - half:
                return np.inf
            gap = at - reach - middle - half
    return gap


@inner
def _covers(corners: Array, k: int, placed: Array, frame: Array, seen: Array, polygon: Array) -> bool:
    """Whether triangle k, seen along the way, lies over the placed one, and before it."""
    for c in range(3):
        for axis in range(3):
            row = 4 if axis == 2 else axis
            seen[c, axis] = (
                frame[row, 0] * corners[k, 3 * c]
                + frame[row, 1] * corners[k, 3 * c + 1]
                + frame[row, 2] * corners[k, 3 * c + 2]
            )
            seen[3 + c, axis] = (
                frame[row, 0] * placed[0, 3 * c]
                + frame[row, 1] * placed[0, 3 * c + 1]
                + frame[row, 2] * placed[0, 3 * c + 2]
            )
    for axis in range(3):
        low = min(seen[0, axis], seen[1, axis], seen[2, axis])
        high = max(seen[0, axis], seen[1, axis], seen[2, axis])
        lower = min(seen[3, axis], seen[4, axis], seen[5, axis])
        higher = max(seen[3, axis], seen[4, axis], seen[5, axis])
        if higher <= low or (axis < 2 and high <= lower):
            return False
    count = _clipped(seen, polygon)
    if count < 3:
        return False
    area, x, y = 0.0, 0.0, 0.0
    flat = polygon[0]
    for p in range(1, count - 1):  # a fan of triangles from its first corner
        piece = _doubled(flat[0, 0], flat[0, 1], flat[p, 0], flat[p, 1], flat[p + 1, 0], flat[p + 1, 1])
        area += piece
        x += piece * (flat[0, 0] + flat[p, 0] + flat[p + 1, 0]) / 3.0
        y += piece * (flat[0, 1] + flat[p, 1] + flat[p + 1, 1]) / 3.0
    if area <= NARROW * min(abs(_shadow(seen, 0)), abs(_shadow(seen, 3))):
        return False
    return _height(seen, 3, x / area, y / area) > _height(seen, 0, x / area, y / area)


@inner
def _doubled(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """Twice the area of a triangle, positive counter-clockwise."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


@inner
def _shadow(seen: Array, t: int) -> float:
    return _doubled(seen[t, 0], seen[t, 1], seen[t + 1, 0], seen[t + 1, 1], seen[t + 2, 0], seen[t + 2, 1])


@inner
def _height(seen: Array, t: int, x: float, y: float) -> float:
    """Along the way, of the plane of a triangle at a point across it."""
    whole = _shadow(seen, t)
    second = _doubled(seen[t, 0], seen[t, 1], x, y, seen[t + 2, 0], seen[t + 2, 1]) / whole
    third = _doubled(seen[t, 0], seen[t, 1], seen[t + 1, 0], seen[t + 1, 1], x, y) / whole
    height: float = seen[t, 2] + second * (seen[t + 1, 2] - seen[t, 2]) + third * (seen[t + 2, 2] - seen[t, 2])
    return height


@inner
def _clipped(seen: Array, polygon: Array) -> int:
    """polygon[0] ← the shadow of the first triangle within that of the second, counter-clockwise; how many corners."""
    backward = _shadow(seen, 0) < 0.0
    for c in range(3):
        row = 2 - c if backward else c
        polygon[0, c, 0], polygon[0, c, 1] = seen[row, 0], seen[row, 1]
    count = 3
    clockwise = _shadow(seen, 3) < 0.0
    for c in range(3):
        p, q = (5 - c, 3 + (4 - c) % 3) if clockwise else (3 + c, 3 + (c + 1) % 3)
        kept = 0
        for at in range(count):
            after = at + 1 if at + 1 < count else 0
            here = _doubled(seen[p, 0], seen[p, 1], seen[q, 0], seen[q, 1], polygon[0, at, 0], polygon[0, at, 1])
            there = _doubled(seen[p, 0], seen[p, 1], seen[q, 0], seen[q, 1], polygon[0, after, 0], polygon[0, after, 1])
            if here >= 0.0:
                polygon[1, kept, 0], polygon[1, kept, 1] = polygon[0, at, 0], polygon[0, at, 1]
                kept += 1
            if (here > 0.0 > there) or (here < 0.0 < there):
                share = here / (here - there)
                for i in range(2):
                    polygon[1, kept, i] = polygon[0, at, i] + share * (polygon[0, after, i] - polygon[0, at, i])
                kept += 1
        count = kept
        for at in range(count):
            polygon[0, at, 0], polygon[0, at, 1] = polygon[1, at, 0], polygon[1, at, 1]
        if count < 3:
            return count
    return count
