"""Where curved surfaces that are no known form may touch: nearer than triangles are off what they stand for.

A torus that lies on a floor, or a freely curved shell, is known by its triangles alone, and these may end a little
above what the true surface touches. What might push there is told as it is: it never makes a thing stand, but while it
might hold it, nothing is said to fall (`AmbiguousContacts.between`). Where triangles do touch, their corners are on the
true surface, but of a facet that lies flat on something only a point is: its middle stands for it, and no more.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from falsework.geometry.contacts.curved.conforming import AROUND, thinned
from falsework.geometry.contacts.fits import fitted_scene
from falsework.geometry.contacts.fitted import without_moulds
from falsework.geometry.contacts.friction import friction_of
from falsework.geometry.contacts.grid_contacts import grid_groups
from falsework.geometry.contacts.repeats import with_repeats
from falsework.geometry.distance.surface import surface_of
from falsework.geometry.shapes.equal_shapes import as_moved
from falsework.geometry.shapes.placed_solids import Scene
from falsework.geometry.shapes.planes import cross, plane_axes, unit
from falsework.geometry.shapes.runs import starts_of
from falsework.geometry.shapes.sagittas import ARC, sagittas
from falsework.geometry.shapes.solids import outer_surface
from falsework.geometry.surfaces.freely_curved import freely_curved
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.checkpoints import checkpoint
from falsework.model.interfaces import AmbiguousContacts, Clutches, Interfaces, Patches
from falsework.model.shapes import BrickShape, Shape


class DoubtfulContacts:
    """Places where surfaces without a known form may touch something."""

    def find(self, assembly: Assembly, known: Interfaces) -> Interfaces:
        groups = grid_groups(assembly)
        if len(groups) < 2 or (groups[0] >= 0 and (groups == groups[0]).all()):
            return Interfaces.none()
        placed = without_moulds(assembly, fitted_scene(assembly, groups))
        found = []
        for pair in range(len(placed.pairs)):
            checkpoint()
            for side in (0, 1):
                found += _places(assembly, placed, pair, side)
        patches, doubtful = [one for one, _ in found], [other for _, other in found]
        all_found = Interfaces(
            Patches.joined([Patches.none(), *patches]),
            Clutches.none(),
            known.hinges,
            AmbiguousContacts.joined(doubtful),
        )
        return with_repeats(assembly, all_found)


def _places(assembly: Assembly, placed: Scene, pair: int, side: int) -> list[tuple[Patches, AmbiguousContacts]]:
    """Where triangles without a form, of one solid of a pair, touch the other, or come nearer than they are exact."""
    own, other = int(placed.pairs[pair, side]), int(placed.pairs[pair, 1 - side])
    shapes = placed.shapes[own], placed.shapes[other]
    if any(shape is None or isinstance(shape, BrickShape) for shape in shapes):
        return []
    alike = as_moved(placed.shapes)
    mine, theirs = (_off(moved.shape) for solid in (own, other) if (moved := alike[solid]) is not None)
    begin = placed.triangle_starts[own]
    rows = np.flatnonzero(mine > 0) + begin
    rows = rows[placed.facets.facet_of[rows] >= 0]
    gap = float(placed.gaps_m[pair])
    band = gap + float(mine.max(initial=0.0)) + float(theirs.max(initial=0.0))
    corners = placed.vertices[placed.triangles[rows]]
    near = (corners.min(axis=1) <= placed.highs[other] + band) & (corners.max(axis=1) >= placed.lows[other] - band)
    rows, corners = rows[near.all(axis=1)], corners[near.all(axis=1)]
    if not len(rows):
        return []
    points = np.concatenate([corners, corners.mean(axis=1, keepdims=True)], axis=1).reshape(-1, 3)
    which = np.repeat(rows, 4)
    pose = placed.poses[other]
    found = surface_of(shapes[1]).unsigned((points - pose[:3, 3]) @ pose[:3, :3], band)
    met = np.flatnonzero(np.isfinite(found.distances) & (found.faces >= 0))
    beyond = found.distances[met] > gap + mine[which[met] - begin] + theirs[found.faces[met]]
    met = met[~beyond]
    if not len(met):
        return []
    faces = placed.triangle_starts[other] + found.faces
    touched = _touched(placed, rows, (found.distances <= gap).reshape(-1, 4)[:, :3])
    onto = faces[4 * touched.row + touched.corner]
    ways = _normals(placed, rows[touched.row], onto, (mine, theirs), (own, other))
    patches = _patches(assembly, placed, pair, side, touched, ways)
    met = met[thinned(points[met], AROUND)]
    normals = _normals(placed, which[met], faces[met], (mine, theirs), (own, other))
    return [(patches, _contacts(assembly, placed, pair, side, points[met], normals))]


class _Touched(NamedTuple):
    """Points that stand for what touches, and a triangle and a corner that know the face there."""

    points: Array  # (k, 3)
    row: Ints  # (k,)
    corner: Ints  # (k,)


def _touched(placed: Scene, rows: Ints, corners: Bools) -> _Touched:
    """The middles of facets all corners of which touch, and other corners that do, each once."""
    facet = placed.facets.facet_of[rows]
    whole = np.bincount(facet[corners.all(axis=1)], minlength=len(placed.facets))
    of_all = placed.facets.facet_of[placed.facets.facet_of >= 0]
    whole = (whole > 0) & (whole == np.bincount(of_all, minlength=len(placed.facets)))
    lying, first = np.unique(facet[whole[facet]], return_index=True)
    first = np.flatnonzero(whole[facet])[first]
    vertices = placed.triangles[rows]
    row, corner = np.nonzero(corners & ~np.isin(vertices, vertices[whole[facet]]))
    _, once = np.unique(vertices[row, corner], return_index=True)
    row, corner = row[once], corner[once]
    return _Touched(
        np.concatenate([placed.facets.centres[lying], placed.vertices[vertices[row, corner]]]),
        np.concatenate([first, row]),
        np.concatenate([np.zeros(len(first), dtype=np.int64), corner]),
    )


def _patches(
    assembly: Assembly, placed: Scene, pair: int, side: int, touched: _Touched, normals: list[Array]
) -> Patches:
    """One-point patches, with the middle of what normals there may be."""
    if not normals:
        return Patches.none()
    bodies = np.repeat(placed.body[placed.pairs[pair]][None], len(normals), axis=0)
    ways = unit(np.array([each.mean(axis=0) for each in normals])) * (1.0 if side == 0 else -1.0)
    count = np.arange(len(normals) + 1)
    return Patches(bodies, ways, friction_of(assembly, bodies, ways), count, touched.points)


@lru_cache(maxsize=4096)
def _off(shape: Shape) -> Array:
    """(t,) how far the triangles of a shape may be off a free form, m; 0 of all that stand for none."""
    mesh = outer_surface(shape)
    off = sagittas(mesh.vertices, mesh.triangles)
    off[~freely_curved(shape)] = 0.0
    return off


def _normals(
    placed: Scene, ones: Ints, others: Ints, offs: tuple[Array, Array], solids: tuple[int, int]
) -> list[Array]:
    """For each place normals out of the first solid: of the flatter side, and as much aside as that is bent."""
    sides = []
    for triangles, off, solid, sign in zip((ones, others), offs, solids, (1.0, -1.0), strict=True):
        corners = placed.vertices[placed.triangles[triangles]]
        doubled = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        wide = np.sqrt(np.linalg.norm(doubled, axis=1))
        sides.append((sign * unit(doubled), ARC * off[triangles - placed.triangle_starts[solid]] / wide))
    made = []
    for k in range(len(ones)):
        normal, bend = min(((normals[k], float(bends[k])) for normals, bends in sides), key=lambda side: side[1])
        u, v = (way[0] for way in plane_axes(normal[None]))
        spread = np.tan(min(bend, 0.5))
        aside = [normal + spread * way for way in (u, -u, v, -v)] if spread > 0 else [normal]
        made.append(unit(np.array(aside)))
    return made


def _contacts(
    assembly: Assembly, placed: Scene, pair: int, side: int, points: Array, normals: list[Array]
) -> AmbiguousContacts:
    bodies = np.repeat(placed.body[placed.pairs[pair]][None], len(points), axis=0)
    outward = np.concatenate(normals) * (1.0 if side == 0 else -1.0)
    counts = np.array([len(each) for each in normals])
    first = outward[starts_of(counts)[:-1]]
    return AmbiguousContacts(
        bodies,
        friction_of(assembly, bodies, first),
        np.arange(len(points) + 1),
        points,
        starts_of(counts),
        outward,
        np.ones(len(points), dtype=bool),
    )
