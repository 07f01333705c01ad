"""The surface of a solid as something to ask about: how far points are, what rays meet.

A surface is searched by machine code where numba is there (the extra `fast`), and else triangle by triangle. Both give
the same answers.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from falsework.geometry.distance import plain
from falsework.geometry.distance.feature_normals import feature_normals, sure_features
from falsework.geometry.distance.trees import Hits, Nearest, Tree
from falsework.geometry.shapes.solids import outer_surface
from falsework.model.arrays import Array, Bools, Ints, freeze, freeze_ints, frozen
from falsework.model.errors import BadInput
from falsework.model.shapes import Mesh, Shape

OBLIQUE = 0.05  # cosine between a feature's normal and the way to it, below which the normal says nothing
GLANCES = 256  # points at which both ways to tell inside from outside are compared before the quicker is trusted
LEAF = 4  # triangles in a leaf of its tree: searches for points are quickest then
ASIDE = 1e-3  # of the size: how far from the surface these are

_known: WeakValueDictionary[str, Surface] = WeakValueDictionary()


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface of triangles, counter-clockwise seen from outside, in the frame of its part; m.

    Distances are negative inside. Inside is what the surface winds around more than half a time: small cracks and
    overlaps do no harm.

    >>> from falsework.model.shapes import box
    >>> cube = surface_of(box((2, 2, 2)))
    >>> cube.signed([[1, 1, 1], [1, 1, 4]]).distances.tolist()
    [-1.0, 2.0]
    """

    vertices: Array  # (n, 3) m
    faces: Ints  # (m, 3)

    def __post_init__(self) -> None:
        freeze(self, vertices=(None, 3))
        freeze_ints(self, faces=(None, 3))
        if not len(self.faces):
            raise BadInput("expected a surface of at least one triangle, found none")
        if self.faces.min() < 0 or self.faces.max() >= len(self.vertices):
            raise BadInput(f"expected corners 0 to {len(self.vertices) - 1}, found others")
        if not np.isfinite(self.vertices).all():
            raise BadInput("expected corners with finite coordinates")

    # Points

    def signed(self, points: npt.ArrayLike, band: float = np.inf) -> Nearest:
        """For points (n, 3): distances, negative inside, nearest points, faces and features.

        Beyond the band, m, distances are infinite and faces −1: much quicker where most points are far away.
        """
        asked = as_points(points)
        found = self.unsigned(asked, band)
        rows = np.flatnonzero(found.faces >= 0)
        inside = self._inside_by_features(asked, found, rows) if self._features_tell else self.inside(asked[rows])
        distances = found.distances.copy()
        distances[rows[inside]] *= -1.0
        return found._replace(distances=distances)

    def within(self, points: npt.ArrayLike, band: float) -> Nearest:
        """`signed`, for what is nearer than a band."""
        return self.signed(points, band)

    def unsigned(self, points: npt.ArrayLike, band: float = np.inf) -> Nearest:
        """The same with distances that are never negative."""
        asked = as_points(points)
        if not compiles():
            return plain.nearest_points(self.corners, asked, band)
        from falsework.geometry.distance.nearest import along_a_curve, nearest_points

        found = nearest_points(self.tree, asked, np.argsort(along_a_curve(asked)), band)
        return found._replace(faces=self._as_faces(found.faces))

    def inside(self, points: npt.ArrayLike) -> Bools:
        """(n,) whether the surface winds around each point more than half a time."""
        within: Bools = self.windings(points) > 0.5
        return within

    def windings(self, points: npt.ArrayLike) -> Array:
        """(n,) how often the surface winds around points, to within about 0.05."""
        asked = as_points(points)
        if not compiles():
            return plain.windings(self.corners, asked)
        from falsework.geometry.distance.winding import windings

        return windings(self.tree, asked, np.arange(len(asked)))

    def normals(self, found: Nearest) -> Array:
        """(n, 3) of what was nearest: of the face, or the mean one of an edge or a corner; zero where there is none."""
        told: Array = self._feature_normals[0][found.faces, found.features]
        return np.where((found.faces >= 0)[:, None], told, 0.0)

    # Rays

    def rays(
        self, origins: npt.ArrayLike, directions: npt.ArrayLike, after: float = 0.0, before: float = np.inf
    ) -> Hits:
        """Where rays (n, 3), (n, 3) first meet the surface, in lengths of their directions, and which face."""
        starts, ways = _rays(origins, directions)
        if not compiles():
            return plain.first_hits(self.corners, starts, ways, after, before)
        from falsework.geometry.distance.rays import first_hits

        found = first_hits(self.tree, starts, ways, after, before)
        return found._replace(faces=self._as_faces(found.faces))

    def crossings(self, origins: npt.ArrayLike, directions: npt.ArrayLike) -> Ints:
        """(n,) how many triangles each ray meets; one that passes between two may count both."""
        starts, ways = _rays(origins, directions)
        if not compiles():
            return plain.crossings(self.corners, starts, ways)
        from falsework.geometry.distance.rays import crossings

        return crossings(self.tree, starts, ways)

    # What it is

    @cached_property
    def corners(self) -> Array:
        """(m, 3, 3) of each face."""
        corners: Array = frozen(self.vertices[self.faces])
        return corners

    @cached_property
    def tree(self) -> Tree:
        """For compiled searches."""
        from falsework.geometry.distance.bvh import built

        tree = built(self.vertices, self.faces, LEAF, 0)
        for array in tree:
            array.setflags(write=False)
        return tree

    @cached_property
    def digest(self) -> str:
        """Of its content: equal surfaces have equal ones."""
        return _digest(self.vertices, self.faces)

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """(3,), (3,) its lowest and its highest corner."""
        used = self.vertices[self.faces.ravel()]
        return frozen(used.min(axis=0)), frozen(used.max(axis=0))

    @cached_property
    def size_m(self) -> float:
        """The diagonal of its box."""
        return float(np.linalg.norm(self.box[1] - self.box[0]))

    @property
    def face_normals(self) -> Array:
        """(m, 3) unit; zero for faces without area."""
        normals: Array = self._feature_normals[0][:, 0]
        return normals

    @property
    def is_closed(self) -> bool:
        """Whether every edge is walked as often one way as the other."""
        return self._feature_normals[1]

    @cached_property
    def _feature_normals(self) -> tuple[Array, bool]:
        return feature_normals(self.vertices, self.faces)

    @cached_property
    def _sure_features(self) -> Bools:
        return sure_features(self.vertices, self.faces)

    @cached_property
    def _features_tell(self) -> bool:
        """Whether normals of features tell inside from outside: on closed surfaces, unless they cross themselves.

        That is not proved but seen: points on both sides of faces, spread evenly over them, are asked about both ways.
        """
        if not self.is_closed:
            return False
        step = max(1, 2 * len(self.faces) // GLANCES)
        middles, normals = self.corners[::step].mean(axis=1), self.face_normals[::step]
        away = ASIDE * self.size_m * normals
        points = np.concatenate([middles + away, middles - away])
        found = self.unsigned(points)
        return bool((self._inside_by_features(points, found, np.arange(len(points))) == self.inside(points)).all())

    def _inside_by_features(self, points: Array, found: Nearest, rows: Ints) -> Bools:
        """(k,) of the chosen rows, whether they are behind what is nearest; where that hardly tells, by winding."""
        away = points[rows] - found.points[rows]
        along = (away * self._feature_normals[0][found.faces[rows], found.features[rows]]).sum(axis=1)
        inside: Bools = along < 0
        told = self._sure_features[found.faces[rows], found.features[rows]]
        unsure = np.flatnonzero((np.abs(along) <= OBLIQUE * found.distances[rows]) | ~told)
        unsure = unsure[found.distances[rows[unsure]] > 0]
        if len(unsure):
            inside[unsure] = self.inside(points[rows[unsure]])
        return inside

    @cached_property
    def triangle_of_face(self) -> Ints:
        """(m,) the place of each face in the tree."""
        places = np.empty(len(self.faces), dtype=np.int64)
        places[self.tree.face] = np.arange(len(self.faces))
        return places

    def _as_faces(self, triangles: Ints) -> Ints:
        return np.where(triangles >= 0, self.tree.face[triangles], -1)


@lru_cache(maxsize=4096)
def surface_of(shape: Shape) -> Surface:
    """The surface that others can touch of a shape, made once for all shapes that are alike; studs are left out."""
    mesh = outer_surface(shape)
    return surface_of_mesh(mesh)


def surface_of_mesh(mesh: Mesh) -> Surface:
    """The surface of a mesh; the same object for the same content."""
    digest = _digest(mesh.vertices, mesh.triangles)
    known = _known.get(digest)
    if known is None:
        known = _known[digest] = Surface(mesh.vertices, mesh.triangles)
    return known


@cache
def compiles() -> bool:
    """Whether machine code can be made here."""
    return importlib.util.find_spec("numba") is not None


def _digest(vertices: Array, faces: Ints) -> str:
    told = sha256(np.ascontiguousarray(vertices + 0.0).tobytes())
    told.update(np.ascontiguousarray(faces).tobytes())
    return told.hexdigest()


def as_points(values: npt.ArrayLike) -> Array:
    """(n, 3) finite, an array of its own."""
    points = np.array(values, dtype=np.float64, order="C")  # its own: machine code is made for arrays one can write to
    if points.ndim != 2 or points.shape[1] != 3:
        raise BadInput(f"expected points (n x 3), found an array of shape {points.shape}")
    if not np.isfinite(points).all():
        raise BadInput("expected points with finite coordinates")
    return points


def _rays(origins: npt.ArrayLike, directions: npt.ArrayLike) -> tuple[Array, Array]:
    starts, ways = as_points(origins), as_points(directions)
    if starts.shape != ways.shape:
        raise BadInput(f"expected as many directions as origins, found {len(ways)} and {len(starts)}")
    return starts, ways
