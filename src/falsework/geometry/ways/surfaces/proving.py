"""From places on a way to a path: screws from one to the next, each proved free, as few as lead there.

Places are only looked at on the way. The proof (`distance/free_motion.py`) is of every instant, and says where a screw
meets something: there the group is brought to where it has the most room, and the two halves are tried.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.geometry.ways.surfaces.pushing import centred
from falsework.geometry.ways.surfaces.scenes import Scene
from falsework.geometry.ways.surfaces.screws import QUICK, WORK, meets_on, turn_between, twist_between
from falsework.geometry.ways.sweeping import between
from falsework.model.arrays import Array
from falsework.model.checkpoints import checkpoint

PASSED_OVER = 4  # places that may be left out where no screw leads to them
REFINED = 4  # times that a stretch of the path may be cut
LONGEST = 2.6  # rad that one screw may turn: from half a turn on, two poses do not tell which way
GLANCES = (0.5, 0.25)  # of a screw: places looked at before it is proved
MUCH = 0.5  # of a twist of length one: what turns less is no long screw
SAME = 1e-6  # of the reach: what may be off between two places on one screw


def proved(scene: Scene, found: Array) -> Array | None:
    """(k, 4, 4) the path from free to final by places (n, 4, 4) from final to free; None: not to be mended."""
    places, at = list(found), 0
    path = [places[0]]
    while at < len(places) - 1:
        checkpoint()
        along = _along_one_screw(scene, places, at) if path[-1] is places[at] else []
        if along:
            path += along
            at += len(along)
            continue
        ahead = _within_one_screw(scene, places, at)
        if meets_at(scene, path[-1], places[ahead], QUICK) is None:
            path.append(places[ahead])
            at = ahead
            continue
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


def _furthest(scene: Scene, places: Sequence[Array], at: int) -> int:
    """The last of the places, tried by halving, to which one screw seems to lead; else the next."""
    ahead = _within_one_screw(scene, places, at)
    while ahead > at + 1 and any(scene.meets(between(places[at], places[ahead], share)) for share in GLANCES):
        ahead = at + (ahead - at) // 2
    return ahead


def _within_one_screw(scene: Scene, places: Sequence[Array], at: int) -> int:
    """The last of the places to which one screw may lead; else the next."""
    turned, ahead = 0.0, at + 1
    for k in range(at + 1, len(places)):
        turned += turn_between(scene, places[k - 1], places[k])
        if turned > LONGEST:
            break
        ahead = k
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


def meets_at(scene: Scene, start: Array, end: Array, work: int = WORK) -> float | None:
    """The share of a screw at which the group may reach too deep into something; None where it is proved not to."""
    return meets_on(scene, start, twist_between(scene, start, end), work)


def _along_one_screw(scene: Scene, places: Sequence[Array], at: int) -> list[Array]:
    """Places ahead that lie on one screw of more than `LONGEST`, if it is proved as a whole; else none."""
    first = twist_between(scene, places[at], places[at + 1])
    step = float(np.linalg.norm(first))
    if float(np.linalg.norm(first[3:])) < MUCH * step:
        return []
    total, ahead = 0.0, at
    while ahead + 1 < len(places):
        twist = twist_between(scene, places[ahead], places[ahead + 1])
        length = float(twist @ first) / step
        if np.linalg.norm(twist - first * (length / step)) > SAME * scene.reach_m or length <= 0:
            break
        total, ahead = total + length, ahead + 1
    screw = first * (total / step)
    if float(np.linalg.norm(screw[3:])) <= LONGEST * scene.reach_m or meets_on(scene, places[at], screw) is not None:
        return []
    return [*places[at + 1 : ahead + 1]]
