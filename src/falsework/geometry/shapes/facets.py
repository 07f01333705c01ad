"""The flat faces of triangulated surfaces: neighbouring triangles of one plane, and the loops around them.

A slightly warped face, whose triangles differ a little, is one facet with a fitted plane; where a surface curves so
slowly that neighbours alone cannot tell, the fit does, and the triangles are grouped by exact planes instead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.shapes.linking import components_of
from falsework.geometry.shapes.planes import cross, dot, unit
from falsework.geometry.shapes.runs import rows_of, starts_of, successors
from falsework.model.arrays import Array, Bools, Ints, freeze, freeze_ints
from falsework.model.shapes import Mesh

WARP = 1e-3  # of the part's size: how far a corner may stray from its facet's plane
BEND = 1e-2  # rad between neighbours of a warped facet
EXACT = 1e-5  # rad between neighbours of one exact plane
DEGENERATE = 1e-12  # height / longest edge of a triangle: no normal can be trusted below


@dataclass(frozen=True, slots=True, eq=False)
class Facets:
    """Flat faces, with outward planes n·x = offset and boundary loops that have the face on their left."""

    normals: Array  # (f, 3) unit, outward
    centres: Array  # (f, 3) centroid
    areas: Array  # (f,) m²
    facet_of: Ints  # (t,) facet of each triangle; −1 for triangles without area
    loop_starts: Ints  # (l + 1,) loop i is loop_vertices[loop_starts[i]:loop_starts[i + 1]]
    loop_vertices: Ints  # (k,)
    loop_facets: Ints  # (l,) in ascending order, the outline of a facet before its holes
    loop_areas: Array  # (l,) m², negative for holes

    def __post_init__(self) -> None:
        freeze(self, normals=(None, 3), centres=(None, 3), areas=(None,), loop_areas=(None,))
        freeze_ints(self, facet_of=(None,), loop_starts=(None,), loop_vertices=(None,), loop_facets=(None,))

    def __len__(self) -> int:
        return len(self.normals)

    @property
    def offsets(self) -> Array:
        """(f,) n·x on the plane."""
        offsets: Array = (self.normals * self.centres).sum(axis=1)
        return offsets


def facets(mesh: Mesh) -> Facets:
    """The flat faces of one closed surface."""
    size = 2 * float(np.linalg.norm(mesh.vertices - mesh.vertices.mean(axis=0), axis=1).max())
    return facets_of(mesh.vertices, mesh.triangles, np.full(len(mesh.triangles), WARP * size))


def facets_of(vertices: Array, triangles: Ints, warp: Array) -> Facets:
    """The flat faces of many surfaces at once, none sharing a vertex.

    `warp` (t,) is how far, in metres, the corners of each triangle may stray from their facet's plane.
    """
    corners = vertices[triangles]
    edges = corners[:, [1, 2, 0]] - corners
    doubled = cross(edges[:, 0], edges[:, 1])
    areas = 0.5 * np.sqrt(dot(doubled, doubled))
    solid = 2 * areas > DEGENERATE * dot(edges, edges).max(axis=1)
    sheet = _Sheet(corners, unit(doubled), np.where(solid, areas, 0.0), warp, twins_of(triangles))
    label = _grouped(sheet, np.flatnonzero(solid))
    planes, centres, area = _planes(sheet, label)
    starts, loops = _loops(label, sheet.twins)
    around, owner = triangles.ravel()[loops], label[loops[starts[:-1]] // 3]
    enclosed = _loop_areas(vertices[around], starts, planes[owner])
    order = np.lexsort((-enclosed, owner))
    around = around[rows_of(starts, order)[0]]
    starts = starts_of(np.diff(starts)[order])
    return Facets(planes, centres, area, label, starts, around, owner[order], enclosed[order])


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Triangles and what joins them."""

    corners: Array  # (t, 3, 3)
    normals: Array  # (t, 3) unit
    areas: Array  # (t,) zero for triangles whose normal cannot be trusted
    warp: Array  # (t,)
    twins: Ints  # (3t,) half-edge across each half-edge, or −1


def twins_of(triangles: Ints) -> Ints:
    """(3t,) for each half-edge, corner k of triangle t to the next, the one that walks it back; −1 if not just one."""
    starts, ends = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    span = np.int64(triangles.max(initial=0)) + 1
    keys = np.minimum(starts, ends) * span + np.maximum(starts, ends)
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    first = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
    paired = np.diff(np.concatenate([first, [len(keys)]])) == 2
    one, other = order[first[paired]], order[first[paired] + 1]
    opposite = starts[one] != starts[other]
    twins = np.full(len(keys), -1)
    twins[one[opposite]], twins[other[opposite]] = other[opposite], one[opposite]
    return twins


def _grouped(sheet: _Sheet, solid: Ints) -> Ints:
    """(t,) facet of each triangle, −1 for those not in `solid`: warped faces, exact planes where they do not fit."""
    half = np.flatnonzero(sheet.twins > np.arange(len(sheet.twins)))
    one, other = half // 3, sheet.twins[half] // 3
    bend = np.linalg.norm(cross(sheet.normals[one], sheet.normals[other]), axis=1)
    bend[dot(sheet.normals[one], sheet.normals[other]) < 0] = np.inf
    count = len(sheet.corners)
    label = np.full(count, -1)
    usable = np.zeros(count, dtype=bool)
    usable[solid] = True
    for limit in (BEND, EXACT, None):
        if limit is None:  # whatever is left: each triangle its own facet
            flat, group = solid, np.arange(len(solid))
        else:
            near = (bend <= limit) & usable[one] & usable[other]
            group = components_of(count, one[near], other[near])
            group[~usable] = -1
            flat = np.flatnonzero(_is_flat(sheet, group))
            group = np.unique(group[flat], return_inverse=True)[1]
        label[flat] = label.max(initial=-1) + 1 + group
        usable[flat] = False
        solid = np.flatnonzero(usable)
    return label


def _is_flat(sheet: _Sheet, group: Ints) -> Bools:
    """(t,) whether all corners of a triangle's group lie near its mean plane and none of them leans; not where −1."""
    where = np.unique(group, return_inverse=True)[1] - (1 if (group < 0).any() else 0)
    planes, centres, _ = _planes(sheet, where)
    inside = np.flatnonzero(where >= 0)
    normal = planes[where[inside]]
    arms = sheet.corners[inside] - centres[where[inside]][:, None]
    stray = np.abs(dot(arms, normal[:, None])).max(axis=1)
    leans = dot(sheet.normals[inside], normal) < 0.5
    flat = np.ones(len(planes), dtype=bool)
    flat[where[inside][(stray > sheet.warp[inside]) | leans]] = False
    found = np.zeros(len(group), dtype=bool)
    found[inside] = flat[where[inside]]
    return found


def _planes(sheet: _Sheet, label: Ints) -> tuple[Array, Array, Array]:
    """Area-weighted unit normals (f, 3), centroids (f, 3) and areas (f,) of labelled triangles; −1 is left out."""
    inside = np.flatnonzero(label >= 0)
    where, weight = label[inside], sheet.areas[inside]
    number = int(label.max(initial=-1)) + 1
    area = np.bincount(where, weights=weight, minlength=number).astype(np.float64)

    def mean(values: Array) -> Array:
        weighted = values * weight[:, None]
        return np.stack([np.bincount(where, weights=weighted[:, k], minlength=number) for k in range(3)], axis=1)

    return unit(mean(sheet.normals[inside])), mean(sheet.corners[inside].mean(axis=1)) / area[:, None], area


def _loops(label: Ints, twins: Ints) -> tuple[Ints, Ints]:
    """Boundary loops as half-edges: starts (l + 1,) into the half-edges (k,).

    From each rim edge, the next is found by turning about its end through the triangles of the same facet, so that
    loops which meet in a corner stay apart.
    """
    facet = np.repeat(label, 3)
    inner = (twins >= 0) & (facet == facet[twins]) & (facet >= 0)
    rim = np.flatnonzero(~inner & (facet >= 0))
    after = np.arange(len(twins)).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    onward = after[rim]
    turning = np.flatnonzero(inner[onward])
    while len(turning):
        onward[turning] = after[twins[onward[turning]]]
        turning = turning[inner[onward[turning]]]
    following = np.searchsorted(rim, onward)  # each rim edge follows one other
    loop = components_of(len(rim), np.arange(len(rim)), following)
    last = np.zeros(int(loop.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(last, loop, np.arange(len(rim)))  # of each loop, where its walk begins
    order = np.argsort(-last)
    here, counts = last[order], np.bincount(loop, minlength=len(last))[order]
    starts, walked = starts_of(counts), np.empty(len(rim), dtype=np.int64)
    on = np.arange(len(here))
    for step in range(int(counts.max(initial=0))):  # all loops at once
        on = on[counts[on] > step]
        walked[starts[on] + step] = rim[here[on]]
        here[on] = following[here[on]]
    return starts, walked


def _loop_areas(corners: Array, starts: Ints, normals: Array) -> Array:
    """(l,) signed areas of loops of corners (k, 3) about their facets' normals (l, 3)."""
    counts = np.diff(starts)
    loop = np.repeat(np.arange(len(counts)), counts)
    arms = corners - corners[starts[:-1]][loop]
    doubled = dot(cross(arms, arms[successors(starts)]), normals[loop])
    areas: Array = 0.5 * np.bincount(loop, weights=doubled, minlength=len(counts)).astype(np.float64)
    return areas
