"""The surface of a solid made of convex pieces that touch, without the walls and seams between them.

Where pieces touch, their faces lie in one plane: seen along its normal, what only faces of the one side cover is
outside, what both cover is a wall within, and faces of one side that go on in each other are one. So the seams of a
flat side are gone, whatever rounding did to the pieces; a union of volumes would leave slits of no width there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from falsework.geometry.shapes.facets import BEND, facets_of
from falsework.geometry.shapes.linking import components_of
from falsework.geometry.shapes.planes import TINY, cross, plane_axes, unit
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.geometry.shapes.triangulation import filled
from falsework.model.arrays import Array, Ints
from falsework.model.shapes import Mesh

SEAM = 1e-5  # of the solid's size: pieces nearer than this touch
STRAIGHT = 1e-4  # rad: an outline that turns less goes on straight
CHUNK = 1_000_000  # facets compared together, to bound memory
Loop = list[int]
Face = list[Loop]  # an outline, counter-clockwise seen from outside, and the holes in it


def without_seams(pieces: Mesh) -> Mesh:
    """The outer surface of convex pieces, joined as they are in one mesh; see `is_closed` of what comes out.

    Corners are corners of the pieces, within SEAM, or crossings of their edges.
    """
    size = 2 * float(np.linalg.norm(pieces.vertices - pieces.vertices.mean(axis=0), axis=1).max())
    near = SEAM * size
    found = facets_of(pieces.vertices, pieces.triangles, np.full(len(pieces.triangles), near))
    same = _welded(pieces.vertices, near)
    loops = [same[loop].tolist() for loop in np.split(found.loop_vertices, found.loop_starts[1:-1])]
    loops = _with_corners_between(pieces.vertices, loops, near)
    owned: list[Face] = [[] for _ in range(len(found))]
    for facet, loop in zip(found.loop_facets.tolist(), loops, strict=True):
        owned[facet].append(loop)
    plane = _coplanar(pieces.vertices, found.normals, found.centres, owned, near)
    space = _Space(pieces.vertices, near)
    faces = [
        face
        for number in range(int(plane.max(initial=-1)) + 1)
        for face in _outside(space, np.flatnonzero(plane == number), found.normals, found.areas, owned)
    ]
    return _meshed(space.points, faces, near)


class _Space:
    """Points by number, to which crossings of edges are added."""

    def __init__(self, vertices: Array, near: float) -> None:
        self._points, self.near = [*vertices], near

    @property
    def points(self) -> Array:
        return np.array(self._points)

    def at(self, numbers: Ints) -> Array:
        return np.array([self._points[k] for k in numbers.tolist()])

    def add(self, point: Array) -> int:
        self._points.append(point)
        return len(self._points) - 1


def _welded(points: Array, near: float) -> Ints:
    """(n,) for each point the first of those that are within `near` of it, step by step."""
    one, other = _beside(points, points, points, near)
    close = np.linalg.norm(points[one] - points[other], axis=1) <= near
    group = components_of(len(points), one[close], other[close])
    first: Ints = np.unique(group, return_index=True)[1][group]
    return first


def _beside(tails: Array, heads: Array, points: Array, near: float) -> tuple[Ints, Ints]:
    """Segments and points that may be within `near` of each other: seen along a slanting line, they are."""
    slant = unit(np.array([1.0, 0.6180339887, 0.3819660113]))
    order = np.argsort(points @ slant, kind="stable")
    ranked = (points @ slant)[order]
    ends = np.sort(np.stack([tails @ slant, heads @ slant], axis=1), axis=1)
    begins = np.searchsorted(ranked, ends[:, 0] - near, side="left")
    counts = np.searchsorted(ranked, ends[:, 1] + near, side="right") - begins
    segment = np.repeat(np.arange(len(tails)), counts)
    return segment, order[np.arange(len(segment)) - np.repeat(starts_of(counts)[:-1] - begins, counts)]


def _with_corners_between(vertices: Array, loops: list[Loop], near: float) -> list[Loop]:
    """Loops with every corner of any of them that lies on one of their edges, none twice in a row."""
    corners = np.unique(np.array([corner for loop in loops for corner in loop], dtype=np.int64))
    ahead = np.array([pair for loop in loops for pair in zip(loop, loop[1:] + loop[:1], strict=True)])
    edges = np.unique(np.sort(ahead.reshape(-1, 2), axis=1), axis=0)
    edges = edges[edges[:, 0] != edges[:, 1]]
    tails, heads = vertices[edges[:, 0]], vertices[edges[:, 1]]
    edge, row = _beside(tails, heads, vertices[corners], near)
    arms = (heads - tails)[edge]
    offsets = vertices[corners[row]] - tails[edge]
    length = np.linalg.norm(arms, axis=1)
    along = (offsets * arms).sum(axis=1) / np.maximum(length, TINY)
    aside = np.linalg.norm(offsets - (along / np.maximum(length, TINY))[:, None] * arms, axis=1)
    on = (aside <= near) & (along > near) & (along < length - near)
    on &= (corners[row] != edges[edge, 0]) & (corners[row] != edges[edge, 1])
    between: dict[tuple[int, int], Loop] = {}
    for k in np.flatnonzero(on)[np.argsort(along[on], kind="stable")].tolist():
        between.setdefault((int(edges[edge[k], 0]), int(edges[edge[k], 1])), []).append(int(corners[row[k]]))
    return [_filled_in(loop, between) for loop in loops]


def _filled_in(loop: Loop, between: dict[tuple[int, int], Loop]) -> Loop:
    found: Loop = []
    for tail, head in zip(loop, loop[1:] + loop[:1], strict=True):
        if tail != head:
            inner = between.get((min(tail, head), max(tail, head)), [])
            found += [tail, *(inner if tail < head else inner[::-1])]
    return found


def _coplanar(vertices: Array, normals: Array, centres: Array, owned: list[Face], near: float) -> Ints:
    """(f,) the plane of each facet: of facets that lie in each other's planes, whichever way they face, and meet."""
    rims = [np.unique(np.array([corner for loop in loops for corner in loop])) for loops in owned]
    starts, corners = starts_of(np.array([len(rim) for rim in rims])), vertices[np.concatenate(rims)]
    lows, highs = np.minimum.reduceat(corners, starts[:-1]), np.maximum.reduceat(corners, starts[:-1])
    ones, others = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for rows in np.array_split(np.arange(len(owned)), 1 + len(owned) ** 2 // CHUNK):
        parallel = np.abs(normals[rows] @ normals.T) > np.cos(BEND)
        one, other = np.nonzero(parallel & (rows[:, None] < np.arange(len(owned))))
        one = rows[one]
        meet = ((lows[one] <= highs[other] + near) & (lows[other] <= highs[one] + near)).all(axis=1)
        one, other = one[meet], other[meet]
        flat = np.ones(len(one), dtype=bool)
        for mine, theirs in ((one, other), (other, one)):
            corner, which = rows_of(starts, mine)
            height = ((corners[corner] - centres[theirs[which]]) * normals[theirs[which]]).sum(axis=1)
            np.logical_and.at(flat, which, np.abs(height) <= 2 * near)
        ones.append(one[flat])
        others.append(other[flat])
    return components_of(len(owned), np.concatenate(ones), np.concatenate(others))


def _outside(space: _Space, facets: Ints, normals: Array, areas: Array, owned: list[Face]) -> list[Face]:
    """What of the facets of one plane is outside, the same way round."""
    import shapely

    if len(facets) == 1:
        return [owned[facets[0]]]
    up = normals[facets[np.argmax(areas[facets])]]
    axes = np.stack(plane_axes(up[None]), axis=2)[0]  # (3, 2)
    numbers = np.unique(np.array([corner for facet in facets for loop in owned[facet] for corner in loop]))
    points = space.at(numbers)
    flat, height = (points - points[0]) @ axes, float(((points - points[0]) @ up).mean())
    spot = dict(zip(numbers.tolist(), flat.tolist(), strict=True))
    number = {tuple(place): k for k, place in spot.items()}
    covered = []
    for upward in (True, False):
        figures = [
            shapely.Polygon([spot[k] for k in owned[facet][0]], [[spot[k] for k in hole] for hole in owned[facet][1:]])
            for facet in facets[(normals[facets] @ up > 0) == upward]
        ]
        covered.append(shapely.union_all([shapely.buffer(figure, 0) for figure in figures]))

    def numbered(ring: Any, leftward: bool) -> Loop:
        around = shapely.get_coordinates(ring)[:-1].tolist()
        loop = []
        for place in around if bool(shapely.is_ccw(ring)) == leftward else around[::-1]:
            known = number.get(tuple(place))
            if known is None:
                known = number[tuple(place)] = space.add(points[0] + axes @ np.array(place) + height * up)
            loop.append(known)
        return loop

    faces = []
    for upward, (mine, theirs) in ((True, covered), (False, covered[::-1])):
        for figure in shapely.get_parts(shapely.difference(mine, theirs)):
            if 2 * shapely.area(figure) > space.near * shapely.length(figure):
                rings = [shapely.get_exterior_ring(figure), *shapely.get_rings(figure)[1:]]
                faces.append([numbered(ring, (k == 0) == upward) for k, ring in enumerate(rings)])
    return faces


def _meshed(points: Array, faces: list[Face], near: float) -> Mesh:
    """Faces with the same corners along common edges, cut into triangles."""
    same = _welded(points, near)
    loops = [_turning(points, same[loop].tolist(), near) for face in faces for loop in face]
    ends = np.cumsum([len(face) for face in faces])
    loops = _with_corners_between(points, loops, near)
    triangles = [
        _without_flat(points, filled(points, [loop for loop in loops[end - len(face) : end] if len(loop) > 2]), near)
        for face, end in zip(faces, ends.tolist(), strict=True)
    ]
    used, corners = np.unique(np.concatenate(triangles), return_inverse=True)
    return Mesh(points[used], corners.reshape(-1, 3))


def _turning(points: Array, loop: Loop, near: float) -> Loop:
    """A loop without the points in which it goes straight on."""
    kept = [corner for corner, after in zip(loop, loop[1:] + loop[:1], strict=True) if corner != after]
    while len(kept) > 3:
        places = points[kept]
        before, after = places - np.roll(places, 1, axis=0), np.roll(places, -1, axis=0) - places
        turn = np.linalg.norm(unit(after) - unit(before), axis=1)
        shorter = np.minimum(np.linalg.norm(before, axis=1), np.linalg.norm(after, axis=1))
        straight = (turn < STRAIGHT) & (turn * shorter < 0.5 * near)
        if not straight.any():
            break
        del kept[int(np.argmax(straight))]
    return kept


def _without_flat(points: Array, triangles: Ints, near: float) -> Ints:
    """Triangles of one face, none so flat that it has no normal: a corner between two others is joined to what is
    across the side that they share.
    """
    cut = [three for three in triangles.tolist() if len(set(three)) == 3]  # an outline may meet itself in a corner
    for _ in range(len(cut) ** 2):
        flat, longest, height = _flattest(points[np.array(cut)])
        if height > near:
            break
        tail, head, between = (cut[flat][(longest + k) % 3] for k in range(3))
        across = [k for k, other in enumerate(cut) if (head, tail) in zip(other, other[1:] + other[:1], strict=True)]
        if not across:
            break
        apex = next(corner for corner in cut[across[0]] if corner not in (tail, head))
        cut[flat], cut[across[0]] = [tail, apex, between], [apex, head, between]
    return np.array(cut, dtype=np.int64).reshape(-1, 3)


def _flattest(corners: Array) -> tuple[int, int, float]:
    """Which of the triangles (t, 3, 3) is lowest above its longest side, which side that is, and how low it is."""
    arms = np.roll(corners, -1, axis=1) - corners
    lengths = np.linalg.norm(arms, axis=2)
    heights = np.linalg.norm(cross(arms[:, 0], arms[:, 1]), axis=1) / np.maximum(lengths.max(axis=1), TINY)
    lowest = int(np.argmin(heights))
    return lowest, int(np.argmax(lengths[lowest])), float(heights[lowest])
