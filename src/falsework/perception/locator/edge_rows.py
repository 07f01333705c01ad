"""How far the outline of a supposed brick is from the outline in the picture, and what moving it would change.

Points along the edges that separate seen from unseen faces are projected; across each, the picture is sampled along
the normal of the edge, and the place where the brick's colour gives way is found to a fraction of a pixel. Where
something nearer begins there, or nothing changes because an equal brick lies flush, the point says nothing.
"""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.casting import HEIGHT, LENGTH, WIDTH, solid_hit
from falsework.kernels.compiled import compiled, inner

STEP = 0.5  # px between samples of a profile
APART = 1.5  # px between points along an edge


@inner
def sample(rgb, u, v, out):
    """Colour between pixels; the caller keeps a pixel's distance from the border."""
    i, j = int(v), int(u)
    b, a = v - i, u - j
    for c in range(3):
        out[c] = (1 - b) * ((1 - a) * rgb[i, j, c] + a * rgb[i, j + 1, c]) + b * (
            (1 - a) * rgb[i + 1, j, c] + a * rgb[i + 1, j + 1, c]
        )


@inner
def crossing(profile, at, least):
    """(offset in samples from `at`, contrast): where colour is halfway between both sides; contrast 0 if nowhere."""
    a, b = np.zeros(3), np.zeros(3)
    for c in range(3):
        a[c] = (profile[at - 4, c] + profile[at - 3, c]) / 2
        b[c] = (profile[at + 3, c] + profile[at + 4, c]) / 2
    strength = (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2
    if strength < least * least:
        return 0.0, 0.0
    before = 0.0
    best, found = 0.0, False
    for k in range(-3, 4):
        share = 0.0
        for c in range(3):
            share += (profile[at + k, c] - b[c]) * (a[c] - b[c])
        share = share / strength - 0.5
        if k > -3 and before >= 0.0 > share:
            place = k - 1 + before / (before - share)
            if not found or abs(place) < abs(best):
                best, found = place, True
        before = share
    return best, (np.sqrt(strength) if found else 0.0)


@compiled
def edge_rows(rgb, depth, labels, K, T_cam_base, T, solid, edges, label, reach, scale, tolerance, least, A, g):
    """Adds to A (6, 6) and g (6): Σ w·JᵀJ, Σ w·Jᵀr over outline points, in px; returns (Σw, Σw·r², points).

    Columns are a shift (m) and a turn (rad) in the base's frame about the middle of the underside. T (4, 4) is the
    brick in the base's frame; `label` what its colour is called; `reach` how far to look, px; `scale` beyond which a
    residual counts nothing, px; `tolerance` of depth, m; `least` contrast that is an edge.
    """
    height, width = depth.shape
    bottom = T[2, 3]
    middle = np.empty(3)
    for i in range(3):
        middle[i] = T[i, 0] * solid[LENGTH] / 2 + T[i, 1] * solid[WIDTH] / 2 + T[i, 3]
    R = np.zeros((3, 3))  # camera from brick
    t = np.zeros(3)
    for i in range(3):
        t[i] = T_cam_base[i, 3]
        for k in range(3):
            t[i] += T_cam_base[i, k] * T[k, 3]
            for j in range(3):
                R[i, j] += T_cam_base[i, k] * T[k, j]
    o, d = np.empty(3), np.empty(3)
    for j in range(3):
        o[j] = -(R[0, j] * t[0] + R[1, j] * t[1] + R[2, j] * t[2])
    hub = R @ np.array([solid[LENGTH] / 2, solid[WIDTH] / 2, solid[HEIGHT] / 2]) + t
    hub_u, hub_v = K[0] * hub[0] / hub[2] + K[2], K[1] * hub[1] / hub[2] + K[3]
    half = int(reach / STEP) + 5
    profile = np.empty((2 * half + 1, 3))
    row = np.empty(6)
    total, squares, points = 0.0, 0.0, 0
    for e in range(len(edges)):
        edge = edges[e]
        one = other = 0.0
        for k in range(3):
            one += edge[6 + k] * (o[k] - edge[k])
            other += edge[9 + k] * (o[k] - edge[k])
        if (one > 0.0) == (other > 0.0):
            continue
        ends = np.empty((2, 2))
        for side in range(2):
            X = R @ edge[3 * side : 3 * side + 3] + t
            if X[2] < 0.02:
                break
            ends[side, 0], ends[side, 1] = K[0] * X[0] / X[2] + K[2], K[1] * X[1] / X[2] + K[3]
        else:
            du, dv = ends[1, 0] - ends[0, 0], ends[1, 1] - ends[0, 1]
            size = np.sqrt(du * du + dv * dv)
            count = int(size / APART)
            if count < 3:
                continue
            nu, nv = dv / size, -du / size
            if nu * (ends[0, 0] - hub_u) + nv * (ends[0, 1] - hub_v) < 0.0:
                nu, nv = -nu, -nv
            for step in range(1, count):
                along = step / count
                P = edge[:3] + along * (edge[3:6] - edge[:3])
                X = R @ P + t
                u, v = K[0] * X[0] / X[2] + K[2], K[1] * X[1] / X[2] + K[3]
                far = half * STEP + 2.0
                if u < far or v < far or u > width - far - 1 or v > height - far - 1:
                    continue
                x, y = (u + 1.5 * nu - K[2]) / K[0], (v + 1.5 * nv - K[3]) / K[1]
                for k in range(3):
                    d[k] = R[0, k] * x + R[1, k] * y + R[2, k]
                over, _ = solid_hit(solid, o, d)
                if over < np.inf:  # a stud stands out beyond this edge
                    continue
                for k in range(-half, half + 1):
                    sample(rgb, u + STEP * k * nu, v + STEP * k * nv, profile[k + half])
                best, best_strength = 0, 0.0
                for k in range(-half + 5, half - 4):
                    strength = 0.0
                    for c in range(3):
                        strength += (profile[half + k + 2, c] - profile[half + k - 2, c]) ** 2
                    strength /= 1.0 + (STEP * k / reach) ** 2
                    if strength <= best_strength:
                        continue
                    i = int(round(v + (STEP * k - 1.5) * nv))
                    j = int(round(u + (STEP * k - 1.5) * nu))
                    if labels[i, j] != label or (depth[i, j] > 0.0 and depth[i, j] < X[2] - tolerance - solid[HEIGHT]):
                        continue
                    i = int(round(v + (STEP * k + 1.5) * nv))
                    j = int(round(u + (STEP * k + 1.5) * nu))
                    different = labels[i, j] != label
                    i = int(round(v + (STEP * k + 2.5) * nv))
                    j = int(round(u + (STEP * k + 2.5) * nu))
                    beyond = depth[i, j]
                    if beyond > 0.0 and beyond < X[2] - tolerance:
                        continue
                    if not different:
                        if beyond <= 0.0:
                            continue
                        x, y = (j - K[2]) / K[0], (i - K[3]) / K[1]
                        low = 0.0  # height of what lies beyond, over the plane of the underside
                        for m in range(3):
                            at = (x * beyond, y * beyond, beyond)[m] - T_cam_base[m, 3]
                            low += T_cam_base[m, 2] * at
                        if low > bottom + 0.15 * solid[HEIGHT]:
                            continue
                    best, best_strength = k, strength
                if best_strength == 0.0:
                    continue
                place, contrast = crossing(profile, half + best, least)
                if contrast == 0.0:
                    continue
                r = STEP * (best + place)
                if abs(r) > scale:
                    continue
                weight = (1.0 - (r / scale) ** 2) ** 2
                for axis in range(3):  # a shift of the base's axis, seen by the camera
                    cx, cy, cz = T_cam_base[0, axis], T_cam_base[1, axis], T_cam_base[2, axis]
                    row[axis] = (
                        nu * K[0] * (cx - X[0] / X[2] * cz) / X[2] + nv * K[1] * (cy - X[1] / X[2] * cz) / X[2]
                    )
                lever = np.empty(3)
                for k in range(3):
                    lever[k] = T[k, 0] * P[0] + T[k, 1] * P[1] + T[k, 2] * P[2] + T[k, 3] - middle[k]
                row[3] = row[2] * lever[1] - row[1] * lever[2]
                row[4] = row[0] * lever[2] - row[2] * lever[0]
                row[5] = row[1] * lever[0] - row[0] * lever[1]
                for p in range(6):
                    g[p] += weight * row[p] * r
                    for q in range(6):
                        A[p, q] += weight * row[p] * row[q]
                total += weight
                squares += weight * r * r
                points += 1
    return total, squares, points
