"""Corners and edges of the solids of a scene, how they hang together, and whether they are convex."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from falsework.geometry.shapes.digits import corners_off_m
from falsework.geometry.shapes.placed_solids import Scene
from falsework.geometry.shapes.planes import cross, unit
from falsework.geometry.shapes.runs import rows_of, starts_of, successors
from falsework.model.arrays import Array, Bools, Ints

BENT = 1e-4  # rad: faces that turn less at an edge go on straight there
MOST_WARPED = 0.01  # rad: what turns more is an edge, however bad the file
BEFORE = 1e-2  # rad: how far an edge of a convex corner may stand before a facet, as warped ones let it
NOTHING = np.iinfo(np.int64).min  # no corner and no edge: the inside of a face


class Features:
    """Corners, edges and facets of a scene, by number: vertices and facets as there, edges as here."""

    def __init__(self, placed: Scene) -> None:
        self.placed = placed
        found = placed.facets
        self.facet_solid = np.empty(len(found), dtype=np.int64)
        solids = np.repeat(np.arange(len(placed.facet_starts) - 1), np.diff(placed.facet_starts))
        self.facet_solid[placed.facet_order] = solids
        # half-edges around the facets, each from a vertex to the next, the facet on its left
        self.tails = found.loop_vertices
        self.heads = found.loop_vertices[successors(found.loop_starts)]
        loop = np.repeat(np.arange(len(found.loop_facets)), np.diff(found.loop_starts))
        self.facet_of_half = found.loop_facets[loop]
        self.before = np.empty_like(self.tails)  # the half-edge that ends where each begins
        self.before[successors(found.loop_starts)] = np.arange(len(self.tails))
        self.edge_of_half, self.edge_starts, self.halves = self._edges()

    def _edges(self) -> tuple[Ints, Ints, Ints]:
        """The edge of each half-edge, and the half-edges of each edge as runs."""
        span = np.int64(self.tails.max(initial=0)) + 1
        keys = np.minimum(self.tails, self.heads) * span + np.maximum(self.tails, self.heads)
        _, edge, counts = np.unique(keys, return_inverse=True, return_counts=True)
        return edge, starts_of(counts), np.argsort(edge, kind="stable")

    @cached_property
    def ends(self) -> Ints:
        """(e, 2) the vertices that each edge joins."""
        first = self.halves[self.edge_starts[:-1]]
        return np.sort(np.stack([self.tails[first], self.heads[first]], axis=1), axis=1)

    @cached_property
    def edge_solid(self) -> Ints:
        return self.facet_solid[self.facet_of_half[self.halves[self.edge_starts[:-1]]]]

    @cached_property
    def lengths_m(self) -> Array:
        arms = self.placed.vertices[self.ends[:, 1]] - self.placed.vertices[self.ends[:, 0]]
        return np.asarray(np.linalg.norm(arms, axis=1))

    @cached_property
    def ways(self) -> Array:
        """(e, 3) unit, from the first end to the second."""
        return unit(self.placed.vertices[self.ends[:, 1]] - self.placed.vertices[self.ends[:, 0]])

    @cached_property
    def inward(self) -> Array:
        """(h, 3) for each half-edge, unit, across it into its facet."""
        return unit(cross(self.placed.facets.normals[self.facet_of_half], unit(self.arms)))

    @cached_property
    def beside(self) -> Ints:
        """(e, 2) the half-edges of an edge in which two facets meet, −1 where it is not just two."""
        paired = np.diff(self.edge_starts) == 2
        both = np.full((len(paired), 2), -1)
        both[paired, 0] = self.halves[self.edge_starts[:-1][paired]]
        both[paired, 1] = self.halves[self.edge_starts[:-1][paired] + 1]
        return both

    @cached_property
    def bend(self) -> Array:
        """(e,) sine of the angle by which facets turn at an edge: positive where it is convex, NaN where unknown."""
        one, other = self.beside.T
        normal = self.placed.facets.normals[self.facet_of_half[one]]
        turn = -(normal * self.inward[other]).sum(axis=1)
        return np.where(one >= 0, turn, np.nan)

    @cached_property
    def is_convex_edge(self) -> Bools:
        """(e,) edges at which facets turn by more than rounded corners make flat faces turn."""
        convex: Bools = self.bend > np.maximum(BENT, self._warped)
        return convex

    @cached_property
    def _warped(self) -> Array:
        """(e,) rad by which the facets beside an edge would turn if they were one face with rounded corners."""
        off = np.array([corners_off_m(shape) for shape in self.placed.shapes])
        facets = self.facet_of_half[self.beside]
        widths = self.placed.facets.areas[facets] / np.maximum(self.lengths_m, np.finfo(float).tiny)[:, None]
        narrow = 2 * off[self.facet_solid[facets[:, 0]]][:, None] / np.maximum(widths, np.finfo(float).tiny)
        warped: Array = np.minimum(narrow.sum(axis=1), MOST_WARPED)
        return warped

    @cached_property
    def at_vertex(self) -> tuple[Ints, Ints]:
        """Half-edges that leave each vertex, as runs."""
        counts = np.bincount(self.tails, minlength=len(self.placed.vertices))
        return starts_of(counts), np.argsort(self.tails, kind="stable")

    @cached_property
    def around_facet(self) -> tuple[Ints, Ints]:
        """Half-edges around each facet, as runs."""
        counts = np.bincount(self.facet_of_half, minlength=len(self.placed.facets))
        return starts_of(counts), np.argsort(self.facet_of_half, kind="stable")

    @cached_property
    def is_corner(self) -> Bools:
        """(n,) vertices on the outline of a facet."""
        corner = np.zeros(len(self.placed.vertices), dtype=bool)
        corner[self.tails] = True
        return corner

    @cached_property
    def is_convex_vertex(self) -> Bools:
        """(n,) all edges that meet there are convex or straight, and lie behind every facet there.

        Two convex corners of one body may meet in a vertex: together they are not convex.
        """
        convex = np.ones(len(self.placed.vertices), dtype=bool)
        odd = ~(self.bend > -BENT)  # reflex, or unknown
        convex[self.ends[odd].ravel()] = False
        starts, halves = self.at_vertex
        several = np.flatnonzero((np.diff(starts) > 3) & convex)
        mine, which = rows_of(starts, several)
        others, row = rows_of(starts, several[which])
        ways = self.arms[halves[others]]
        normals = self.placed.facets.normals[self.facet_of_half[halves[mine[row]]]]
        before = (ways * normals).sum(axis=1) > BEFORE * np.linalg.norm(ways, axis=1)
        convex[several[which[row[before]]]] = False
        return convex

    def edges_at(self, vertices: Ints) -> tuple[Ints, Ints]:
        """Edges that meet in vertices (k,), and for each the position of its vertex in `vertices`."""
        starts, halves = self.at_vertex
        rows, which = rows_of(starts, vertices)
        return self.edge_of_half[halves[rows]], which

    @cached_property
    def arms(self) -> Array:
        """(h, 3) along half-edges."""
        arms: Array = self.placed.vertices[self.heads] - self.placed.vertices[self.tails]
        return arms

    @cached_property
    def is_wide(self) -> Bools:
        """(h,) where a facet's corner at the start of a half-edge is straight or reflex."""
        back = -self.arms[self.before]
        sine = (cross(self.arms, back) * self.placed.facets.normals[self.facet_of_half]).sum(axis=1)
        sizes = np.linalg.norm(self.arms, axis=1) * np.linalg.norm(back, axis=1)
        wide: Bools = sine <= BENT * sizes
        return wide

    def is_convex(self, feature: Ints) -> Bools:
        """(k,) of features: ≥ 0 a vertex, else edge −1 − feature."""
        edge = np.maximum(-1 - feature, 0)
        return np.where(feature >= 0, self.is_convex_vertex[np.maximum(feature, 0)], self.bend[edge] > -BENT)

    def edges_of(self, feature: Ints) -> tuple[Ints, Ints]:
        """Edges through features (k,), none where NOTHING, and for each the position of its feature."""
        own = np.flatnonzero((feature < 0) & (feature != NOTHING))
        corner = np.flatnonzero(feature >= 0)
        edges, which = self.edges_at(feature[corner])
        return np.concatenate([-1 - feature[own], edges]), np.concatenate([own, corner[which]])
