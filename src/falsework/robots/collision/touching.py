"""Which bodies are in the way at given positions: for many positions at once, a bit for every body."""

from __future__ import annotations

import math

import numpy as np

from falsework.kernels.exact import compiled, inner
from falsework.model.arrays import Array, Bools, Ints
from falsework.robots.collision.bodies import Bodies, Words
from falsework.robots.collision.separation import separation

WORD = 64  # bits


@inner
def put(bodies: Bodies, links: Array, points: Array, boxes: Array) -> None:
    """Fill `points` (v, 3) and `boxes` (p, 6), lowest and highest corner with the radius, where links (l, 3, 4) are."""
    for piece in range(len(bodies.radii)):
        T = links[bodies.link[piece]]
        for i in range(3):
            low, high = math.inf, -math.inf
            for k in range(bodies.starts[piece], bodies.starts[piece + 1]):
                value = (
                    T[i, 0] * bodies.points[k, 0]
                    + T[i, 1] * bodies.points[k, 1]
                    + T[i, 2] * bodies.points[k, 2]
                    + T[i, 3]
                )
                points[k, i] = value
                low, high = min(low, value), max(high, value)
            boxes[piece, i] = low - bodies.radii[piece]
            boxes[piece, i + 3] = high + bodies.radii[piece]


@inner
def box_gap(ones: Array, i: int, others: Array, j: int) -> float:
    """A lower bound on the distance of two pieces from their boxes."""
    total = 0.0
    for k in range(3):
        gap = max(ones[i, k] - others[j, k + 3], others[j, k] - ones[i, k + 3])
        if gap > 0.0:
            total += gap * gap
    return math.sqrt(total)


@inner
def piece_gap(
    first: Bodies,
    ones: Array,
    i: int,
    second: Bodies,
    others: Array,
    j: int,
    stop: float,
    settle: float,
    simplex: Array,
) -> float:
    """A lower bound on the distance of two pieces that were put; below 0 where their radii overlap."""
    radii = first.radii[i] + second.radii[j]
    cores = separation(
        ones,
        first.starts[i],
        first.starts[i + 1],
        others,
        second.starts[j],
        second.starts[j + 1],
        stop + radii,
        settle + radii,
        simplex,
    )
    return float(cores - radii)


@compiled
def in_the_way(
    movers: Bodies, links: Array, others: Bodies, standing: Array, pairs: Ints, margin: float, words: int
) -> Words:
    """(m, words) bits of the owners among `others` that come nearer than `margin` to the movers.

    `links` (m, l, 3, 4) are the poses of the movers' links, `standing` (m or 1, l, 3, 4) those of the others.
    """
    blocked = np.zeros((len(links), words), np.uint64)
    points, boxes = np.empty_like(movers.points), np.empty((len(movers.radii), 6))
    there, around = np.empty_like(others.points), np.empty((len(others.radii), 6))
    simplex = np.empty((4, 3))
    if len(standing) == 1:
        put(others, standing[0], there, around)
    for m in range(len(links)):
        put(movers, links[m], points, boxes)
        if len(standing) > 1:
            put(others, standing[m], there, around)
        for k in range(len(pairs)):
            i, j = pairs[k, 0], pairs[k, 1]
            word, bit = others.owner[j] // WORD, np.uint64(others.owner[j] % WORD)
            if (blocked[m, word] >> bit) & np.uint64(1) or box_gap(boxes, i, around, j) >= margin:
                continue
            if piece_gap(movers, points, i, others, there, j, margin, margin, simplex) < margin:
                blocked[m, word] |= np.uint64(1) << bit
    return blocked


@compiled
def least_gaps(movers: Bodies, links: Array, others: Bodies, standing: Array, pairs: Ints, most: float) -> Array:
    """(m,) the least distance between movers and others, at most `most`; 0 or below where they overlap."""
    found = np.full(len(links), most)
    points, boxes = np.empty_like(movers.points), np.empty((len(movers.radii), 6))
    there, around = np.empty_like(others.points), np.empty((len(others.radii), 6))
    simplex = np.empty((4, 3))
    for m in range(len(links)):
        put(movers, links[m], points, boxes)
        if m == 0 or len(standing) > 1:
            put(others, standing[m if len(standing) > 1 else 0], there, around)
        for k in range(len(pairs)):
            i, j = pairs[k, 0], pairs[k, 1]
            if box_gap(boxes, i, around, j) < found[m]:
                gap = piece_gap(movers, points, i, others, there, j, found[m], -1.0, simplex)
                found[m] = min(found[m], gap)
    return found


@compiled
def clashing(movers: Bodies, links: Array, others: Bodies, standing: Array, pairs: Ints, margin: float) -> Bools:
    """(m, k) whether movers at each of links (m, …) come nearer than `margin` to others at each of standing (k, …)."""
    found = np.zeros((len(links), len(standing)), np.bool_)
    points = np.empty((len(links), len(movers.points), 3))
    boxes = np.empty((len(links), len(movers.radii), 6))
    there, around = np.empty_like(others.points), np.empty((len(others.radii), 6))
    simplex = np.empty((4, 3))
    for m in range(len(links)):
        put(movers, links[m], points[m], boxes[m])
    for n in range(len(standing)):
        put(others, standing[n], there, around)
        for m in range(len(links)):
            for k in range(len(pairs)):
                i, j = pairs[k, 0], pairs[k, 1]
                if box_gap(boxes[m], i, around, j) < margin and (
                    piece_gap(movers, points[m], i, others, there, j, margin, margin, simplex) < margin
                ):
                    found[m, n] = True
                    break
    return found
