"""The gap of a contact as a function of where the bodies are, and the frame in which its force acts.

    corner on a face:  n·(x − p)            n, p the face's, x the other body's corner
    edge on edge:      c·(q − p)            c the common perpendicular of the edges through p and q

Exact in the bodies' poses, so that contact can be kept to rounding through a whole step.
"""

from __future__ import annotations

import math

import numpy as np

from falsework.collapse.placing import Placed
from falsework.collapse.touching import CORNER_OF_FIRST, EDGES, Features
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array


@compiled
def gaps(features: Features, placed: Placed, signs: Array, out: Array) -> None:
    """out (k,) ← the gaps; `signs` (k,) say on which side of its perpendicular the second edge lies."""
    normal = np.empty(3)
    for k in range(features.kind.shape[0]):
        a, b, c, d = features.places[k, 0], features.places[k, 1], features.places[k, 2], features.places[k, 3]
        value = 0.0
        if features.kind[k] == EDGES:
            _perpendicular(placed.corners[a], placed.corners[b], placed.corners[c], placed.corners[d], normal)
            for i in range(3):
                value += signs[k] * normal[i] * (placed.corners[c, i] - placed.corners[a, i])
        else:
            for i in range(3):
                value += placed.normals[a, i] * (placed.corners[b, i] - placed.anchors[a, i])
        out[k] = value


@inner
def _perpendicular(p: Array, q: Array, r: Array, s: Array, out: Array) -> None:
    a0, a1, a2 = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    b0, b1, b2 = s[0] - r[0], s[1] - r[1], s[2] - r[2]
    out[0], out[1], out[2] = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    length = math.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2)
    for i in range(3):
        out[i] /= length


@compiled
def contact_places(features: Features, placed: Placed, points: Array, normals: Array, signs: Array) -> None:
    """points (k, 2, 3) on both bodies, normals (k, 3) from the first into the second, and signs (k,) of edge pairs."""
    normal = np.empty(3)
    for k in range(features.kind.shape[0]):
        a, b, c, d = features.places[k, 0], features.places[k, 1], features.places[k, 2], features.places[k, 3]
        signs[k] = 1.0
        if features.kind[k] == EDGES:
            p, q, r, s = placed.corners[a], placed.corners[b], placed.corners[c], placed.corners[d]
            _perpendicular(p, q, r, s, normal)
            along = normal[0] * features.axes[k, 0] + normal[1] * features.axes[k, 1] + normal[2] * features.axes[k, 2]
            signs[k] = 1.0 if along >= 0.0 else -1.0
            aa = bb = ab = ac = bc = 0.0
            for i in range(3):
                e, f, g = q[i] - p[i], s[i] - r[i], r[i] - p[i]
                aa, bb, ab, ac, bc = aa + e * e, bb + f * f, ab + e * f, ac + e * g, bc + f * g
            sine = aa * bb - ab * ab
            u, w = (ac * bb - ab * bc) / sine, (ab * ac - aa * bc) / sine
            for i in range(3):
                points[k, 0, i] = p[i] + u * (q[i] - p[i])
                points[k, 1, i] = r[i] + w * (s[i] - r[i])
                normals[k, i] = signs[k] * normal[i]
        else:
            sign = -1.0 if features.kind[k] == CORNER_OF_FIRST else 1.0
            for i in range(3):
                points[k, 0, i] = points[k, 1, i] = placed.corners[b, i]
                normals[k, i] = sign * placed.normals[a, i]
