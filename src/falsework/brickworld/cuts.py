"""Where a component comes apart: the smallest cut through the connections that yield.

In the motion that proves an overload, bricks move in rigid clusters, and every connection that slips between clusters
carries all it can at the least strength: they are the worst overloaded ones, and the others have room. Of all sets of
slipping connections whose removal disconnects the component, the one with the fewest connections breaks (seed 000,
section VI-C); of several as small, the one that slips fastest.
"""

from __future__ import annotations

import numpy as np

from falsework.brickworld.least_cut import least_cut
from falsework.kernels.clusters import clusters
from falsework.model.arrays import Array, Bools, Ints

SLIPPING = 1e-3  # of the largest slip: less is rounding
MOST_CLUSTERS = 60  # up to which cuts are compared exactly; beyond, clusters that slip least are joined first


def slip_speeds(pairs: Ints, origins: Array, reaches: Array, coms: Array, twists: Array) -> Array:
    """(k,) how fast the two bodies of each joint part at it: |relative velocity| + |relative spin| × reach."""
    relative, turned = np.zeros((len(pairs), 3)), np.zeros((len(pairs), 3))
    for side, sign in ((1, 1.0), (0, -1.0)):
        bodies = pairs[:, side]
        arms = origins - coms[bodies]
        relative += sign * (twists[bodies, :3] + np.cross(twists[bodies, 3:], arms))
        turned += sign * twists[bodies, 3:]
    speeds: Array = np.linalg.norm(relative, axis=1) + np.linalg.norm(turned, axis=1) * reaches
    return speeds


def smallest_cut(pairs: Ints, speeds: Array, bodies: int) -> Ints:
    """Rows of `pairs` (k, 2) that break; empty if nothing slips."""
    top = float(speeds.max(initial=0.0))
    if not top > 0.0:
        return np.zeros(0, dtype=np.int64)
    slips = speeds > SLIPPING * top
    label = clusters(pairs[~slips], bodies)
    apart = label[pairs[:, 0]] != label[pairs[:, 1]]
    if not apart.any():
        return np.zeros(0, dtype=np.int64)
    label, apart = _fewer(pairs, speeds, label, apart)
    side = _global_cut(label[pairs[apart]], speeds[apart] / top)
    return np.flatnonzero(apart & (side[label[pairs[:, 0]]] != side[label[pairs[:, 1]]]))


def _fewer(pairs: Ints, speeds: Array, label: Ints, apart: Bools) -> tuple[Ints, Bools]:
    """Clusters joined along the slowest slips until few enough are left."""
    names = np.unique(label[pairs[apart]])
    if len(names) <= MOST_CLUSTERS:
        return label, apart
    order = np.flatnonzero(apart)[np.argsort(speeds[apart], kind="stable")]
    parent = np.arange(int(label.max()) + 1)

    def root(one: int) -> int:
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = int(parent[one])
        return one

    left = len(names)
    for row in order.tolist():
        first, second = (root(int(label[body])) for body in pairs[row])
        if first != second and left > MOST_CLUSTERS:
            parent[first] = second
            left -= 1
    joined = np.array([root(int(one)) for one in label])
    return joined, joined[pairs[:, 0]] != joined[pairs[:, 1]]


def _global_cut(pairs: Ints, speeds: Array) -> Bools:
    """(names,) one side of the cut with the fewest edges; ties go to the faster edges."""
    names, ends = np.unique(pairs, return_inverse=True)
    size = len(names)
    # An edge counts 1, less a little for its speed: never enough for one edge more.
    weights = 1.0 - 0.5 * speeds / max(1, len(pairs))
    table = np.zeros((size, size))
    np.add.at(table, tuple(ends.reshape(-1, 2).T), weights)
    side = np.zeros(int(pairs.max()) + 1, dtype=bool)
    side[names[least_cut(table + table.T)]] = True
    return side
