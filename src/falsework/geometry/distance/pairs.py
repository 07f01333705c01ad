"""Two surfaces, one placed in the frame of the other: their least distance, and all triangles nearer than a band.

Both trees are walked together. Boxes of the second are turned; how far they are from those of the first is bounded in
the frames of both.
"""

from __future__ import annotations

import math

import numpy as np

from falsework.geometry.distance.trees import DEEPEST, Gap, NearPairs, Tree
from falsework.geometry.distance.triangles import nearest_of_triangles
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints


@compiled
def least(one: Tree, other: Tree, turn: Array, shift: Array, band: float, k: int, m: int) -> Gap:
    """The least distance of two surfaces, if it is less than a band; x → turn x + shift leads to the first one's frame.

    `k`, `m`: a pair of triangles to begin with, for a good bound; −1 where none is known.
    """
    best, points = band * band, np.full((2, 3), np.nan)
    found, placed = np.empty((2, 3)), np.empty((1, 9))
    near = (-1, -1)
    if k >= 0:
        place(other, m, turn, shift, placed)
        square = nearest_of_triangles(one.corners, k, placed, 0, best, found)
        if square <= best:
            best, near = square, (k, m)
            points[:] = found
    stack, waiting = np.empty((4 * DEEPEST, 2), np.int64), np.empty(4 * DEEPEST)
    stack[0, 0], stack[0, 1], waiting[0] = 0, 0, apart(one, 0, other, 0, turn, shift)
    depth = 1
    while depth and best > 0.0:
        depth -= 1
        if waiting[depth] * waiting[depth] >= best:
            continue
        i, j = stack[depth, 0], stack[depth, 1]
        if one.held[i] and other.held[j]:
            for m in range(other.first[j], other.first[j] + other.held[j]):
                place(other, m, turn, shift, placed)
                for k in range(one.first[i], one.first[i] + one.held[i]):
                    square = nearest_of_triangles(one.corners, k, placed, 0, best, found)
                    if square < best:
                        best, near = square, (k, m)
                        points[:] = found
        else:
            depth = _opened(one, other, turn, shift, i, j, stack, waiting, depth)
    if near[0] < 0:
        return Gap(np.inf, points, near)
    return Gap(math.sqrt(best), points, near)


@compiled
def closer_than(one: Tree, other: Tree, turn: Array, shift: Array, band: float) -> NearPairs:
    """All pairs of triangles no further apart than a band."""
    found, placed = np.empty((2, 3)), np.empty((1, 9))
    faces, distances, points = np.empty((64, 2), np.int64), np.empty(64), np.empty((64, 2, 3))
    number = 0
    stack, waiting = np.empty((4 * DEEPEST, 2), np.int64), np.empty(4 * DEEPEST)
    stack[0, 0], stack[0, 1], waiting[0] = 0, 0, apart(one, 0, other, 0, turn, shift)
    depth, limit = 1, band * band
    while depth:
        depth -= 1
        if waiting[depth] > band:
            continue
        i, j = stack[depth, 0], stack[depth, 1]
        if one.held[i] and other.held[j]:
            for m in range(other.first[j], other.first[j] + other.held[j]):
                place(other, m, turn, shift, placed)
                for k in range(one.first[i], one.first[i] + one.held[i]):
                    if _spans_apart(one.corners, k, placed, band):
                        continue
                    square = nearest_of_triangles(one.corners, k, placed, 0, limit, found)
                    if square <= limit:
                        if number == len(distances):
                            faces = np.concatenate((faces, np.empty_like(faces)))
                            distances = np.concatenate((distances, np.empty_like(distances)))
                            points = np.concatenate((points, np.empty_like(points)))
                        faces[number, 0], faces[number, 1], distances[number] = k, m, math.sqrt(square)
                        points[number] = found
                        number += 1
        else:
            depth = _opened(one, other, turn, shift, i, j, stack, waiting, depth)
    return NearPairs(faces[:number].copy(), distances[:number].copy(), points[:number].copy())


@inner
def place(tree: Tree, m: int, turn: Array, shift: Array, placed: Array) -> None:
    """placed (1, 9) ← triangle m in the other frame."""
    for c in range(3):
        for i in range(3):
            placed[0, 3 * c + i] = (
                turn[i, 0] * tree.corners[m, 3 * c]
                + turn[i, 1] * tree.corners[m, 3 * c + 1]
                + turn[i, 2] * tree.corners[m, 3 * c + 2]
                + shift[i]
            )


@inner
def _spans_apart(corners: Array, k: int, placed: Array, band: float) -> bool:
    """Whether the boxes of two triangles are further apart than a band along an axis."""
    for i in range(3):
        low = min(corners[k, i], corners[k, 3 + i], corners[k, 6 + i])
        high = max(corners[k, i], corners[k, 3 + i], corners[k, 6 + i])
        lower = min(placed[0, i], placed[0, 3 + i], placed[0, 6 + i])
        higher = max(placed[0, i], placed[0, 3 + i], placed[0, 6 + i])
        if low > higher + band or lower > high + band:
            return True
    return False


@inner
def _opened(
    one: Tree, other: Tree, turn: Array, shift: Array, i: int, j: int, stack: Ints, waiting: Array, depth: int
) -> int:
    """Put the children of the larger box on the stack, the nearer one last; the new depth."""
    first_opens = other.held[j] > 0 or (one.held[i] == 0 and _size(one, i) >= _size(other, j))
    child = one.first[i] if first_opens else other.first[j]
    if first_opens:
        to_one = apart(one, child, other, j, turn, shift)
        to_next = apart(one, child + 1, other, j, turn, shift)
    else:
        to_one = apart(one, i, other, child, turn, shift)
        to_next = apart(one, i, other, child + 1, turn, shift)
    for step in range(2):
        which = child + 1 - step if to_one <= to_next else child + step
        stack[depth, 0], stack[depth, 1] = (which, j) if first_opens else (i, which)
        waiting[depth] = to_one if which == child else to_next
        depth += 1
    return depth


@inner
def _size(tree: Tree, node: int) -> float:
    """Squared, of a box."""
    square = 0.0
    for i in range(3):
        square += (tree.boxes[node, 3 + i] - tree.boxes[node, i]) ** 2
    return square


@inner
def apart(one: Tree, i: int, other: Tree, j: int, turn: Array, shift: Array) -> float:
    """A distance that two boxes are apart at least; not positive where none can be told."""
    a, b = one.boxes, other.boxes
    in_one, in_other = 0.0, 0.0
    d0 = 0.5 * (b[j, 0] + b[j, 3])
    d1 = 0.5 * (b[j, 1] + b[j, 4])
    d2 = 0.5 * (b[j, 2] + b[j, 5])
    g0 = turn[0, 0] * d0 + turn[0, 1] * d1 + turn[0, 2] * d2 + shift[0] - 0.5 * (a[i, 0] + a[i, 3])
    g1 = turn[1, 0] * d0 + turn[1, 1] * d1 + turn[1, 2] * d2 + shift[1] - 0.5 * (a[i, 1] + a[i, 4])
    g2 = turn[2, 0] * d0 + turn[2, 1] * d1 + turn[2, 2] * d2 + shift[2] - 0.5 * (a[i, 2] + a[i, 5])
    h0, h1, h2 = 0.5 * (a[i, 3] - a[i, 0]), 0.5 * (a[i, 4] - a[i, 1]), 0.5 * (a[i, 5] - a[i, 2])
    e0, e1, e2 = 0.5 * (b[j, 3] - b[j, 0]), 0.5 * (b[j, 4] - b[j, 1]), 0.5 * (b[j, 5] - b[j, 2])
    for x in range(3):
        gap, half = (g0, h0) if x == 0 else ((g1, h1) if x == 1 else (g2, h2))
        left = abs(gap) - half - (abs(turn[x, 0]) * e0 + abs(turn[x, 1]) * e1 + abs(turn[x, 2]) * e2)
        in_one += max(left, 0.0) ** 2
        gap, half = turn[0, x] * g0 + turn[1, x] * g1 + turn[2, x] * g2, (e0 if x == 0 else (e1 if x == 1 else e2))
        left = abs(gap) - half - (abs(turn[0, x]) * h0 + abs(turn[1, x]) * h1 + abs(turn[2, x]) * h2)
        in_other += max(left, 0.0) ** 2
    return math.sqrt(max(in_one, in_other))
