"""The nearest point of a surface for many points, compiled.

Points are walked along a curve that fills space, so that the answer for one bounds the next one's before it is looked
for: most boxes are then never opened.
"""

from __future__ import annotations

import math

import numpy as np

from falsework.geometry.distance.trees import DEEPEST, Nearest, Tree
from falsework.geometry.distance.triangles import nearest_on_triangle
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints


@compiled
def nearest_points(tree: Tree, points: Array, order: Ints, band: float) -> Nearest:
    """For points (n, 3) in an order in which neighbours follow each other; only what is nearer than the band."""
    count = len(points)
    distances, found = np.full(count, np.inf), np.full((count, 3), np.nan)
    faces, features = np.full(count, -1, np.int64), np.zeros(count, np.int64)
    stack, waiting = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    limit = band * band
    last = -1
    for position in range(count):
        at = order[position]
        x, y, z = points[at, 0], points[at, 1], points[at, 2]
        best, k, feature = limit, -1, 0
        q0, q1, q2 = math.nan, math.nan, math.nan
        if last >= 0:
            square, s0, s1, s2, kind = nearest_on_triangle(x, y, z, tree.corners, last)
            if square <= best:
                best, k, q0, q1, q2, feature = square, last, s0, s1, s2, kind
        node, depth = 0, 0
        if box_distance(tree.boxes, 0, x, y, z) > best:
            node = -1
        while node >= 0:
            if tree.held[node]:
                for t in range(tree.first[node], tree.first[node] + tree.held[node]):
                    square, s0, s1, s2, kind = nearest_on_triangle(x, y, z, tree.corners, t)
                    if square < best or (k < 0 and square <= best):
                        best, k, q0, q1, q2, feature = square, t, s0, s1, s2, kind
            else:
                one = tree.first[node]
                other = one + 1
                to_one, to_other = box_distance(tree.boxes, one, x, y, z), box_distance(tree.boxes, other, x, y, z)
                if to_other < to_one:
                    one, other, to_one, to_other = other, one, to_other, to_one
                if to_one < best or (k < 0 and to_one <= best):
                    if to_other < best:
                        stack[depth], waiting[depth] = other, to_other
                        depth += 1
                    node = one
                    continue
            node = -1
            while depth > 0:
                depth -= 1
                if waiting[depth] < best:
                    node = stack[depth]
                    break
        if k >= 0:
            last = k
            distances[at], faces[at], features[at] = math.sqrt(best), k, feature
            found[at, 0], found[at, 1], found[at, 2] = q0, q1, q2
    return Nearest(distances, found, faces, features)


@inner
def box_distance(boxes: Array, node: int, x: float, y: float, z: float) -> float:
    """Squared, from a point to a box; 0 inside."""
    dx = max(boxes[node, 0] - x, x - boxes[node, 3], 0.0)
    dy = max(boxes[node, 1] - y, y - boxes[node, 4], 0.0)
    dz = max(boxes[node, 2] - z, z - boxes[node, 5], 0.0)
    square: float = dx * dx + dy * dy + dz * dz
    return square


@compiled
def along_a_curve(points: Array) -> Array:
    """(n,) a number for each point by which neighbours follow each other: the bits of its coordinates, interleaved."""
    count = len(points)
    keys = np.empty(count)
    low, width = np.full(3, np.inf), np.zeros(3)
    for k in range(count):
        for i in range(3):
            low[i] = min(low[i], points[k, i])
    for k in range(count):
        for i in range(3):
            width[i] = max(width[i], points[k, i] - low[i])
    scale = 1023.0 / max(width[0], width[1], width[2], 1e-300)
    for k in range(count):
        key = 0
        for i in range(3):
            cell = int((points[k, i] - low[i]) * scale)
            for bit in range(10):
                key |= (cell >> bit & 1) << (3 * bit + i)
        keys[k] = key
    return keys
