"""Ways among bodies that stand: RRT-Connect, then shortcuts. Every edge is certified all along (collision/sweeping).

Two trees grow from both ends, the smaller one towards a sample, the other towards what that reached. Distances are
weighed by how far from a joint's axis the arm can reach, so that they stand for metres that the hand moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.kernels.exact import compiled, inner
from falsework.model.arrays import Array, Ints
from falsework.robots.collision.bodies import Bodies
from falsework.robots.collision.sweeping import met
from falsework.robots.kinematics.chain import Chain


class Traffic(NamedTuple):
    """An arm among bodies that stand. Owners are all 0: who is in the way is not asked, only whether anybody is."""

    chain: Chain
    movers: Bodies
    own_pairs: Ints  # (k, 2) pieces of the arm that may meet each other
    still: Chain  # of what stands, without joints
    others: Bodies
    pairs: Ints  # (k, 2) pieces of the arm, pieces that stand
    margin: float


@inner
def _free(traffic: Traffic, begin: Array, end: Array) -> bool:
    """Whether the arm keeps its margin from everything, and from itself, on the straight way between two positions."""
    none = np.zeros(0)
    t = traffic
    blocked, _ = met(t.chain, begin, end, t.movers, t.still, none, none, t.others, t.pairs, t.margin, 1)
    if blocked[0]:
        return False
    touching, _ = met(t.chain, begin, end, t.movers, t.chain, begin, end, t.movers, t.own_pairs, t.margin, 1)
    return not touching[0]


@compiled
def all_free(traffic: Traffic, path: Array) -> bool:
    """Whether every straight way from one position of the path (k, n) to the next keeps the margin."""
    free = True
    for k in range(len(path) - 1):
        free = free and _free(traffic, path[k], path[k + 1])
    return free


@compiled
def connect(traffic: Traffic, begin: Array, end: Array, weights: Array, samples: Array, step: float) -> Array:
    """(k, n) positions from begin to end, straight ways between them free; (0, n) where the samples (m, n) ran out.

    `step` is the longest edge of the trees, in weighed distance.
    """
    n = len(begin)
    if _free(traffic, begin, end):
        path = np.empty((2, n))
        path[0], path[1] = begin, end
        return path
    most = 16 * len(samples) + 2
    trees, parents, sizes = np.empty((2, most, n)), np.zeros((2, most), np.int64), np.ones(2, np.int64)
    trees[0, 0], trees[1, 0] = begin, end
    for k in range(len(samples)):
        one = 0 if sizes[0] <= sizes[1] else 1
        grown, _ = _grown(traffic, trees[one], parents[one], sizes, one, samples[k], weights, step, 1)
        if grown < 0:
            continue
        target = trees[one, grown].copy()
        met_at, there = _grown(traffic, trees[1 - one], parents[1 - one], sizes, 1 - one, target, weights, step, most)
        if there:
            return _joined(trees, parents, grown if one == 0 else met_at, met_at if one == 0 else grown)
        if max(sizes) >= most:
            break
    return np.empty((0, n))


@inner
def _grown(
    traffic: Traffic, tree: Array, parents: Ints, sizes: Ints, side: int, target: Array, weights: Array, step: float,
    edges: int,
) -> tuple[int, bool]:  # fmt: skip
    """The last of the nodes, at most so many, that lead from a tree to a target, −1 if none; whether it is there."""
    best, at = np.inf, 0
    for k in range(sizes[side]):
        far = np.sum((weights * (tree[k] - target)) ** 2)
        if far < best:
            best, at = far, k
    last = -1
    for _ in range(edges):
        far = np.sqrt(np.sum((weights * (target - tree[at])) ** 2))
        there = far <= step
        to = target.copy() if there else tree[at] + (step / far) * (target - tree[at])
        if sizes[side] >= len(tree) or not _free(traffic, tree[at], to):
            return last, False
        last = sizes[side]
        tree[last], parents[last] = to, at
        sizes[side] += 1
        at = last
        if there:
            return last, True
    return last, False


@inner
def _joined(trees: Array, parents: Ints, first: int, second: int) -> Array:
    """The way from the root of the first tree to that of the second; both have the position in which they meet."""
    path = np.empty((len(parents[0]) + len(parents[1]), trees.shape[2]))
    count, k = 0, first
    while True:
        path[count] = trees[0, k]
        count += 1
        if k == 0:
            break
        k = parents[0, k]
    path[:count] = path[:count][::-1].copy()
    k = second
    while k != 0:
        k = parents[1, k]
        path[count] = trees[1, k]
        count += 1
    return path[:count].copy()


@compiled
def shortened(traffic: Traffic, path: Array, draws: Array) -> Array:
    """(k, n) the same way with less of it: straight ways between two of its points, drawn by (m, 2) numbers in 0…1.

    Corners are left out first and last, wherever that is free; in between points within edges are joined.
    """
    kept = _corners_left_out(traffic, path)
    for m in range(len(draws)):
        edges = len(kept) - 1
        if edges < 2:
            break
        first, second = min(draws[m, 0], draws[m, 1]) * edges, max(draws[m, 0], draws[m, 1]) * edges
        i, j = min(int(first), edges - 1), min(int(second), edges - 1)
        if i == j:
            continue
        a = kept[i] + (first - i) * (kept[i + 1] - kept[i])
        b = kept[j] + (second - j) * (kept[j + 1] - kept[j])
        if _free(traffic, a, b):
            new = np.empty((i + 3 + edges - j, kept.shape[1]))
            new[: i + 1] = kept[: i + 1]
            new[i + 1], new[i + 2] = a, b
            new[i + 3 :] = kept[j + 1 :]
            kept = new
    return _corners_left_out(traffic, kept)


@inner
def _corners_left_out(traffic: Traffic, path: Array) -> Array:
    """From every position on to the farthest that a free straight way leads to."""
    kept = np.empty_like(path)
    kept[0] = path[0]
    count, at = 1, 0
    while at < len(path) - 1:
        to = len(path) - 1
        while to > at + 1 and not _free(traffic, path[at], path[to]):
            to -= 1
        kept[count] = path[to]
        count, at = count + 1, to
    return kept[:count].copy()
