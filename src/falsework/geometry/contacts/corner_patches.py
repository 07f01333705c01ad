"""Points in which corners and edges touch, put together: two on one edge with the same normals are one contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.contacts.friction import friction_of
from falsework.geometry.contacts.separating_normals import lean_of
from falsework.geometry.shapes.features import Features
from falsework.geometry.shapes.planes import unit
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import AmbiguousContacts, Patches

SAME_WAY = 1e-3  # rad: normals that differ less are one


@dataclass(frozen=True, slots=True, eq=False)
class Touches:
    """Points of contact, each with one normal or more."""

    pair: Ints  # (k,) index into Scene.pairs
    features: Ints  # (k, 2) of the two solids: ≥ 0 a vertex, NOTHING the inside of a face, else edge −1 − feature
    points: Array  # (k, 3)
    starts: Ints  # (k + 1,)
    normals: Array  # (m, 3) unit, from the first into the second

    @staticmethod
    def single(pair: Ints, features: Ints, points: Array, normals: Array) -> Touches:
        """With one normal each."""
        return Touches(pair, features, points, np.arange(len(pair) + 1), normals)

    @staticmethod
    def joined(several: list[Touches]) -> Touches:
        return Touches(
            np.concatenate([table.pair for table in several]),
            np.concatenate([table.features for table in several]),
            np.concatenate([table.points for table in several]),
            starts_of(np.concatenate([np.diff(table.starts) for table in several])),
            np.concatenate([table.normals for table in several]),
        )

    def chosen(self, which: Bools) -> Touches:
        rows = np.flatnonzero(which)
        normals, _ = rows_of(self.starts, rows)
        counts = np.diff(self.starts)[rows]
        return Touches(
            self.pair[rows], self.features[rows], self.points[rows], starts_of(counts), self.normals[normals]
        )

    def normals_of(self, number: int) -> Array:
        normals: Array = self.normals[self.starts[number] : self.starts[number + 1]]
        return normals


def patches_of(assembly: Assembly, features: Features, touches: Touches) -> Patches:
    """Patches of one point, or of two at the ends of an edge, sorted by bodies."""
    runs = _runs(features, touches)
    heads, points = _flat(runs)
    bodies = features.placed.body[features.placed.pairs[touches.pair[heads]]]
    normals = touches.normals[touches.starts[heads]]
    sizes = np.array([len(run) for run in runs], dtype=np.int64)
    friction = friction_of(assembly, bodies, normals)
    return Patches(bodies, normals, friction, starts_of(sizes), touches.points[points])


def ambiguous_of(assembly: Assembly, features: Features, touches: Touches) -> AmbiguousContacts:
    """The same for ambiguous contacts."""
    runs = _runs(features, touches)
    if not runs:
        return AmbiguousContacts.none()
    heads, points = _flat(runs)
    bodies = features.placed.body[features.placed.pairs[touches.pair[heads]]]
    rows, owner = rows_of(touches.starts, heads)
    normals = touches.normals[rows]
    middles = unit(np.stack([np.bincount(owner, normals[:, k], len(heads)) for k in range(3)], axis=1))
    return AmbiguousContacts(
        bodies,
        friction_of(assembly, bodies, middles),
        starts_of(np.array([len(run) for run in runs])),
        touches.points[points],
        starts_of(np.diff(touches.starts)[heads]),
        normals,
    )


def _flat(runs: list[tuple[int, ...]]) -> tuple[Ints, Ints]:
    """The first of each run, and all of them one after the other."""
    heads = np.array([run[0] for run in runs], dtype=np.int64)
    return heads, np.array([k for run in runs for k in run], dtype=np.int64)


def _runs(features: Features, touches: Touches) -> list[tuple[int, ...]]:
    """Points that make up one contact, by number: one, or the two outermost on an edge; sorted by bodies."""
    blurs = features.placed.blurs_m
    runs: set[tuple[int, ...]] = set()
    taken: set[int] = set()
    for edge, members in _on_edges(features, touches):
        for alike in _alike(touches, members):
            along = touches.points[alike] @ features.ways[edge]
            if len(alike) > 1 and np.ptp(along) > blurs[touches.pair[alike[0]]]:
                first, last = alike[int(np.argmin(along))], alike[int(np.argmax(along))]
                taken.update(alike)
                runs.add((min(first, last), max(first, last)))
    alone = [k for k in range(len(touches.pair)) if k not in taken]
    runs.update((alike[0],) for members in _in_places(features, touches, alone) for alike in _alike(touches, members))
    bodies = features.placed.body[features.placed.pairs[touches.pair]].tolist()
    return sorted(runs, key=lambda run: (bodies[run[0]], run))


def _on_edges(features: Features, touches: Touches) -> list[tuple[int, list[int]]]:
    """Edges with two points or more, of one pair of bodies, that lie in the planes of the normals there."""
    edges, touch = [], []
    for side in (0, 1):
        edge, which = features.edges_of(touches.features[:, side])
        edges.append(edge)
        touch.append(which)
    edge, which = np.concatenate(edges), np.concatenate(touch)
    rows, record = rows_of(touches.starts, which)
    lean = lean_of(features.placed.sinks_m[touches.pair[which]], features.lengths_m[edge])
    level = np.ones(len(edge), dtype=bool)
    along = np.abs((touches.normals[rows] * features.ways[edge][record]).sum(axis=1))
    np.logical_and.at(level, record, along <= lean[record])
    edge, which = edge[level], which[level]
    bodies = features.placed.body[features.placed.pairs[touches.pair[which]]]
    keys, group, counts = np.unique(np.column_stack([bodies, edge]), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(group.ravel(), kind="stable")
    starts = starts_of(counts)
    return [
        (int(keys[k, 2]), sorted(set(which[order[starts[k] : starts[k + 1]]].tolist())))
        for k in np.flatnonzero(counts > 1)
    ]


def _in_places(features: Features, touches: Touches, members: list[int]) -> list[list[int]]:
    """Members by their bodies and places: a corner can be found on several faces."""
    bodies = features.placed.body[features.placed.pairs[touches.pair]]
    groups: list[list[int]] = []
    by_bodies: dict[tuple[int, ...], list[list[int]]] = {}
    for k in members:
        near = features.placed.blurs_m[touches.pair[k]]
        known = by_bodies.setdefault(tuple(bodies[k].tolist()), [])
        for group in known:
            if float(np.abs(touches.points[group[0]] - touches.points[k]).max()) <= near:
                group.append(k)
                break
        else:
            known.append([k])
            groups.append(known[-1])
    return groups


def _alike(touches: Touches, members: list[int]) -> list[list[int]]:
    """Members by what normals they have."""
    groups: list[list[int]] = []
    for k in members:
        for group in groups:
            if _same(touches.normals_of(group[0]), touches.normals_of(k)):
                group.append(k)
                break
        else:
            groups.append([k])
    return groups


def _same(one: Array, other: Array) -> bool:
    """Whether each normal of either is one of the other's."""
    alike = one @ other.T > np.cos(SAME_WAY)
    return bool(alike.any(axis=0).all() and alike.any(axis=1).all())
