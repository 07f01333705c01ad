"""Where on the trays a brick can be put down, so that fingers find room on all of its sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from falsework.model.arrays import Array
from falsework.model.poses import about
from falsework.model.robots.cell import Feeder

ROOM_M = 0.035  # between the circles around bricks: a hand that takes one by its ends fits between
EVERY_M = 0.03  # places on a tray
TURNS_DEG = (0.0, 90.0, 45.0, 135.0)


class Room(Protocol):
    """What something takes up on a tray: a brick, or a thing that nobody can tell."""

    @property
    def middle_m(self) -> Array:
        """(3,) of its underside."""
        ...

    @property
    def size_m(self) -> tuple[float, float, float]: ...


def spots(feeders: Sequence[Feeder], thing: Room, others: Sequence[Room]) -> Iterator[Array]:
    """Poses (4, 4) of a thing on trays, clear of all others, those nearest to where it lies first.

    >>> from falsework.model.perception.findings import Extent
    >>> tray, lying = Feeder("tray", np.eye(4), (0.2, 0.2), "tray"), Extent(np.eye(4), (0.032, 0.032, 0.0192))
    >>> len(list(spots([tray], lying, [lying])))
    60
    """
    half = np.array(thing.size_m[:2]) / 2
    reach = float(np.linalg.norm(half))
    places = [place for feeder in feeders for place in _places(feeder, reach)]
    for place in sorted(places, key=lambda place: float(np.linalg.norm(place[:3, 3] - thing.middle_m))):
        if any(np.linalg.norm((place[:3, 3] - one.middle_m)[:2]) < reach + _reach(one) + ROOM_M for one in others):
            continue
        for degrees in TURNS_DEG:
            T = place.copy()
            T[:3, :3] = place[:3, :3] @ about(2, degrees)
            T[:3, 3] -= T[:3, :3] @ np.append(half, 0.0)
            yield T


def _reach(thing: Room) -> float:
    """The radius of the circle around it."""
    return float(np.hypot(*thing.size_m[:2])) / 2


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
