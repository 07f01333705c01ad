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
from falsework.model.arrays import Array, Ints

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
    tables, owners = [_corners(features, which[corners]), _edges(features, -1 - which[edges])], [corners, edges]
    for k in np.flatnonzero(~convex):
        table = _dented_corner(features, int(which[k])) if which[k] >= 0 else _dented_edge(features, int(-1 - which[k]))
        tables.append(table)
        owners.append(np.full(len(table), k))
    return Cones.joined(tables), np.concatenate(owners)


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


def _dented_edge(features: Features, edge: int) -> Cones:
    """The half-spaces behind the facets of an edge."""
    halves = features.halves[features.edge_starts[edge] : features.edge_starts[edge + 1]]
    along, into = unit(features.arms[halves]), features.inward[halves]
    ways = np.stack([along, -along, into, -into], axis=1).reshape(-1, 3)
    normals = features.placed.facets.normals[features.facet_of_half[halves]]
    count = np.arange(len(halves) + 1)
    return Cones(4 * count, ways, np.full(len(ways), features.lengths_m[edge]), count, normals)


def _dented_corner(features: Features, vertex: int) -> Cones:
    """One or two cones per facet, so that each is convex: a facet with a reflex corner has two half-planes in it."""
    starts, halves = features.at_vertex
    tables = []
    for half in halves[starts[vertex] : starts[vertex + 1]].tolist():
        before = int(features.before[half])
        ahead, back = features.arms[half], -features.arms[before]
        if features.is_wide[half]:
            tables.append(_of_facet(features, half, [(half, ahead)], [-ahead, _into(features, half, ahead)]))
            tables.append(_of_facet(features, half, [(before, back)], [-back, _into(features, before, back)]))
        else:
            tables.append(_of_facet(features, half, [(half, ahead), (before, back)], []))
    return Cones.joined(tables)


def _into(features: Features, half: int, arm: Array) -> Array:
    """Into the facet, as far as an arm is long."""
    way: Array = features.inward[half] * np.linalg.norm(arm)
    return way


def _of_facet(features: Features, half: int, edges: list[tuple[int, Array]], inner: list[Array]) -> Cones:
    """A convex part of a facet's corner with what is beside or beyond those of its edges that end there.

    `edges`: half-edges and the arms along them that leave the corner; `inner`: more ways in the facet.
    """
    ways, normals = [arm for _, arm in edges] + inner, [features.placed.facets.normals[features.facet_of_half[half]]]
    narrow = len(edges) == 2 and float(unit(edges[0][1]) @ unit(edges[1][1])) > -np.cos(4 * BEYOND)
    for side, arm in edges:
        edge = features.edge_of_half[side]
        one, other = features.beside[edge]
        if features.bend[edge] > BENT:  # convex: a little way into the facet beside
            beside = int(other if one == side else one)
            ways.append(np.cos(BEYOND) * arm + np.sin(BEYOND) * _into(features, beside, arm))
            normals.append(features.placed.facets.normals[features.facet_of_half[beside]])
        elif features.bend[edge] <= BENT and narrow:  # reflex or straight: a little way on in its own plane
            ways.append(np.cos(BEYOND) * arm - np.sin(BEYOND) * _into(features, side, arm))
    spanned = np.array(ways)
    reach = np.linalg.norm(spanned, axis=1)
    return Cones(np.array([0, len(ways)]), unit(spanned), reach, np.array([0, len(normals)]), np.array(normals))
