"""Where facets of two bodies lie on each other: polygons in a plane between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.geometry.contacts.flat.convex_clip import clipped, convex_loops
from falsework.geometry.shapes.placed_solids import Scene
from falsework.geometry.shapes.planes import TINY, dot, plane_axes, unit
from falsework.geometry.shapes.runs import rows_of, starts_of, successors
from falsework.model.arrays import Array, Bools, Ints

Figures = npt.NDArray[Any]  # of shapely geometries
SHAPELY_POLYGON = 3
GRID = 1e-12  # of the facets' size
DENTED = 1e-12  # of a polygon's hull: what is not convex lacks more


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """Connected overlaps of facet pairs."""

    pair: Ints  # (r,) index into Scene.pairs
    normals: Array  # (r, 3) of the plane between the two facets, from the first body into the second
    centres: Array  # (r, 3) on that plane
    areas: Array  # (r,)
    widths: Array  # (r,) about how wide the narrow ones are
    misfits: Array  # (r,) how far apart or sunk into each other the facets are there, at most, and how warped
    apart_m: Array  # (r,) how far the facets are apart where they are furthest; negative: sunk into each other
    starts: Ints  # (r + 1,)
    points: Array  # (p, 3) outline, on that plane

    @staticmethod
    def none() -> Regions:
        nowhere, nothing = np.zeros((0, 3)), np.zeros(0)
        starts = np.zeros(1, dtype=np.int64)
        return Regions(starts[:0], nowhere, nowhere, nothing, nothing, nothing, nothing, starts, nowhere)

    def chosen(self, which: Bools) -> Regions:
        """Some of them."""
        rows = np.flatnonzero(which)
        return Regions(
            self.pair[rows],
            self.normals[rows],
            self.centres[rows],
            self.areas[rows],
            self.widths[rows],
            self.misfits[rows],
            self.apart_m[rows],
            starts_of(np.diff(self.starts)[rows]),
            self.points[rows_of(self.starts, rows)[0]],
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Shared:
    """Polygons that two facets have in common, flat in their plane."""

    which: Ints  # (r,) the pair of facets, by row
    starts: Ints  # (r + 1,)
    points: Array  # (p, 2) outline
    centres: Array  # (r, 2)
    areas: Array  # (r,) without holes
    lengths: Array  # (r,) of outline and holes


def regions(scene: Scene, pair: Ints, first: Ints, second: Ints) -> Regions:
    """What facets `first` and `second` (m,) of bodies `pair` (m,) have in common, but for open wedges.

    Left out, too, is what is no wider than rounding. Both facets are projected along the mean of their normals, so
    that neither is preferred.
    """
    planes = scene.facets
    normals = unit(planes.normals[first] - planes.normals[second])
    frames = _Frames(scene, 0.5 * (planes.centres[first] + planes.centres[second]), normals)
    convex = _convex(scene)
    both = convex[first] & convex[second]
    easy, hard = np.flatnonzero(both), np.flatnonzero(~both)
    parts = [_shared_of_convex(frames, easy, first[easy], second[easy])]
    if len(hard):
        parts.append(_shared(frames, hard, first[hard], second[hard], scene.blurs_m[pair[hard]]))
    found = _thick(_in_order(parts), scene.roundings_m[pair])
    return _touching(scene, frames, found, pair, first, second)


class _Frames:
    """Planes in which facets are looked at."""

    def __init__(self, scene: Scene, origins: Array, normals: Array) -> None:
        self.scene, self.origins, self.normals = scene, origins, normals  # origins (m, 3), normals (m, 3)
        self.axes = np.stack(plane_axes(normals), axis=2)  # (m, 3, 2)

    def loops(self, rows: Ints, facet: Ints) -> tuple[Ints, Ints, Array]:
        """The loops of facets (k,) in planes `rows` (k,): which facet each is of, starts, and points (p, 2)."""
        found = self.scene.facets
        ranges = np.searchsorted(found.loop_facets, np.arange(len(found) + 1))
        loops, figure = rows_of(ranges, facet)
        corners, loop = rows_of(found.loop_starts, loops)
        frame = rows[figure[loop]]
        arms = self.scene.vertices[found.loop_vertices[corners]] - self.origins[frame]
        flat = np.einsum("pij,pi->pj", self.axes[frame], arms)
        return figure, starts_of(np.diff(found.loop_starts)[loops]), flat

    def lifted(self, frame: Ints, flat: Array) -> Array:
        """(n, 3) where points (n, 2) of frames (n,) are in space."""
        placed: Array = self.origins[frame] + np.einsum("pij,pj->pi", self.axes[frame], flat)
        return placed


@lru_cache(maxsize=2)  # asked for some pairs of facets at a time
def _convex(scene: Scene) -> Bools:
    """(f,) facets with one loop that turns one way."""
    found = scene.facets
    loops = convex_loops(found.loop_starts, scene.vertices[found.loop_vertices], found.normals[found.loop_facets])
    convex: Bools = np.bincount(found.loop_facets, minlength=len(found)) == 1
    convex[found.loop_facets[~loops]] = False
    return convex


def _shared_of_convex(frames: _Frames, rows: Ints, first: Ints, second: Ints) -> _Shared:
    _, starts, flat = frames.loops(rows, first)
    _, others, behind = frames.loops(rows, second)
    backward = np.repeat(others[:-1] + others[1:] - 1, np.diff(others)) - np.arange(len(behind))
    starts, points = clipped((starts, flat), (others, behind[backward]))  # seen from one side, the second winds back
    left = np.flatnonzero(np.diff(starts) > 2)
    points = points[rows_of(starts, left)[0]]
    starts = starts_of(np.diff(starts)[left])
    owner = np.repeat(np.arange(len(left)), np.diff(starts))
    base = points[starts[:-1]]
    arms, ahead = points - base[owner], successors(starts)
    doubled = arms[:, 0] * arms[ahead, 1] - arms[:, 1] * arms[ahead, 0]

    def total(values: Array) -> Array:
        return np.bincount(owner, weights=values, minlength=len(left)).astype(np.float64)

    areas, lengths = 0.5 * total(doubled), total(np.linalg.norm(points[ahead] - points, axis=1))
    moments = (arms + arms[ahead]) * doubled[:, None] / 6
    centres = base + np.stack([total(moments[:, 0]), total(moments[:, 1])], axis=1) / np.maximum(areas, TINY)[:, None]
    return _Shared(rows[left], starts, points, centres, areas, lengths)


def _shared(frames: _Frames, rows: Ints, first: Ints, second: Ints, blurs_m: Array) -> _Shared:
    """Of facets that are not convex. On a fine grid no polygon is lost to rounding, so all are made of one size."""
    import shapely

    loops = [frames.loops(rows, facet) for facet in (first, second)]
    size = np.zeros(len(rows))
    for figure, starts, flat in loops:
        np.maximum.at(size, np.repeat(figure, np.diff(starts)), np.abs(flat).max(axis=1))
    ones, others = (
        _figures(figure, starts, flat / size[np.repeat(figure, np.diff(starts))][:, None])
        for figure, starts, flat in loops
    )
    common, row = _tails_apart(shapely.intersection(ones, others, grid_size=GRID), blurs_m / size)
    pieces, which = shapely.get_parts(common, return_index=True)
    which = row[which]
    solid = (shapely.get_type_id(pieces) == SHAPELY_POLYGON) & (shapely.area(pieces) > 0)
    pieces, which = pieces[solid], which[solid]
    points, owner = shapely.get_coordinates(shapely.get_exterior_ring(pieces), return_index=True)
    centres = shapely.get_coordinates(shapely.centroid(pieces))
    scale = size[which]
    return _Shared(
        rows[which],
        starts_of(np.bincount(owner, minlength=len(pieces))),
        points * scale[owner][:, None],
        centres * scale[:, None],
        shapely.area(pieces) * scale**2,
        shapely.length(pieces) * scale,
    )


def _tails_apart(figures: Figures, width: Array) -> tuple[Figures, Ints]:
    """Figures, and the figure (k,) each is of, those apart that are narrower than `width` (k,): where edges nearly
    meet, strips hang on to what is common, which may or may not touch (`resolution`).
    """
    import shapely

    dented = np.flatnonzero(shapely.area(figures) < (1 - DENTED) * shapely.area(shapely.convex_hull(figures)))
    shrunk = shapely.buffer(figures[dented], -0.5 * width[dented], join_style="mitre")
    broad = shapely.buffer(shrunk, 0.5 * width[dented], join_style="mitre")
    tails = shapely.difference(shapely.buffer(figures[dented], 0), broad, grid_size=GRID)  # of areas, without lines
    figures[dented] = broad
    return np.concatenate([figures, tails]), np.concatenate([np.arange(len(figures)), dented])


def _figures(figure: Ints, starts: Ints, flat: Array) -> Figures:
    """Polygons with holes, from loops and the polygon that each is of."""
    import shapely

    rings = shapely.linearrings(flat, indices=np.repeat(np.arange(len(figure)), np.diff(starts)))
    figures: Figures = shapely.polygons(rings, indices=figure)
    touching_itself = ~shapely.is_valid(figures)  # a hole that meets the outline, a slit
    figures[touching_itself] = shapely.buffer(figures[touching_itself], 0)
    return figures


def _in_order(tables: list[_Shared]) -> _Shared:
    """Tables as one, by pair of facets."""
    none = _Shared(np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64), *_NOTHING)
    tables = [none, *tables]
    which = np.concatenate([table.which for table in tables])
    starts = starts_of(np.concatenate([np.diff(table.starts) for table in tables]))
    points = np.concatenate([table.points for table in tables])
    centres = np.concatenate([table.centres for table in tables])
    areas = np.concatenate([table.areas for table in tables])
    lengths = np.concatenate([table.lengths for table in tables])
    return _chosen(_Shared(which, starts, points, centres, areas, lengths), np.argsort(which, kind="stable"))


_NOTHING = np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), np.zeros(0)


def _chosen(found: _Shared, rows: Ints) -> _Shared:
    points, starts = found.points[rows_of(found.starts, rows)[0]], starts_of(np.diff(found.starts)[rows])
    return _Shared(found.which[rows], starts, points, found.centres[rows], found.areas[rows], found.lengths[rows])


def _thick(found: _Shared, least_m: Array) -> _Shared:
    return _chosen(found, np.flatnonzero(2 * found.areas > least_m[found.which] * found.lengths))


def _touching(scene: Scene, frames: _Frames, found: _Shared, pair: Ints, first: Ints, second: Ints) -> Regions:
    """In space, on the middle plane, those along which the facets are nowhere too far apart."""
    owner = np.repeat(np.arange(len(found.which)), np.diff(found.starts))
    which = found.which
    points, centres = frames.lifted(which[owner], found.points), frames.lifted(which, found.centres)
    rise, gap = _heights(scene, first[which][owner], second[which][owner], points)
    at = pair[which][owner]
    apart = np.maximum(gap / scene.gaps_m[at], -gap / scene.sinks_m[at])
    touching = np.ones(len(which), dtype=bool)
    np.logical_and.at(touching, owner, apart <= 1)
    misfits, warps = np.zeros(len(which)), _warps(scene)
    np.maximum.at(misfits, owner, np.abs(gap))
    misfits += warps[first[which]] + warps[second[which]]
    shift = np.bincount(owner, weights=rise, minlength=len(which)) / np.diff(found.starts)
    normals = frames.normals[which]
    points, centres = points + (shift[:, None] * normals)[owner], centres + shift[:, None] * normals
    widest = np.lexsort((np.abs(gap), owner))[found.starts[1:] - 1]  # of each region the corner that decides
    kept = np.flatnonzero(touching)
    rows, _ = rows_of(found.starts, kept)
    areas = found.areas[kept]
    widths = 2 * areas / found.lengths[kept]
    starts = starts_of(np.diff(found.starts)[kept])
    sizes = areas, widths, misfits[kept], gap[widest[kept]]
    return Regions(pair[which[kept]], normals[kept], centres[kept], *sizes, starts, points[rows])


@lru_cache(maxsize=2)
def _warps(scene: Scene) -> Array:
    """(f,) how far corners of facets are from their planes, at most."""
    found = scene.facets
    facet = np.repeat(found.loop_facets, np.diff(found.loop_starts))
    arms = scene.vertices[found.loop_vertices] - found.centres[facet]
    warps = np.zeros(len(found))
    np.maximum.at(warps, facet, np.abs(dot(arms, found.normals[facet])))
    return warps


def _heights(scene: Scene, first: Ints, second: Ints, points: Array) -> tuple[Array, Array]:
    """How far the middle between two planes is above points, along the first's normal, and how far they are apart."""
    planes = scene.facets
    above = dot(points - planes.centres[first], planes.normals[first])
    below = dot(points - planes.centres[second], planes.normals[second])
    return 0.5 * (below - above), above + below
