"""Capsules around solids: never smaller than what they stand for.

Of several directions the capsule with the least volume is taken; where two capsules, one on each side of a cut across
the hull of the solid, are much smaller than one, it is cut.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from falsework.geometry.shapes.convex_hulls import FlatHull, convex_hull
from falsework.model.arrays import Array, Ints

GAIN = 0.8  # of the volume: cutting a solid in two must bring it below
CUTS = 2  # halvings, so at most four capsules for one solid
MARGIN = 1e-9  # of the size: what rounding may have taken away
FEW = 4  # points with which there is no solid to cut


class Fitted(NamedTuple):
    """A capsule as two points and a radius, m."""

    start: Array
    end: Array
    radius: float

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * (float(np.linalg.norm(self.end - self.start)) + 4 / 3 * self.radius)


def capsules_around(points: Array, radius: float = 0.0, cuts: int = CUTS) -> list[Fitted]:
    """Capsules that together hold the hull of points (n, 3), with a radius around it."""
    corners, edges = _hull(points)
    whole = capsule_around(corners, radius)
    if cuts == 0 or len(corners) < FEW:
        return [whole]
    axis = whole.end - whole.start
    if not np.linalg.norm(axis) > 0:
        axis = np.eye(3)[int(np.argmax(np.ptp(corners, axis=0)))]
    heights = corners @ axis
    heights = heights - 0.5 * (heights.min() + heights.max())
    halves = [_half(corners, edges, side * heights) for side in (1.0, -1.0)]
    fitted = [one for half in halves for one in capsules_around(half, radius, cuts - 1)]
    return fitted if sum(one.volume for one in fitted) < GAIN * whole.volume else [whole]


def _hull(points: Array) -> tuple[Array, Ints]:
    """The corners of a hull and its edges; all points and all lines between them where they span no solid."""
    try:
        hull = convex_hull(points)
    except FlatHull:
        pairs = [(i, j) for i in range(len(points)) for j in range(i)]
        return points, np.array(pairs, np.int64).reshape(-1, 2)
    number = np.full(len(hull.points), -1)
    number[hull.vertices] = np.arange(len(hull.vertices))
    sides = number[np.concatenate([hull.simplices[:, :2], hull.simplices[:, 1:], hull.simplices[:, [0, 2]]])]
    return hull.points[hull.vertices], np.unique(np.sort(sides, axis=1), axis=0)


def _half(corners: Array, edges: Ints, heights: Array) -> Array:
    """Corners of the part of a hull where heights (n,) are not below 0, those where edges are cut among them."""
    low, high = heights[edges[:, 0]], heights[edges[:, 1]]
    cut = low * high < 0
    share = (low[cut] / (low[cut] - high[cut]))[:, None]
    first, second = corners[edges[cut, 0]], corners[edges[cut, 1]]
    return np.concatenate([corners[heights >= 0], first + share * (second - first)])


def capsule_around(points: Array, radius: float = 0.0) -> Fitted:
    """The least capsule, of those along a few directions, that holds all points with a radius around each."""
    principal = np.linalg.svd(points - points.mean(axis=0))[2]
    return min((_along(points, axis, radius) for axis in (*principal, *np.eye(3))), key=lambda one: one.volume)


def _along(points: Array, axis: Array, radius: float) -> Fitted:
    """The capsule along a direction whose axis goes through the middle of what is seen along it."""
    flat = points - np.outer(points @ axis, axis)
    centre = 0.5 * (flat.min(axis=0) + flat.max(axis=0))
    centre = centre - (centre @ axis) * axis
    for turn in range(40):  # towards the farthest, less each time: the middle of the least circle
        farthest = flat[np.argmax(((flat - centre) ** 2).sum(axis=1))]
        centre = centre + (farthest - centre) / (turn + 2)
    across = np.sqrt(((flat - centre) ** 2).sum(axis=1))
    rounding = MARGIN * (float(np.abs(points).max()) + radius)
    most = float(across.max()) + rounding
    slack = np.sqrt(most**2 - across**2)
    heights = points @ axis
    start, end = float((heights + slack).min()), float((heights - slack).max())
    if start > end:  # a ball
        start = end = 0.5 * float(heights.min() + heights.max())
        most = float(np.sqrt((heights - start) ** 2 + across**2).max()) + rounding
    return Fitted(centre + start * axis, centre + end * axis, most + radius)
