"""What a part can look like, in its own frame. Data only; faces and meshes are made in `geometry`.

`Polyhedron` is the general solid: flat polygonal faces, convex or not, holes allowed through triangulation.
`Mesh` says the same of a triangulated surface that may be curved. `ConvexPieces` is a solid given as convex
parts. `BrickShape` is a catalogue part. `Polygon` is a figure of seed 003's plane, with a depth along y.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from falsework.model.arrays import Array, Ints, freeze, freeze_ints
from falsework.model.catalogue import BrickType
from falsework.model.surfaces import Primitive
from falsework.model.travel import MadeAnew


@dataclass(frozen=True, slots=True, eq=False)
class Mesh(MadeAnew):
    """A closed triangulated surface, triangles counter-clockwise seen from outside.

    >>> Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).triangles.shape
    (4, 3)
    """

    vertices: Array  # (n, 3) m
    triangles: Ints  # (m, 3) indices into vertices
    primitives: tuple[Primitive, ...] = ()  # surfaces that triangles stand for, where a file says so

    def __post_init__(self) -> None:
        freeze(self, vertices=(None, 3))
        freeze_ints(self, triangles=(None, 3))
        _check_surface(self.vertices, self.triangles)
        object.__setattr__(self, "primitives", tuple(self.primitives))
        if any(one.triangles.max(initial=-1) >= len(self.triangles) for one in self.primitives):
            raise ValueError(f"expected primitives over triangles 0 to {len(self.triangles) - 1}")


@dataclass(frozen=True, slots=True, eq=False)
class Polyhedron(MadeAnew):
    """A solid with flat faces, each a loop of vertices, counter-clockwise seen from outside.

    >>> len(box((1, 1, 2)).faces)
    6
    """

    vertices: Array  # (n, 3) m
    faces: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        freeze(self, vertices=(None, 3))
        loops = tuple(tuple(int(index) for index in face) for face in self.faces)
        object.__setattr__(self, "faces", loops)
        if len(loops) < 4 or any(len(loop) < 3 for loop in loops):
            raise ValueError("a polyhedron needs four faces or more, of three vertices or more each")
        _check_surface(self.vertices, np.array([index for loop in loops for index in loop]))


@dataclass(frozen=True, slots=True, eq=False)
class ConvexPieces(MadeAnew):
    """A solid as the union of convex polyhedra that touch but do not overlap.

    >>> len(ConvexPieces((box((1, 1, 1)),)).pieces)
    1
    """

    pieces: tuple[Polyhedron, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "pieces", tuple(self.pieces))
        if not self.pieces:
            raise ValueError("expected at least one convex piece, found none")


@dataclass(frozen=True, slots=True)
class BrickShape:
    """A part of the brick catalogue.

    >>> BrickShape(BrickType("system", "brick", 4, 2, 3)).kind.length
    4
    """

    kind: BrickType


@dataclass(frozen=True, slots=True, eq=False)
class Polygon(MadeAnew):
    """A convex or simple polygon in the x–z plane, counter-clockwise seen from −y, extruded about y = 0.

    >>> Polygon([[0, 0], [1, 0], [0, 1]]).depth_m
    1.0
    """

    outline: Array  # (n, 2) x, z in m
    depth_m: float = 1.0

    def __post_init__(self) -> None:
        freeze(self, outline=(None, 2))
        if len(self.outline) < 3:
            raise ValueError(f"expected three corners or more, found {len(self.outline)}")
        if not np.isfinite(self.outline).all():
            raise ValueError("expected finite corners")
        if not (np.isfinite(self.depth_m) and self.depth_m > 0):
            raise ValueError(f"expected a positive depth, found {self.depth_m}")
        if _doubled_area(self.outline) <= 0:
            raise ValueError("expected corners counter-clockwise around a positive area")


Shape = Mesh | Polyhedron | ConvexPieces | BrickShape | Polygon


def corners(shape: Shape) -> Array:
    """(n, 3) points whose convex hull contains the shape, in its own frame."""
    match shape:
        case Mesh() | Polyhedron():
            return shape.vertices
        case ConvexPieces():
            return np.concatenate([piece.vertices for piece in shape.pieces])
        case BrickShape():
            return _box_corners(shape.kind.size_m)
        case Polygon():
            flat = np.repeat(shape.outline, 2, axis=0)
            depths = np.tile([-shape.depth_m / 2, shape.depth_m / 2], len(shape.outline))
            return np.column_stack([flat[:, 0], depths, flat[:, 1]])


def box(size: tuple[float, float, float]) -> Polyhedron:
    """A cuboid with its minimum corner at the origin.

    Lengths in m, in the part's frame.

    >>> box((1, 2, 3)).vertices.max(axis=0).tolist()
    [1.0, 2.0, 3.0]
    """
    x, y, z = size
    corners = [(0, 0, 0), (x, 0, 0), (x, y, 0), (0, y, 0), (0, 0, z), (x, 0, z), (x, y, z), (0, y, z)]
    faces = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
    return Polyhedron(np.array(corners, dtype=float), faces)


@lru_cache(maxsize=1024)  # bricks come in few sizes, and are asked often
def _box_corners(size: tuple[float, float, float]) -> Array:
    return box(size).vertices


def _check_surface(vertices: Array, indices: Ints) -> None:
    if len(vertices) < 4:
        raise ValueError(f"expected four vertices or more, found {len(vertices)}")
    if not np.isfinite(vertices).all():
        raise ValueError("expected finite vertices, found NaN or infinity")
    if len(indices) == 0 or indices.min() < 0 or indices.max() >= len(vertices):
        raise ValueError(f"expected faces over vertices 0 to {len(vertices) - 1}")


def _doubled_area(outline: Array) -> float:
    x, z = outline[:, 0], outline[:, 1]
    return float(x @ np.roll(z, -1) - z @ np.roll(x, -1))
