"""Bodies that hang together."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from falsework.kernels.clusters import clusters


def test_clusters_are_numbered_in_the_order_of_their_first_bodies() -> None:
    assert clusters(np.array([(4, 1), (5, 3), (1, 5)]), 7).tolist() == [0, 1, 2, 1, 1, 1, 3]


def test_without_pairs_everybody_is_alone() -> None:
    assert clusters(np.zeros((0, 2), dtype=np.int64), 3).tolist() == [0, 1, 2]


def test_clusters_are_those_of_the_graph() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        bodies = int(rng.integers(1, 40))
        pairs = rng.integers(0, bodies, (int(rng.integers(0, 40)), 2))
        graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(bodies, bodies))
        assert np.array_equal(clusters(pairs, bodies), connected_components(graph, directed=False)[1])
