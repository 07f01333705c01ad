"""What hangs together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from falsework.geometry.shapes.linking import components_of


def test_nodes_without_edges_are_components_of_their_own() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert components_of(3, none, none).tolist() == [0, 1, 2]
    assert components_of(0, none, none).tolist() == []


def test_a_long_chain_in_any_order_is_one() -> None:
    steps = np.random.default_rng(0).permutation(999)
    assert not components_of(1000, steps, steps + 1).any()


@pytest.mark.parametrize("seed", range(5))
def test_components_are_those_of_another_library(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.integers(200, size=(2, 40 + 40 * seed))
    graph = coo_array((np.ones(len(one)), (one, other)), shape=(200, 200))
    assert components_of(200, one, other).tolist() == connected_components(graph, directed=False)[1].tolist()
