"""Parts that share space: which, and how deep."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import Any

import numpy as np

from falsework.geometry.shapes.erosion import eroded
from falsework.geometry.shapes.placed_solids import Scene, scene
from falsework.geometry.shapes.planes import cross, unit
from falsework.geometry.shapes.separation import MOST_AXES, depth_of_convex, distinct_axes, reach_along_facets
from falsework.geometry.shapes.solids import bulk
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.checkpoints import checkpoint
from falsework.model.errors import Overlap, shown
from falsework.model.shapes import Mesh

GRAZE_VOLUME = 1e-3  # of the smaller body's volume: corners graze by less; in published domes up to 2.5e-4
GRAZE_DEPTH = 6e-2  # of the side of a cube of that volume; in published domes up to 4.1e-2
CONVEX = 1e-4  # of a body's size: how far a vertex may stand before a facet of a convex body
MOST_CORNERS = 64  # vertices up to which a body is examined for being convex

log = logging.getLogger(__name__)


def refuse(assembly: Assembly, groups: Ints) -> None:
    """Overlap for the two bodies that reach deepest into each other, if deeper than the assembly allows.

    `groups` (bodies,): pairs of the same group ≥ 0 are not looked at.
    """
    found = penetrations(assembly, groups)
    if not found:
        return
    first, second, depth = max(found, key=lambda pair: pair[2])
    if depth > assembly.allow_overlap_m:
        names = assembly.bodies[first].name, assembly.bodies[second].name
        raise Overlap(*names, depth, assembly.allow_overlap_m)


def penetrations(assembly: Assembly, groups: Ints) -> list[tuple[int, int, float]]:
    """Pairs of bodies that share space, and how deep, sorted by bodies.

    Sharing space is to reach deeper than faces may be apart and touch (`Scene.gaps_m`: that is only how exactly a
    file was written), and more than corners that graze. Depth is the least motion that parts two convex bodies. Of
    others it is the thickness of what they share, the thickest piece of it: the lesser of its narrowest shadow and
    6 × volume / surface, which is the side of a cube and at most three times the thickness of a bent sheet.
    """
    if len(groups) < 2 or (groups[0] >= 0 and (groups == groups[0]).all()):
        return []
    placed = scene(assembly, groups)
    pairs, least = placed.pairs, placed.gaps_m
    common = (placed.highs[pairs].min(axis=1) - placed.lows[pairs].max(axis=1)).min(axis=1)
    pairs, least = pairs[common > least], least[common > least]
    reach = reach_along_facets(placed, pairs)
    pairs, least = pairs[reach > least], least[reach > least]
    moulded = np.array([assembly.bodies[body].mould is not None for body in placed.body.tolist()])
    solid = ~moulded[pairs].any(axis=1)  # moulds are filled where real parts are hollow
    pairs, least = pairs[solid], least[solid]
    names = [assembly.bodies[body].name for body in placed.body.tolist()]
    solids = {number: _Solid(placed, number, names[number]) for number in np.unique(pairs).tolist()}
    deepest: dict[tuple[int, int], float] = {}
    for (first, second), shallow in zip(pairs.tolist(), least.tolist(), strict=True):
        checkpoint()
        depth = _depth(solids[first], solids[second], shallow)
        bodies = int(placed.body[first]), int(placed.body[second])
        if depth > shallow:
            deepest[bodies] = max(depth, deepest.get(bodies, 0.0))
    return [(*bodies, depth) for bodies, depth in deepest.items()]


class _Solid:
    """One body, or the studs of one, with what finding its depth in another needs, made when asked for."""

    def __init__(self, placed: Scene, body: int, name: str) -> None:
        self.name = name
        begin, end = placed.vertex_starts[body : body + 2]
        self.vertices = placed.vertices[begin:end]
        rows = slice(*placed.triangle_starts[body : body + 2])
        self.triangles = placed.triangles[rows] - begin
        self.facet_of = placed.facets.facet_of[rows]
        self.facet_normals = placed.facets.normals
        facets = placed.facet_order[slice(*placed.facet_starts[body : body + 2])]
        self.normals = placed.facets.normals[facets]
        self.offsets = placed.facets.offsets[facets]
        self.made: dict[float, Any] = {}  # manifolds by the depth they are eroded to

    @cached_property
    def volume_m3(self) -> float:
        return bulk(Mesh(self.vertices, self.triangles)).volume_m3

    @cached_property
    def is_convex(self) -> bool:
        """All vertices lie behind all facets. Large bodies are not examined and count as not convex."""
        if len(self.vertices) > MOST_CORNERS:
            return False
        slack = CONVEX * float(np.linalg.norm(np.ptp(self.vertices, axis=0)))
        return bool((self.vertices @ self.normals.T <= self.offsets + slack).all())

    @cached_property
    def edges(self) -> Array:
        """(e, 3) distinct directions of its edges."""
        ends = self.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        return distinct_axes(unit(self.vertices[ends[:, 1]] - self.vertices[ends[:, 0]]))

    def manifold(self, depth_m: float) -> Any:
        """The body as manifold3d has it, eroded; empty, with a warning, where its surface is none of a solid."""
        import manifold3d

        if depth_m not in self.made:
            solid = self.facet_of >= 0
            normals = self.facet_normals[self.facet_of[solid]]
            vertices = np.ascontiguousarray(eroded(self.vertices, self.triangles[solid], normals, depth_m))
            triangles = np.ascontiguousarray(self.triangles, dtype=np.uint64)
            self.made[depth_m] = manifold3d.Manifold(manifold3d.Mesh64(vertices, triangles))
            if self.made[depth_m].status() != manifold3d.Error.NoError:
                log.warning("part %s: overlaps are not examined, its surface is not that of a solid", shown(self.name))
        return self.made[depth_m]


def _depth(first: _Solid, second: _Solid, least: float) -> float:
    """How deep two bodies reach into each other; zero if not deeper than `least`, or if they only graze.

    Both are eroded by half of `least` before they are intersected: faces that touch would leave flaps without volume.
    """
    convex = first.is_convex and second.is_convex
    depth = _depth_of_convex(first, second) if convex else 0.0
    if convex and depth <= least:
        return 0.0
    common = first.manifold(0.5 * least) ^ second.manifold(0.5 * least)
    if not convex and not common.is_empty():
        depth = max(_thickness(piece) + least for piece in common.decompose())
    smaller = min(first.volume_m3, second.volume_m3)
    grazes = common.volume() <= GRAZE_VOLUME * smaller and depth <= GRAZE_DEPTH * np.cbrt(smaller)
    return 0.0 if grazes else depth


def _depth_of_convex(first: _Solid, second: _Solid) -> float:
    axes = np.concatenate([first.normals, second.normals])
    return depth_of_convex(first.vertices, second.vertices, axes, (first.edges, second.edges))


def _thickness(piece: Any) -> float:
    """Of one connected piece of shared space."""
    mesh = piece.to_mesh64()
    vertices, triangles = np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts).astype(np.int64)
    corners = vertices[triangles]
    doubled = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(doubled, axis=1)
    largest = np.argsort(-sizes, kind="stable")[:MOST_AXES]
    shadows = np.ptp(vertices @ unit(doubled[largest]).T, axis=0)
    return float(min(shadows.min(), 6 * piece.volume() / max(0.5 * sizes.sum(), np.finfo(float).tiny)))
