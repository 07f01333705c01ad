"""Where facets of two bodies lie on each other: polygons in a plane between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.geometry.planes import plane_axes, unit
from falsework.geometry.runs import rows_of, starts_of
from falsework.geometry.scene import Scene
from falsework.model.arrays import Array, Ints

Figures = npt.NDArray[Any]  # of shapely geometries
SHAPELY_POLYGON = 3
LEAN = 1e-2  # rad: normals of touching facets may differ by this from opposite; within it, the gap decides


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """Connected overlaps of facet pairs."""

    pair: Ints  # (r,) index into Scene.pairs
    normals: Array  # (r, 3) of the plane between the two facets, from the first body into the second
    centres: Array  # (r, 3) on that plane
    areas: Array  # (r,)
    widths: Array  # (r,) about how wide the narrow ones are
    starts: Ints  # (r + 1,)
    points: Array  # (p, 3) outline, on that plane


def regions(scene: Scene, pair: Ints, first: Ints, second: Ints) -> Regions:
    """What facets `first` and `second` (m,) of bodies `pair` (m,) have in common, but for open wedges.

    Left out, too, is what is narrower than files say where an edge is: corners on edges, for `corner_contacts`.
    Both facets are projected along the mean of their normals, so that neither is preferred.
    """
    import shapely

    planes = scene.facets
    normals = unit(planes.normals[first] - planes.normals[second])
    origins = 0.5 * (planes.centres[first] + planes.centres[second])
    axes = np.stack(plane_axes(normals), axis=2)  # (m, 3, 2)
    common = shapely.intersection(_figures(scene, first, origins, axes), _figures(scene, second, origins, axes))
    pieces, which = shapely.get_parts(common, return_index=True)
    thick = 2 * shapely.area(pieces) > scene.blurs_m[pair[which]] * shapely.length(pieces)
    thick &= shapely.get_type_id(pieces) == SHAPELY_POLYGON
    pieces, which = pieces[thick], which[thick]
    flat, owner = shapely.get_coordinates(shapely.get_exterior_ring(pieces), return_index=True)
    centroids = shapely.get_coordinates(shapely.centroid(pieces))
    points = origins[which][owner] + np.einsum("pij,pj->pi", axes[which][owner], flat)
    centres = origins[which] + np.einsum("rij,rj->ri", axes[which], centroids)
    rise, gap = _heights(scene, first[which][owner], second[which][owner], points)
    starts = starts_of(np.bincount(owner, minlength=len(pieces)))
    at = pair[which][owner]
    apart = np.maximum(gap / scene.gaps_m[at], -gap / scene.sinks_m[at])
    touching = np.maximum.reduceat(apart, starts[:-1]) <= 1 if len(pieces) else thick[:0]
    shift = np.bincount(owner, weights=rise, minlength=len(pieces)) / np.diff(starts)
    normals, areas = normals[which], shapely.area(pieces)
    kept = np.flatnonzero(touching)
    rows, _ = rows_of(starts, kept)
    points = points + (shift[:, None] * normals)[owner]
    centres = centres + shift[:, None] * normals
    counts = np.diff(starts)[kept]
    widths = 2 * areas[kept] / shapely.length(pieces[kept])
    starts = starts_of(counts)
    return Regions(pair[which[kept]], normals[kept], centres[kept], areas[kept], widths, starts, points[rows])


def _heights(scene: Scene, first: Ints, second: Ints, points: Array) -> tuple[Array, Array]:
    """How far the middle between two planes is above points, along the first's normal, and how far they are apart."""
    planes = scene.facets
    above = ((points - planes.centres[first]) * planes.normals[first]).sum(axis=1)
    below = ((points - planes.centres[second]) * planes.normals[second]).sum(axis=1)
    return 0.5 * (below - above), above + below


def _figures(scene: Scene, facet: Ints, origins: Array, axes: Array) -> Figures:
    """Facets (m,) as polygons with holes, each in its own frame: origins (m, 3), axes (m, 3, 2)."""
    import shapely

    found = scene.facets
    loop_ranges = np.searchsorted(found.loop_facets, np.arange(len(found) + 1))
    loops, figure = rows_of(loop_ranges, facet)
    rows, loop = rows_of(found.loop_starts, loops)
    arms = scene.vertices[found.loop_vertices[rows]] - origins[figure[loop]]
    flat = np.einsum("pij,pi->pj", axes[figure[loop]], arms)
    figures: Figures = shapely.polygons(shapely.linearrings(flat, indices=loop), indices=figure)
    touching_itself = ~shapely.is_valid(figures)  # a hole that meets the outline, a slit
    figures[touching_itself] = shapely.buffer(figures[touching_itself], 0)
    return figures
