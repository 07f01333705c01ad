"""Bricks in the numbers that compiled code takes."""

from __future__ import annotations

from functools import cache

import numpy as np

from falsework.model.arrays import Array, frozen
from falsework.model.catalogue import BrickType, slope_profile


@cache
def solid_of(kind: BrickType) -> Array:
    """(10,) a kind as `kernels/casting.py` draws it.

    >>> from falsework.model.catalogue import brick_type
    >>> solid_of(brick_type("duplo:brick_4x2"))[:5].tolist()
    [0.064, 0.032, 0.0192, 4.0, 2.0]
    """
    measures = kind.measures
    length, width, height = kind.size_m
    rows, columns = (kind.flat, kind.width) if kind.has_studs else (0, 0)
    flat = kind.flat * measures.pitch_m if kind.family == "slope" else length
    stud = measures.stud_height_m if kind.has_studs else 0.0
    row = [length, width, height, rows, columns, measures.pitch_m, measures.stud_radius_m, stud, flat, kind.lip_m]
    solid: Array = frozen(row, (10,))
    return solid


@cache
def edges_of(kind: BrickType) -> Array:
    """(m, 12) its edges without studs: two ends, and the outward normals of the two faces that meet there, m."""
    length, width, height = kind.size_m
    outline = slope_profile(kind) if kind.family == "slope" else ((0, 0), (length, 0), (length, height), (0, height))
    corners = np.array(outline)
    ahead = np.roll(corners, -1, axis=0)
    way = ahead - corners
    normals = np.column_stack([way[:, 1], np.zeros(len(way)), -way[:, 0]]) / np.linalg.norm(way, axis=1)[:, None]
    rows = []
    for at, (x, z) in enumerate(corners):
        rows.append([x, 0, z, x, width, z, *normals[at - 1], *normals[at]])
        for y, side in ((0.0, -1.0), (width, 1.0)):
            rows.append([x, y, z, ahead[at, 0], y, ahead[at, 1], *normals[at], 0, side, 0])
    edges: Array = frozen(rows, (None, 12))
    return edges


def placed(kind: BrickType, x: float, y: float, z: float, yaw: float) -> Array:
    """(4, 4) the pose of a kind whose underside has its middle at x, y, z (m), turned by `yaw` (rad)."""
    length, width, _ = kind.size_m
    c, s = np.cos(yaw), np.sin(yaw)
    T = np.eye(4)
    T[:2, :2] = [[c, -s], [s, c]]
    T[:3, 3] = x - (c * length - s * width) / 2, y - (s * length + c * width) / 2, z
    return T
