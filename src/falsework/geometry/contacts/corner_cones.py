"""What solids look like near a corner or an edge: convex cones.

A convex corner is the cone of the edges that leave it, a convex edge that of the edge and the two faces beside it. One
that is not convex is taken as several convex cones inside it, one or two for each face: the face, a little of what it
is joined to by convex edges, and beyond a reflex edge a little more of its own plane, which is inside the solid there.
Each of them must be kept out of; what keeps them all apart may be less than what keeps the bodies apart, never more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.shapes.features import BENT, Features
from falsework.geometry.shapes.planes import unit
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.model.arrays import Array, Bools, Ints

BEYOND = 0.05  # rad: how far beyond a reflex edge a face's plane is surely inside


@dataclass(frozen=True, slots=True, eq=False)
class Cones:
    """Convex cones, as runs: the ways that span each, and the normals of facets among its sides."""

    starts: Ints  # (k + 1,)
    ways: Array  # (w, 3) unit
    reach_m: Array  # (w,)
    normal_starts: Ints  # (k + 1,)
    normals: Array  # (f, 3) outward

    def __len__(self) -> int:
        return len(self.starts) - 1

    def chosen(self, which: Ints) -> Cones:
        """Some of them."""
        rows, _ = rows_of(self.starts, which)
        sides, _ = rows_of(self.normal_starts, which)
        counts, faces = np.diff(self.starts)[which], np.diff(self.normal_starts)[which]
        return Cones(starts_of(counts), self.ways[rows], self.reach_m[rows], starts_of(faces), self.normals[sides])

    @staticmethod
    def joined(several: list[Cones]) -> Cones:
        return Cones(
            starts_of(np.concatenate([np.diff(table.starts) for table in several])),
            np.concatenate([table.ways for table in several]),
            np.concatenate([table.reach_m for table in several]),
            starts_of(np.concatenate([np.diff(table.normal_starts) for table in several])),
            np.concatenate([table.normals for table in several]),
        )


def cones_of(features: Features, which: Ints) -> tuple[Cones, Ints]:
    """The cones of features (k,), in no order, and for each the position of its feature; see `Features.is_convex`."""
    convex = features.is_convex(which)
    corners = np.flatnonzero(convex & (which >= 0))
    edges = np.flatnonzero(convex & (which < 0))
    dented = np.flatnonzero(~convex)
    dents, nicks = dented[which[dented] >= 0], dented[which[dented] < 0]
    at_corners, of_corner = _dented_corners(features, which[dents])
    at_edges, of_edge = _dented_edges(features, -1 - which[nicks])
    tables = [_corners(features, which[corners]), _edges(features, -1 - which[edges]), at_corners, at_edges]
    return Cones.joined(tables), np.concatenate([corners, edges, dents[of_corner], nicks[of_edge]])


def _corners(features: Features, vertices: Ints) -> Cones:
    """Of convex vertices: the edges that leave them, and a way into facets that are straight there."""
    starts, halves = features.at_vertex
    rows, which = rows_of(starts, vertices)
    half = halves[rows]
    wide = features.is_wide[half]
    reach = np.linalg.norm(features.arms[half], axis=1)
    owner = np.concatenate([which, which[wide]])
    order = np.argsort(owner, kind="stable")
    ways = np.concatenate([unit(features.arms[half]), features.inward[half[wide]]])[order]
    counts = np.bincount(which, minlength=len(vertices))
    normals = features.placed.facets.normals[features.facet_of_half[half]]
    reach = np.concatenate([reach, reach[wide]])[order]
    return Cones(starts_of(np.bincount(owner, minlength=len(vertices))), ways, reach, starts_of(counts), normals)


def _edges(features: Features, edges: Ints) -> Cones:
    """Of convex edges: both ways along them and into the two facets."""
    halves = features.beside[edges]  # (k, 2)
    along = features.ways[edges]
    ways = np.concatenate([along[:, None], -along[:, None], features.inward[halves]], axis=1)
    normals = features.placed.facets.normals[features.facet_of_half[halves]]
    reach = np.repeat(features.lengths_m[edges], 4)
    fours, twos = np.arange(len(edges) + 1) * 4, np.arange(len(edges) + 1) * 2
    return Cones(fours, ways.reshape(-1, 3), reach, twos, normals.reshape(-1, 3))


def _dented_edges(features: Features, edges: Ints) -> tuple[Cones, Ints]:
    """The half-spaces behind the facets of edges, and which edge (k,) each is of."""
    rows, which = rows_of(features.edge_starts, edges)
    halves = features.halves[rows]
    along, into = unit(features.arms[halves]), features.inward[halves]
    ways = np.stack([along, -along, into, -into], axis=1).reshape(-1, 3)
    normals = features.placed.facets.normals[features.facet_of_half[halves]]
    count = np.arange(len(halves) + 1)
    return Cones(4 * count, ways, np.repeat(features.lengths_m[edges[which]], 4), count, normals), which


def _dented_corners(features: Features, vertices: Ints) -> tuple[Cones, Ints]:
    """One or two cones per facet, so that each is convex: a facet with a reflex corner has two half-planes in it.

    The cones, and which vertex (k,) each is of.
    """
    starts, halves = features.at_vertex
    rows, which = rows_of(starts, vertices)
    half = halves[rows]
    before, wide = features.before[half], features.is_wide[half]
    ahead, back = features.arms[half], -features.arms[before]
    narrow = ~wide & ((unit(ahead) * unit(back)).sum(axis=1) > -np.cos(4 * BEYOND))
    tables = [
        _of_facets(features, half[~wide], [(half[~wide], ahead[~wide]), (before[~wide], back[~wide])], narrow[~wide]),
        _of_facets(features, half[wide], [(half[wide], ahead[wide])], narrow[wide]),
        _of_facets(features, half[wide], [(before[wide], back[wide])], narrow[wide]),
    ]
    row = np.concatenate([np.flatnonzero(~wide), np.flatnonzero(wide), np.flatnonzero(wide)])
    order = np.argsort(row, kind="stable")  # as the facets are about each vertex
    return Cones.joined(tables).chosen(order), which[row[order]]


def _into(features: Features, half: Ints, arms: Array) -> Array:
    """(k, 3) into facets, as far as arms (k, 3) are long."""
    ways: Array = features.inward[half] * np.linalg.norm(arms, axis=1)[:, None]
    return ways


def _of_facets(features: Features, half: Ints, edges: list[tuple[Ints, Array]], narrow: Bools) -> Cones:
    """Convex parts (k,) of facets' corners with what is beside or beyond those of their edges that end there.

    `edges`: half-edges (k,) and the arms (k, 3) along them that leave the corner. Of one alone it is a half-plane.
    """
    facing = features.placed.facets.normals[features.facet_of_half]
    everywhere = np.ones(len(half), dtype=bool)
    ways = [(arm, everywhere) for _, arm in edges]
    if len(edges) == 1:
        side, arm = edges[0]
        ways += [(-arm, everywhere), (_into(features, side, arm), everywhere)]
    normals = [(facing[half], everywhere)]
    for side, arm in edges:
        edge = features.edge_of_half[side]
        one, other = features.beside[edge].T
        convex, level = features.bend[edge] > BENT, features.bend[edge] <= BENT
        beside = np.where(one == side, other, one)  # convex: a little way into the facet beside
        within = np.cos(BEYOND) * arm + np.sin(BEYOND) * _into(features, beside, arm)
        beyond = np.cos(BEYOND) * arm - np.sin(BEYOND) * _into(features, side, arm)  # reflex or straight: in its plane
        ways.append((np.where(convex[:, None], within, beyond), convex | (level & narrow)))
        normals.append((facing[beside], convex))
    starts, spanned = _runs(ways)
    normal_starts, sides = _runs(normals)
    return Cones(starts, unit(spanned), np.linalg.norm(spanned, axis=1), normal_starts, sides)


def _runs(columns: list[tuple[Array, Bools]]) -> tuple[Ints, Array]:
    """Vectors (k, 3) of several columns, those that are there, as one run for each of k."""
    there = np.stack([mask for _, mask in columns], axis=1)
    vectors = np.stack([column for column, _ in columns], axis=1)
    return starts_of(there.sum(axis=1)), vectors[there]
