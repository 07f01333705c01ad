"""From places on a way to a path: screws from one to the next, each proved free, as few as lead there.

Places are only looked at on the way. The proof (`distance/free_motion.py`) is of every instant, and says where a screw
meets something: there the group is brought to where it has the most room, and the two halves are tried.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.distance.free_motion import free_motion
from falsework.geometry.ways.surfaces.pushing import centred, twist_between
from falsework.geometry.ways.surfaces.scenes import Scene
from falsework.geometry.ways.sweeping import between
from falsework.model.arrays import Array
from falsework.model.checkpoints import checkpoint

PASSED_OVER = 4  # places that may be left out where no screw leads to them
REFINED = 4  # times that a stretch of the path may be cut
LONGEST = 2.6  # rad that one screw may turn: from half a turn on, two poses do not tell which way
WORK = 20_000_000  # pairs of nodes that the proof of one screw may take
GLANCES = (0.5, 0.25)  # of a screw: places looked at before it is proved
MORE = 1.5  # times the depth that a search allows itself: what is proved; a plan may twice


def proved(scene: Scene, places: Array) -> Array | None:
    """(k, 4, 4) the path from free to final by places (n, 4, 4) from final to free; None where it cannot be mended."""
    path, at = [places[0]], 0
    while at < len(places) - 1:
        checkpoint()
        for ahead in dict.fromkeys(
            [_furthest(scene, places, at), *range(at + 1, min(at + 1 + PASSED_OVER, len(places)))]
        ):
            end = places[ahead] if not scene.meets(places[ahead]) else centred(scene, places[ahead])
            stretch = _mended(scene, path[-1], end, REFINED)
            if stretch is not None:
                path += stretch
                at = ahead
                break
        else:
            return None
    return np.array(path[::-1])


def _furthest(scene: Scene, places: Array, at: int) -> int:
    """The last of the places, tried by halving, to which one screw seems to lead; else the next."""
    turned, ahead = 0.0, at + 1
    for k in range(at + 1, len(places)):
        turned += float(np.linalg.norm(twist_between(scene, places[k - 1], places[k])[3:])) / scene.reach_m
        if turned > LONGEST:
            break
        ahead = k
    while ahead > at + 1 and any(scene.meets(between(places[at], places[ahead], share)) for share in GLANCES):
        ahead = at + (ahead - at) // 2
    return ahead


def _mended(scene: Scene, start: Array, end: Array, times: int) -> list[Array] | None:
    """Places after `start`, to `end`, by which the way is proved."""
    share = meets_at(scene, start, end)
    if share is None:
        return [end]
    if not times:
        return None
    middle = centred(scene, between(start, end, min(max(share, 0.25), 0.75)))
    first = None if scene.meets(middle) else _mended(scene, start, middle, times - 1)
    second = None if first is None else _mended(scene, middle, end, times - 1)
    return None if first is None or second is None else first + second


def meets_at(scene: Scene, start: Array, end: Array) -> float | None:
    """The share of a screw at which the group may reach too deep into something; None where it is proved not to."""
    for one in scene.moving:
        for k, other in enumerate(scene.still):
            back = np.linalg.inv(other.T_world_body)
            path = np.stack([back @ pose @ one.T_first_body for pose in (start, end)])
            found = free_motion(one.surface, other.surface, path, MORE * one.depths_m[k], WORK)
            if found.answer != "free":
                return float(np.mean(found.shares)) if np.isfinite(found.shares).all() else 0.5
    return None
