"""How far the outline of a supposed brick is from the outline in the picture, and what moving it would change.

Points along the edges that separate seen from unseen faces are projected; across each, the picture is sampled along
the normal of the edge, and the place where the brick's colour gives way is found to a fraction of a pixel. Where
something nearer begins there, or nothing changes because an equal brick lies flush, the point says nothing.
"""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.casting import (
    HEIGHT,
    LENGTH,
    NX,
    PITCH,
    RADIUS,
    STUD,
    WIDTH,
    direction,
    origin,
    row_of,
    solid_hit,
    turn_of,
)
from falsework.kernels.exact import compiled, inner
from falsework.perception.locator.labels import AS_THE_FLOOR
from falsework.perception.locator.moving import add_row

STEP = 0.5  # px between samples of a profile
APART = 1.5  # px between points along an edge
CORNER_PX = 2.0  # within so much of its ends an edge is mixed with the next ones: profiles reach so far, and blur
INSIDE = 3  # samples, and one more: what is so far within an edge has the colour within
HUED = 25.0  # of 255: two colours that differ by so much beside their brightness are told apart by that alone
GREY = 0.1  # what brightness counts beside it
DARK = 25.0  # of 255, squared: what is darker has no hue
SURE_REACH_PX = 2.0  # who looks no farther has found its place
# Deviations, px: of a point of an edge, and of what all its points have in common. An edge that runs along rows or
# columns of pixels is found at steps of whole pixels: it is shifted by so much if it crosses none of them, and turned
# (at its ends) if it crosses one; less the more of them it crosses.
POINT_PX, EDGE_PX = 0.15, 0.03
STEP_PX = 0.2
DOUBTED_PX = 0.23  # what points of an edge usually miss by: those of one that is off by no more err each by itself
# The foot of a wall that is seen so narrow, or narrower, is mixed with what is above it: up to so much more, px.
NARROW_PX, FOOT_PX = 5.0, 0.4
# A stud that stands out over an edge so near a point of it, along the edge and beyond it, blurs into it, px.
ALONG_PX, BEYOND_PX = 1.5, (0.25, 0.75, 1.5)
SHADE_PX = 0.5  # where the same colour goes on beyond, on what a brick stands on, its studs have edges too


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
def color_at(profile, k):
    return profile[k, 0], profile[k, 1], profile[k, 2]


@inner
def between(a, b):
    """The colour half way."""
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2


@inner
def less(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def unlike(a, b):
    """What colour a has that b, however bright, has not: a shadow on b is b, only darker, and has none of it."""
    share = dot(a, b) / (DARK + dot(b, b))
    return a[0] - share * b[0], a[1] - share * b[1], a[2] - share * b[2]


@inner
def crossing(profile, at, least, inside):
    """(offset in samples from `at`, contrast): where colour is halfway between both sides; contrast 0 if nowhere.

    Where hues differ, brightness does not count. `inside`: from how many samples on it has the colour within.
    """
    further = inside + 1 if inside >= INSIDE else inside
    a = between(color_at(profile, at - further), color_at(profile, at - inside))
    b = between(color_at(profile, at + 3), color_at(profile, at + 4))
    way = unlike(a, b)
    if dot(way, way) < HUED * HUED:
        way = less(a, b)
    if dot(way, way) < least * least:
        return 0.0, 0.0
    strength = dot(less(a, b), way)
    before = 0.0
    best, found = 0.0, False
    for k in range(-3, 4):
        share = dot(less(color_at(profile, at + k), b), way) / strength - 0.5
        if k > -3 and before >= 0.0 > share:
            place = k - 1 + before / (before - share)
            if not found or abs(place) < abs(best):
                best, found = place, True
        before = share
    return best, (np.sqrt(strength) if found else 0.0)


@inner
def as_seen(T_cam_base, T):
    """T_cam_brick (3, 4)."""
    out = np.empty((3, 4))
    for i in range(3):
        for j in range(4):
            out[i, j] = T_cam_base[i, 0] * T[0, j] + T_cam_base[i, 1] * T[1, j] + T_cam_base[i, 2] * T[2, j]
        out[i, 3] += T_cam_base[i, 3]
    return out


@inner
def there(T, P):
    """A point in the frame above."""
    return (
        T[0, 0] * P[0] + T[0, 1] * P[1] + T[0, 2] * P[2] + T[0, 3],
        T[1, 0] * P[0] + T[1, 1] * P[1] + T[1, 2] * P[2] + T[1, 3],
        T[2, 0] * P[0] + T[2, 1] * P[1] + T[2, 2] * P[2] + T[2, 3],
    )


@inner
def pixel(K, X):
    return K[0] * X[0] / X[2] + K[2], K[1] * X[1] / X[2] + K[3]


@inner
def through(R, K, u, v):
    """Where the ray through a pixel goes in the brick's frame."""
    return direction(R, (u - K[2]) / K[0], (v - K[3]) / K[1])


@inner
def along_edge(edge, share):
    """The point of an edge after a share of its length."""
    return (
        edge[0] + share * (edge[3] - edge[0]),
        edge[1] + share * (edge[4] - edge[1]),
        edge[2] + share * (edge[5] - edge[2]),
    )


@inner
def outline_normal(edge, solid, T, o, K, ends):
    """(points along an edge if it is part of the outline, 0 otherwise; its outward normal, px); fills its two ends."""
    one = other = 0.0
    for k in range(3):
        one += edge[6 + k] * (o[k] - edge[k])
        other += edge[9 + k] * (o[k] - edge[k])
    if (one > 0.0) == (other > 0.0):
        return 0, (0.0, 0.0)
    for side in range(2):
        X = there(T, along_edge(edge, float(side)))
        if X[2] < 0.02:
            return 0, (0.0, 0.0)
        ends[side, 0], ends[side, 1] = pixel(K, X)
    du, dv = ends[1, 0] - ends[0, 0], ends[1, 1] - ends[0, 1]
    size = np.sqrt(du * du + dv * dv)
    if size < 3 * APART:
        return 0, (0.0, 0.0)
    hub = pixel(K, there(T, (solid[LENGTH] / 2, solid[WIDTH] / 2, solid[HEIGHT] / 2)))
    nu, nv = dv / size, -du / size
    if nu * (ends[0, 0] - hub[0]) + nv * (ends[0, 1] - hub[1]) < 0:
        nu, nv = -nu, -nv
    return int(size / APART), (nu, nv)


@inner
def is_outline(depth, labels, K, T_cam_base, u, v, far, near, solid, bottom, label, also, tolerance, nu, nv):
    """Whether at (u, v) the brick's colour may end: it is there before, beyond is another colour, or the ground.

    `far`: depth of the edge; `near`: of the brick a little inside of it.
    """
    i, j = round(v - 1.5 * nv), round(u - 1.5 * nu)
    inside = labels[i, j]
    if inside != label and inside != also and inside != AS_THE_FLOOR - label:
        return False
    if depth[i, j] > 0.0 and (depth[i, j] < near - tolerance or depth[i, j] > far + tolerance):
        return False  # something of its colour stands before it, or lies behind it: that is another outline
    beyond = labels[round(v + 1.5 * nv), round(u + 1.5 * nu)]
    if beyond != label and beyond == also:  # its own side, or a shadow: nobody knows
        return False
    i, j = round(v + 2.5 * nv), round(u + 2.5 * nu)
    z = depth[i, j]
    if z > 0.0 and z < far - tolerance:  # something nearer begins there
        return False
    if beyond != label:
        return True
    if z <= 0.0:
        return False
    low = 0.0  # of the same colour: is it the ground?
    for m in range(3):
        low += T_cam_base[m, 2] * ((z * (j - K[2]) / K[0], z * (i - K[3]) / K[1], z)[m] - T_cam_base[m, 3])
    return low <= bottom + 0.15 * solid[HEIGHT]


@inner
def found_edge(
    rgb, depth, labels, K, T_cam_base, u, v, far, near, solid, bottom, label, also, tolerance, reach, least, way,
    profile, inside,
):  # fmt: skip
    """(where along the normal the outline in the picture is, px; whether there is one)."""
    nu, nv = way
    half = int(reach / STEP) + 5
    for k in range(-half, half + 1):
        sample(rgb, u + STEP * k * nu, v + STEP * k * nv, profile[k + half])
    best, most = 0, 0.0
    for k in range(-half + 5, half - 4):
        before, after = color_at(profile, half + k - 2), color_at(profile, half + k + 2)
        own, change = unlike(before, after), less(after, before)
        strength = (dot(own, own) + GREY * dot(change, change)) / (1.0 + (STEP * k / reach) ** 2)
        if strength > most and is_outline(
            depth, labels, K, T_cam_base, u + STEP * k * nu, v + STEP * k * nv, far, near, solid, bottom, label, also,
            tolerance, nu, nv,
        ):  # fmt: skip
            best, most = k, strength
    if most == 0.0:
        return 0.0, False
    place, contrast = crossing(profile, half + best, least, inside)
    return STEP * (best + place), contrast > 0.0


@inner
def outline_row(T_cam_base, T, K, X, P, middle, nu, nv, row):
    """What a shift (m) and a turn (rad) of the brick change at one outline point, along its normal, px."""
    for axis in range(3):
        cx, cy, cz = T_cam_base[0, axis], T_cam_base[1, axis], T_cam_base[2, axis]
        row[axis] = nu * K[0] * (cx - X[0] / X[2] * cz) / X[2] + nv * K[1] * (cy - X[1] / X[2] * cz) / X[2]
    a = T[0, 0] * P[0] + T[0, 1] * P[1] + T[0, 2] * P[2] + T[0, 3] - middle[0]
    b = T[1, 0] * P[0] + T[1, 1] * P[1] + T[1, 2] * P[2] + T[1, 3] - middle[1]
    c = T[2, 0] * P[0] + T[2, 1] * P[1] + T[2, 2] * P[2] + T[2, 3] - middle[2]
    row[3] = row[2] * b - row[1] * c
    row[4] = row[0] * c - row[2] * a
    row[5] = row[1] * a - row[0] * b


@inner
def studs_may_be_over(edge, solid, o):
    """Whether studs can stand out over an edge, for a camera at o (3).

    From a slant, the studs next to a far edge of the top reach over it, however little: by (a − m)·h / (z − h) − m,
    with m from a stud to the edge, h its height, and the camera a across the edge and z above it.
    """
    if solid[NX] == 0.0 or max(edge[2], edge[5]) < 0.01 * solid[HEIGHT]:
        return False
    side = 6 if abs(edge[8]) < 1e-9 else 9
    if min(edge[2], edge[5]) < 0.99 * solid[HEIGHT] or abs(edge[side + 2]) > 1e-9:
        return True
    across = edge[side] * (edge[0] - o[0]) + edge[side + 1] * (edge[1] - o[1])
    inset, above = solid[PITCH] / 2 - solid[RADIUS], o[2] - solid[HEIGHT] - solid[STUD]
    return above <= 0.0 or (across - inset) * solid[STUD] > inset * above


@inner
def stud_over(solid, R, o, K, u, v, way):
    """Whether a stud stands out over the outline at a pixel, or so near along it that it blurs into it there."""
    for along in (0.0, -ALONG_PX, ALONG_PX):
        for beyond in BEYOND_PX:
            d = through(R, K, u + beyond * way[0] - along * way[1], v + beyond * way[1] + along * way[0])
            over, _ = solid_hit(solid, o, d)
            if over < np.inf:
                return True
    return False


@inner
def wall_px(edge, solid, T, K, way):
    """How wide the wall over an edge is seen, px, if it is the foot of one; infinite for other edges."""
    if max(edge[2], edge[5]) > 0.01 * solid[HEIGHT]:
        return np.inf
    P = along_edge(edge, 0.5)
    low, high = pixel(K, there(T, P)), pixel(K, there(T, (P[0], P[1], solid[HEIGHT])))
    return abs(way[0] * (low[0] - high[0]) + way[1] * (low[1] - high[1]))


@inner
def add_edge(A, g, own, right, modes, modal, pairs, shift, turn):
    """Adds an edge's own (6, 6) and right (6), less what errors that all its points share take from them.

    Points of variance σ² that an edge as a whole shifts and turns, by deviations β, know JᵀWJ − JᵀWB·M·BᵀWJ with
    M = (σ²·diag(β⁻²) + BᵀWB)⁻¹, where B has a column of ones and one of places along the edge, −1 to 1. `modes` (2, 6)
    is BᵀWJ, `modal` (2,) BᵀWr, `pairs` (3,) BᵀWB; `shift`, `turn` are β², px²; 0: each point errs by itself.
    """
    a = b = c = 0.0  # of M
    if shift > 0.0:
        first, mixed = pairs[0] + POINT_PX * POINT_PX / shift, pairs[1]
        second = pairs[2] + POINT_PX * POINT_PX / turn
        size = first * second - mixed * mixed
        a, b, c = second / size, -mixed / size, first / size
    for p in range(6):
        one, two = a * modes[0, p] + b * modes[1, p], b * modes[0, p] + c * modes[1, p]
        g[p] += right[p] - one * modal[0] - two * modal[1]
        for q in range(6):
            A[p, q] += own[p, q] - one * modes[0, q] - two * modes[1, q]


@compiled
def edge_rows(
    rgb, depth, labels, K, T_cam_base, T, solid, edges, label, also, reach, scale, tolerance, least, whole, A, g
):
    """Adds to A (6, 6) and g (6) what outline points know, as Σ w·JᵀJ and Σ w·Jᵀr in px; returns (Σw, Σw·r², points).

    Columns are a shift (m) and a turn (rad) in the base's frame about the middle of the underside. T (4, 4) is the
    brick in the base's frame; `label` what its colour is called, `also` what its sides may be; `reach` how far to
    look, px; `scale` beyond which a residual counts nothing, px; `tolerance` of depth, m; `least` contrast of an edge;
    `whole`: points of an edge err together; otherwise each by itself.
    """
    height, width = depth.shape
    shape, seen_at = row_of(solid), as_seen(T_cam_base, T)
    R, o = turn_of(seen_at), origin(seen_at)
    middle = np.empty(3)
    for i in range(3):
        middle[i] = T[i, 0] * solid[LENGTH] / 2 + T[i, 1] * solid[WIDTH] / 2 + T[i, 3]
    border = int(reach / STEP + 5) * STEP + 2.0
    profile = np.empty((2 * int(reach / STEP) + 11, 3))
    ends, row = np.empty((2, 2)), np.empty(6)
    total, squares, points = 0.0, 0.0, 0
    own, right = np.empty((6, 6)), np.empty(6)
    modes, modal, pairs = np.empty((2, 6)), np.empty(2), np.empty(3)
    for e in range(len(edges)):
        edge = edges[e]
        count, way = outline_normal(edge, shape, seen_at, o, K, ends)
        own[:], right[:], modes[:], modal[:], pairs[:] = 0.0, 0.0, 0.0, 0.0, 0.0
        energy = 0.0
        if whole and count * APART < 4 * CORNER_PX:  # half of it, or more, is corners
            continue
        wall = wall_px(edge, shape, seen_at, K, way) if count > 0 else np.inf
        foot = FOOT_PX * max(0.0, 1.0 - wall / NARROW_PX) if whole else 0.0
        inside = int(min(INSIDE, max(2.0, np.rint(wall / (2 * STEP)))))  # the middle of a narrow wall
        shaded = 0.0
        studded = count > 0 and studs_may_be_over(edge, shape, o)
        for step in range(1, count):
            P = along_edge(edge, step / count)
            X = there(seen_at, P)
            u, v = pixel(K, X)
            if u < border or v < border or u > width - border - 1 or v > height - border - 1:
                continue
            if studded and stud_over(shape, R, o, K, u, v, way):
                continue
            near, _ = solid_hit(shape, o, through(R, K, u - 2.0 * way[0], v - 2.0 * way[1]))
            r, seen = found_edge(
                rgb, depth, labels, K, T_cam_base, u, v, X[2], min(near, X[2]), shape, T[2, 3], label, also,
                tolerance, reach, least, way, profile, inside,
            )  # fmt: skip
            if not seen or abs(r) > scale:
                continue
            outline_row(T_cam_base, T, K, X, P, middle, way[0], way[1], row)
            weight = (1.0 - (r / scale) ** 2) ** 2
            if whole:
                common = foot * foot
                if labels[round(v + (r + 1.5) * way[1]), round(u + (r + 1.5) * way[0])] == label:
                    common += SHADE_PX * SHADE_PX
                weight *= POINT_PX * POINT_PX / (POINT_PX * POINT_PX + common)
                shaded += weight * common
            add_row(own, right, row, weight, r)
            along = 2.0 * step / count - 1.0
            for p in range(6):
                modes[0, p] += weight * row[p]
                modes[1, p] += weight * along * row[p]
            modal[0] += weight * r
            modal[1] += weight * along * r
            pairs[0] += weight
            pairs[1] += weight * along
            pairs[2] += weight * along * along
            energy += weight * r * r
            points += 1
        weights = pairs[0]
        if weights > 0.0:
            shift = turn = 0.0
            if whole:
                # Where shadows end, or dark sides begin, an edge is off by about as much as its points are. At first
                # edges about a brick's top are trusted: they lead it to its place.
                above = min(edge[2], edge[5]) > 0.99 * solid[HEIGHT] and reach > SURE_REACH_PX
                doubted = 0.0 if above else min(1.0, max(0.0, energy / weights - DOUBTED_PX * DOUBTED_PX))
                crossed = min(abs(ends[1, 0] - ends[0, 0]), abs(ends[1, 1] - ends[0, 1]))
                # Neither begins at an edge's end: what is off by δ over a random part of it shifts the edge by a third
                # of δ² and turns it by 0.3 δ², as variances.
                astray = EDGE_PX**2 + shaded / weights + doubted
                shift = astray + (STEP_PX / (1.0 + 1.5 * crossed)) ** 2
                turn = astray + (STEP_PX / max(1.0, crossed)) ** 2
            add_edge(A, g, own, right, modes, modal, pairs, shift, turn)
            squares += energy
            total += weights
    return total, squares, points
