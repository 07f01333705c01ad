"""How deep a body that moves along a path reaches into others: proof for one path, not a table for all.

A segment without turning sweeps the hull of a convex piece at both its ends, and that hull must stay out of the others.
A turning segment is a screw, and is halved until on each interval one plane, still or turning along with the moving
body, is shown to keep the bodies apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from falsework.geometry.shapes.convex_pieces import Convex, hull
from falsework.geometry.shapes.planes import cross, unit
from falsework.geometry.shapes.separation import depth_of_convex, distinct_axes
from falsework.model.arrays import Array
from falsework.model.poses import TURNS, exponential, logarithm

FINEST = 1e-6  # of a segment: intervals are halved down to this


def swept_depth(a: Convex, b: Convex, start: Array, end: Array, enough_m: float) -> float:
    """The depth in B that piece A reaches at most on the segment between two poses (4, 4); B stands still.

    A bound from above where it is at most `enough_m`, and otherwise more than `enough_m`.
    """
    if is_straight(start, end):
        ends = np.concatenate([a.vertices @ pose[:3, :3].T + pose[:3, 3] for pose in (start, end)])
        apart = _box_depth((ends.min(axis=0), ends.max(axis=0)), b.box)
        return apart if apart <= enough_m else _depth(hull(ends), b, enough_m)
    return _screwed_depth(a, b, start, end, enough_m)


def resting_depth(a: Convex, b: Convex) -> float:
    """How deep two convex pieces reach into each other as they are; not positive where they are apart."""
    return _depth(a, b, -math.inf)


def is_straight(start: Array, end: Array) -> bool:
    """Whether a segment only shifts."""
    return bool(np.abs(start[:3, :3] - end[:3, :3]).max() <= TURNS)


def between(start: Array, end: Array, share: float) -> Array:
    """(4, 4) the pose a share of the way along the screw from one pose to another."""
    twist = logarithm(np.linalg.inv(start) @ end)
    pose: Array = start @ exponential(share * twist)
    return pose


def poses_along(path: Array, finest: int = 16) -> Iterator[Array]:
    """Poses on a path, for bounds: the given ones, and more on segments that turn."""
    for start, end in pairwise(path):
        shares = [0.0] if is_straight(start, end) else [k / finest for k in range(finest)]
        yield from (between(start, end, share) for share in shares)
    yield path[-1]


def _depth(a: Convex, b: Convex, enough_m: float) -> float:
    """The least depth along facet normals, and, where those leave it open, along all products of edges."""
    apart = _box_depth(a.box, b.box)
    if apart <= enough_m:
        return apart
    axes = np.concatenate([a.normals, b.normals])
    none = np.zeros((0, 3))
    depth = depth_of_convex(a.vertices, b.vertices, axes, (none, none))
    if depth <= enough_m:
        return depth
    return depth_of_convex(a.vertices, b.vertices, axes, (distinct_axes(a.edges), distinct_axes(b.edges)))


def _box_depth(one: tuple[Array, Array], other: tuple[Array, Array]) -> float:
    """The least depth of two boxes along an axis: what is in them is no deeper."""
    return float(np.minimum(one[1] - other[0], other[1] - one[0]).min())


def _screwed_depth(a: Convex, b: Convex, start: Array, end: Array, enough_m: float) -> float:
    """The same for a screw T(s) = start · exp(s ξ), s from 0 to 1: halved until every interval is settled."""
    twist = logarithm(np.linalg.inv(start) @ end)
    worst = -math.inf
    waiting = [(0.0, 1.0)]
    while waiting:
        low, high = waiting.pop()
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        depth, bound = _on_interval(a, b, start @ exponential(middle * twist), twist, half)
        if bound <= enough_m:
            worst = max(worst, bound)
        elif depth > enough_m or half < FINEST:
            return max(depth, math.nextafter(enough_m, math.inf))
        else:
            waiting += [(low, middle), (middle, high)]
    return worst


def _on_interval(a: Convex, b: Convex, pose: Array, twist: Array, half: float) -> tuple[float, float]:
    """How deep A is in B at a pose, and a bound for half an interval before and after it.

    A plane with normal n keeps them apart as long as every corner stays on its side. In half an interval h a corner
    that moves at ẋ goes along n by at most |n·ẋ| h + ½ |ω| |ẋ| h². The plane may stand still, as B does, or move
    along with A: then it is B's corners that move. The second is what holds where a face of A rolls over a corner.
    """
    now = a.moved(pose)
    axes = _axes(now, b)
    velocity, spin = pose[:3, :3] @ twist[:3], pose[:3, :3] @ twist[3:]
    bounds = []
    ones, others = now.vertices @ axes.T, b.vertices @ axes.T  # (n, k), (m, k)
    for still, moving, corners in ((others, ones, now.vertices), (ones, others, b.vertices)):
        speeds = velocity + cross(np.broadcast_to(spin, corners.shape), corners - pose[:3, 3])
        drift = np.abs(speeds @ axes.T) * half
        ahead = (moving + drift).max(axis=0) - still.min(axis=0)
        behind = still.max(axis=0) - (moving - drift).min(axis=0)
        curved = 0.5 * float(np.linalg.norm(spin)) * float(np.linalg.norm(speeds, axis=1).max()) * half**2
        bounds.append(float(np.minimum(ahead, behind).min()) + curved)
    depths = np.minimum(ones.max(axis=0) - others.min(axis=0), others.max(axis=0) - ones.min(axis=0))
    return float(depths.min()), min(bounds)


def _axes(a: Convex, b: Convex) -> Array:
    """(k, 3) along one of which the bodies are apart, if they are."""
    crossed = cross(distinct_axes(a.edges)[:, None], distinct_axes(b.edges)[None]).reshape(-1, 3)
    crossed = unit(crossed[(crossed * crossed).sum(axis=1) > 1e-12])
    return np.concatenate([a.normals, b.normals, crossed])
