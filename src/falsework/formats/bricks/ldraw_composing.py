"""Catalogue entries that LDraw has no number for, written as models of parts that it has.

Such a model is called after the entry and begins with the remark `0 !FALSEWORK PART plate_20x20`: we read it as that
one part, other programs draw the parts that cover it.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from falsework.formats.basics.brick_parts import grid_pose
from falsework.formats.bricks.ldraw_parts import known_parts, part_number
from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType

REMARK = ("!FALSEWORK", "PART")


def file_name(kind: BrickType) -> str:
    return f"{str(kind).replace(':', '-')}.dat"


@cache
def pieces(kind: BrickType) -> tuple[tuple[BrickType, Array], ...]:
    """Parts with a number that cover an entry, and their poses in its frame; none where no such parts exist."""
    if kind.family == "slope":
        return ()
    sizes = [one for one in known_parts().values() if (one.system, one.family, one.plates) == _class(kind)]
    turned = [BrickType(one.system, one.family, one.width, one.length, one.plates) for one in sizes]
    largest_first = sorted({*sizes, *turned}, key=lambda one: (-one.length * one.width, one.length))
    free = np.ones((kind.length, kind.width), dtype=bool)
    pitch = kind.measures.pitch_m
    found = []
    for x, y in np.ndindex(free.shape):
        if free[x, y]:
            fits = (one for one in largest_first if _fits(free, x, y, one))
            piece = next(fits, None)
            if piece is None or part_number(piece) is None:
                return ()
            free[x : x + piece.length, y : y + piece.width] = False
            found.append((piece, grid_pose(piece, (x * pitch, y * pitch, 0.0))))
    return tuple(found)


def _class(kind: BrickType) -> tuple[str, str, int]:
    return kind.system, kind.family, kind.plates


def _fits(free: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], x: int, y: int, piece: BrickType) -> bool:
    window = free[x : x + piece.length, y : y + piece.width]
    return window.shape == (piece.length, piece.width) and bool(window.all())
