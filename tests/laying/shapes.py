"""Cells to lay bricks in."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Bools


def arm(reach: int, width: int = 2) -> Bools:
    """A column four studs deep with an arm of two layers, `reach` studs long, between four and one of its layers."""
    cells = np.zeros((4 + reach, width, 6), dtype=bool)
    cells[:4] = True
    cells[:, :, 3:5] = True
    return cells


def block(*sides: int) -> Bools:
    return np.ones(sides, dtype=bool)


def shelf(reach: int) -> Bools:
    """A column with a board of one layer: nothing is above or below its outer cells."""
    cells = np.zeros((2 + reach, 2, 3), dtype=bool)
    cells[:2] = True
    cells[:, :, 1] = True
    return cells
