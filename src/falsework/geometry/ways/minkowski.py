"""The Minkowski difference of two convex bodies: where one may not be, seen from the other.

Bodies A and B share space when A is shifted by x iff x is inside B − A = {b − a}. How deep they reach into each
other is how deep x is inside. So a straight motion of A along d is a ray, and asking whether it meets B is asking
whether that ray meets a convex polyhedron.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.shapes.convex_pieces import Convex
from falsework.geometry.shapes.planes import cross
from falsework.model.arrays import Array, Bools

NEARLY = 1e-9  # how far arcs of normals may miss each other and still be taken to cross
PARALLEL = 1e-12  # of unit vectors: n·d below this is 0


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """B − A as planes n·x ≤ offset; all of its facets, and perhaps planes that only touch it."""

    normals: Array  # (k, 3)
    offsets: Array  # (k,)

    @property
    def depth_m(self) -> float:
        """How deep the bodies reach into each other where they stand; not positive where they are apart."""
        return float(self.offsets.min())

    def reversed(self) -> Difference:
        """A − B: the same for a motion of B."""
        return Difference(-self.normals, self.offsets)

    def met(self, directions: Array, depth_m: float) -> Bools:
        """(m,) along which unit directions (m, 3) A would reach deeper into B than a depth."""
        met: Bools = np.isfinite(self.entry(np.zeros(3), directions, depth_m))
        return met

    def entry(self, place: Array, directions: Array, depth_m: float) -> Array:
        """(m,) how far A, shifted to a place (3,), gets along unit directions before it reaches that deep into B.

        The body {n·x ≤ r}, r = offset − depth − n·place, is met iff some t ≥ 0 has n·d t < r throughout. Planes with
        r ≤ 0 must be passed first, which takes n·d < 0 and t > r / n·d; the others are left at 1 / t = max n·d / r.
        """
        room = self.offsets - depth_m - self.normals @ place
        ahead = room <= 0
        far = np.full(len(directions), np.inf)
        toward = self.normals[ahead] @ directions.T
        rows = np.flatnonzero(np.all(toward < -PARALLEL, axis=0))
        if len(rows):
            enters = (room[ahead, None] / toward[:, rows]).max(axis=0, initial=0.0)
            outward = (self.normals[~ahead] / room[~ahead, None]) @ directions[rows].T
            far[rows] = np.where(enters * outward.max(axis=0, initial=0.0) < 1.0, enters, np.inf)
        return far


def difference(a: Convex, b: Convex) -> Difference:
    """B − A of two convex bodies.

    Its facets are B's, A's turned round, and one for every edge of A and edge of B whose arcs on the sphere of
    normals cross. Arcs that only just miss are counted too: a plane that touches the body does no harm.
    """
    return _with_planes(a, b, np.concatenate([b.normals, -a.normals, _edge_planes(a, b)]))


def facet_difference(a: Convex, b: Convex) -> Difference:
    """The same without the facets that edges span: it contains B − A, and costs next to nothing."""
    return _with_planes(a, b, np.concatenate([b.normals, -a.normals]))


def _with_planes(a: Convex, b: Convex, normals: Array) -> Difference:
    """The planes with these normals that touch B − A."""
    offsets = (b.vertices @ normals.T).max(axis=0) - (a.vertices @ normals.T).min(axis=0)
    return Difference(normals, offsets)


def _edge_planes(a: Convex, b: Convex) -> Array:
    """(k, 3) unit normals of the facets that an edge of each spans."""
    one, other = -a.sides, b.sides  # (e, 2, 3), (f, 2, 3)
    turn_a, turn_b = cross(one[:, 1], one[:, 0]), cross(other[:, 1], other[:, 0])
    c, d = turn_a @ other[:, 0].T, turn_a @ other[:, 1].T  # (e, f)
    p, q = one[:, 0] @ turn_b.T, one[:, 1] @ turn_b.T
    i, j = np.nonzero((c * d <= NEARLY) & (p * q <= NEARLY) & (c * q >= -NEARLY))
    normals = cross(a.edges[i], b.edges[j])
    length = np.linalg.norm(normals, axis=1)
    i, j, normals, length = (array[length > 1e-9] for array in (i, j, normals, length))
    outward = ((other[j, 0] + other[j, 1] + one[i, 0] + one[i, 1]) * normals).sum(axis=1)
    planes: Array = normals * (np.where(outward < 0, -1.0, 1.0) / length)[:, None]
    return planes
