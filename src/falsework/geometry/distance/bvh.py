"""A tree of boxes over triangles, built so that searches pass few boxes: cuts where the surface left is least.

Nodes are cut along the longest side of the box of their triangles' middles, at the one of BINS places at which
area × count of the two sides is the least (the surface-area rule).
"""

from __future__ import annotations

import math

import numpy as np

from falsework.geometry.distance.trees import DEEPEST, Tree
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints

BINS = 16
FACING = 3.0  # of a node's size: how much a difference of 1 between unit normals counts


@compiled
def built(vertices: Array, faces: Ints, leaf: int, facing: int) -> Tree:
    """The tree of a surface with at least one face; nodes of at most `leaf` triangles are not cut any further.

    Nodes of at most `facing` triangles are cut by where these face, if that differs more than where they are: what is
    left is nearly flat.
    """
    count = len(faces)
    spans = np.empty((count, 12))  # lowest, highest, middle and normal of each triangle
    for f in range(count):
        for i in range(3):
            a, b, c = vertices[faces[f, 0], i], vertices[faces[f, 1], i], vertices[faces[f, 2], i]
            spans[f, i], spans[f, 3 + i] = min(a, b, c), max(a, b, c)
            spans[f, 6 + i] = 0.5 * (spans[f, i] + spans[f, 3 + i])
        _face(vertices, faces, f, spans)
    order = np.arange(count)
    boxes, first, number = np.empty((2 * count, 6)), np.zeros(2 * count, np.int64), np.zeros(2 * count, np.int64)
    begins, ends, levels = np.empty(2 * count, np.int64), np.empty(2 * count, np.int64), np.zeros(2 * count, np.int64)
    begins[0], ends[0] = 0, count
    nodes, at = 1, 0
    bins = np.empty((BINS, 7))
    while at < nodes:  # nodes wait in the order they were made
        begin, end = begins[at], ends[at]
        _surround(boxes, at, spans, order, begin, end)
        if end - begin <= leaf:
            first[at], number[at] = begin, end - begin
        else:
            cut = _cut(spans, order, begin, end, bins, levels[at], end - begin <= facing)
            first[at] = nodes
            begins[nodes], ends[nodes], begins[nodes + 1], ends[nodes + 1] = begin, cut, cut, end
            levels[nodes] = levels[nodes + 1] = levels[at] + 1
            nodes += 2
        at += 1
    corners = np.empty((count, 9))
    for k in range(count):
        for c in range(3):
            for i in range(3):
                corners[k, 3 * c + i] = vertices[faces[order[k], c], i]
    tree = Tree(boxes[:nodes].copy(), first[:nodes].copy(), number[:nodes].copy(), corners, order, np.zeros((nodes, 8)))
    _gather(tree)
    return tree


@inner
def _surround(boxes: Array, at: int, spans: Array, order: Ints, begin: int, end: int) -> None:
    for i in range(3):
        boxes[at, i], boxes[at, 3 + i] = np.inf, -np.inf
    for k in range(begin, end):
        f = order[k]
        for i in range(3):
            boxes[at, i] = min(boxes[at, i], spans[f, i])
            boxes[at, 3 + i] = max(boxes[at, 3 + i], spans[f, 3 + i])


@inner
def _cut(spans: Array, order: Ints, begin: int, end: int, bins: Array, level: int, facing: bool) -> int:
    """Where the triangles begin … end, rearranged, are cut in two; neither part is empty."""
    axis, low, width = _longest(spans, order, begin, end, facing)
    middle = (begin + end) // 2
    if width <= 0.0 or level >= DEEPEST // 2:
        return middle
    scale = BINS / width
    best = _best_bin(spans, order, begin, end, axis, low, scale, bins) if axis < 3 else BINS // 2
    at = begin
    for k in range(begin, end):
        if min(int((spans[order[k], 6 + axis] - low) * scale), BINS - 1) < best:
            order[k], order[at] = order[at], order[k]
            at += 1
    return at if begin < at < end else middle


@inner
def _longest(spans: Array, order: Ints, begin: int, end: int, facing: bool) -> tuple[int, float, float]:
    """The axis along which the middles spread most, where they begin, and how far they spread; from 3 on, normals."""
    axis, low, width, most, size = 0, 0.0, -1.0, -1.0, 0.0
    for i in range(6 if facing else 3):
        lowest, highest = np.inf, -np.inf
        for k in range(begin, end):
            middle = spans[order[k], 6 + i]
            lowest, highest = min(lowest, middle), max(highest, middle)
        spread = highest - lowest
        if i < 3:
            size = max(size, spread)
        if (spread if i < 3 else spread * size * FACING) > most:
            axis, low, width, most = i, lowest, spread, spread if i < 3 else spread * size * FACING
    return axis, low, width


@inner
def _face(vertices: Array, faces: Ints, f: int, spans: Array) -> None:
    """spans (…, 9:) ← the unit normal of a face, zero where it has no area."""
    a, b, c = vertices[faces[f, 0]], vertices[faces[f, 1]], vertices[faces[f, 2]]
    b0, b1, b2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    c0, c1, c2 = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    n0, n1, n2 = b1 * c2 - b2 * c1, b2 * c0 - b0 * c2, b0 * c1 - b1 * c0
    length = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    scale = 1.0 / length if length > 0.0 else 0.0
    spans[f, 9], spans[f, 10], spans[f, 11] = scale * n0, scale * n1, scale * n2


@inner
def _best_bin(spans: Array, order: Ints, begin: int, end: int, axis: int, low: float, scale: float, bins: Array) -> int:
    """The bin before which to cut."""
    for b in range(BINS):
        for i in range(3):
            bins[b, i], bins[b, 3 + i] = np.inf, -np.inf
        bins[b, 6] = 0.0
    for k in range(begin, end):
        f = order[k]
        b = min(int((spans[f, 6 + axis] - low) * scale), BINS - 1)
        for i in range(3):
            bins[b, i], bins[b, 3 + i] = min(bins[b, i], spans[f, i]), max(bins[b, 3 + i], spans[f, 3 + i])
        bins[b, 6] += 1.0
    after = np.empty(BINS)
    box = np.empty(6)
    _empty(box)
    number = 0.0
    for b in range(BINS - 1, 0, -1):
        _enlarge(box, bins, b)
        number += bins[b, 6]
        after[b] = _half_area(box) * number
    _empty(box)
    best, least, number = 1, np.inf, 0.0
    for b in range(1, BINS):
        _enlarge(box, bins, b - 1)
        number += bins[b - 1, 6]
        cost = _half_area(box) * number + after[b]
        if cost < least:
            best, least = b, cost
    return best


@inner
def _empty(box: Array) -> None:
    box[:3], box[3:] = np.inf, -np.inf


@inner
def _enlarge(box: Array, bins: Array, b: int) -> None:
    for i in range(3):
        box[i], box[3 + i] = min(box[i], bins[b, i]), max(box[3 + i], bins[b, 3 + i])


@inner
def _half_area(box: Array) -> float:
    x, y, z = box[3] - box[0], box[4] - box[1], box[5] - box[2]
    return x * y + y * z + z * x if x >= 0.0 else 0.0


@inner
def _gather(tree: Tree) -> None:
    """For each node what it looks like from afar: children come after their parents, so from the last to the first."""
    dipoles = tree.dipoles
    for at in range(len(tree.first) - 1, -1, -1):
        if tree.held[at]:
            for k in range(tree.first[at], tree.first[at] + tree.held[at]):
                _add_triangle(tree.corners, k, dipoles, at)
        else:
            for child in (tree.first[at], tree.first[at] + 1):
                for i in range(3):
                    dipoles[at, i] += dipoles[child, i]
                    dipoles[at, 3 + i] += dipoles[child, 3 + i]
                dipoles[at, 7] += dipoles[child, 7]
    for at in range(len(tree.first)):  # sums of area × middle until here
        reach = 0.0
        for i in range(3):
            low, high = tree.boxes[at, i], tree.boxes[at, 3 + i]
            middle = dipoles[at, 3 + i] / dipoles[at, 7] if dipoles[at, 7] > 0.0 else 0.5 * (low + high)
            dipoles[at, 3 + i] = middle
            reach += max(middle - low, high - middle) ** 2
        dipoles[at, 6] = math.sqrt(reach)


@inner
def _add_triangle(corners: Array, k: int, dipoles: Array, at: int) -> None:
    b0, b1, b2 = corners[k, 3] - corners[k, 0], corners[k, 4] - corners[k, 1], corners[k, 5] - corners[k, 2]
    c0, c1, c2 = corners[k, 6] - corners[k, 0], corners[k, 7] - corners[k, 1], corners[k, 8] - corners[k, 2]
    n0, n1, n2 = 0.5 * (b1 * c2 - b2 * c1), 0.5 * (b2 * c0 - b0 * c2), 0.5 * (b0 * c1 - b1 * c0)
    area = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    dipoles[at, 0] += n0
    dipoles[at, 1] += n1
    dipoles[at, 2] += n2
    for i in range(3):
        dipoles[at, 3 + i] += area * (corners[k, i] + corners[k, 3 + i] + corners[k, 6 + i]) / 3.0
    dipoles[at, 7] += area
