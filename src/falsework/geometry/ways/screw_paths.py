"""From places on a way to a path: screws from one to the next that were swept, as few as lead there."""

from __future__ import annotations

import numpy as np

from falsework.geometry.ways.sliding import Scene, limits, nearest, shifted
from falsework.geometry.ways.sweeping import between, swept_depth
from falsework.model.arrays import Array

NEAR = 0.04  # of a group's reach: what may push it where it got too deep
CORRECTED = 4  # attempts to bring it back out
GLANCES = (0.5, 0.25, 0.75)  # of a screw: places looked at before it is swept
REFINED = 5  # times that a stretch of the path may be halved


def swept_clear(scene: Scene, places: Array) -> Array | None:
    """The path, from free to final, that keeps out of everything all along; None where it cannot be mended."""
    clear, at = [places[0]], 0
    while at < len(places) - 1:
        ahead = _furthest(scene, places, at)
        stretch = _mended(scene, places[at], places[ahead], REFINED)
        if stretch is None:
            return None
        clear += stretch
        at = ahead
    return np.array(clear[::-1])


def _furthest(scene: Scene, places: Array, at: int) -> int:
    """The last of the places, tried by halving, to which one screw leads; else the next."""
    ahead = len(places) - 1
    while ahead > at + 1 and not is_clear(scene, places[at], places[ahead]):
        ahead = at + (ahead - at) // 2
    return ahead


def _mended(scene: Scene, start: Array, end: Array, times: int) -> list[Array] | None:
    """Places after `start`, to `end`, by which the way is clear: the middle is brought out where it is not."""
    if is_clear(scene, start, end):
        return [end]
    if not times:
        return None
    middle = _brought_out(scene, between(start, end, 0.5))
    first = None if middle is None else _mended(scene, start, middle, times - 1)
    second = None if middle is None else _mended(scene, middle, end, times - 1)
    return None if first is None or second is None else first + second


def _brought_out(scene: Scene, pose: Array) -> Array | None:
    """A pose nearby that is not too deep in anything."""
    for _ in range(CORRECTED):
        near = limits(scene, pose, NEAR * scene.reach_m)
        if not near.too_deep:
            return pose
        back = nearest(np.zeros(6), near.rows, -near.gaps)
        if back is None:
            return None
        pose = shifted(pose, back, scene)
    return None


def is_clear(scene: Scene, start: Array, end: Array) -> bool:
    """Whether the screw from one place to another keeps out of everything, by a conservative check.

    Where it does not, a few places on it mostly show that at once.
    """
    if any(limits(scene, between(start, end, share), 0.0).too_deep for share in GLANCES):
        return False
    for i, one in enumerate(scene.moving):
        for j, other in enumerate(scene.still):
            if swept_depth(one, other, start, end, scene.allowed_m[i, j]) > scene.allowed_m[i, j]:
                return False
    return True
