"""How far the depth of a supposed brick is from that in the picture, and what moving it would change."""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.casting import (
    BOTTOM,
    FLAT,
    HEIGHT,
    LENGTH,
    LIP,
    NOTHING,
    PITCH,
    SLOPE,
    STUD_SIDE,
    WIDTH,
    solid_hit,
    window,
)
from falsework.kernels.exact import compiled, inner
from falsework.perception.locator.moving import add_row


@inner
def normal_of(face, x, y, solid, out):
    """The outward normal of a face, in the solid's frame; studs are round about the middle of their cell."""
    out[0], out[1], out[2] = 0.0, 0.0, 0.0
    if face < BOTTOM:
        out[face // 2] = 1.0 if face % 2 else -1.0
    elif face == BOTTOM:
        out[2] = -1.0
    elif face == STUD_SIDE:
        a, b = x / solid[PITCH], y / solid[PITCH]
        a, b = a - np.floor(a) - 0.5, b - np.floor(b) - 0.5
        size = np.sqrt(a * a + b * b)
        out[0], out[1] = a / size, b / size
    elif face == SLOPE:
        a, b = solid[HEIGHT] - solid[LIP], solid[LENGTH] - solid[FLAT]
        size = np.sqrt(a * a + b * b)
        out[0], out[2] = a / size, b / size
    else:
        out[2] = 1.0


@compiled
def depth_rows(depth, labels, K, T_cam_base, T, solid, label, noise, tolerance, A, g):
    """Adds to A (6, 6) and g (6) the rows of all pixels that show the brick; returns (Σw, Σw·r², pixels).

    Residuals are depths over their deviation, noise·z². Columns as in `edge_rows`. A plane that moves by δ is met
    n·δ / n·d later along a ray d.
    """
    height, width = depth.shape
    TC = T_cam_base[:3] @ T
    middle = np.empty(3)
    for i in range(3):
        middle[i] = T[i, 0] * solid[LENGTH] / 2 + T[i, 1] * solid[WIDTH] / 2 + T[i, 3]
    o, d, n, row = np.empty(3), np.empty(3), np.empty(3), np.empty(6)
    for axis in range(3):
        o[axis] = -(TC[0, axis] * TC[0, 3] + TC[1, axis] * TC[1, 3] + TC[2, axis] * TC[2, 3])
    first, last, left, right = window(solid, TC, K, height, width, 0)
    total, squares, pixels = 0.0, 0.0, 0
    for v in range(first, last):
        for u in range(left, right):
            seen = depth[v, u]
            if seen <= 0.0 or labels[v, u] != label:
                continue
            for axis in range(3):
                d[axis] = TC[0, axis] * (u - K[2]) / K[0] + TC[1, axis] * (v - K[3]) / K[1] + TC[2, axis]
            t, face = solid_hit(solid, o, d)
            if face in (NOTHING, STUD_SIDE):
                continue
            r = seen - t
            if abs(r) > tolerance:
                continue
            normal_of(face, o[0] + t * d[0], o[1] + t * d[1], solid, n)
            facing = n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
            if facing > -0.15:  # too slanted to say anything
                continue
            deviation = noise * t * t
            for axis in range(3):  # n·e / n·d of a shift along the base's axis
                row[axis] = (T[axis, 0] * n[0] + T[axis, 1] * n[1] + T[axis, 2] * n[2]) / facing
            px, py, pz = o[0] + t * d[0], o[1] + t * d[1], o[2] + t * d[2]
            a = T[0, 0] * px + T[0, 1] * py + T[0, 2] * pz + T[0, 3] - middle[0]
            b = T[1, 0] * px + T[1, 1] * py + T[1, 2] * pz + T[1, 3] - middle[1]
            c = T[2, 0] * px + T[2, 1] * py + T[2, 2] * pz + T[2, 3] - middle[2]
            row[3] = row[2] * b - row[1] * c
            row[4] = row[0] * c - row[2] * a
            row[5] = row[1] * a - row[0] * b
            weight = (1.0 - (r / tolerance) ** 2) ** 2 / (deviation * deviation)
            add_row(A, g, row, weight, r)
            total += weight
            squares += weight * r * r
            pixels += 1
    return total, squares, pixels
