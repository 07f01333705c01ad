"""Where two convex solids touch, and along which normals: the judges' own finder.

Two convex solids that touch are separated by planes. All extreme directions of these planes are among the face normals
of both and the cross products of their edges. If there is one, the contact has a normal, be it of faces, of a corner on
a face or of crossing edges. If there are more, as where corner meets corner, the direction of the force is open.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tests.adversary.solids import PARALLEL, Solid, plane_axes

SAME_WAY = 1e-7  # 1 − cosine between directions that count as one


@dataclass(frozen=True, eq=False)
class Touch:
    """How two solids lie to each other. `normals` go from the first into the second; none: they are apart."""

    normals: np.ndarray  # (k, 3)
    points: np.ndarray  # (m, 3) corners of the region where they touch
    nearly: float  # the least distance by which an axis misses being one of contact: how clear the answer is
    overlap: float = 0.0


def touch(first: Solid, second: Solid, tolerance: float) -> Touch:
    """Contact of two convex solids; gaps and overlaps up to the tolerance count as contact."""
    axes = _axes(first, second)
    gaps = (second.corners @ axes.T).min(axis=0) - (first.corners @ axes.T).max(axis=0)
    widest = float(gaps.max())
    none = np.zeros((0, 3))
    if widest > tolerance:
        return Touch(none, none, widest)
    if widest < -tolerance:
        return Touch(none, none, -widest, overlap=-widest)
    parting = gaps >= -tolerance
    nearly = float(-gaps[~parting].max()) if (~parting).any() else np.inf
    normals = _distinct(axes[parting])
    return Touch(normals, _common(first, second, normals[0], tolerance), nearly)


def _axes(first: Solid, second: Solid) -> np.ndarray:
    crossed = np.cross(first.edges[:, None], second.edges[None]).reshape(-1, 3)
    lengths = np.linalg.norm(crossed, axis=1)
    crossed = crossed[lengths > PARALLEL] / lengths[lengths > PARALLEL, None]
    return np.concatenate([first.normals, -second.normals, crossed, -crossed])


def _distinct(axes: np.ndarray) -> np.ndarray:
    kept: list[np.ndarray] = []
    for axis in axes:
        if all(1 - axis @ other > SAME_WAY for other in kept):
            kept.append(axis)
    return np.array(kept)


def _common(first: Solid, second: Solid, normal: np.ndarray, tolerance: float) -> np.ndarray:
    """Corners of the region in the separating plane that both share."""
    near, far = first.corners @ normal, second.corners @ normal
    level = 0.5 * (near.max() + far.min())
    axes = plane_axes(normal)
    ours = hull(first.corners[near > near.max() - tolerance] @ axes.T, tolerance)
    theirs = hull(second.corners[far < far.min() + tolerance] @ axes.T, tolerance)
    if len(theirs) < 3:
        ours, theirs = theirs, ours
    flat = clip(ours, theirs, tolerance) if len(theirs) >= 3 else _meet(ours, theirs, tolerance)
    return _welded(flat, tolerance) @ axes + level * normal


def hull(points: np.ndarray, tolerance: float) -> np.ndarray:
    """Corners of a convex face in order; two for an edge, one for a corner."""
    points = _welded(points, tolerance)
    if len(points) < 3:
        return points
    spread = points - points.mean(axis=0)
    _, sizes, ways = np.linalg.svd(spread, full_matrices=False)
    if sizes[1] < tolerance:
        along = spread @ ways[0]
        return points[[int(along.argmin()), int(along.argmax())]]
    return points[np.argsort(np.arctan2(spread[:, 1], spread[:, 0]), kind="stable")]


def _welded(points: np.ndarray, tolerance: float) -> np.ndarray:
    kept: list[np.ndarray] = []
    for point in points:
        if all(np.abs(point - other).max() > 2 * tolerance for other in kept):
            kept.append(point)
    return np.array(kept).reshape(-1, points.shape[1])


def clip(subject: np.ndarray, window: np.ndarray, tolerance: float) -> np.ndarray:
    """A polygon, segment or point inside a convex polygon, counter-clockwise (Sutherland and Hodgman)."""
    points = list(subject)
    for start, end in zip(window, np.roll(window, -1, axis=0), strict=True):
        way = (end - start) / np.linalg.norm(end - start)
        outward = np.array([way[1], -way[0]])
        beyond = [float(outward @ (point - start)) for point in points]
        ring = list(range(len(points)))
        pairs = list(pairwise(ring)) + ([(ring[-1], 0)] if len(points) > 2 else [])
        kept = [(k, points[k]) for k in ring if beyond[k] <= tolerance]
        for k, n in pairs:
            if min(beyond[k], beyond[n]) < -tolerance and max(beyond[k], beyond[n]) > tolerance:
                share = beyond[k] / (beyond[k] - beyond[n])
                kept.append((k + 0.5, points[k] + share * (points[n] - points[k])))
        points = [point for _, point in sorted(kept, key=lambda one: one[0])]
    return np.array(points).reshape(-1, 2)


def _meet(ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> np.ndarray:
    """Where two segments, or a segment and a point, meet in a plane."""
    if len(ours) == 1 or len(theirs) == 1:
        return ours if len(ours) == 1 else theirs
    way, other = ours[1] - ours[0], theirs[1] - theirs[0]
    turn = way[0] * other[1] - way[1] * other[0]
    if abs(turn) < PARALLEL * np.linalg.norm(way) * np.linalg.norm(other):
        unit = way / np.linalg.norm(way)
        along = np.sort((ours - ours[0]) @ unit), np.sort((theirs - ours[0]) @ unit)
        low, high = max(along[0][0], along[1][0]), min(along[0][1], along[1][1])
        return ours[0] + np.array([[low], [max(low, high)]]) * unit
    between = theirs[0] - ours[0]
    share = (between[0] * other[1] - between[1] * other[0]) / turn
    return (ours[0] + share * way)[None]
