"""Parts that share space: which, and how deep."""

from __future__ import annotations

import logging
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from falsework.geometry.contacts.curved.finding import facets_reach
from falsework.geometry.contacts.erosion import eroded
from falsework.geometry.contacts.repeats import distinct, repeats_of
from falsework.geometry.shapes.placed_solids import Scene, scene
from falsework.geometry.shapes.planes import TINY, cross, dot, unit
from falsework.geometry.shapes.sagittas import sagittas
from falsework.geometry.shapes.separation import MOST_AXES, depth_of_convex, distinct_axes, reach_along_facets
from falsework.geometry.shapes.solids import bulk
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.checkpoints import checkpoint
from falsework.model.errors import Overlap, shown
from falsework.model.lengths import length
from falsework.model.shapes import Mesh

GRAZE_VOLUME = 1e-3  # of the smaller body's volume: corners graze by less; in published domes up to 2.5e-4
GRAZE_DEPTH = 6e-2  # of the side of a cube of that volume; in published domes up to 4.1e-2
SHEET = 0.8  # of thickness × half of the surface: the volume of a flat sheet from here on; wedges have half of it
CONVEX = 1e-4  # of a body's size: how far a vertex may stand before a facet of a convex body
FIT = 1e-2  # of the thinner body's thickness: how deep fits are drawn; heavy press fits of steel are a fifth of that
MOST_TOLD = 5  # pairs that a message names
MOST_TIMES = 12.0  # fits: what is thicker than these is no fit, however it is measured
HALVINGS = 5  # of what is not known about the depth of a fit
MOST_CORNERS = 64  # vertices up to which a body is examined for being convex

log = logging.getLogger(__name__)


class Sharing(NamedTuple):
    """Two bodies that share space."""

    first: int
    second: int
    depth_m: float  # how deep they reach into each other
    facets_m: float  # how deep facets may reach that stand for curves which only touch
    fit_m: float  # how deep parts may reach that are drawn to fit

    @property
    def allowed_m(self) -> float:
        return self.facets_m + self.fit_m


def refuse(assembly: Assembly, groups: Ints) -> tuple[str, ...]:
    """Overlap for the two bodies that reach deepest into each other, of those that reach deeper than they may.

    What is accepted as a fit is returned in words. `groups` (bodies,): pairs of the same group ≥ 0 are not looked at.
    """
    allowed = assembly.allow_overlap_m
    found = sharings(assembly, groups)
    deep = [one for one in found if one.depth_m > max(one.allowed_m, allowed)]
    if deep:
        worst = max(deep, key=lambda one: one.depth_m)
        raise Overlap(assembly.bodies[worst.first].name, assembly.bodies[worst.second].name, worst.depth_m, allowed)
    fitted = sorted((one for one in found if one.depth_m > max(one.facets_m, allowed)), key=lambda one: -one.depth_m)
    if not fitted:
        return ()
    names = [f"{assembly.bodies[one.first].name} - {assembly.bodies[one.second].name}" for one in fitted]
    more = f" and {len(names) - MOST_TOLD} more pairs" if len(names) > MOST_TOLD else ""
    told = ", ".join(names[:MOST_TOLD]) + more
    return (f"parts overlap by up to {length(fitted[0].depth_m)}, taken for fits: {told}",)


def penetrations(assembly: Assembly, groups: Ints) -> list[tuple[int, int, float]]:
    """Pairs of bodies that share space, and how deep, sorted by bodies."""
    return [(one.first, one.second, one.depth_m) for one in sharings(assembly, groups)]


def sharings(assembly: Assembly, groups: Ints) -> tuple[Sharing, ...]:
    """Pairs of bodies that share space, how deep, and how deep they may, sorted by bodies.

    Sharing space is to reach deeper than faces may be apart and touch (`Scene.gaps_m`: that is only how exactly a
    file was written), and more than corners that graze. Depth is the least motion that parts two convex bodies. Of
    others it is the thickness of what they share, the thickest piece of it: the lesser of its narrowest shadow and
    6 × volume / surface, which is the side of a cube and at most three times the thickness of a bent sheet; where it
    matters, by how much both must be made smaller to come apart.

    A fit is drawn with parts that overlap, and curves are cut into facets that do. So a pair may share space up to a
    fraction of how thick the thinner body is, and to what the facets that meet there are off their curves.
    """
    return _sharings(assembly, np.asarray(groups, dtype=np.int64).tobytes())


@lru_cache(maxsize=2)  # whoever finds contacts asks after whoever refuses overlaps
def _sharings(assembly: Assembly, groups_of: bytes) -> tuple[Sharing, ...]:
    groups = np.frombuffer(groups_of, dtype=np.int64)
    if len(groups) < 2 or (groups[0] >= 0 and (groups == groups[0]).all()):
        return ()
    placed = distinct(assembly, scene(assembly, groups))
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
    deepest: dict[tuple[int, int], Sharing] = {}
    for (first, second), shallow in zip(pairs.tolist(), least.tolist(), strict=True):
        checkpoint()
        depth, facets, fit = _depth(solids[first], solids[second], shallow)
        if depth > max(shallow, facets):
            facets = max(facets, facets_reach(placed, first, second))
        bodies = int(placed.body[first]), int(placed.body[second])
        if depth > shallow and (bodies not in deepest or depth > deepest[bodies].depth_m):
            deepest[bodies] = Sharing(*bodies, depth, facets, fit)
    again = [(one.bodies, deepest[one.first]) for one in repeats_of(assembly) if one.first in deepest]
    deepest |= {bodies: first._replace(first=bodies[0], second=bodies[1]) for bodies, first in again}
    return tuple(deepest[bodies] for bodies in sorted(deepest))


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
        self.normals, self.centres = placed.facets.normals[facets], placed.facets.centres[facets]
        self.made: dict[float, Any] = {}  # manifolds by the depth they are eroded to

    @cached_property
    def volume_m3(self) -> float:
        return bulk(Mesh(self.vertices, self.triangles)).volume_m3

    @cached_property
    def thickness_m(self) -> float:
        """Twice the volume over the surface: how thick a plate is, and about the radius of a shaft."""
        corners = self.vertices[self.triangles]
        doubled = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        area = 0.5 * float(np.linalg.norm(doubled, axis=1).sum())
        return 2 * abs(self.volume_m3) / max(area, TINY)

    @cached_property
    def sagittas_m(self) -> Array:
        """(t,) how far the surfaces that triangles stand for may be from them."""
        return sagittas(self.vertices, self.triangles)

    @cached_property
    def is_convex(self) -> bool:
        """All vertices lie behind all facets. Large bodies are not examined and count as not convex."""
        if len(self.vertices) > MOST_CORNERS:
            return False
        slack = CONVEX * float(np.linalg.norm(np.ptp(self.vertices, axis=0)))
        offsets = dot(self.normals, self.centres)
        return bool((self.vertices @ self.normals.T <= offsets + slack).all())

    @cached_property
    def edges(self) -> Array:
        """(e, 3) distinct directions of its edges."""
        ends = self.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        return distinct_axes(unit(self.vertices[ends[:, 1]] - self.vertices[ends[:, 0]]))

    @cached_property
    def inward(self) -> Array:
        """(n, 3) by which vertices move when all faces move inward by one metre."""
        solid = self.facet_of >= 0
        normals = self.facet_normals[self.facet_of[solid]]
        return eroded(self.vertices, self.triangles[solid], normals, 1.0) - self.vertices

    def manifold(self, depth_m: float) -> Any:
        """The body as manifold3d has it, eroded; empty, with a warning, where its surface is none of a solid."""
        import manifold3d

        if depth_m not in self.made:
            self.made[depth_m] = self.eroded(depth_m)
            if self.made[depth_m].status() != manifold3d.Error.NoError:
                log.warning("part %s: overlaps are not examined, its surface is not that of a solid", shown(self.name))
        return self.made[depth_m]

    @cached_property
    def number(self) -> int:
        """By which manifold3d knows what came from this body."""
        import manifold3d

        return int(manifold3d.Manifold.reserve_ids(1))

    def eroded(self, depth_m: float) -> Any:
        """The body as manifold3d has it; its triangles are remembered by their numbers."""
        import manifold3d

        vertices = np.ascontiguousarray(self.vertices + depth_m * self.inward)
        triangles = np.ascontiguousarray(self.triangles, dtype=np.uint64)
        rows, run = np.arange(len(triangles), dtype=np.uint64), np.array([0, triangles.size], dtype=np.uint64)
        known = {"run_index": run, "run_original_id": np.array([self.number], dtype=np.uint32), "face_id": rows}
        return manifold3d.Manifold(manifold3d.Mesh64(vertices, triangles, **known))


def _depth(first: _Solid, second: _Solid, least: float) -> tuple[float, float, float]:
    """How deep two bodies reach into each other, and how deep their facets, and fits, may; zero if they only graze.

    Both are eroded by half of `least` before they are intersected: faces that touch would leave flaps without volume.
    """
    convex = first.is_convex and second.is_convex
    depth = _depth_of_convex(first, second) if convex else 0.0
    if convex and depth <= least:
        return 0.0, 0.0, 0.0
    common = first.manifold(0.5 * least) ^ second.manifold(0.5 * least)
    if not convex and not common.is_empty():
        depth = max(_thickness(piece) + least for piece in common.decompose())
    smaller = min(first.volume_m3, second.volume_m3)
    grazes = common.volume() <= GRAZE_VOLUME * smaller and depth <= GRAZE_DEPTH * np.cbrt(smaller)
    if depth <= least:
        return 0.0, 0.0, 0.0
    facets, fit = _facets_off(common, first, second), FIT * min(first.thickness_m, second.thickness_m)
    if grazes and not (depth <= facets + fit and any(_is_sheet(piece) for piece in common.decompose())):
        return 0.0, 0.0, 0.0
    if not convex and depth <= MOST_TIMES * (facets + fit):
        depth = _parting(first, second, least, depth)
    return depth, facets, fit


def _facets_off(common: Any, first: _Solid, second: _Solid) -> float:
    """How far the facets that bound what is shared may be from their curves, both bodies together, m."""
    mesh = common.to_mesh64()
    runs, begins, rows = (np.asarray(column) for column in (mesh.run_original_id, mesh.run_index, mesh.face_id))
    off = 0.0
    for solid in (first, second):
        met = [
            rows[int(begin) // 3 : int(end) // 3]
            for begin, end, run in zip(begins[:-1], begins[1:], runs, strict=True)
            if run == solid.number
        ]
        off += float(solid.sagittas_m[np.concatenate(met).astype(np.int64)].max(initial=0.0)) if met else 0.0
    return off


def _parting(first: _Solid, second: _Solid, least: float, most: float) -> float:
    """By how much two bodies must be made smaller to come apart, m, between two depths."""
    for _ in range(HALVINGS):
        middle = 0.5 * (least + most)
        shared = first.eroded(0.5 * middle) ^ second.eroded(0.5 * middle)
        if shared.is_empty():
            most = middle
        else:
            least = middle
    return most


def _depth_of_convex(first: _Solid, second: _Solid) -> float:
    axes = np.concatenate([first.normals, second.normals])
    return depth_of_convex(first.vertices, second.vertices, axes, (first.edges, second.edges))


def _is_sheet(piece: Any) -> bool:
    """Whether shared space lies between two faces, as of parts drawn a bit into each other; grazing shares wedges."""
    return bool(piece.volume() > SHEET * _thickness(piece) * 0.5 * piece.surface_area())


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
