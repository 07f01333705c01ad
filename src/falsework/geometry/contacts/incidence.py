"""Where corners of one solid lie on faces, edges or corners of another, and where edges of two solids cross.

The places in which polyhedra touch are points, segments and polygons, and the ends and corners of all of them are of
these kinds. What is nearer to an edge or a corner than the file is exact is on it (`resolution`). All is found with
arrays over the whole assembly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from falsework.geometry.contacts.long_outlines import outlines_near
from falsework.geometry.contacts.resolution import border
from falsework.geometry.shapes.features import Features
from falsework.geometry.shapes.placed_solids import Scene, near_between
from falsework.geometry.shapes.planes import TINY, cross, dot, plane_axes, unit
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.model.arrays import Array, Bools, Ints

CHUNK = 1_000_000  # of features looked at together, to bound memory
LARGE = 50_000  # pairs of features of two solids, from which on a tree finds those that are near
NEAR = 2.0  # gaps: what is further apart is not looked at; the blur is a gap at most
SQUARE = 1e-4  # sine between edges below which they have no common perpendicular


class CornersOnFaces(NamedTuple):
    """Corners well inside a face of the other solid."""

    pair: Ints  # (k,) index into Scene.pairs
    side: Ints  # (k,) 0 if the corner is of the first solid, 1 if of the second
    vertex: Ints  # (k,)
    facet: Ints  # (k,) of the other solid
    points: Array  # (k, 3) midway between corner and face

    def chosen(self, which: Bools) -> CornersOnFaces:
        return CornersOnFaces(
            self.pair[which], self.side[which], self.vertex[which], self.facet[which], self.points[which]
        )


class Meetings(NamedTuple):
    """Corners on edges and on corners. Features: ≥ 0 a vertex, else edge −1 − feature."""

    pair: Ints  # (k,)
    features: Ints  # (k, 2) of the first solid and of the second
    points: Array  # (k, 3) midway between the two
    apart: Array  # (k, 3) from the first to the second

    def chosen(self, which: Ints | Bools) -> Meetings:
        return Meetings(self.pair[which], self.features[which], self.points[which], self.apart[which])


class Crossings(NamedTuple):
    """Edges that cross."""

    pair: Ints  # (k,)
    edges: Ints  # (k, 2) of the first solid and of the second
    points: Array  # (k, 3) midway between the two
    normals: Array  # (k, 3) unit, along which they are apart; either way
    gaps: Array  # (k,) from the first edge to the second, along the normal

    def chosen(self, which: Bools) -> Crossings:
        return Crossings(self.pair[which], self.edges[which], self.points[which], self.normals[which], self.gaps[which])


@dataclass(frozen=True, slots=True, eq=False)
class _Near:
    """Which features of the solids of each pair reach into what their boxes have in common."""

    low: Array  # (pairs, 3)
    high: Array  # (pairs, 3)

    @staticmethod
    def of(placed: Scene) -> _Near:
        margin = NEAR * placed.gaps_m[:, None]
        low, high = placed.lows[placed.pairs].max(axis=1), placed.highs[placed.pairs].min(axis=1)
        return _Near(np.minimum(low, high) - margin, np.maximum(low, high) + margin)

    def within(self, starts: Ints, order: Ints, solids: Ints, lows: Array, highs: Array) -> tuple[Ints, Ints]:
        """Starts (pairs + 1,) and features, of those (sorted by solid) whose boxes reach in."""
        rows, pair = rows_of(starts, solids)
        feature = order[rows]
        inside = ((lows[feature] <= self.high[pair]) & (highs[feature] >= self.low[pair])).all(axis=1)
        return starts_of(np.bincount(pair[inside], minlength=len(solids))), feature[inside]


def corners_near_faces(features: Features) -> Iterator[tuple[int, Ints, Ints, Ints]]:
    """Side, pair, vertex and facet where a corner is about as near to a facet's plane and box as touching needs."""
    placed, near = features.placed, _Near.of(features.placed)
    corners = np.flatnonzero(features.is_corner)
    solid = np.searchsorted(placed.vertex_starts, corners, side="right") - 1
    vertex_starts = starts_of(np.bincount(solid, minlength=len(placed.vertex_starts) - 1))
    for side in (0, 1):
        mine, theirs = placed.pairs[:, side], placed.pairs[:, 1 - side]
        starts, vertices = near.within(vertex_starts, corners, mine, placed.vertices, placed.vertices)
        others, facets = near.within(
            placed.facet_starts, placed.facet_order, theirs, placed.facet_lows, placed.facet_highs
        )
        boxes = (placed.vertices, placed.vertices), (placed.facet_lows, placed.facet_highs)
        for pair, vertex, facet in _products(placed, (starts, vertices), (others, facets), boxes):
            offset = placed.vertices[vertex] - placed.facets.centres[facet]
            height = dot(offset, placed.facets.normals[facet])
            level = (height <= NEAR * placed.gaps_m[pair]) & (height >= -NEAR * placed.sinks_m[pair])
            yield side, pair[level], vertex[level], facet[level]


def _products(
    placed: Scene, ones: tuple[Ints, Ints], others: tuple[Ints, Ints], boxes: tuple[tuple[Array, Array], ...]
) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Pair, feature of the one and of the other whose boxes come within the gap, some pairs at a time."""
    (starts, one), (ends, other) = ones, others
    work = np.diff(starts) * np.diff(ends)
    for large in np.flatnonzero(work > LARGE):
        mine, theirs = one[starts[large] : starts[large + 1]], other[ends[large] : ends[large + 1]]
        lows, highs = ((table[0][rows], table[1][rows]) for table, rows in zip(boxes, (mine, theirs), strict=True))
        near = near_between(lows, highs, NEAR * float(placed.sinks_m[large]))
        yield np.full(len(near), large), mine[near[:, 0]], theirs[near[:, 1]]
    small = np.flatnonzero((work > 0) & (work <= LARGE))
    for chunk in np.split(small, np.flatnonzero(np.diff(np.cumsum(work[small]) // CHUNK)) + 1):
        rows, which = rows_of(starts, chunk)
        columns, row = rows_of(ends, chunk[which])
        pair, first, second = chunk[which[row]], one[rows[row]], other[columns]
        margin = NEAR * placed.sinks_m[pair]
        close = np.ones(len(pair), dtype=bool)
        for axis in range(3):  # by columns: quicker than over rows of three
            close &= boxes[0][0][first, axis] <= boxes[1][1][second, axis] + margin
            close &= boxes[0][1][first, axis] >= boxes[1][0][second, axis] - margin
        yield pair[close], first[close], second[close]


def corner_contacts(features: Features) -> tuple[CornersOnFaces, Meetings]:
    """Corners inside faces, and corners on edges and corners, each once."""
    inside: list[CornersOnFaces] = []
    met: list[Meetings] = []
    for side, pair, vertex, facet in corners_near_faces(features):
        on, meets = _placed_in(features, side, pair, vertex, facet)
        inside.append(on)
        met.append(meets)
    on = CornersOnFaces(*(np.concatenate(column) for column in zip(*inside, strict=True)))
    meets = Meetings(*(np.concatenate(column) for column in zip(*met, strict=True)))
    keys = np.column_stack([meets.pair, meets.features])
    kept = np.unique(keys, axis=0, return_index=True)[1] if len(keys) else np.zeros(0, dtype=np.int64)
    return on, meets.chosen(kept)


def _placed_in(features: Features, side: int, pair: Ints, vertex: Ints, facet: Ints) -> tuple[CornersOnFaces, Meetings]:
    """Corners level with facets, by whether they are inside, or near a boundary edge or its end."""
    placed = features.placed
    rows, which = outlines_near(features, pair, vertex, facet)
    corner = placed.vertices[vertex]
    height = dot(corner - placed.facets.centres[facet], placed.facets.normals[facet])
    foot = corner - height[:, None] * placed.facets.normals[facet]
    tail, head = placed.vertices[features.tails[rows]], placed.vertices[features.heads[rows]]
    arm = head - tail
    length = np.linalg.norm(arm, axis=1)
    along = dot(corner[which] - tail, arm) / np.maximum(length, TINY)
    at_end = np.where(along > 0.5 * length, 1, 0)
    nearest = tail + np.clip(along / np.maximum(length, TINY), 0.0, 1.0)[:, None] * arm
    lateral = np.linalg.norm(nearest - foot[which], axis=1)
    distance = np.linalg.norm(nearest - corner[which], axis=1)
    edge_near = np.full(len(vertex), np.inf)
    np.minimum.at(edge_near, which, lateral)
    within = _winds(features, facet, foot, rows, which) & (edge_near > border(placed, pair, height))
    on = np.flatnonzero(within & (height <= placed.gaps_m[pair]) & (height >= -placed.sinks_m[pair]))
    inside = CornersOnFaces(pair[on], np.full(len(on), side), vertex[on], facet[on], 0.5 * (corner[on] + foot[on]))
    blurs = placed.blurs_m[pair[which]]  # it may be that the edge goes on a little, and they cross there
    close = (distance <= placed.gaps_m[pair[which]] + blurs) & (lateral <= placed.nears_m[pair[which]] + blurs)
    at = np.flatnonzero(~within[which] & close)
    row, half = which[at], rows[at]
    blur = border(placed, pair[row], distance[at])
    to_end = np.minimum(along[at], length[at] - along[at])
    ends = np.where(at_end[at] == 1, features.heads[half], features.tails[half])
    other = np.where(to_end <= blur, ends, -1 - features.edge_of_half[half])
    place = np.where((to_end <= blur)[:, None], placed.vertices[ends], nearest[at])
    both = np.stack([vertex[row], other], axis=1)
    both, apart = (both, place - corner[row]) if side == 0 else (both[:, ::-1], corner[row] - place)
    return inside, Meetings(pair[row], both, 0.5 * (corner[row] + place), apart)


def _winds(features: Features, facet: Ints, foot: Array, rows: Ints, which: Ints) -> Bools:
    """(k,) whether points in the planes of facets (k,) are inside their outlines, holes left out."""
    u, v = plane_axes(features.placed.facets.normals[facet])
    tail = features.placed.vertices[features.tails[rows]] - foot[which]
    head = features.placed.vertices[features.heads[rows]] - foot[which]
    x0, y0 = dot(tail, u[which]), dot(tail, v[which])
    x1, y1 = dot(head, u[which]), dot(head, v[which])
    spans = (y0 > 0) != (y1 > 0)
    rise = np.where(spans, y1 - y0, 1.0)
    crossed = spans & (x0 - y0 * (x1 - x0) / rise > 0)
    inside: Bools = np.bincount(which[crossed], minlength=len(facet)) % 2 == 1
    return inside


def crossings(features: Features) -> Crossings:
    """Convex edges of two solids that cross within the gap, away from their ends."""
    placed, near = features.placed, _Near.of(features.placed)
    convex = np.flatnonzero(features.is_convex_edge)
    order = convex[np.argsort(features.edge_solid[convex], kind="stable")]
    starts = starts_of(np.bincount(features.edge_solid[convex], minlength=len(placed.facet_starts) - 1))
    ends = placed.vertices[features.ends]
    boxes = (ends.min(axis=1), ends.max(axis=1))
    ones, others = (near.within(starts, order, placed.pairs[:, side], *boxes) for side in (0, 1))
    found = [_crossing(features, *near_edges) for near_edges in _products(placed, ones, others, (boxes, boxes))]
    return Crossings(*(np.concatenate(column) for column in zip(_NO_CROSSINGS, *found, strict=True)))


_NO_CROSSINGS = Crossings(
    np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0)
)


def _crossing(features: Features, pair: Ints, one: Ints, other: Ints) -> Crossings:
    """Those of some pairs of edges that cross."""
    placed = features.placed
    p, q = placed.vertices[features.ends[one, 0]], placed.vertices[features.ends[other, 0]]
    d, e = features.ways[one], features.ways[other]
    perpendicular = cross(d, e)
    sine = np.linalg.norm(perpendicular, axis=1)
    skew = sine > SQUARE
    pair, one, other, p, q, d, e = (column[skew] for column in (pair, one, other, p, q, d, e))
    normal = unit(perpendicular[skew])
    apart, squared = q - p, sine[skew] ** 2
    square = perpendicular[skew]
    s = dot(cross(apart, e), square) / squared
    t = dot(cross(apart, d), square) / squared
    gap = dot(apart, normal)
    blur = border(placed, pair, gap)
    meets = (s > blur) & (s < features.lengths_m[one] - blur) & (t > blur) & (t < features.lengths_m[other] - blur)
    meets &= np.abs(gap) <= placed.sinks_m[pair]
    reach = np.minimum(np.maximum(s, features.lengths_m[one] - s), np.maximum(t, features.lengths_m[other] - t))
    meets &= sine[skew] * reach > NEAR * placed.nears_m[pair]  # else they lie along each other
    k = np.flatnonzero(meets)
    points = 0.5 * (p[k] + s[k, None] * d[k] + q[k] + t[k, None] * e[k])
    return Crossings(pair[k], np.stack([one[k], other[k]], axis=1), points, normal[k], gap[k])
