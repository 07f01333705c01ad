"""Where on the trays a brick can be put down, so that fingers find room on all of its sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from falsework.model.arrays import Array
from falsework.model.perception.findings import Located
from falsework.model.poses import about
from falsework.model.robots.cell import Feeder

ROOM_M = 0.035  # between the circles around bricks: a hand that takes one by its ends fits between
EVERY_M = 0.03  # places on a tray
TURNS_DEG = (0.0, 90.0, 45.0, 135.0)


def spots(feeders: Sequence[Feeder], brick: Located, others: Sequence[Located]) -> Iterator[Array]:
    """Poses (4, 4) of a brick on trays, clear of all others, those nearest to where it lies first.

    >>> from falsework.model.catalogue import BrickType
    >>> tray = Feeder("tray", np.eye(4), (0.2, 0.2), "tray")
    >>> lying = Located(BrickType("duplo", "brick", 2, 2, 2, 2), "red", np.eye(4))
    >>> len(list(spots([tray], lying, [lying])))
    60
    """
    half = np.array(brick.kind.size_m[:2]) / 2
    reach = float(np.linalg.norm(half))
    taken = [(one.middle_m[:2], float(np.linalg.norm(one.kind.size_m[:2])) / 2) for one in others]
    places = [place for feeder in feeders for place in _places(feeder, reach)]
    for place in sorted(places, key=lambda place: float(np.linalg.norm(place[:3, 3] - brick.middle_m))):
        if any(np.linalg.norm(place[:2, 3] - middle) < reach + other + ROOM_M for middle, other in taken):
            continue
        for degrees in TURNS_DEG:
            T = place.copy()
            T[:3, :3] = place[:3, :3] @ about(2, degrees)
            T[:3, 3] -= T[:3, :3] @ np.append(half, 0.0)
            yield T


def _places(feeder: Feeder, reach: float) -> list[Array]:
    """(4, 4) each: middles of circles that lie on a tray."""
    room = np.array(feeder.size_m) / 2 - reach
    if (room < 0).any():
        return []
    along = [np.linspace(-one, one, max(1, int(2 * one / EVERY_M)) + 1) for one in room]
    places = []
    for x in along[0]:
        for y in along[1]:
            T = np.eye(4)
            T[:2, 3] = x, y
            places.append(feeder.T_world_feeder @ T)
    return places
