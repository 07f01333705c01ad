"""The thin dark line where two bricks meet: what tells two flush bricks of one colour from a longer one."""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.casting import HEIGHT, solid_hit
from falsework.kernels.compiled import compiled, inner


@inner
def gray_at(rgb, u, v):
    """Brightness between pixels."""
    i, j = int(v), int(u)
    b, a = v - i, u - j
    value = 0.0
    for c in range(3):
        value += (1 - b) * ((1 - a) * rgb[i, j, c] + a * rgb[i, j + 1, c]) + b * (
            (1 - a) * rgb[i + 1, j, c] + a * rgb[i + 1, j + 1, c]
        )
    return value / 3.0


@inner
def nothing_before(depth, K, T, solid, o, d, u, v, nu, nv, far, tolerance):
    """No stud of the brick and nothing else stands before a point on top of it, nor beside that point."""
    for k in range(-1, 2):
        a, b = u + 1.5 * k * nu, v + 1.5 * k * nv
        for axis in range(3):
            d[axis] = T[0, axis] * (a - K[2]) / K[0] + T[1, axis] * (b - K[3]) / K[1] + T[2, axis]
        t, _ = solid_hit(solid, o, d)
        if t < far - 0.0006 - abs(k) * 1.5 / K[0] * far:
            return False
        i, j = int(round(b)), int(round(a))
        if depth[i, j] > 0.0 and depth[i, j] < far - tolerance:
            return False
    return True


@compiled
def seam_dips(rgb, depth, labels, K, T_cam_brick, solid, ends, label, tolerance, needs_same, out):
    """How dark a line on top of a brick is, from ends[0] to ends[1] (x, y in its frame, m): into out (n,), returns n.

    At each point: the breadth (m) of an all black line that would darken the picture as much, measured against the
    brightness 2.5 px to both sides. With `needs_same` only points count at which the same colour goes on at the same
    height beyond the line, to the right of the way from the first end to the second.
    """
    height, width = depth.shape
    T = T_cam_brick
    z = solid[HEIGHT]
    o, d = np.empty(3), np.empty(3)
    for axis in range(3):
        o[axis] = -(T[0, axis] * T[0, 3] + T[1, axis] * T[1, 3] + T[2, axis] * T[2, 3])
    wx, wy = ends[1, 1] - ends[0, 1], ends[0, 0] - ends[1, 0]
    length = np.sqrt(wx * wx + wy * wy)
    wx, wy = wx / length, wy / length
    n = 0
    for step in range(len(out)):
        share = (step + 0.5) / len(out)
        x = ends[0, 0] + share * (ends[1, 0] - ends[0, 0])
        y = ends[0, 1] + share * (ends[1, 1] - ends[0, 1])
        far = T[2, 0] * x + T[2, 1] * y + T[2, 2] * z + T[2, 3]
        if far < 0.02:
            continue
        u = K[0] * (T[0, 0] * x + T[0, 1] * y + T[0, 2] * z + T[0, 3]) / far + K[2]
        v = K[1] * (T[1, 0] * x + T[1, 1] * y + T[1, 2] * z + T[1, 3]) / far + K[3]
        if not (5.0 < u < width - 6.0 and 5.0 < v < height - 6.0):
            continue
        # A metre across the line moves the picture by this many px.
        mu = K[0] * (T[0, 0] * wx + T[0, 1] * wy - (u - K[2]) / K[0] * (T[2, 0] * wx + T[2, 1] * wy)) / far
        mv = K[1] * (T[1, 0] * wx + T[1, 1] * wy - (v - K[3]) / K[1] * (T[2, 0] * wx + T[2, 1] * wy)) / far
        per_m = np.sqrt(mu * mu + mv * mv)
        nu, nv = mu / per_m, mv / per_m
        if not nothing_before(depth, K, T, solid, o, d, u, v, nu, nv, far, tolerance):
            continue
        i, j = int(round(v - 2.5 * nv)), int(round(u - 2.5 * nu))
        if labels[i, j] != label:
            continue
        i, j = int(round(v + 2.5 * nv)), int(round(u + 2.5 * nu))
        if labels[i, j] != label or (needs_same and (depth[i, j] <= 0.0 or depth[i, j] > far + tolerance)):
            continue
        sides = (
            gray_at(rgb, u + 2.25 * nu, v + 2.25 * nv)
            + gray_at(rgb, u - 2.25 * nu, v - 2.25 * nv)
            + gray_at(rgb, u + 2.75 * nu, v + 2.75 * nv)
            + gray_at(rgb, u - 2.75 * nu, v - 2.75 * nv)
        ) / 4.0
        dip = 0.0
        for k in range(-3, 4):
            dip += sides - gray_at(rgb, u + 0.5 * k * nu, v + 0.5 * k * nv)
        out[n] = 0.5 * dip / max(sides, 1.0) / per_m
        n += 1
    return n
