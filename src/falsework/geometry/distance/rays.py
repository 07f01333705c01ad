"""Rays against a surface, compiled: the first triangle each meets, or how many it passes."""

from __future__ import annotations

import numpy as np

from falsework.geometry.distance.trees import DEEPEST, Hits, Tree
from falsework.geometry.distance.triangles import meets_triangle
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints

BETWEEN = 1e-12  # shares of an edge by which a ray may miss a triangle: it then meets one of two neighbours at least


@compiled
def first_hits(tree: Tree, origins: Array, ways: Array, after: float, before: float) -> Hits:
    """For rays (n, 3), (n, 3): where each first meets a triangle, further than `after` and nearer than `before`."""
    count = len(origins)
    distances, faces = np.full(count, np.inf), np.full(count, -1, np.int64)
    stack, inverse = np.empty(2 * DEEPEST, np.int64), np.empty(3)
    for ray in range(count):
        best, k = before, -1
        _invert(ways, ray, inverse)
        x, y, z = origins[ray, 0], origins[ray, 1], origins[ray, 2]
        d0, d1, d2 = ways[ray, 0], ways[ray, 1], ways[ray, 2]
        stack[0], depth = 0, 1
        while depth:
            depth -= 1
            node = stack[depth]
            if entry(tree.boxes, node, origins, inverse, ray, after, best) == np.inf:
                continue
            if tree.held[node]:
                for t in range(tree.first[node], tree.first[node] + tree.held[node]):
                    far = meets_triangle(x, y, z, d0, d1, d2, tree.corners, t, BETWEEN)
                    if after < far < best:
                        best, k = far, t
            else:
                one = tree.first[node]
                to_one = entry(tree.boxes, one, origins, inverse, ray, after, best)
                to_other = entry(tree.boxes, one + 1, origins, inverse, ray, after, best)
                nearer = one if to_one <= to_other else one + 1
                stack[depth], stack[depth + 1] = 2 * one + 1 - nearer, nearer
                depth += 2
        if k >= 0:
            distances[ray], faces[ray] = best, k
    return Hits(distances, faces)


@compiled
def crossings(tree: Tree, origins: Array, ways: Array) -> Ints:
    """(n,) how many triangles each ray meets; one that passes between two may count both."""
    found = np.zeros(len(origins), np.int64)
    stack, inverse = np.empty(2 * DEEPEST, np.int64), np.empty(3)
    for ray in range(len(origins)):
        _invert(ways, ray, inverse)
        x, y, z = origins[ray, 0], origins[ray, 1], origins[ray, 2]
        d0, d1, d2 = ways[ray, 0], ways[ray, 1], ways[ray, 2]
        stack[0], depth = 0, 1
        while depth:
            depth -= 1
            node = stack[depth]
            if entry(tree.boxes, node, origins, inverse, ray, 0.0, np.inf) == np.inf:
                continue
            if tree.held[node]:
                for t in range(tree.first[node], tree.first[node] + tree.held[node]):
                    if meets_triangle(x, y, z, d0, d1, d2, tree.corners, t, BETWEEN) > 0.0:
                        found[ray] += 1
            else:
                stack[depth], stack[depth + 1] = tree.first[node], tree.first[node] + 1
                depth += 2
    return found


@inner
def _invert(ways: Array, ray: int, inverse: Array) -> None:
    for i in range(3):
        inverse[i] = 1.0 / ways[ray, i] if ways[ray, i] != 0.0 else np.inf


@inner
def entry(boxes: Array, node: int, origins: Array, inverse: Array, ray: int, after: float, before: float) -> float:
    """Where a ray enters a box, between `after` and `before`; infinite where it does not."""
    low, high = after, before
    for i in range(3):
        near, far = boxes[node, i] - origins[ray, i], boxes[node, 3 + i] - origins[ray, i]
        if inverse[i] == np.inf:
            if near > 0.0 or far < 0.0:
                return np.inf
            continue
        one, other = near * inverse[i], far * inverse[i]
        low, high = max(low, min(one, other)), min(high, max(one, other))
    slack = 1e-12 * max(abs(low), abs(high)) if high < np.inf else 0.0
    return low if low <= high + slack else np.inf
