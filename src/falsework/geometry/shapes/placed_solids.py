"""The parts of an assembly in the world, as arrays over all of them, and which are near each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from falsework.geometry.shapes.equal_shapes import Moved, as_moved, is_compared
from falsework.geometry.shapes.facets import Facets
from falsework.geometry.shapes.fittings import fitted_pairs
from falsework.geometry.shapes.lattice import grids_of, lattices
from falsework.geometry.shapes.moved_facets import Copy, facets_once
from falsework.geometry.shapes.runs import starts_of
from falsework.geometry.shapes.solids import outer_surface, surface
from falsework.geometry.shapes.studs import in_holes, studs_near_others
from falsework.geometry.shapes.tolerances import LEAN, MOST_LEAN, bulge_m, gaps_of, usual_gaps
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.shapes import Shape

BLUR = 1e-4  # of the smaller part's size: how exactly files say where an edge is, at least
ROUNDING = 1e-9  # of the coordinates: what is narrower is nothing


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Surfaces in world coordinates, of the solids that have a neighbour; the others own no rows.

    Solids are the bodies in their order, then the studs of bricks that parts off their grid come near (`studs`).
    """

    size_m: float  # diameter of the assembly about its middle, the ground not counted
    body: Ints  # (solids,) the body that each solid belongs to
    pairs: Ints  # (k, 2) solids whose boxes nearly meet, first body < second body, sorted by bodies
    gaps_m: Array  # (k,) how far apart faces of a pair may be and still touch
    leans: Array  # (k,) rad by which their normals may differ from opposite; within it, the gap decides
    nears_m: Array  # (k,) corners and edges, seen along a normal, this near to each other are in one place
    sinks_m: Array  # (k,) how far they may have sunk into each other: the gap, or the overlap allowed
    blurs_m: Array  # (k,) what of a pair lies further from an edge than this does not lie on it, however bad the file
    roundings_m: Array  # (k,) what lies nearer to it does
    vertices: Array  # (n, 3)
    vertex_starts: Ints  # (solids + 1,)
    triangles: Ints  # (t, 3)
    triangle_starts: Ints  # (solids + 1,)
    lows: Array  # (solids, 3) boxes along the axes
    highs: Array  # (solids, 3)
    facets: Facets
    facet_order: Ints  # (f,) facets sorted by solid
    facet_starts: Ints  # (solids + 1,) into facet_order
    facet_lows: Array  # (f, 3) boxes along the axes
    facet_highs: Array  # (f, 3)
    shapes: tuple[Shape | None, ...]  # (solids,) in the part's frame; none of studs
    poses: Array  # (solids, 4, 4) T_world_part

    def with_pairs(self, which: Bools) -> Scene:
        """The same with some of the pairs only."""
        return replace(
            self,
            pairs=self.pairs[which],
            gaps_m=self.gaps_m[which],
            leans=self.leans[which],
            nears_m=self.nears_m[which],
            sinks_m=self.sinks_m[which],
            blurs_m=self.blurs_m[which],
            roundings_m=self.roundings_m[which],
        )


def scene(assembly: Assembly, groups: Ints) -> Scene:
    """The scene of an assembly; bodies of one group ≥ 0 are no neighbours."""
    return _scene(assembly, np.asarray(groups, dtype=np.int64).tobytes())


@lru_cache(maxsize=2)  # contacts and overlaps ask for the same one after the other
def _scene(assembly: Assembly, groups: bytes) -> Scene:
    solids = _solids(assembly)
    counted = [len(mesh.vertices) for mesh in solids.meshes]
    vertex_starts = starts_of(np.array(counted))
    vertices = np.concatenate([mesh.vertices for mesh in solids.meshes])
    lows, highs = np.minimum.reduceat(vertices, vertex_starts[:-1]), np.maximum.reduceat(vertices, vertex_starts[:-1])
    shapes = (*(body.shape for body in assembly.bodies), *(None for _ in solids.studs))
    alike = as_moved(shapes)
    bulges = np.array([0.0 if moved is None else bulge_m(moved.shape) for moved in alike])[:, None]
    pairs = _neighbours(solids, lows - bulges, highs + bulges, np.frombuffer(groups, dtype=np.int64))
    boxes = lows, highs
    pairs = pairs[[not _seated(assembly, solids, boxes, *pair) for pair in pairs.tolist()]] if len(pairs) else pairs
    involved = np.isin(np.arange(len(solids.meshes)), pairs)
    counts = np.where(involved, [len(mesh.triangles) for mesh in solids.meshes], 0)
    chosen = [solids.meshes[k].triangles + vertex_starts[k] for k in np.flatnonzero(involved)]
    triangles = np.concatenate([np.zeros((0, 3), dtype=np.int64), *chosen])
    usual = usual_gaps(solids.sizes_m)[solids.body]
    blurs = BLUR * solids.sizes_m[solids.body[pairs]].min(axis=1)
    solid = np.repeat(np.arange(len(solids.meshes)), counts)
    poses = assembly.poses[solids.body]
    starts = starts_of(counts)
    found = facets_once(vertices, triangles, usual[solid], (vertex_starts, starts), _copies(alike, poses, involved))
    gaps = solids.gaps_m[solids.body][pairs].min(axis=1)
    order, facet_starts, facet_lows, facet_highs = _by_body(found, vertices[triangles], solid, len(solids.meshes))
    return Scene(
        size_m=solids.size_m,
        body=solids.body,
        pairs=pairs,
        gaps_m=gaps,
        leans=np.full(len(pairs), LEAN if assembly.gap_m is None else MOST_LEAN),
        nears_m=np.minimum(gaps, usual[pairs].min(axis=1)),
        sinks_m=np.maximum(gaps, assembly.allow_overlap_m),
        blurs_m=blurs,
        roundings_m=np.minimum(blurs, ROUNDING * solids.reaches_m[solids.body[pairs]].max(axis=1)),
        vertices=vertices,
        vertex_starts=vertex_starts,
        triangles=triangles,
        triangle_starts=starts,
        lows=lows,
        highs=highs,
        facets=found,
        facet_order=order,
        facet_starts=facet_starts,
        facet_lows=facet_lows,
        facet_highs=facet_highs,
        shapes=shapes,
        poses=poses,
    )


def _copies(alike: tuple[Moved | None, ...], poses: Array, involved: Bools) -> list[Copy]:
    """Solids that are earlier ones, moved, of those with a neighbour."""
    first: dict[int, tuple[int, Array]] = {}
    copies = []
    for solid in np.flatnonzero(involved).tolist():
        moved = alike[solid]
        if moved is None or not is_compared(moved.shape):
            continue
        frame = poses[solid] @ moved.pose
        earlier, at = first.setdefault(id(moved.shape), (solid, np.linalg.inv(frame)))
        if earlier != solid:
            copies.append(Copy(solid, earlier, frame @ at))
    return copies


class Placed(NamedTuple):
    """A closed surface in world coordinates; that it is one was seen when its shape was made."""

    vertices: Array
    triangles: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Solids:
    """Bodies, then studs, in world coordinates."""

    meshes: list[Placed]
    body: Ints  # (solids,)
    grid: Ints  # (bodies,) the stud grid of bricks, −1 for other parts
    sizes_m: Array  # (bodies,) twice the reach about the centre of mass
    gaps_m: Array  # (bodies,) how far from each something may be and touch
    reaches_m: Array  # (bodies,) how far from the origin their numbers go, the ground's not counted
    size_m: float

    @property
    def studs(self) -> Ints:
        """The bodies whose studs the last solids are."""
        return self.body[len(self.grid) :]


def _solids(assembly: Assembly) -> _Solids:
    bodies = assembly.bodies
    local = [outer_surface(body.shape) for body in bodies]
    starts = starts_of(np.array([len(mesh.vertices) for mesh in local]))
    owner = np.repeat(np.arange(len(bodies)), np.diff(starts))
    points = np.concatenate([mesh.vertices for mesh in local])
    vertices = np.einsum("nij,nj->ni", assembly.poses[owner, :3, :3], points) + assembly.poses[owner, :3, 3]
    reach = np.maximum.reduceat(((vertices - assembly.coms_m[owner]) ** 2).sum(axis=1), starts[:-1])
    size = _diameter(assembly, vertices[: starts[len(assembly.parts)]])
    meshes = [
        Placed(vertices[begin:end], mesh.triangles)
        for begin, end, mesh in zip(starts[:-1], starts[1:], local, strict=True)
    ]
    sizes = 2 * np.sqrt(reach)
    gaps = gaps_of(assembly, sizes)
    grid, studs = np.full(len(bodies), -1), {}
    if any(body.is_brick for body in bodies):
        grid = grids_of(assembly, lattices(assembly))
        boxes = np.minimum.reduceat(vertices, starts[:-1]), np.maximum.reduceat(vertices, starts[:-1])
        studs = studs_near_others(assembly, grid, boxes, float(gaps.max()))
    meshes += [Placed(mesh.vertices, mesh.triangles) for mesh in studs.values()]
    body = np.array([*range(len(bodies)), *studs], dtype=np.int64)
    return _Solids(meshes, body, grid, sizes, gaps, _reaches(assembly, points, vertices, starts), size)


def _reaches(assembly: Assembly, points: Array, vertices: Array, starts: Ints) -> Array:
    """(bodies,) the length of the longest vector in the numbers of each: its corners here and there, and its pose."""
    squares = np.maximum((points * points).sum(axis=1), (vertices * vertices).sum(axis=1))
    longest = np.sqrt(np.maximum.reduceat(squares, starts[:-1]))
    reaches: Array = np.maximum(longest, np.linalg.norm(assembly.poses[:, :3, 3], axis=1))
    reaches[len(assembly.parts) :] = 0.0  # the ground is as wide as all that stands on it
    return reaches


def _neighbours(solids: _Solids, lows: Array, highs: Array, group: Ints) -> Ints:
    """Pairs of solids that may touch: not of one body or one group, and with studs only off their grid."""
    pairs = near_pairs(lows, highs, float(solids.gaps_m.max()))
    owners = solids.body[pairs]
    may = owners[:, 0] != owners[:, 1]
    may &= (group[owners[:, 0]] < 0) | (group[owners[:, 0]] != group[owners[:, 1]])
    studs = (pairs >= len(solids.grid)).any(axis=1)
    may &= ~studs | (solids.grid[owners[:, 0]] != solids.grid[owners[:, 1]])
    pairs, owners = pairs[may], owners[may]
    turned = owners[:, 0] > owners[:, 1]
    pairs[turned], owners[turned] = pairs[turned][:, ::-1], owners[turned][:, ::-1]
    ordered: Ints = pairs[np.lexsort((*pairs.T[::-1], *owners.T[::-1]))]
    return ordered


def _seated(assembly: Assembly, solids: _Solids, boxes: tuple[Array, Array], first: int, second: int) -> bool:
    """Whether one is the studs of a brick, in holes of the other or in a solid that is filled where it is hollow."""
    bodies = len(solids.grid)
    if (first < bodies) == (second < bodies):
        return False
    studs, other = (first, second) if first >= bodies else (second, first)
    owner, body = int(solids.body[studs]), int(solids.body[other])
    if (min(owner, body), max(owner, body)) in fitted_pairs(assembly):
        return True
    if assembly.bodies[body].mould is not None or assembly.as_drawn:
        lows, highs = boxes
        common = np.minimum(highs[studs], highs[other]) - np.maximum(lows[studs], lows[other])
        return bool((common > solids.gaps_m[[owner, body]].min()).all())
    return in_holes(assembly, owner, body)


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
