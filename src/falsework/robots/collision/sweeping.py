"""Which bodies are met on the way: straight in the joints, with a bound on what happens between samples.

No point of a piece moves faster than the joints turn times how far it can be from their axes. So a pair of pieces that
is `d` apart in the middle of an interval of length T stays `d − v·T/2` apart all through it. Where that is not enough,
the interval is halved for this pair. What is not reported keeps half of the margin all along the way, and the whole
margin wherever it was looked at.
"""

from __future__ import annotations

import numpy as np

from falsework.kernels.exact import compiled, inner
from falsework.model.arrays import Array, Ints
from falsework.robots.collision.bodies import Bodies, Words
from falsework.robots.collision.touching import WORD, box_gap, piece_gap, put
from falsework.robots.kinematics.chain import Chain
from falsework.robots.kinematics.forward import place

DEPTH = 60  # halvings: far more than the margin ever asks for


@compiled
def met(
    chain: Chain,
    begin: Array,
    end: Array,
    movers: Bodies,
    other_chain: Chain,
    other_begin: Array,
    other_end: Array,
    others: Bodies,
    pairs: Ints,
    margin: float,
    words: int,
) -> tuple[Words, int]:
    """(words,) bits of the owners among `others` that the movers come too near to, and how often it was looked."""
    blocked = np.zeros(words, np.uint64)
    links, other_links = np.empty((len(begin) + 2, 3, 4)), np.empty((len(other_begin) + 2, 3, 4))
    points, boxes = np.empty_like(movers.points), np.empty((len(movers.radii), 6))
    there, around = np.empty_like(others.points), np.empty((len(others.radii), 6))
    simplex = np.empty((4, 3))
    speeds = _speeds(chain, movers, np.abs(end - begin))
    other_speeds = _speeds(other_chain, others, np.abs(other_end - other_begin))
    still = not np.any(other_end != other_begin)
    open_pairs, counts = np.empty((DEPTH, len(pairs)), np.int64), np.zeros(DEPTH, np.int64)
    open_pairs[0], counts[0] = np.arange(len(pairs)), len(pairs)
    waiting, depths = np.empty(DEPTH), np.empty(DEPTH, np.int64)  # middles of intervals, those to look at first on top
    waiting[0], depths[0], top, looks = 0.5, 0, 1, 0
    while top > 0:
        top -= 1
        now, depth = waiting[top], depths[top]
        reach = 0.5 ** (depth + 1)  # half of the interval
        place(chain, begin + now * (end - begin), links)
        put(movers, links, points, boxes)
        if looks == 0 or not still:
            place(other_chain, other_begin + now * (other_end - other_begin), other_links)
            put(others, other_links, there, around)
        looks += 1
        left = 0
        for k in open_pairs[depth, : counts[depth]]:
            i, j = pairs[k, 0], pairs[k, 1]
            word, bit = others.owner[j] // WORD, np.uint64(others.owner[j] % WORD)
            if (blocked[word] >> bit) & np.uint64(1):
                continue
            needed = max(margin, (speeds[i] + other_speeds[j]) * reach + 0.5 * margin)
            gap = box_gap(boxes, i, around, j)
            if gap < needed:
                gap = max(gap, piece_gap(movers, points, i, others, there, j, needed, margin, simplex))
            if gap < margin:
                blocked[word] |= np.uint64(1) << bit
            elif gap < needed:
                open_pairs[depth + 1, left] = k
                left += 1
        if left > 0:
            counts[depth + 1] = left
            for side in (0.5, -0.5):
                waiting[top], depths[top] = now + side * reach, depth + 1
                top += 1
    return blocked, looks


@inner
def _speeds(chain: Chain, bodies: Bodies, turned: Array) -> Array:
    """(p,) m that no point of a piece moves more than, when the joints move by `turned` (n,)."""
    n = len(turned)
    found = np.zeros(len(bodies.radii))
    for piece in range(len(found)):
        reach = 0.0
        for k in range(bodies.starts[piece], bodies.starts[piece + 1]):
            x, y, z = bodies.points[k]
            reach = max(reach, x * x + y * y + z * z)
        reach = np.sqrt(reach)  # from the origin of its link; the radius only turns about the points
        last = min(bodies.link[piece], n)
        if bodies.link[piece] == n + 1:
            reach += np.sqrt(chain.flange[0, 3] ** 2 + chain.flange[1, 3] ** 2 + chain.flange[2, 3] ** 2)
        for k in range(last - 1, -1, -1):
            if chain.sliding[k]:
                found[piece] += turned[k]
                reach += max(abs(chain.lower[k]), abs(chain.upper[k]))
            else:
                found[piece] += turned[k] * reach
            frame = chain.frames[k]
            reach += np.sqrt(frame[0, 3] ** 2 + frame[1, 3] ** 2 + frame[2, 3] ** 2)
    return found
