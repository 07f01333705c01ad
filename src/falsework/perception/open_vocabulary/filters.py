"""Which masks can show one brick, by seed 004's filters (4.3): aspect, size, and colour against highlights.

A mask is measured as an oriented rectangle, in metres by the depth that it shows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull

from falsework.model.arrays import Array, Bools
from falsework.model.errors import BadInput
from falsework.model.perception.frames import Frame
from falsework.model.perception.palette import PALETTE, SIX_COLORS


@dataclass(frozen=True, slots=True)
class MaskFilters:
    """What a mask must be like. Sides are in m.

    >>> MaskFilters().fewest_px
    60
    """

    sides_m: tuple[float, float] = (0.02, 0.11)  # the shortest short side, the longest long side
    aspect: float = 3.0  # long side over short side, at most
    filled: float = 0.55  # share of its rectangle that the mask fills, at least
    fewest_px: int = 60
    colors: tuple[str, ...] = SIX_COLORS
    color_off: float = 0.25  # how far the mask's colour may be from one of these, brightness apart

    def __post_init__(self) -> None:
        if not 0 < self.sides_m[0] < self.sides_m[1] or self.aspect < 1 or not 0 < self.filled <= 1:
            raise BadInput("filters: expected sides that grow, an aspect of 1 or more and a share from 0 to 1")


@dataclass(frozen=True, slots=True)
class Measured:
    """A mask by its rectangle."""

    long_m: float
    short_m: float
    filled: float
    color: str
    color_off: float


def measured(frame: Frame, mask: Bools, colors: Sequence[str]) -> Measured | None:
    """The rectangle of least area about what a mask shows, and the colour it is nearest to; None without depth."""
    known = mask & frame.known
    if known.sum() < 3:
        return None
    v, u = np.nonzero(known)
    points = np.column_stack([u - frame.K[0, 2], v - frame.K[1, 2]]) / np.diag(frame.K)[:2]
    points = points * float(np.median(frame.depth_m[known]))
    long_m, short_m = _rectangle(points)
    pixel = float(np.median(frame.depth_m[known])) ** 2 / (frame.K[0, 0] * frame.K[1, 1])
    filled = float(known.sum()) * pixel / max(long_m * short_m, 1e-12)
    name, off = nearest_color(np.median(frame.rgb[mask].astype(float), axis=0), colors)
    return Measured(long_m, short_m, min(filled, 1.0), name, off)


def objection(one: Measured | None, pixels: int, filters: MaskFilters) -> str:
    """Why a mask cannot show one brick; empty where it can."""
    if one is None or pixels < filters.fewest_px:
        return f"{pixels} pixels, or no depth"
    if one.short_m < filters.sides_m[0] or one.long_m > filters.sides_m[1]:
        return f"{1e3 * one.long_m:.0f} x {1e3 * one.short_m:.0f} mm is no brick's size"
    if one.long_m > filters.aspect * one.short_m:
        return f"{one.long_m / one.short_m:.1f} times as long as wide"
    if one.filled < filters.filled:
        return f"fills {100 * one.filled:.0f} % of its rectangle"
    return f"nearest to {one.color}, yet too far from it" if one.color_off > filters.color_off else ""


def nearest_color(rgb: Array, colors: Sequence[str]) -> tuple[str, float]:
    """The colour of the palette that a colour (3,) of a picture is nearest to, and how far, both made equally bright.

    >>> nearest_color(np.array([90.0, 12.0, 10.0]), ("red", "blue"))[0]
    'red'
    """
    seen = rgb / max(float(np.linalg.norm(rgb)), 1e-9)
    off = {
        name: float(np.linalg.norm(seen - np.array(PALETTE[name]) / np.linalg.norm(PALETTE[name]))) for name in colors
    }
    best = min(off, key=lambda name: off[name])
    return best, off[best]


def _rectangle(points: Array) -> tuple[float, float]:
    """Long and short side of the rectangle of least area about points (n, 2)."""
    if np.linalg.matrix_rank(points - points[0], tol=1e-9) == 2:
        points = points[ConvexHull(points).vertices]
    best = (math.inf, 0.0, 0.0)
    for turn in np.radians(np.arange(0, 90, 2)):
        axes = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        a, b = np.ptp(points @ axes.T, axis=0)
        best = min(best, (float(a * b), float(max(a, b)), float(min(a, b))))
    return best[1], best[2]
