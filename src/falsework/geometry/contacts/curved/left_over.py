"""Which corners and edges are left to those who look for contacts of polyhedra: not those of curved surfaces.

Corners and edges within a curved surface are no corners: where it touches has been found already. Those on its rim are,
but not where the surface beside them touches.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.curved.finding import CurvedTouches
from falsework.geometry.contacts.curved.on_curved import is_handled
from falsework.geometry.contacts.curved.placed_surfaces import FLAT
from falsework.geometry.shapes.features import Features
from falsework.geometry.shapes.runs import rows_of
from falsework.model.arrays import Bools, Ints


class LeftOver:
    """The features of a scene, and what curved surfaces take of them."""

    def __init__(self, features: Features, found: CurvedTouches) -> None:
        self._features, self._surfaces = features, found.surfaces
        self._curved, self._flat = found.takes()
        touches = [touch for _, touch in found.touches if touch.one.kind == "thread"]
        self._in_threads = {number for touch in touches for number in (touch.one.number, touch.other_number)}
        self._known: dict[int, frozenset[int]] = {}
        own = found.surfaces.of_facet != FLAT
        self._at_vertex = np.zeros(len(features.placed.vertices), dtype=bool)
        self._at_vertex[features.tails[own[features.facet_of_half]]] = True
        self._at_edge = np.zeros(len(features.ends), dtype=bool)
        self._at_edge[features.edge_of_half[own[features.facet_of_half]]] = True

    def of_corners(self, vertex: Ints, facet: Ints) -> Bools:
        """(k,) of corners (k,) on facets (k,)."""
        concerned = self._at_vertex[vertex] | (self._surfaces.of_facet[facet] != FLAT)
        return self._left(concerned, [(int(a), frozenset([int(b)])) for a, b in zip(vertex, facet, strict=True)])

    def of_meetings(self, features: Ints) -> Bools:
        """(k,) of features (k, 2) that meet: ≥ 0 a vertex, else edge −1 − feature."""
        if not len(features):
            return np.zeros(0, dtype=bool)
        of_features = np.where(
            features >= 0, self._at_vertex[np.maximum(features, 0)], self._at_edge[np.maximum(-1 - features, 0)]
        )
        concerned = np.asarray(of_features.any(axis=1))
        return self._left(concerned, [(int(a), int(b)) for a, b in features])

    def _left(self, concerned: Bools, pairs: list[tuple[int, int | frozenset[int]]]) -> Bools:
        left = np.ones(len(pairs), dtype=bool)
        for k in np.flatnonzero(concerned):
            one, other = pairs[k]
            beside = other if isinstance(other, frozenset) else self._facets(other)
            left[k] = not self._takes(self._facets(one), beside)
        return left

    def _facets(self, feature: int) -> frozenset[int]:
        """The facets that meet in a corner or an edge."""
        if feature not in self._known:
            features = self._features
            starts, halves = features.at_vertex if feature >= 0 else (features.edge_starts, features.halves)
            rows, _ = rows_of(starts, np.array([feature if feature >= 0 else -1 - feature]))
            self._known[feature] = frozenset(features.facet_of_half[halves[rows]].tolist())
        return self._known[feature]

    def _takes(self, ones: frozenset[int], others: frozenset[int]) -> bool:
        return self._takes_from(ones, others) or self._takes_from(others, ones)

    def _takes_from(self, ones: frozenset[int], others: frozenset[int]) -> bool:
        of_facet, curved = self._surfaces.of_facet, self._surfaces.curved
        own, theirs = {int(of_facet[facet]) for facet in ones}, {int(of_facet[facet]) for facet in others} - {FLAT}
        own_forms = [curved[one].kind for one in own - {FLAT}]
        within = len(own) == 1 and FLAT not in own and (bool(theirs) or "thread" not in own_forms)
        own -= {FLAT}
        if any((one, other) in self._curved for one in own for other in theirs):
            return True
        if any((one, facet) in self._flat for one in own for facet in others):
            return True
        if own & self._in_threads:  # beside a flank that touches, what else is there is where a thread was cut off
            return True
        return within and all(is_handled(curved[one], curved[other]) for one in own for other in theirs)
