"""Surfaces that pass through themselves: how much of what they enclose is counted twice, or inside out.

Upright lines are drawn through the solid, and where they cross the surface it winds once more or once less about what
is above. A sound surface winds once about its inside and not at all about the rest. Each edge is compared with a line
in the same way by both its triangles, so that every line leaves a closed surface as often as it enters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.model.arrays import Array, Bools, Ints

LINES = 64  # along either side of the box
FEWEST = 8  # of meshes of few triangles, or of very long ones
MOST_LOOKS = 300_000  # lines that triangles are compared with
CHUNK = 1_000_000  # of them together, to bound memory
OFF = (0.5477225575, 0.4142135624)  # of the distance of lines: where the first is; no drawing has such numbers


class Wound(NamedTuple):
    """What lines through a solid have met."""

    sound: float  # length of lines that the surface winds around once
    odd: float  # more often, or the wrong way
    place: Array  # (3,) in the middle of the longest odd stretch


def wound(points: Array, corners: Ints) -> Wound:
    """How a closed surface winds, by lines along z."""
    a, b, c = (points[corners[:, k], :2] for k in range(3))
    lows, highs = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    low, side = lows.min(axis=0), np.maximum(highs.max(axis=0) - lows.min(axis=0), np.finfo(float).tiny)
    lines = int(np.clip(4 * np.sqrt(len(corners)), FEWEST, LINES))
    while lines > FEWEST and float(_cells(highs - lows, lines / side).sum()) > MOST_LOOKS:
        lines //= 2
    step = side / lines
    first = np.ceil((lows - low) / step - OFF).astype(np.int64)
    wide = np.floor((highs - low) / step - OFF).astype(np.int64) - first + 1
    met = np.flatnonzero((wide[:, 0] > 0) & (wide[:, 1] > 0))  # most triangles lie between lines
    looks = wide[met, 0] * wide[met, 1]
    found = [(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros((0, 2)))]
    for rows in np.array_split(np.arange(len(met)), 1 + int(looks.sum()) // CHUNK):
        triangle = np.repeat(met[rows], looks[rows])
        rank = np.arange(len(triangle)) - np.repeat(np.cumsum(looks[rows]) - looks[rows], looks[rows])
        column = first[triangle] + np.stack([rank % wide[triangle, 0], rank // wide[triangle, 0]], axis=1)
        place = low + (column + OFF) * step
        hit, sign = _crossed(points, corners[triangle], place)
        heights = _heights(points[corners[triangle[hit]]], place[hit])
        found.append((column[hit] @ np.array([1, lines]), heights, sign[hit], place[hit]))
    line, heights, sign, place = (np.concatenate(column) for column in zip(*found, strict=True))
    return _added(line, heights, sign, place)


def _cells(sides: Array, density: Array) -> Array:
    """(t,) about how many lines, so many to a metre along x and y, boxes of sides (t, 2) may meet."""
    cells: Array = (1 + sides[:, 0] * density[0]) * (1 + sides[:, 1] * density[1])
    return cells


def _crossed(points: Array, corners: Ints, place: Array) -> tuple[Bools, Ints]:
    """(k,) whether upright lines at (k, 2) cross triangles (k, 3), and from which side: −1 from above."""
    sides = []
    for k in range(3):
        tail, head = corners[:, k], corners[:, (k + 1) % 3]
        turned = tail > head  # both triangles of an edge look at it from the same end
        begin, end = np.where(turned, head, tail), np.where(turned, tail, head)
        a, b = points[begin, :2], points[end, :2]
        left = (b[:, 0] - a[:, 0]) * (place[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (place[:, 0] - a[:, 0]) > 0
        sides.append(left != turned)
    upward = sides[0] & sides[1] & sides[2]
    downward = ~sides[0] & ~sides[1] & ~sides[2]
    return upward | downward, np.where(upward, -1, 1)  # what faces up is left there, upward


def _heights(corners: Array, place: Array) -> Array:
    """(k,) z at which lines at (k, 2) cross the planes of triangles (k, 3, 3), kept between their corners."""
    a, b, c = np.moveaxis(corners, 1, 0)
    u, v, w = b - a, c - a, place - a[:, :2]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    area = np.where(area == 0, np.inf, area)
    s = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / area
    t = (u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / area
    lows, highs = corners[:, :, 2].min(axis=1), corners[:, :, 2].max(axis=1)
    heights: Array = np.clip(a[:, 2] + s * u[:, 2] + t * v[:, 2], lows, highs)
    return heights


def _added(line: Ints, heights: Array, sign: Ints, place: Array) -> Wound:
    """Lengths of lines by how often the surface winds around them."""
    if not len(line):
        return Wound(0.0, 0.0, np.zeros(3))
    order = np.lexsort((-sign, heights, line))
    line, heights, sign, place = line[order], heights[order], sign[order], place[order]
    within = line[1:] == line[:-1]
    winds = np.cumsum(sign)[:-1]  # every line begins outside and ends there
    lengths = np.where(within, np.diff(heights), 0.0)
    odd = np.where((winds != 0) & (winds != 1), lengths, 0.0)
    longest = int(np.argmax(odd)) if len(odd) else 0
    middle = 0.5 * (heights[longest] + heights[min(longest + 1, len(heights) - 1)])
    return Wound(float(lengths[winds == 1].sum()), float(odd.sum()), np.append(place[longest], middle))
