"""Block-sparse Cholesky against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba")

from falsework.kernels.block_cholesky import MANY, BlockPattern
from falsework.model.arrays import Array, Ints


def dense(count: int, edges: Ints, diagonal: Array, blocks: Array) -> Array:
    matrix = np.zeros((count, 6, count, 6))
    for node in range(count):
        matrix[node, :, node] += diagonal[node]
    for (i, j), block in zip(edges, blocks, strict=True):
        matrix[i, :, j] += block
        matrix[j, :, i] += block.T
    return matrix.reshape(6 * count, 6 * count)


def grid(side: int) -> list[tuple[int, int]]:
    """Neighbours in a cube of so many nodes a side: enough of them for a factor that is made bunch by bunch."""
    number = np.arange(side**3).reshape(side, side, side)
    ways = [(number[1:], number[:-1]), (number[:, 1:], number[:, :-1]), (number[:, :, 1:], number[:, :, :-1])]
    return [(int(i), int(j)) for ahead, behind in ways for i, j in zip(ahead.ravel(), behind.ravel(), strict=True)]


@pytest.mark.parametrize(
    ("count", "edges"),
    [
        (1, []),
        (3, [(0, 1), (2, 1), (1, 0)]),
        (9, [(i, (i + 1) % 9) for i in range(9)]),
        (7, [(0, i) for i in range(1, 7)]),
        (36, [(i, i + 1) for i in range(35) if i % 6 < 5] + [(i, i + 6) for i in range(30)]),
        (40, [(i, j) for i in range(40) for j in range(i)]),
        (60, [(i, j) for i in range(60) for j in range(i)]),
        (216, grid(6)),
    ],
)
def test_solves_what_dense_algebra_solves(count: int, edges: list[tuple[int, int]]) -> None:
    rng = np.random.default_rng(count)
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    blocks = rng.normal(size=(len(pairs), 6, 6))
    diagonal = np.repeat(30.0 * count * np.eye(6)[None], count, axis=0)
    b = rng.normal(size=(count, 6))
    factor = BlockPattern.of(count, pairs).factor(diagonal, blocks)
    assert factor.shut == 0
    expected = np.linalg.solve(dense(count, pairs, diagonal, blocks), b.ravel())
    np.testing.assert_allclose(factor.solve(b).ravel(), expected, rtol=1e-10, atol=1e-13)


def test_star_is_eliminated_without_fill() -> None:
    edges = np.array([(0, i) for i in range(1, 20)])
    assert len(BlockPattern.of(20, edges).rows) == 19


def test_singular_directions_are_shut_off() -> None:
    diagonal = np.repeat(np.eye(6)[None], 2, axis=0)
    factor = BlockPattern.of(2, np.array([[0, 1]])).factor(diagonal, -np.eye(6)[None])
    assert factor.shut == 6
    assert np.isfinite(factor.solve(np.ones((2, 6)))).all()


def test_singular_directions_of_large_graphs_are_shut_off() -> None:
    """A cube of nodes that springs hold to each other, and nothing to the ground: six directions are left."""
    pairs = np.array(grid(6))
    diagonal = np.bincount(pairs.ravel())[:, None, None] * np.eye(6)
    pattern = BlockPattern.of(216, pairs)
    assert len(pattern.rows) > MANY
    factor = pattern.factor(diagonal, np.repeat(-np.eye(6)[None], len(pairs), axis=0))
    assert factor.shut == 6
    assert np.isfinite(factor.solve(np.ones((216, 6)))).all()
