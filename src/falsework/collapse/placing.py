"""Where the corners and faces of all pieces are in the world, and which pieces are near each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.collapse.hulls import Hulls
from falsework.kernels.compiled import compiled
from falsework.model.arrays import Array, Bools, Ints


class Placed(NamedTuple):
    """The arrays of `Hulls` in world coordinates."""

    corners: Array  # (v, 3)
    normals: Array  # (f, 3)
    anchors: Array  # (f, 3)
    edges: Array  # (e, 3)
    lows: Array  # (p, 3)
    highs: Array  # (p, 3)


@compiled
def place(hulls: Hulls, turns: Array, centres: Array) -> Placed:
    """Pieces of bodies turned by (b, 3, 3), with centres of mass at (b, 3)."""
    corners, normals = np.empty_like(hulls.corners), np.empty_like(hulls.normals)
    anchors, edges = np.empty_like(hulls.anchors), np.empty_like(hulls.edges)
    count = hulls.body.shape[0]
    lows, highs = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    for p in range(count):
        b = hulls.body[p]
        turn = turns[b]
        for v in range(hulls.corner_starts[p], hulls.corner_starts[p + 1]):
            x, y, z = hulls.corners[v, 0], hulls.corners[v, 1], hulls.corners[v, 2]
            for i in range(3):
                value = turn[i, 0] * x + turn[i, 1] * y + turn[i, 2] * z + centres[b, i]
                corners[v, i] = value
                lows[p, i] = min(lows[p, i], value)
                highs[p, i] = max(highs[p, i], value)
        for f in range(hulls.face_starts[p], hulls.face_starts[p + 1]):
            x, y, z = hulls.normals[f, 0], hulls.normals[f, 1], hulls.normals[f, 2]
            a, b1, c = hulls.anchors[f, 0], hulls.anchors[f, 1], hulls.anchors[f, 2]
            for i in range(3):
                normals[f, i] = turn[i, 0] * x + turn[i, 1] * y + turn[i, 2] * z
                anchors[f, i] = turn[i, 0] * a + turn[i, 1] * b1 + turn[i, 2] * c + centres[b, i]
        for e in range(hulls.edge_starts[p], hulls.edge_starts[p + 1]):
            x, y, z = hulls.edges[e, 0], hulls.edges[e, 1], hulls.edges[e, 2]
            for i in range(3):
                edges[e, i] = turn[i, 0] * x + turn[i, 1] * y + turn[i, 2] * z
        if hulls.corner_starts[p] == hulls.corner_starts[p + 1]:  # an endless floor
            for i in range(3):
                lows[p, i], highs[p, i] = -np.inf, np.inf
    return Placed(corners, normals, anchors, edges, lows, highs)


@compiled
def near_pieces(hulls: Hulls, placed: Placed, there: Bools, free: Bools, apart: Bools, margins: Array) -> Ints:
    """(k, 2) pieces of different bodies, one of them free, whose boxes come within their margins (p,) of each other.

    `apart` (b, b) are bodies that never touch, as those that share a hinge. Sorted; the lower piece first, but a floor
    always first.
    """
    count = hulls.body.shape[0]
    found = np.empty((256, 2), np.int64)
    fill = 0
    order = np.argsort(placed.lows[:, 0] - margins)
    for at in range(count):
        i = order[at]
        reach = placed.highs[i, 0] + margins[i]
        for later in range(at + 1, count):
            j = order[later]
            if placed.lows[j, 0] - margins[j] > reach:
                break
            a, b = hulls.body[i], hulls.body[j]
            if a == b or not (there[a] and there[b]) or not (free[a] or free[b]) or apart[a, b]:
                continue
            meets = True
            for axis in range(1, 3):
                room = margins[i] + margins[j]
                if (
                    placed.lows[i, axis] > placed.highs[j, axis] + room
                    or placed.lows[j, axis] > placed.highs[i, axis] + room
                ):
                    meets = False
            if not meets:
                continue
            if fill == found.shape[0]:
                longer = np.empty((2 * fill, 2), np.int64)
                longer[:fill] = found
                found = longer
            low, high = min(i, j), max(i, j)
            if hulls.sizes_m[high] == np.inf:
                low, high = high, low
            found[fill, 0], found[fill, 1] = low, high
            fill += 1
    found = found[:fill]
    ranks = np.argsort(found[:, 0] * count + found[:, 1])
    return found[ranks]
