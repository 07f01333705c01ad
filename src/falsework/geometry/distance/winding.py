"""How often a surface winds around points, compiled: what is far away counts as one dipole.

A surface that faces outward winds once around what is inside it and not around what is outside; where it has holes,
cracks or overlaps, the number is still near the truth (Barill and others, Fast winding numbers for soups and clouds).
A node of the tree, seen from further than FAR times its reach, is its area vector in its middle: the next term of its
expansion is smaller by that factor squared.
"""

from __future__ import annotations

import math

import numpy as np

from falsework.geometry.distance.trees import DEEPEST, Tree
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints

FAR = 2.5


@compiled
def windings(tree: Tree, points: Array, rows: Ints) -> Array:
    """(k,) for the chosen rows of points (n, 3)."""
    found = np.empty(len(rows))
    stack = np.empty(2 * DEEPEST, np.int64)
    for position in range(len(rows)):
        at = rows[position]
        found[position] = _winding(tree, points[at, 0], points[at, 1], points[at, 2], stack)
    return found


@inner
def _winding(tree: Tree, x: float, y: float, z: float, stack: Ints) -> float:
    total = 0.0
    stack[0], depth = 0, 1
    dipoles = tree.dipoles
    while depth:
        depth -= 1
        node = stack[depth]
        dx, dy, dz = dipoles[node, 3] - x, dipoles[node, 4] - y, dipoles[node, 5] - z
        square = dx * dx + dy * dy + dz * dz
        if square > (FAR * dipoles[node, 6]) ** 2:
            total += (dipoles[node, 0] * dx + dipoles[node, 1] * dy + dipoles[node, 2] * dz) / (
                square * math.sqrt(square)
            )
        elif tree.held[node]:
            for k in range(tree.first[node], tree.first[node] + tree.held[node]):
                total += _solid_angle(tree.corners, k, x, y, z)
        else:
            stack[depth] = tree.first[node]
            stack[depth + 1] = tree.first[node] + 1
            depth += 2
    return total / (4.0 * math.pi)


@inner
def _solid_angle(corners: Array, k: int, x: float, y: float, z: float) -> float:
    """Under which a point sees a triangle from behind; van Oosterom and Strackee's form."""
    a0, a1, a2 = corners[k, 0] - x, corners[k, 1] - y, corners[k, 2] - z
    b0, b1, b2 = corners[k, 3] - x, corners[k, 4] - y, corners[k, 5] - z
    c0, c1, c2 = corners[k, 6] - x, corners[k, 7] - y, corners[k, 8] - z
    a, b, c = (
        math.sqrt(a0 * a0 + a1 * a1 + a2 * a2),
        math.sqrt(b0 * b0 + b1 * b1 + b2 * b2),
        math.sqrt(c0 * c0 + c1 * c1 + c2 * c2),
    )
    volume = a0 * (b1 * c2 - b2 * c1) + a1 * (b2 * c0 - b0 * c2) + a2 * (b0 * c1 - b1 * c0)
    ab, bc, ca = a0 * b0 + a1 * b1 + a2 * b2, b0 * c0 + b1 * c1 + b2 * c2, c0 * a0 + c1 * a1 + c2 * a2
    return 2.0 * math.atan2(volume, a * b * c + ab * c + bc * a + ca * b)
