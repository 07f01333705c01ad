"""Which places an arm can work at: joints that reach one of a place's poses and touch nothing."""

from __future__ import annotations

import numpy as np

from falsework.kernels.exact import compiled, inner
from falsework.model.arrays import Array, Ints
from falsework.robots.collision.bodies import Bodies
from falsework.robots.collision.touching import box_gap, piece_gap, put
from falsework.robots.kinematics.branches import closed
from falsework.robots.kinematics.chain import Chain
from falsework.robots.kinematics.forward import place

MOST_BRANCHES = 96


@compiled
def free_positions(
    hand: Chain,
    form: int,
    near: Array,
    free: Array,
    chain: Chain,
    bodies: Bodies,
    own_pairs: Ints,
    around: Bodies,
    pairs: Ints,
    margin: float,
    wanted: Array,
    most: int,
) -> tuple[Array, Ints]:
    """(p, most, n) positions for places with poses `wanted` (p, k, 3, 4) in the base's frame, and how many were found.

    `hand` leads to the tool's point in the base's frame and is solved in closed form; `chain` stands in the world. Of
    each pose at most one position is taken.
    """
    n = len(near)
    found, counts = np.empty((len(wanted), most, n)), np.zeros(len(wanted), np.int64)
    branches = np.empty((MOST_BRANCHES, n))
    links, still = np.empty((n + 2, 3, 4)), np.zeros((1, 3, 4))
    points, boxes = np.empty_like(bodies.points), np.empty((len(bodies.radii), 6))
    there, room = np.empty_like(around.points), np.empty((len(around.radii), 6))
    simplex = np.empty((4, 3))
    for i in range(3):
        still[0, i, i] = 1.0
    put(around, still, there, room)
    reach = _reach(hand)
    for p in range(len(wanted)):
        for k in range(wanted.shape[1]):
            if counts[p] == most:
                break
            T = wanted[p, k]
            if T[0, 3] ** 2 + T[1, 3] ** 2 + T[2, 3] ** 2 > reach * reach:
                continue
            for one in range(closed(hand, form, T, near, free, MOST_BRANCHES, branches)):
                place(chain, branches[one], links)
                put(bodies, links, points, boxes)
                if _clear(bodies, points, boxes, bodies, points, boxes, own_pairs, margin, simplex) and _clear(
                    bodies, points, boxes, around, there, room, pairs, margin, simplex
                ):
                    found[p, counts[p]] = branches[one]
                    counts[p] += 1
                    break
    return found, counts


@inner
def _reach(chain: Chain) -> float:
    """No point that the chain reaches is farther from its base."""
    total = np.sqrt((chain.flange[:, 3] ** 2).sum())
    for k in range(len(chain.frames)):
        total += np.sqrt((chain.frames[k, :, 3] ** 2).sum())
        if chain.sliding[k]:
            total += max(abs(chain.lower[k]), abs(chain.upper[k]))
    return float(total)


@inner
def _clear(
    first: Bodies,
    ones: Array,
    one_boxes: Array,
    second: Bodies,
    others: Array,
    other_boxes: Array,
    pairs: Ints,
    margin: float,
    simplex: Array,
) -> bool:
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        if box_gap(one_boxes, i, other_boxes, j) < margin and (
            piece_gap(first, ones, i, second, others, j, margin, margin, simplex) < margin
        ):
            return False
    return True
