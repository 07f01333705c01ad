"""Bricks as a pinhole camera sees them: boxes, with one end cut to a slope, that carry a grid of studs.

Every solid is cast only in the window that it can cover, and the nearest wins. Studs are found by walking over the
cells that a ray crosses between their feet and their tops, so a baseplate costs no more than a brick. Depth is along
the optical axis, as depth cameras report it; a pixel's centre is at whole coordinates.
"""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.exact import compiled, inner

# A solid's row: its box (m), studs along x and y, their pitch, radius and height, how far the full height goes along
# x (the length, but for slopes) and the height of a slope's foot.
LENGTH, WIDTH, HEIGHT, NX, NY, PITCH, RADIUS, STUD, FLAT, LIP = range(10)
SOLID = 10

# What of a solid a pixel shows.
BACK, FRONT, RIGHT, LEFT, BOTTOM, TOP, STUD_TOP, STUD_SIDE, SLOPE, NOTHING = range(10)
_NEAR = 1e-4
_SURE = 1e-6  # m: what is so far inside is inside, however rounded


@inner
def body_hit(solid, o, d):
    """(t, face): where the ray o + t·d enters the box and its slope; t infinite where it misses.

    Rows, origins and directions may be tuples here and below: those stay in registers, which arrays do not.
    """
    if d[2] < -1e-14 and o[2] > solid[HEIGHT]:  # down onto the top, surely: what the sides say changes nothing
        t = (solid[HEIGHT] - o[2]) / d[2]
        x, y = o[0] + t * d[0], o[1] + t * d[1]
        if t >= _NEAR and _SURE < x < solid[FLAT] - _SURE and _SURE < y < solid[WIDTH] - _SURE:
            return t, TOP
    enter, leave, face = _between(o[0], d[0], solid[LENGTH], BACK, -np.inf, np.inf, NOTHING)
    enter, leave, face = _between(o[1], d[1], solid[WIDTH], RIGHT, enter, leave, face)
    enter, leave, face = _between(o[2], d[2], solid[HEIGHT], BOTTOM, enter, leave, face)
    if solid[FLAT] < solid[LENGTH]:  # below the plane from the end of the flat rows down to the lip
        nx = solid[HEIGHT] - solid[LIP]
        nz = solid[LENGTH] - solid[FLAT]
        ahead = nx * (solid[FLAT] - o[0]) + nz * (solid[HEIGHT] - o[2])
        along = nx * d[0] + nz * d[2]
        if abs(along) < 1e-16:
            if ahead < 0.0:
                return np.inf, NOTHING
        else:
            at = ahead / along
            if along < 0.0:
                if at > enter:
                    enter, face = at, SLOPE
            else:
                leave = min(leave, at)
    if enter >= leave or enter < _NEAR:
        return np.inf, NOTHING
    return enter, face


@inner
def _between(o, d, size, side, enter, leave, face):
    """What two sides, at 0 and `size` along one axis, leave of a ray's way from `enter` to `leave`, and its face."""
    if abs(d) < 1e-14:
        return enter, -np.inf if o < 0.0 or o > size else leave, face
    low, high = -o / d, (size - o) / d
    if low > high:
        low, high = high, low
        side += 1
    if low > enter:
        enter, face = low, side
    return enter, min(leave, high), face


@inner
def stud_hit(solid, o, d, most):
    """(t, face): the first stud that the ray meets before `most`."""
    foot, top = solid[HEIGHT], solid[HEIGHT] + solid[STUD]
    start, end = _NEAR, most
    from_above = False
    if abs(d[2]) < 1e-14:
        if o[2] < foot or o[2] > top:
            return np.inf, NOTHING
    else:
        low, high = (foot - o[2]) / d[2], (top - o[2]) / d[2]
        if d[2] < 0.0:
            low, high = high, low
            from_above = low > start
        start, end = max(start, low), min(end, high)
        if start >= end:
            return np.inf, NOTHING
    pitch, radius = solid[PITCH], solid[RADIUS]
    rows = min(solid[NX], np.floor(solid[FLAT] / pitch + 1e-9))
    if rows < 1.0 or solid[NY] < 1.0:
        return np.inf, NOTHING
    if not _surely_over(o[0], d[0], rows * pitch, start, end):
        start, end, from_above = _over(o[0], d[0], rows * pitch, start, end, from_above)
    if not _surely_over(o[1], d[1], solid[NY] * pitch, start, end):
        start, end, from_above = _over(o[1], d[1], solid[NY] * pitch, start, end, from_above)
    if start >= end:
        return np.inf, NOTHING
    i = min(max(int((o[0] + start * d[0]) / pitch), 0), int(rows) - 1)
    j = min(max(int((o[1] + start * d[1]) / pitch), 0), int(solid[NY]) - 1)
    flat = d[0] * d[0] + d[1] * d[1]
    first = True
    while True:
        x, y = o[0] - (i + 0.5) * pitch, o[1] - (j + 0.5) * pitch
        if flat < 1e-20:
            if x * x + y * y < radius * radius:
                return start, STUD_TOP
            return np.inf, NOTHING
        half = x * d[0] + y * d[1]
        rest = half * half - flat * (x * x + y * y - radius * radius)
        if rest > 0.0:
            root = np.sqrt(rest)
            into, out = (-half - root) / flat, (-half + root) / flat
            if into >= start:
                if into < end:
                    return into, STUD_SIDE
            elif out > start and first and from_above:
                return start, STUD_TOP
        first = False
        if max(abs(x + end * d[0]), abs(y + end * d[1])) < 0.5 * pitch - _SURE:  # it ends over this cell
            return np.inf, NOTHING
        across_x = ((i + (1 if d[0] > 0.0 else 0)) * pitch - o[0]) / d[0] if abs(d[0]) > 1e-14 else np.inf
        across_y = ((j + (1 if d[1] > 0.0 else 0)) * pitch - o[1]) / d[1] if abs(d[1]) > 1e-14 else np.inf
        if min(across_x, across_y) >= end:
            return np.inf, NOTHING
        if across_x < across_y:
            i += 1 if d[0] > 0.0 else -1
        else:
            j += 1 if d[1] > 0.0 else -1
        if i < 0 or j < 0 or i >= rows or j >= solid[NY]:
            return np.inf, NOTHING


@inner
def _surely_over(o, d, reach, start, end):
    """Whether a ray is well between 0 and `reach` along one axis all the way from `start` to `end`."""
    one, other = o + start * d, o + end * d
    return min(one, other) > _SURE and max(one, other) < reach - _SURE


@inner
def _over(o, d, reach, start, end, from_above):
    """(start, end) of the part of a ray's way that is between 0 and `reach`, and whether it comes from above still."""
    if abs(d) < 1e-14:
        return start, -np.inf if o < 0.0 or o > reach else end, from_above
    low, high = -o / d, (reach - o) / d
    if low > high:
        low, high = high, low
    if low > start:
        start, from_above = low, False
    return start, min(end, high), from_above


@inner
def solid_hit(solid, o, d):
    """(t, face) of the first point of a solid, studs and all, along o + t·d in its own frame."""
    t, face = body_hit(solid, o, d)
    if solid[NX] > 0.0:
        over, which = stud_hit(solid, o, d, t)
        if over < t:
            return over, which
    return t, face


@inner
def row_of(solid):
    """A solid's row as a tuple."""
    return (
        solid[0], solid[1], solid[2], solid[3], solid[4], solid[5], solid[6], solid[7], solid[8], solid[9],
    )  # fmt: skip


@inner
def turn_of(T):
    """The rotation of a pose (3, 4), as a tuple, row after row."""
    return (T[0, 0], T[0, 1], T[0, 2], T[1, 0], T[1, 1], T[1, 2], T[2, 0], T[2, 1], T[2, 2])


@inner
def origin(T):
    """Where the camera is in the frame of a solid at T_cam_solid (3, 4)."""
    return (
        -(T[0, 0] * T[0, 3] + T[1, 0] * T[1, 3] + T[2, 0] * T[2, 3]),
        -(T[0, 1] * T[0, 3] + T[1, 1] * T[1, 3] + T[2, 1] * T[2, 3]),
        -(T[0, 2] * T[0, 3] + T[1, 2] * T[1, 3] + T[2, 2] * T[2, 3]),
    )


@inner
def direction(R, x, y):
    """Where the ray through (x, y, 1) of the camera goes in that frame; R as `turn_of` gives it."""
    return R[0] * x + R[3] * y + R[6], R[1] * x + R[4] * y + R[7], R[2] * x + R[5] * y + R[8]


@inner
def outline_points(solid, T, K, out):
    """Fills out (8, 2) with where the corners of a solid's box, studs within, are seen; False if it is too near."""
    for corner in range(8):
        x = solid[LENGTH] if corner & 1 else 0.0
        y = solid[WIDTH] if corner & 2 else 0.0
        z = solid[HEIGHT] + (solid[STUD] if solid[NX] > 0.0 else 0.0) if corner & 4 else 0.0
        depth = T[2, 0] * x + T[2, 1] * y + T[2, 2] * z + T[2, 3]
        if depth < 1e-3:
            return False
        out[corner, 0] = K[0] * (T[0, 0] * x + T[0, 1] * y + T[0, 2] * z + T[0, 3]) / depth + K[2]
        out[corner, 1] = K[1] * (T[1, 0] * x + T[1, 1] * y + T[1, 2] * z + T[1, 3]) / depth + K[3]
    return True


@inner
def window(solid, T, K, height, width, margin):
    """(first row, last row, first column, last column) that a solid can cover; all of them if it is too near."""
    points = np.empty((8, 2))
    if not outline_points(solid, T, K, points):
        return 0, height, 0, width
    u0, u1, v0, v1 = np.inf, -np.inf, np.inf, -np.inf
    for corner in range(8):
        u, v = points[corner, 0], points[corner, 1]
        u0, u1, v0, v1 = min(u0, u), max(u1, u), min(v0, v), max(v1, v)
    first, last = max(0, int(np.floor(min(v0, 1e9)) - margin)), min(height, int(np.ceil(max(v1, -1e9)) + margin + 1))
    left, right = max(0, int(np.floor(min(u0, 1e9)) - margin)), min(width, int(np.ceil(max(u1, -1e9)) + margin + 1))
    return first, last, left, right


@inner
def span(points, v, left, right):
    """(first column, last column), within those given, that the hull of points (8, 2) covers in a row, or nearly."""
    low, high = np.inf, -np.inf
    for a in range(8):
        for b in range(a):
            one, other = points[a, 1] - v, points[b, 1] - v
            if min(one, other) > 1.0 or max(one, other) < -1.0:
                continue
            if abs(one - other) < 1e-9:
                low, high = min(low, points[a, 0], points[b, 0]), max(high, points[a, 0], points[b, 0])
                continue
            for side in range(-1, 2, 2):  # where the segment is a pixel above the row, and below it
                share = min(max((one - side) / (one - other), 0.0), 1.0)
                u = points[a, 0] + share * (points[b, 0] - points[a, 0])
                low, high = min(low, u), max(high, u)
    if low > high:
        return left, left
    return max(left, int(np.floor(max(low, -1e9))) - 1), min(right, int(np.ceil(min(high, 1e9))) + 2)


@compiled
def draw(depth, ids, faces, K, solids, T_cam_solid):
    """Draw solids into depth (h, w) m, ids (h, w) rows of `solids`, faces (h, w); what is nearer stays.

    K = (fx, fy, cx, cy); T_cam_solid (n, 3, 4). Start with infinite depth, ids of −1 and faces `NOTHING`.
    """
    height, width = depth.shape
    across, points = (np.arange(width) - K[2]) / K[0], np.empty((8, 2))
    for n in range(len(solids)):
        solid, R, o = row_of(solids[n]), turn_of(T_cam_solid[n]), origin(T_cam_solid[n])
        top = solid[HEIGHT] + solid[STUD]
        first, last, left, right = window(solids[n], T_cam_solid[n], K, height, width, 0)
        whole = not outline_points(solids[n], T_cam_solid[n], K, points)
        for v in range(first, last):
            y = (v - K[3]) / K[1]
            begin, end = (left, right) if whole else span(points, v, left, right)
            for u in range(begin, end):
                d = direction(R, across[u], y)
                if o[2] > top and (d[2] >= 0.0 or (top - o[2]) / d[2] >= depth[v, u]):
                    continue  # nothing of it is before what was drawn
                t, face = solid_hit(solid, o, d)
                if t < depth[v, u]:
                    depth[v, u], ids[v, u], faces[v, u] = t, n, face
