"""Cylinders and balls as a pinhole camera sees them, and the hollows of bricks that lie on their sides.

What `casting.draw` is for bricks; both draw into the same pictures, and the nearest wins.
"""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.casting import BOTTOM, HEIGHT, LENGTH, NOTHING, TOP, WIDTH
from falsework.kernels.exact import compiled, inner

THING_RADIUS, THING_HEIGHT = 0, 1  # a round thing's row; height 0: a ball about its origin, else a cylinder along z
ROUND_SIDE, HOLLOW = 10, 11  # faces after those of casting; hollows count up: walls at −x, +x, −y, +y, then the roof
_NEAR = 1e-4


@inner
def round_hit(thing, o, d):
    """(t, face): where o + t·d first meets a round thing, in its own frame; t infinite where it misses."""
    radius, height = thing[0], thing[1]
    if height <= 0.0:
        a = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
        half = o[0] * d[0] + o[1] * d[1] + o[2] * d[2]
        rest = half * half - a * (o[0] * o[0] + o[1] * o[1] + o[2] * o[2] - radius * radius)
        if rest <= 0.0:
            return np.inf, NOTHING
        t = (-half - np.sqrt(rest)) / a
        return (t, ROUND_SIDE) if t > _NEAR else (np.inf, NOTHING)
    enter, leave, face = -np.inf, np.inf, ROUND_SIDE
    a = d[0] * d[0] + d[1] * d[1]
    gap = o[0] * o[0] + o[1] * o[1] - radius * radius
    if a < 1e-20:
        if gap > 0.0:
            return np.inf, NOTHING
    else:
        half = o[0] * d[0] + o[1] * d[1]
        rest = half * half - a * gap
        if rest <= 0.0:
            return np.inf, NOTHING
        root = np.sqrt(rest)
        enter, leave = (-half - root) / a, (-half + root) / a
    if abs(d[2]) < 1e-14:
        if o[2] < 0.0 or o[2] > height:
            return np.inf, NOTHING
    else:
        low, high = -o[2] / d[2], (height - o[2]) / d[2]
        cap = BOTTOM
        if low > high:
            low, high, cap = high, low, TOP
        if low > enter:
            enter, face = low, cap
        leave = min(leave, high)
    if enter >= leave or enter < _NEAR:
        return np.inf, NOTHING
    return enter, face


@inner
def _columns(x, y, z, radius, slope, K, columns):
    """(first, last) columns of a row in which rays meet a ball about (x, y, z); `slope` is how far rays go along y.

    A ray (s, slope, 1) meets it where (c·ray)² ≥ (c² − r²)·ray², which is a quadratic in s.
    """
    rest = x * x + y * y + z * z - radius * radius
    along = y * slope + z
    a, b, c = x * x - rest, x * along, along * along - rest * (1.0 + slope * slope)
    if rest <= 0.0 or a >= 0.0:  # the camera is in it, or beside it: any column may show it
        return 0, columns
    inside = b * b - a * c
    if inside < 0.0:
        return 0, 0
    root = np.sqrt(inside)
    low, high = (-b + root) / a, (-b - root) / a
    first = max(0, int(min(max(K[0] * low + K[2], 0.0), 1.0 * columns)) - 1)
    return first, min(columns, int(min(max(K[0] * high + K[2], -2.0), 1.0 * columns)) + 2)


@compiled
def draw_round(depth, ids, faces, K, things, T_cam_thing, first):
    """Draw round things (n, 2) into pictures, as `casting.draw` does bricks; their ids count from `first`."""
    rows, columns = depth.shape
    o, d = np.empty(3), np.empty(3)
    for n in range(len(things)):
        thing, T = things[n], T_cam_thing[n]
        for axis in range(3):
            o[axis] = -(T[0, axis] * T[0, 3] + T[1, axis] * T[1, 3] + T[2, axis] * T[2, 3])
        middle = 0.5 * thing[1]
        reach = np.sqrt(thing[0] * thing[0] + middle * middle)
        x, y, z = T[0, 2] * middle + T[0, 3], T[1, 2] * middle + T[1, 3], T[2, 2] * middle + T[2, 3]
        if z + reach <= 0.0:
            continue
        for v in range(rows):
            left, right = _columns(x, y, z, 1.0001 * reach, (v - K[3]) / K[1], K, columns)
            for u in range(left, right):
                for axis in range(3):
                    d[axis] = T[0, axis] * (u - K[2]) / K[0] + T[1, axis] * (v - K[3]) / K[1] + T[2, axis]
                t, face = round_hit(thing, o, d)
                if t < depth[v, u]:
                    depth[v, u], ids[v, u], faces[v, u] = t, first + n, face


@compiled
def sink_hollows(depth, ids, faces, K, solids, T_cam_solid, walls):
    """Where a brick shows its underside, let the picture show the inside of its walls and its roof.

    `walls` (n, 2): how thick a brick's walls and its roof are (m); 0 for what is solid. What stands inside a hollow is
    not asked for.
    """
    rows, columns = depth.shape
    o, d = np.empty(3), np.empty(3)
    for v in range(rows):
        for u in range(columns):
            if faces[v, u] != BOTTOM or ids[v, u] < 0 or ids[v, u] >= len(solids) or walls[ids[v, u], 0] <= 0.0:
                continue
            n = ids[v, u]
            solid, T, wall = solids[n], T_cam_solid[n], walls[n, 0]
            for axis in range(3):
                o[axis] = -(T[0, axis] * T[0, 3] + T[1, axis] * T[1, 3] + T[2, axis] * T[2, 3])
                d[axis] = T[0, axis] * (u - K[2]) / K[0] + T[1, axis] * (v - K[3]) / K[1] + T[2, axis]
            x, y = o[0] + depth[v, u] * d[0], o[1] + depth[v, u] * d[1]
            if not (wall < x < solid[LENGTH] - wall and wall < y < solid[WIDTH] - wall):
                continue
            best, face = (solid[HEIGHT] - walls[n, 1] - o[2]) / d[2], HOLLOW + 4
            for axis in range(2):
                if abs(d[axis]) > 1e-14:
                    end = wall if d[axis] < 0.0 else solid[axis] - wall
                    t = (end - o[axis]) / d[axis]
                    if t < best:
                        best, face = t, HOLLOW + 2 * axis + (0 if d[axis] < 0.0 else 1)
            depth[v, u], faces[v, u] = best, face
