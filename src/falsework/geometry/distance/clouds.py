"""A surface as what sweeps look at: nodes of a tree down to single triangles, and of small nodes their corners.

A few triangles beside each other that face the same way are nearly flat, so a plane keeps them apart from what is near
when no box would. The tree is therefore cut by where triangles face as well (`facing` in `bvh.py`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from falsework.geometry.distance.trees import Tree
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints

FEW = 32  # triangles up to which a node is known by its corners
FACING = 64  # triangles up to which nodes are cut by where they face

MIDDLE, HALF, REACH, NORMAL, NUMBERS = 0, 3, 6, 7, 10  # places of what is known of a node, and how many


class Sweepable(NamedTuple):
    """Nodes with their boxes and mean normals; corners of the small ones; triangles."""

    nodes: Array  # (n, NUMBERS) middle and half widths of the box, the reach of its corners, a unit normal
    first: Ints  # (n,) the first child, the second is the next; of a leaf its triangle
    is_leaf: Ints  # (n,) 1 or 0
    starts: Ints  # (n + 1,) of a node's corners; none where it has more than a FEW triangles
    points: Array  # (k, 3) these corners, each once a node
    corners: Array  # (m, 9) of triangles
    face: Ints  # (m,) of triangles, in the surface


@compiled
def sweepable(tree: Tree) -> Sweepable:
    """Of a tree whose leaves are single triangles."""
    count = len(tree.first)
    begins, ends = np.empty(count, np.int64), np.empty(count, np.int64)
    for node in range(count - 1, -1, -1):  # children come after their parents
        if tree.held[node]:
            begins[node], ends[node] = tree.first[node], tree.first[node] + tree.held[node]
        else:
            begins[node], ends[node] = begins[tree.first[node]], ends[tree.first[node] + 1]
    total = 0
    for node in range(count):
        total += 3 * (ends[node] - begins[node]) if ends[node] - begins[node] <= FEW else 0
    starts, points, nodes = np.zeros(count + 1, np.int64), np.empty((total, 3)), np.zeros((count, NUMBERS))
    number = 0
    for node in range(count):
        if ends[node] - begins[node] <= FEW:
            number = _distinct(tree.corners, begins[node], ends[node], points, number)
        starts[node + 1] = number
        square, length = 0.0, 0.0
        for i in range(3):
            nodes[node, MIDDLE + i] = 0.5 * (tree.boxes[node, i] + tree.boxes[node, 3 + i])
            nodes[node, HALF + i] = 0.5 * (tree.boxes[node, 3 + i] - tree.boxes[node, i])
            square += nodes[node, HALF + i] ** 2
            length += tree.dipoles[node, i] ** 2
        nodes[node, REACH] = math.sqrt(square)
        if length > 0.0:
            for i in range(3):
                nodes[node, NORMAL + i] = tree.dipoles[node, i] / math.sqrt(length)
    return Sweepable(nodes, tree.first, tree.held, starts, points[:number].copy(), tree.corners, tree.face)


@inner
def _distinct(points: Array, begin: int, end: int, found: Array, number: int) -> int:
    """The corners of triangles, each once, from `number` on; the number after the last."""
    first = number
    for t in range(begin, end):
        for c in range(0, 9, 3):
            known = False
            for k in range(first, number):
                if found[k, 0] == points[t, c] and found[k, 1] == points[t, c + 1] and found[k, 2] == points[t, c + 2]:
                    known = True
                    break
            if not known:
                for i in range(3):
                    found[number, i] = points[t, c + i]
                number += 1
    return number
