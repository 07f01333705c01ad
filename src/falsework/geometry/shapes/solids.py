"""Solids from shapes: closed surfaces, and parts with the mass, centre and inertia that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, assert_never

import numpy as np
import numpy.typing as npt

from falsework.geometry.shapes.planes import cross
from falsework.geometry.shapes.seams import without_seams
from falsework.geometry.shapes.triangulation import triangulated
from falsework.model.arrays import Array, Ints, frozen
from falsework.model.catalogue import BrickType, slope_profile
from falsework.model.errors import BadPart
from falsework.model.part import Material, Part
from falsework.model.poses import fixed_axes_rotation
from falsework.model.shapes import BrickShape, ConvexPieces, Mesh, Polygon, Polyhedron, Shape, box

if TYPE_CHECKING:
    from manifold3d import Manifold

UNSPECIFIED = Material()
OVERLAPPING = 1e-4  # of the volume of pieces: more than what grazes make of it
TURNS = (  # in which unions are tried: as things lie, then askew
    None,
    *(np.column_stack([fixed_axes_rotation(angles), np.zeros(3)]) for angles in ([0.3, 0.5, 0.7], [-0.7, 1.1, 0.2])),
)
FLAT_SOLID = 1e-12  # volume / size³, below which a surface encloses nothing


@dataclass(frozen=True, slots=True, eq=False)
class Bulk:
    """What a solid of unit density is: m³, m, m⁵."""

    volume_m3: float
    centre_m: Array  # (3,)
    inertia_m5: Array  # (3, 3) about the centre

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre_m", frozen(self.centre_m, (3,)))
        object.__setattr__(self, "inertia_m5", frozen(self.inertia_m5, (3, 3)))


def surface(shape: Shape) -> Mesh:
    """The closed surface of a shape, in the part's frame, triangles counter-clockwise seen from outside.

    Bricks are their bodies without the studs. Convex pieces keep the walls between them.

    >>> surface(box((1, 1, 1))).triangles.shape
    (12, 3)
    """
    match shape:
        case Mesh():
            return shape
        case BrickShape():
            return _brick_surface(shape.kind)
        case _:
            return _made_surface(shape)


@lru_cache(maxsize=4096)
def outer_surface(shape: Shape) -> Mesh:
    """The surface that others can touch: without walls and seams between convex pieces.

    Pieces that overlap, though they should not, are united as volumes.
    """
    if not isinstance(shape, ConvexPieces) or len(shape.pieces) == 1:
        return surface(shape)
    apart = surface(shape)
    union = _united([surface(piece) for piece in shape.pieces])
    volume = bulk(apart).volume_m3
    if union is None or bulk(union).volume_m3 > (1 - OVERLAPPING) * volume:
        whole = without_seams(apart)
        if is_closed(whole.triangles) and abs(bulk(whole).volume_m3 - volume) <= OVERLAPPING * volume:
            return whole
    return apart if union is None else union


def _united(meshes: list[Mesh]) -> Mesh | None:
    """The union of solids; None where it cannot be made."""
    import manifold3d

    solids = [
        manifold3d.Manifold(manifold3d.Mesh64(mesh.vertices.copy(), mesh.triangles.astype(np.uint64)))
        for mesh in meshes
    ]
    whole = united(solids)
    if whole is None or whole.is_empty():
        return None
    made = whole.to_mesh64()
    return Mesh(np.asarray(made.vert_properties, dtype=np.float64)[:, :3], np.asarray(made.tri_verts).astype(np.int64))


def united(solids: list[Manifold]) -> Manifold | None:
    """The union of solids; None where it cannot be made.

    Where faces lie flush a union can lose a corner, and much volume with it, without a word. A union has at least the
    volume of all solids less what every two of them share; one that has less is made again, turned.
    """
    import manifold3d

    total = sum(solid.volume() for solid in solids)
    for turn in TURNS:
        tried = solids if turn is None else [solid.transform(turn) for solid in solids]
        whole = manifold3d.Manifold.batch_boolean(tried, manifold3d.OpType.Add)
        if any(solid.status() != manifold3d.Error.NoError for solid in (*tried, whole)):
            return None
        lost = total - whole.volume() - OVERLAPPING * total
        if lost <= 0 or lost <= sum((one ^ other).volume() for one, other in combinations(tried, 2)):
            return whole if turn is None else whole.transform(np.column_stack([turn[:, :3].T, np.zeros(3)]))
    return None


def bulk(mesh: Mesh) -> Bulk:
    """Volume, centre and inertia of what a closed surface encloses, by exact sums over tetrahedra.

    Each triangle and a common apex span a signed tetrahedron with
    ∫ x xᵀ dV = V/20 · (s sᵀ + Σ v vᵀ), s the sum of its corners v seen from the apex.

    >>> round(bulk(surface(box((1, 2, 3)))).volume_m3, 12)
    6.0
    """
    apex = 0.5 * (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0))
    corners = mesh.vertices[mesh.triangles] - apex  # (t, 3, 3)
    volumes = (corners[:, 0] * cross(corners[:, 1], corners[:, 2])).sum(axis=1) / 6
    total = float(volumes.sum())
    sums = corners.sum(axis=1)
    if not abs(total) > 0:
        return Bulk(0.0, apex, np.zeros((3, 3)))
    centre = volumes @ sums / (4 * total)
    spread = np.concatenate([sums, corners[:, 0], corners[:, 1], corners[:, 2]])
    second = (spread.T * np.tile(volumes, 4)) @ spread / 20 - total * np.outer(centre, centre)
    return Bulk(total, apex + centre, second.trace() * np.eye(3) - 0.5 * (second + second.T))


def is_closed(triangles: Ints) -> bool:
    """Every edge is walked as often one way as the other, so that the enclosed volume is defined."""
    starts, ends = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    span = np.int64(triangles.max()) + 1
    forward, backward = np.sort(starts * span + ends), np.sort(ends * span + starts)
    return bool(np.array_equal(forward, backward))


def make_part(
    name: str,
    shape: Shape,
    T_world_part: npt.ArrayLike,
    *,
    mass_kg: float | None = None,
    material: Material = UNSPECIFIED,
    color: str | None = None,
) -> Part:
    """A part with the mass of its catalogue entry or its density × volume; `mass_kg` overrides both.

    Centre and inertia are those of a uniform solid of that mass. BadPart when the shape encloses no volume.

    `T_world_part` maps part coordinates to the world's, m; densities are in kg/m³.

    >>> make_part("cube", box((0.1, 0.1, 0.1)), np.eye(4), mass_kg=2.5).mass_kg
    2.5
    """
    if isinstance(shape, BrickShape):
        solid, weighed = _brick_bulk(shape.kind), shape.kind.mass_kg
    else:
        solid = _checked_bulk(name, shape)
        weighed = material.density_kg_m3 * solid.volume_m3
    mass = weighed if mass_kg is None else mass_kg
    inertia = solid.inertia_m5 * (mass / solid.volume_m3)
    pose = np.asarray(T_world_part, dtype=np.float64)
    return Part(name, shape, pose, mass, solid.centre_m, inertia, material, color)


@lru_cache(maxsize=4096)
def _made_surface(shape: Polyhedron | ConvexPieces | Polygon) -> Mesh:
    match shape:
        case Polyhedron():
            return Mesh(shape.vertices, triangulated(shape.vertices, shape.faces))
        case Polygon():
            return surface(_extruded(shape.outline, -0.5 * shape.depth_m, 0.5 * shape.depth_m))
        case ConvexPieces():
            return joined([surface(piece) for piece in shape.pieces])
        case _:
            assert_never(shape)


def joined(meshes: list[Mesh]) -> Mesh:
    """Several surfaces as one, in order."""
    before = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes[:-1]])
    triangles = [mesh.triangles + shift for mesh, shift in zip(meshes, before, strict=True)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(triangles))


def _extruded(outline: Array, low_y: float, high_y: float) -> Polyhedron:
    """The prism over an outline (n, 2) of x, z, counter-clockwise seen from −y."""
    count = len(outline)
    near = np.column_stack([outline[:, 0], np.full(count, low_y), outline[:, 1]])
    far = np.column_stack([outline[:, 0], np.full(count, high_y), outline[:, 1]])
    caps = (tuple(range(count)), tuple(range(2 * count - 1, count - 1, -1)))
    sides = tuple((i, i + count, (i + 1) % count + count, (i + 1) % count) for i in range(count))
    return Polyhedron(np.concatenate([near, far]), caps + sides)


@lru_cache(maxsize=4096)
def _brick_surface(kind: BrickType) -> Mesh:
    if kind.family == "slope":
        return surface(_extruded(np.array(slope_profile(kind)), 0.0, kind.size_m[1]))
    return surface(box(kind.size_m))


@lru_cache(maxsize=4096)
def _brick_bulk(kind: BrickType) -> Bulk:
    return bulk(_brick_surface(kind))


def _checked_bulk(name: str, shape: Shape) -> Bulk:
    mesh = surface(shape)
    if not is_closed(mesh.triangles):
        raise BadPart(name, "shape", "a surface with open edges", "a closed surface, counter-clockwise from outside")
    solid = bulk(mesh)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    if not solid.volume_m3 > FLAT_SOLID * size**3:
        raise BadPart(name, "volume", solid.volume_m3, "a positive volume; are the faces turned inside out?")
    return solid
