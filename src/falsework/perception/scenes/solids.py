"""Catalogue bricks as the rows that `kernels.casting` draws."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from falsework.kernels.casting import SOLID
from falsework.model.arrays import Array, frozen
from falsework.model.catalogue import BrickType

WALL = 0.16  # of the pitch: walls of a hollow brick
ROOF = 0.13  # of the pitch


@lru_cache(maxsize=1024)
def solid_of(kind: BrickType) -> Array:
    """(10,) the row of a brick of the catalogue, in its own frame: minimum corner at the origin, studs up.

    >>> from falsework.model.catalogue import brick_type
    >>> solid_of(brick_type("duplo:brick_2x4")).round(4).tolist()
    [0.032, 0.064, 0.0192, 2.0, 4.0, 0.016, 0.0047, 0.0045, 0.032, 0.0048]
    """
    measures = kind.measures
    studs = (kind.length, kind.width) if kind.has_studs else (0, 0)
    flat = kind.flat * measures.pitch_m
    grid = (*studs, measures.pitch_m, measures.stud_radius_m, measures.stud_height_m)
    row: Array = frozen([*kind.size_m, *grid, flat, kind.lip_m], (SOLID,))
    return row


def walls_of(kind: BrickType) -> tuple[float, float]:
    """How thick walls and roof of a brick are, m; 0 where its underside is closed."""
    if not kind.has_holes or kind.family in ("tile", "slope"):
        return 0.0, 0.0
    return WALL * kind.measures.pitch_m, min(ROOF * kind.measures.pitch_m, 0.5 * kind.size_m[2])


def box_solid(size_m: tuple[float, float, float]) -> Array:
    """(10,) the row of a plain box."""
    row = np.zeros(SOLID)
    row[:3] = size_m
    row[5:9] = 1.0, 0.0, 0.0, size_m[0]  # a pitch that divides; full height all along
    return row
