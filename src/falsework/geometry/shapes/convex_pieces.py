"""Solids as convex pieces: what sweeping one body past another is made of.

A body that is convex, but for a fraction of its size, is its hull. Any other is cut along its faces, see `cells`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from falsework.geometry.shapes.cells import cells
from falsework.geometry.shapes.convex_cores import clipped, core_planes
from falsework.geometry.shapes.convex_hulls import Hull, convex_hull
from falsework.geometry.shapes.planes import cross, unit
from falsework.geometry.shapes.separation import distinct_axes
from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array, Ints
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, ConvexPieces, Mesh, Shape, box

DENTED = 1e-4  # of a body's size: dents up to this deep are filled
FINE = 300  # corners: surfaces with more are simplified before they are cut
ROUGH, ROUGH_M = 3e-3, 2.5e-4  # of a body's size, and no more than this: dents that do not matter to who keeps a margin
ON_PLANE = 1e-7  # of a body's size: corners within this of a facet's plane are its corners
FLAT = 1e-7  # sine between facets of a hull that are one


@dataclass(frozen=True, eq=False)
class Convex:
    """A convex polyhedron: corners, outward facets, and edges with the two facets that meet in them.

    The one such body of the house: ways out, the compiled collapse and the engine's colliders all use it.
    """

    vertices: Array  # (n, 3)
    normals: Array  # (f, 3) unit, outward, distinct
    edges: Array  # (e, 3) directions
    sides: Array  # (e, 2, 3) unit normals of the facets that meet in each edge
    triangles: Ints  # (t, 3) corners of its surface, counter-clockwise from outside

    def moved(self, T: Array) -> Convex:
        """The same body at another pose (4, 4)."""
        turn = T[:3, :3].T
        vertices = self.vertices @ turn + T[:3, 3]
        return Convex(vertices, self.normals @ turn, self.edges @ turn, self.sides @ turn, self.triangles)

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """Lowest and highest corner along the axes."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    @cached_property
    def axes(self) -> Array:
        """(k, 3) directions of its edges, one for all that are parallel."""
        return distinct_axes(self.edges)

    @cached_property
    def offsets(self) -> Array:
        """(f,) facet planes n·x = offset."""
        offsets: Array = (self.vertices @ self.normals.T).max(axis=0)
        return offsets

    @cached_property
    def edge_corners(self) -> Ints:
        """(k, 2) numbers of the corners that each edge joins: they share two facets."""
        size = float(np.linalg.norm(np.ptp(self.vertices, axis=0)))
        on = np.abs(self.vertices @ self.normals.T - self.offsets) < ON_PLANE * size
        shared = on.astype(int) @ on.T.astype(int)
        return np.argwhere(np.triu(shared >= 2, 1))

    @cached_property
    def fills_box(self) -> bool:
        """It is a cuboid along the axes."""
        return len(self.normals) == 6 and bool((np.abs(self.normals).max(axis=1) > 1 - 1e-12).all())


@dataclass(frozen=True, eq=False)
class Pieces:
    """A body as convex pieces; a brick's studs come apart from its body, since holes take them."""

    body: tuple[Convex, ...]
    studs: Convex | None = None  # the block that all studs of a brick fit in
    core: Convex | None = None  # inside of it, where it has several pieces, and one was found

    def moved(self, T: Array) -> Pieces:
        studs, core = (None if one is None else one.moved(T) for one in (self.studs, self.core))
        return Pieces(tuple(one.moved(T) for one in self.body), studs, core)

    @property
    def all(self) -> tuple[Convex, ...]:
        return self.body if self.studs is None else (*self.body, self.studs)

    @cached_property
    def hull(self) -> Convex:
        """Around all of it."""
        return self.all[0] if len(self.all) == 1 else hull(np.concatenate([piece.vertices for piece in self.all]))

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """Lowest and highest corner along the axes."""
        lows, highs = zip(*(piece.box for piece in self.all), strict=True)
        return np.min(lows, axis=0), np.max(highs, axis=0)


def pieces_in_world(part: Part) -> Pieces:
    """The convex pieces of a part where it stands in the assembly."""
    return pieces_of(part.shape).moved(part.T_world_part)


@lru_cache(maxsize=4096)
def pieces_of(shape: Shape) -> Pieces:
    """The convex pieces of a shape, in its own frame."""
    if isinstance(shape, BrickShape):
        return Pieces((hull(surface(shape).vertices),), _studs(shape))
    if isinstance(shape, ConvexPieces):
        return Pieces(tuple(hull(piece.vertices) for piece in shape.pieces))
    mesh = surface(shape)
    whole = convex_hull(mesh.vertices)
    if _is_convex(mesh, whole):
        return Pieces((_convex(whole),))
    if len(mesh.vertices) > FINE:
        mesh = _simplified(mesh)
        whole = convex_hull(mesh.vertices)
    return Pieces(tuple(hull(cell) for cell in cells(mesh, DENTED)), core=_core(mesh, _convex(whole)))


@lru_cache(maxsize=4096)
def rough_pieces_of(shape: Shape) -> Pieces:
    """The same for whoever keeps a margin: of fine surfaces far fewer pieces, off by no more than ROUGH_M."""
    if isinstance(shape, (BrickShape, ConvexPieces)):
        return pieces_of(shape)
    mesh = surface(shape)
    dent = min(ROUGH, ROUGH_M / float(np.linalg.norm(np.ptp(mesh.vertices, axis=0))))
    if len(mesh.vertices) <= FINE or dent <= DENTED or _is_convex(mesh, convex_hull(mesh.vertices)):
        return pieces_of(shape)
    body = tuple(hull(cell) for cell in cells(_simplified(mesh), dent))
    return Pieces(body) if _reach(body, mesh.vertices) else pieces_of(shape)


def _reach(body: tuple[Convex, ...], points: Array) -> bool:
    """Whether pieces come within ROUGH_M of all points: walls thinner than a dent would be lost."""
    if not body:
        return False
    off = np.min([(points @ piece.normals.T - piece.offsets).max(axis=1) for piece in body], axis=0)
    return bool(off.max() <= ROUGH_M)


def _core(mesh: Mesh, around: Convex) -> Convex | None:
    """A convex body inside a solid, cut from its hull."""
    planes = core_planes(mesh, around.vertices, around.normals)
    for normal, offset in planes or ():
        left = clipped(around.vertices, around.edge_corners, normal, offset)
        if left is None:
            return None
        around = hull(left)
    return None if planes is None else around


def hull(vertices: Array) -> Convex:
    """The convex hull of points (n, 3), its coplanar triangles joined."""
    return _convex(convex_hull(vertices))


def _convex(found: Hull) -> Convex:
    normals = found.equations[:, :3]
    triangle, side = np.nonzero(found.neighbors > np.arange(len(normals))[:, None])
    other = found.neighbors[triangle, side]
    bent = np.linalg.norm(cross(normals[triangle], normals[other]), axis=1) > FLAT
    triangle, side, other = triangle[bent], side[bent], other[bent]
    corners = found.simplices
    first, second = corners[triangle, (side + 1) % 3], corners[triangle, (side + 2) % 3]
    directions = unit(found.points[second] - found.points[first])
    sides = np.stack([normals[triangle], normals[other]], axis=1)
    _, kept = np.unique(np.round(normals, 9) + 0.0, axis=0, return_index=True)
    vertices = found.points[found.vertices]
    return Convex(vertices, normals[np.sort(kept)], directions, sides, _outward(found))


def _outward(found: Hull) -> Ints:
    """(t, 3) the triangles of a hull over its corners alone, counter-clockwise from outside."""
    place = np.full(len(found.points), -1, np.int64)
    place[found.vertices] = np.arange(len(found.vertices))
    sides = found.points[found.simplices]
    turn = cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
    inward = (turn * found.equations[:, :3]).sum(axis=1) < 0
    triangles: Ints = place[np.where(inward[:, None], found.simplices[:, ::-1], found.simplices)]
    return triangles


def _studs(shape: BrickShape) -> Convex | None:
    """The cuboid around all studs of a brick: nothing passes between them sideways."""
    kind = shape.kind
    if not kind.has_studs:
        return None
    measures = kind.measures
    inset = 0.5 * measures.pitch_m - measures.stud_radius_m
    sides = (kind.flat * measures.pitch_m - 2 * inset, kind.width * measures.pitch_m - 2 * inset)
    corner = np.array([inset, inset, kind.size_m[2]])
    return hull(box((*sides, measures.stud_height_m)).vertices + corner)


def _simplified(mesh: Mesh) -> Mesh:
    """Nearly the same surface with fewer corners, none further off than a dent that would be filled."""
    import manifold3d

    size = float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    solid = manifold3d.Manifold(manifold3d.Mesh64(mesh.vertices.copy(), mesh.triangles.astype(np.uint64)))
    if solid.status() != manifold3d.Error.NoError:
        return mesh
    made = solid.simplify(DENTED * size).to_mesh64()
    return Mesh(np.asarray(made.vert_properties, dtype=np.float64)[:, :3], np.asarray(made.tri_verts).astype(np.int64))


def _is_convex(mesh: Mesh, whole: Hull) -> bool:
    """The middle of every edge lies on the hull, or within DENTED of it."""
    corners = mesh.vertices[mesh.triangles]
    middles = (0.5 * (corners + np.roll(corners, 1, axis=1))).reshape(-1, 3)
    equations = np.unique(np.round(whole.equations, 12), axis=0)
    slack = DENTED * float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    for block in np.array_split(middles, 1 + len(middles) * len(equations) // 1_000_000):
        if (block @ equations[:, :3].T + equations[:, 3]).max(axis=1).min() < -slack:
            return False
    return True
