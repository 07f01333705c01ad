"""How deep parts are drawn into each other where they stand: the one measure of what a way may reach in.

A press fit, or a file that is a little off, is there all along the way too: a nut that is drawn into its thread stays
in it turn by turn. Whoever looks for ways keeps to this depth, a proof of his may take half as much again (facets of
round parts meet deeper at other angles), and `verify` lets twice of it pass. So what was found is never refused.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from falsework.geometry.distance.shrinking import shrunk
from falsework.geometry.distance.surface import Surface
from falsework.geometry.distance.two_surfaces import least_distance
from falsework.model.arrays import Array

DEPTH = 5e-5  # of a moving part's size: how deep it may reach into whatever it only touches
DEEPEST = 1e-2  # of its size: parts that are drawn deeper into each other have no way out
PROVED = 1.5  # times the depth: what is proved of a way that was found
VERIFIED = 2.0  # times the depth: what a plan may
TOUCH_M = 1e-12  # a band in which only what meets is found


def drawn_depth(one: Surface, other: Surface, T_one_other: Array) -> float | None:
    """How deep, m, one may reach into the other: `DEPTH`, or the first double of it that is enough where they stand.

    None where they are drawn too deep into each other.
    """
    return _drawn_depth(one, other, np.ascontiguousarray(T_one_other, dtype=np.float64).tobytes())


@lru_cache(maxsize=4096)
def _drawn_depth(one: Surface, other: Surface, placing: bytes) -> float | None:
    T = np.frombuffer(placing).reshape(4, 4)
    depth = DEPTH * one.size_m
    while least_distance(slimmer(one, depth), other, T, TOUCH_M).distance_m == 0.0:
        depth *= 2
        if depth > DEEPEST * one.size_m:
            return None
    return depth


@lru_cache(maxsize=4096)
def slimmer(surface: Surface, depth_m: float) -> Surface:
    """The surface shrunk by a depth."""
    return shrunk(surface, depth_m)
