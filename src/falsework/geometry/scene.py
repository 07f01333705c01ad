"""The parts of an assembly in the world, as arrays over all of them, and which are near each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from falsework.geometry.facets import Facets, facets_of
from falsework.geometry.runs import starts_of
from falsework.geometry.solids import surface
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly

GAP = 1e-4  # of the assembly's size: faces nearer than this touch
PART_GAP = 1e-3  # of the smaller part's size: but no further apart than this, however large the assembly


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Surfaces in world coordinates, of the bodies that have a neighbour; the others own no rows."""

    size_m: float  # diameter of the assembly about its middle, the ground not counted
    pairs: Ints  # (k, 2) bodies whose boxes nearly meet, first < second, sorted
    gaps_m: Array  # (k,) how far apart faces of a pair may be and still touch
    sinks_m: Array  # (k,) how far they may have sunk into each other: the gap, or the overlap allowed
    vertices: Array  # (n, 3)
    vertex_starts: Ints  # (bodies + 1,)
    triangles: Ints  # (t, 3)
    triangle_starts: Ints  # (bodies + 1,)
    lows: Array  # (bodies, 3) boxes along the axes
    highs: Array  # (bodies, 3)
    facets: Facets
    facet_order: Ints  # (f,) facets sorted by body
    facet_starts: Ints  # (bodies + 1,) into facet_order
    facet_lows: Array  # (f, 3) boxes along the axes
    facet_highs: Array  # (f, 3)


def scene(assembly: Assembly, groups: Ints) -> Scene:
    """The scene of an assembly; bodies of one group ≥ 0 are no neighbours."""
    return _scene(assembly, np.asarray(groups, dtype=np.int64).tobytes())


@lru_cache(maxsize=2)  # contacts and overlaps ask for the same one after the other
def _scene(assembly: Assembly, groups: bytes) -> Scene:
    bodies = assembly.bodies
    meshes = [surface(body.shape) for body in bodies]
    vertex_starts = starts_of(np.array([len(mesh.vertices) for mesh in meshes]))
    owner = np.repeat(np.arange(len(bodies)), np.diff(vertex_starts))
    local = np.concatenate([mesh.vertices for mesh in meshes])
    poses = assembly.poses
    vertices = np.einsum("nij,nj->ni", poses[owner, :3, :3], local) + poses[owner, :3, 3]
    lows, highs = np.minimum.reduceat(vertices, vertex_starts[:-1]), np.maximum.reduceat(vertices, vertex_starts[:-1])
    size = _diameter(assembly, vertices[: vertex_starts[len(assembly.parts)]])
    pairs = near_pairs(lows, highs, GAP * size)
    group = np.frombuffer(groups, dtype=np.int64)
    pairs = pairs[(group[pairs[:, 0]] < 0) | (group[pairs[:, 0]] != group[pairs[:, 1]])]
    involved = np.isin(np.arange(len(bodies)), pairs)
    counts = np.where(involved, [len(mesh.triangles) for mesh in meshes], 0)
    chosen = [meshes[k].triangles + vertex_starts[k] for k in np.flatnonzero(involved)]
    triangles = np.concatenate([np.zeros((0, 3), dtype=np.int64), *chosen])
    reach = np.maximum.reduceat(((vertices - assembly.coms_m[owner]) ** 2).sum(axis=1), vertex_starts[:-1])
    gaps = np.minimum(GAP * size, PART_GAP * 2 * np.sqrt(reach))  # (bodies,)
    body = np.repeat(np.arange(len(bodies)), counts)
    found = facets_of(vertices, triangles, gaps[body])
    order, facet_starts, facet_lows, facet_highs = _by_body(found, vertices[triangles], body, len(bodies))
    return Scene(
        size_m=size,
        pairs=pairs,
        gaps_m=gaps[pairs].min(axis=1),
        sinks_m=np.maximum(gaps[pairs].min(axis=1), assembly.allow_overlap_m),
        vertices=vertices,
        vertex_starts=vertex_starts,
        triangles=triangles,
        triangle_starts=starts_of(counts),
        lows=lows,
        highs=highs,
        facets=found,
        facet_order=order,
        facet_starts=facet_starts,
        facet_lows=facet_lows,
        facet_highs=facet_highs,
    )


def _by_body(found: Facets, corners: Array, body: Ints, bodies: int) -> tuple[Ints, Ints, Array, Array]:
    """Facets sorted by body, where each body's start, and the boxes of all facets, from triangles (t, 3, 3)."""
    solid = np.flatnonzero(found.facet_of >= 0)
    solid = solid[np.argsort(found.facet_of[solid], kind="stable")]
    first = np.searchsorted(found.facet_of[solid], np.arange(len(found)))
    owner = body[solid[first]]
    starts = starts_of(np.bincount(owner, minlength=bodies))
    if not len(found):
        return first, starts, found.centres, found.centres
    lows = np.minimum.reduceat(corners[solid].min(axis=1), first)
    highs = np.maximum.reduceat(corners[solid].max(axis=1), first)
    return np.argsort(owner, kind="stable"), starts, lows, highs


def _diameter(assembly: Assembly, vertices: Array) -> float:
    """Twice the reach of the parts about the mean of their centres: the same however they are turned or ordered."""
    middle = assembly.coms_m[: len(assembly.parts)].mean(axis=0)
    return 2 * float(np.sqrt(((vertices - middle) ** 2).sum(axis=1).max()))


def diameter(assembly: Assembly) -> float:
    """The size of an assembly, in metres, of which its tolerances are fractions."""
    placed = [
        surface(part.shape).vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3] for part in assembly.parts
    ]
    return _diameter(assembly, np.concatenate(placed))


def near_pairs(lows: Array, highs: Array, margin: float) -> Ints:
    """(k, 2) boxes (n, 3) that come within the margin of each other along every axis, first < second, sorted."""
    pairs = near_between((lows, highs), (lows, highs), margin)
    return pairs[pairs[:, 0] < pairs[:, 1]]


def near_between(ones: tuple[Array, Array], others: tuple[Array, Array], margin: float) -> Ints:
    """(k, 2) numbers of boxes, lows and highs (n, 3) and (m, 3), that come within the margin, sorted."""
    import shapely

    a, b, c = np.argsort(-np.ptp(others[0] + others[1], axis=0), kind="stable")  # the two widest axes first
    low, high = ones[0] - margin, ones[1] + margin
    tree = shapely.STRtree(shapely.box(others[0][:, a], others[0][:, b], others[1][:, a], others[1][:, b]))
    one, other = tree.query(shapely.box(low[:, a], low[:, b], high[:, a], high[:, b]))
    near = (low[one, c] <= others[1][other, c]) & (others[0][other, c] <= high[one, c])
    pairs = np.stack([one[near], other[near]], axis=1).astype(np.int64)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
