"""Flat facets of a triangulated surface, and which of them go on smoothly into each other.

Triangles of one plane are one facet, however finely a flat face was cut. Two facets are linked where they bend by less
than `SMOOTH`: there the surface may be a curved one. Everything is arrays, and near-linear in the triangles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from falsework.geometry.shapes.digits import exact_m
from falsework.geometry.shapes.facets import DEGENERATE, twins_of
from falsework.geometry.shapes.linking import components_of
from falsework.geometry.shapes.planes import cross, dot, unit
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.geometry.shapes.sagittas import SMOOTH
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.shapes import Mesh

GOLDEN = 0.6180339887498949
FLAT = 7.0  # times as exact as corners are: four of them, each off by so much along each axis, leave a plane by 4√3


@dataclass(frozen=True, slots=True, eq=False)
class SmoothFacets:
    """Facets as nodes, smooth edges as links."""

    vertices: Array  # (n, 3)
    facet_of: Ints  # (t,) facet of each triangle, −1 without area
    normals: Array  # (f, 3) unit, out of the material
    areas: Array  # (f,)
    centres: Array  # (f, 3)
    corner_starts: Ints  # (f + 1,) corners of each facet, without vertices inside it or straight on its outline
    corners: Ints  # (c,) vertex numbers
    link_starts: Ints  # (f + 1,) neighbours of each facet across smooth edges
    links: Ints  # (l,)
    exact_m: float  # how exact corners are

    def __len__(self) -> int:
        return len(self.normals)

    def corners_of(self, facets: Ints) -> Ints:
        """Vertices of facets, each once."""
        return distinct(self.corners[rows_of(self.corner_starts, facets)[0]])

    def rings(self, piece: Ints, seed: int, most: int) -> Iterator[Ints]:
        """Facets of a piece about a seed, sorted: it alone, with its neighbours, with theirs, …, up to so many."""
        free = np.zeros(len(self), dtype=bool)
        free[piece] = True
        free[seed] = False
        within = last = np.array([seed])
        while len(last) and len(within) < most:
            yield within
            near = distinct(self.links[rows_of(self.link_starts, last)[0]])
            last = near[free[near]]
            free[last] = False
            within = np.sort(np.concatenate([within, last]))
        yield within

    def pieces(self, facets: Ints) -> list[Ints]:
        """Facets (k,), sorted, by what hangs together through smooth links among them."""
        rows, one = rows_of(self.link_starts, facets)
        others = self.links[rows]
        place = np.searchsorted(facets, others)
        inside = (place < len(facets)) & (facets[np.minimum(place, len(facets) - 1)] == others)
        label = components_of(len(facets), one[inside], place[inside])
        order = np.argsort(label, kind="stable")
        return np.split(facets[order], np.flatnonzero(np.diff(label[order])) + 1)


def distinct(numbers: Ints) -> Ints:
    """Each once, sorted; several times faster than numpy's on many."""
    ordered = np.sort(numbers)
    first: Ints = ordered[np.concatenate([ordered[:1] == ordered[:1], ordered[1:] != ordered[:-1]])]
    return first


def place(number: int, length: int) -> int:
    """Places along a row: steps of a golden share come near all of it, and fall in with no pattern."""
    return int(GOLDEN * (number + 1) % 1.0 * length)


@lru_cache(maxsize=2)  # forms are looked for in them, and then what has no form
def smooth_facets(mesh: Mesh) -> SmoothFacets:
    """The facets of a surface."""
    vertices, triangles = mesh.vertices, mesh.triangles
    exact = exact_m(vertices)
    corners = vertices[triangles]
    edges = corners[:, [1, 2, 0]] - corners
    doubled = cross(edges[:, 0], edges[:, 1])
    sizes = np.sqrt(dot(doubled, doubled))
    solid = sizes > DEGENERATE * dot(edges, edges).max(axis=1)
    normals = unit(doubled)
    twins = twins_of(triangles)
    half = np.flatnonzero(twins > np.arange(len(twins)))
    one, other = half // 3, twins[half] // 3
    usable = solid[one] & solid[other]
    half, one, other = half[usable], one[usable], other[usable]
    facet_of = _flat(corners, normals, sizes, solid, (half, twins[half]), exact)
    planes, areas, centres = _planes(facet_of, normals, 0.5 * sizes, corners.mean(axis=1))
    starts, members = _corners(facet_of, triangles, twins, vertices, exact)
    ends = facet_of[one], facet_of[other]
    smooth = dot(planes[ends[0]], planes[ends[1]]) > np.cos(SMOOTH)
    smooth &= ends[0] != ends[1]
    both = np.concatenate([np.stack(ends, axis=1)[smooth], np.stack(ends[::-1], axis=1)[smooth]])
    span = np.int64(len(planes) + 1)
    keys = distinct(both[:, 0] * span + both[:, 1])
    both = np.stack([keys // span, keys % span], axis=1)
    link_starts = starts_of(np.bincount(both[:, 0], minlength=len(planes)))
    return SmoothFacets(vertices, facet_of, planes, areas, centres, starts, members, link_starts, both[:, 1], exact)


def _flat(corners: Array, normals: Array, sizes: Array, solid: Bools, halves: tuple[Ints, Ints], exact: float) -> Ints:
    """(t,) facets: neighbours whose corners lie in each other's planes; where a chain of these bends, its triangles."""
    one, other = halves[0] // 3, halves[1] // 3
    flat = np.ones(len(one), dtype=bool)
    for mine, theirs, half in ((one, other, halves[1]), (other, one, halves[0])):
        opposite = corners[theirs, (half % 3 + 2) % 3]
        flat &= np.abs(dot(opposite - corners[mine, 0], normals[mine])) <= FLAT * exact
    flat &= dot(normals[one], normals[other]) > np.cos(SMOOTH)
    label = components_of(len(corners), one[flat], other[flat])
    planes, _, centres = _planes(label, normals, sizes, corners.mean(axis=1))
    stray = np.abs(dot(corners - centres[label][:, None], planes[label][:, None])).max(axis=1)
    bent = np.zeros(len(planes), dtype=bool)
    bent[label[solid & (stray > 10 * exact)]] = True
    label = np.where(bent[label], len(planes) + np.arange(len(label)), label)
    label[~solid] = -1
    there = np.zeros(int(label.max(initial=-1)) + 2, dtype=bool)
    there[label[solid]] = True
    label[solid] = (np.cumsum(there) - 1)[label[solid]]
    return label


def _planes(label: Ints, normals: Array, weights: Array, centres: Array) -> tuple[Array, Array, Array]:
    inside = np.flatnonzero(label >= 0)
    where, weight, count = label[inside], weights[inside], int(label.max(initial=-1)) + 1
    area = np.bincount(where, weight, count).astype(np.float64)

    def total(values: Array) -> Array:
        return np.stack([np.bincount(where, weight * values[inside, k], count) for k in range(3)], axis=1)

    return unit(total(normals)), area, total(centres) / np.maximum(area, np.finfo(float).tiny)[:, None]


def _corners(facet_of: Ints, triangles: Ints, twins: Ints, vertices: Array, exact: float) -> tuple[Ints, Ints]:
    """Corners of each facet, as runs, each once.

    Vertices within it, and those in the middle of one of its straight sides (T-junctions have such), are on its plane
    but not on what it stands for.
    """
    facet = np.repeat(facet_of, 3)
    rim = np.flatnonzero((facet >= 0) & ((twins < 0) | (facet != facet[twins])))
    tails, heads = triangles.ravel()[rim], triangles[:, [1, 2, 0]].ravel()[rim]
    span = np.int64(triangles.max(initial=0)) + 1
    leaving, coming = facet[rim] * span + tails, facet[rim] * span + heads
    by_tail, by_head = np.argsort(leaving, kind="stable"), np.argsort(coming, kind="stable")
    keys, begins, counts = np.unique(leaving[by_tail], return_index=True, return_counts=True)
    first = np.searchsorted(coming[by_head], keys)
    here, after = vertices[keys % span], vertices[heads[by_tail[begins]]]
    before = vertices[tails[by_head[np.minimum(first, len(by_head) - 1)]]]
    way = unit(after - before)
    arm = here - before
    along = dot(arm, way)
    off = arm - along[:, None] * way
    within = (along > 0) & (along < dot(after - before, way))
    straight = (counts == 1) & within & (dot(off, off) <= exact**2)
    kept = keys[~straight]
    count = int(facet_of.max(initial=-1)) + 1
    return starts_of(np.bincount(kept // span, minlength=count)), kept % span
