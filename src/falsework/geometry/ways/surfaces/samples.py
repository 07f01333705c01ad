"""Points spread over a surface, each with the directions in which it can be touched.

Inside a face that is its normal. On an edge that sticks out it is everything between the normals of both its faces; an
edge that does not stick out is never touched first. What is asked for a nearest point often gives a normal in which two
bodies cannot push each other; whoever takes it as one forbids them to slide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.distance.feature_normals import welded
from falsework.geometry.distance.surface import Surface
from falsework.geometry.shapes.planes import cross, unit
from falsework.model.arrays import Array, Bools, Ints, frozen

ON_FACES, ON_EDGES = 2000, 1000  # points of each kind
SHARP = 0.03  # rad by which the faces of an edge differ at least for it to be touched before them
ALONG = 0.8  # cosine between a face's normal and a push on a point inside it
OUTSIDE = 0.1  # by which a push on an edge may lie outside the normals of its faces
GOLDEN = np.array([0.7548776662466927, 0.5698402909980532])  # the even sequence in two dimensions


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Points of a surface in its part's frame."""

    points: Array  # (n, 3)
    normals: Array  # (n, 3) outward, unit; on an edge the mean one
    aside: Array  # (n, 2, 3) for edges, along both faces away from it; zero for faces
    areas: Array  # (n,) that each stands for; 0 on edges
    spacing_m: float  # between neighbours on faces, about

    def touchable(self, rows: Ints, outward: Array) -> Bools:
        """(k,) whether something can push on the chosen points against the unit directions `outward` (k, 3)."""
        on_face = self.areas[rows] > 0
        along = (self.normals[rows] * outward).sum(axis=1)
        within = (self.aside[rows] * outward[:, None]).sum(axis=2).max(axis=1)
        told: Bools = np.where(on_face, along >= ALONG, (within <= OUTSIDE) & (along > 0))
        return told


def samples_of(surface: Surface, region: tuple[Array, Array] | None = None) -> Samples:
    """Spread evenly; where a region is given, a box along the part's axes, over what of the surface is in it.

    Of faces that are larger than the region nothing is taken but their edges: what is flat, the other body's own
    points find.
    """
    low, high = (surface.vertices.min(axis=0), surface.vertices.max(axis=0)) if region is None else region
    corners = surface.corners
    near = ((corners.max(axis=1) >= low) & (corners.min(axis=1) <= high)).all(axis=1)
    extent = float(np.linalg.norm(high - low))
    small = near if region is None else near & (np.ptp(corners, axis=1).max(axis=1) <= 0.5 * extent)
    points, normals, area = _on_faces(surface, np.flatnonzero(small))
    spacing = float(np.sqrt(area)) if area else extent / np.sqrt(ON_FACES)
    edge_points, edge_normals, aside = _on_edges(surface, near, low, high, 0.5 * spacing)
    inside = ((points >= low) & (points <= high)).all(axis=1)
    points, normals = points[inside], normals[inside]
    return Samples(
        frozen(np.concatenate([points, edge_points])),
        frozen(np.concatenate([normals, edge_normals])),
        frozen(np.concatenate([np.zeros((len(points), 2, 3)), aside])),
        frozen(np.concatenate([np.full(len(points), area), np.zeros(len(edge_points))])),
        spacing,
    )


def _on_faces(surface: Surface, faces: Ints) -> tuple[Array, Array, float]:
    """Points and normals, and the area that each stands for: as many on a face as its area asks for."""
    corners = surface.corners[faces]
    areas = 0.5 * np.linalg.norm(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    total = float(areas.sum())
    if not total > 0:
        return np.zeros((0, 3)), np.zeros((0, 3)), 0.0
    ends = np.cumsum(areas)
    owner = np.searchsorted(ends, (np.arange(ON_FACES) + 0.5) * (total / ON_FACES))
    owner = np.minimum(owner, len(faces) - 1)
    shares = (0.5 + (np.arange(ON_FACES)[:, None] + 1) * GOLDEN) % 1.0
    fold = shares.sum(axis=1) > 1
    shares[fold] = 1 - shares[fold]
    a, b, c = (corners[owner, k] for k in range(3))
    points = a + shares[:, :1] * (b - a) + shares[:, 1:] * (c - a)
    return points, surface.face_normals[faces[owner]], total / ON_FACES


def _on_edges(surface: Surface, near: Bools, low: Array, high: Array, spacing: float) -> tuple[Array, Array, Array]:
    """Points on edges that stick out, normals, and the ways along both faces."""
    starts, ends, first, second = _edges(surface, near)
    n1, n2 = surface.face_normals[first], surface.face_normals[second]
    along = unit(ends - starts)
    t1, t2 = (
        cross(n1, along),
        cross(along, n2),
    )  # the first walks the edge forward, the second back: both are on its left
    out = (n1 * t2).sum(axis=1) < -np.sin(SHARP)
    starts, ends, n1, n2, t1, t2 = (value[out] for value in (starts, ends, n1, n2, t1, t2))
    begin, finish = _clipped(starts, ends, low, high)
    inside = finish > begin
    starts, ends, n1, n2, t1, t2 = (value[inside] for value in (starts, ends, n1, n2, t1, t2))
    begin, finish = begin[inside], finish[inside]
    length = np.linalg.norm(ends - starts, axis=1) * (finish - begin)
    total = float(length.sum())
    if not total > 0:
        return np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 2, 3))
    owner, share = _spread(length, max(spacing, total / ON_EDGES))
    share = begin[owner] + (finish - begin)[owner] * share
    points = starts[owner] + share[:, None] * (ends - starts)[owner]
    return points, unit(n1 + n2)[owner], np.stack([t1, t2], axis=1)[owner]


def _spread(length: Array, spacing: float) -> tuple[Ints, Array]:
    """Which edge each point is on, and at which share of it: both ends of few edges, or evenly over many short ones."""
    count = np.maximum(np.ceil(length / spacing).astype(np.int64), 1) + 1
    if count.sum() <= 3 * ON_EDGES:
        owner = np.repeat(np.arange(len(length)), count)
        step = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
        return owner, step / (count[owner] - 1)
    ends = np.cumsum(length)
    at = (np.arange(ON_EDGES) + 0.5) * (ends[-1] / ON_EDGES)
    owner = np.minimum(np.searchsorted(ends, at), len(length) - 1)
    return owner, np.clip(1 - (ends[owner] - at) / length[owner], 0.0, 1.0)


def _edges(surface: Surface, near: Bools) -> tuple[Array, Array, Ints, Ints]:
    """Both ends of every edge that two faces share, the face that walks it so and the one that walks it back."""
    loops = welded(surface.vertices, surface.faces)
    owner = np.repeat(np.flatnonzero(near), 3)
    begins, finishes = loops[near].ravel(), loops[near][:, [1, 2, 0]].ravel()
    places = surface.corners[near].reshape(-1, 3), surface.corners[near][:, [1, 2, 0]].reshape(-1, 3)
    forward = begins < finishes
    span = np.int64(loops.max()) + 1
    keys = np.minimum(begins, finishes) * span + np.maximum(begins, finishes)
    one, other = np.flatnonzero(forward), np.flatnonzero(~forward)
    _, i, j = np.intersect1d(keys[one], keys[other], return_indices=True)
    rows = one[i]
    return places[0][rows], places[1][rows], owner[rows], owner[other[j]]


def _clipped(starts: Array, ends: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """(k,), (k,) shares of segments between which they are in a box; the first is larger where they are not."""
    way = ends - starts
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (low - starts) / way, (high - starts) / way
    level, outside = way == 0, (starts < low) | (starts > high)
    a, b = np.where(level, -np.inf, a), np.where(level, np.inf, b)
    begin = np.where((level & outside).any(axis=1), np.inf, np.minimum(a, b).max(axis=1))
    return np.maximum(begin, 0.0), np.minimum(np.maximum(a, b).min(axis=1), 1.0)
