"""Choosing few of many nodes so that they differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.model.arrays import Array
from falsework.planning.nodes.moves import Node

ROUNDS = 8  # of k-means; the choice needs no more than a rough clustering


def diverse(nodes: Sequence[Node], keep: int, rng: np.random.Generator) -> list[int]:
    """Which `keep` nodes to keep, in order: those next to the centres of k-means on their state vectors (seed 002)."""
    if len(nodes) <= keep:
        return list(range(len(nodes)))
    vectors = state_vectors(nodes)
    centres = vectors[np.sort(rng.permutation(len(nodes))[:keep])]
    for _ in range(ROUNDS):
        nearest = _distances(vectors, centres).argmin(axis=1)
        counts = np.bincount(nearest, minlength=keep)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, vectors)
        centres = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
    chosen = set(_distances(vectors, centres).argmin(axis=0).tolist())
    spare = (number for number in rng.permutation(len(nodes)).tolist() if number not in chosen)
    while len(chosen) < keep:  # two centres may share their nearest node
        chosen.add(next(spare))
    return sorted(chosen)


def state_vectors(nodes: Sequence[Node]) -> Array:
    """(nodes, 2 × bodies) installed and held, as 0 and 1."""
    count = max((node.installed.bit_length() for node in nodes), default=0)
    masks = [mask for node in nodes for mask in (node.installed, node.held)]
    return np.array([[mask >> n & 1 for n in range(count)] for mask in masks], dtype=float).reshape(len(nodes), -1)


def _distances(vectors: Array, centres: Array) -> Array:
    """(vectors, centres) squared distances."""
    squares = (vectors**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)[None, :]
    distances: Array = squares - 2.0 * vectors @ centres.T
    return distances
