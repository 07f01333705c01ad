"""Rays against bricks as geometry has it, one at a time and in plain Python: what `kernels.casting` must agree with.

Bit for bit: the same operations in the same order wherever they reach a result.
"""

from __future__ import annotations

import numpy as np

from falsework.kernels.casting import (
    FLAT,
    HEIGHT,
    LENGTH,
    LIP,
    NOTHING,
    NX,
    NY,
    PITCH,
    RADIUS,
    SLOPE,
    STUD,
    STUD_SIDE,
    STUD_TOP,
)
from falsework.model.arrays import Array

NEAR = 1e-4
Hit = tuple[float, int]


def body_hit(solid: Array, o: Array, d: Array) -> Hit:
    """(t, face): where the ray o + t·d enters the box and its slope; t infinite where it misses."""
    enter, leave = -np.inf, np.inf
    face = NOTHING
    for axis in range(3):
        if abs(d[axis]) < 1e-14:
            if o[axis] < 0.0 or o[axis] > solid[axis]:
                return np.inf, NOTHING
            continue
        low = -o[axis] / d[axis]
        high = (solid[axis] - o[axis]) / d[axis]
        side = 2 * axis
        if low > high:
            low, high = high, low
            side += 1
        if low > enter:
            enter, face = low, side
        leave = min(leave, high)
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
    if enter >= leave or enter < NEAR:
        return np.inf, NOTHING
    return enter, face


def stud_hit(solid: Array, o: Array, d: Array, most: float) -> Hit:
    """(t, face): the first stud that the ray meets before `most`."""
    pitch, radius = solid[PITCH], solid[RADIUS]
    foot, top = solid[HEIGHT], solid[HEIGHT] + solid[STUD]
    rows = min(solid[NX], np.floor(solid[FLAT] / pitch + 1e-9))
    if rows < 1.0 or solid[NY] < 1.0:
        return np.inf, NOTHING
    start, end = NEAR, most
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
    for axis in range(2):
        reach = (rows if axis == 0 else solid[NY]) * pitch
        if abs(d[axis]) < 1e-14:
            if o[axis] < 0.0 or o[axis] > reach:
                return np.inf, NOTHING
            continue
        low, high = -o[axis] / d[axis], (reach - o[axis]) / d[axis]
        if low > high:
            low, high = high, low
        if low > start:
            start, from_above = low, False
        end = min(end, high)
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


def solid_hit(solid: Array, o: Array, d: Array) -> Hit:
    """(t, face) of the first point of a solid, studs and all, along o + t·d in its own frame."""
    t, face = body_hit(solid, o, d)
    if solid[NX] > 0.0:
        over, which = stud_hit(solid, o, d, t)
        if over < t:
            return over, which
    return t, face


def drawn(solids: Array, T_cam_solid: Array, K: Array, pixels: tuple[int, int]) -> tuple[Array, Array, Array]:
    """(depth, ids, faces) of a picture, every ray cast at every solid."""
    width, height = pixels
    depth, ids = np.full((height, width), np.inf), np.full((height, width), -1)
    faces = np.full((height, width), NOTHING)
    for n, (solid, T) in enumerate(zip(solids, T_cam_solid, strict=True)):
        o = np.array([-(T[0, a] * T[0, 3] + T[1, a] * T[1, 3] + T[2, a] * T[2, 3]) for a in range(3)])
        for v in range(height):
            y = (v - K[3]) / K[1]
            for u in range(width):
                x = (u - K[2]) / K[0]
                t, face = solid_hit(solid, o, T[0, :3] * x + T[1, :3] * y + T[2, :3])
                if t < depth[v, u]:
                    depth[v, u], ids[v, u], faces[v, u] = t, n, face
    return depth, ids, faces


def share_of_sun(p: Array, beams: Array, solids: Array, T_cam_solid: Array) -> float:
    """The share of the beams that no solid keeps from a point of the camera's frame."""
    share = 1.0
    for beam in beams:
        for solid, T in zip(solids, T_cam_solid, strict=True):
            x, y, z = p - T[:, 3]
            o = T[0, :3] * x + T[1, :3] * y + T[2, :3] * z
            way = T[0, :3] * beam[0] + T[1, :3] * beam[1] + T[2, :3] * beam[2]
            if solid_hit(solid, o, way)[0] < np.inf:
                share -= 1.0 / len(beams)
                break
    return share
