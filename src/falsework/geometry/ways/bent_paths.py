"""Ways out with bends: straight pieces one after the other, without turning, where no straight line leads out.

Shifts of a group are points in space, and where it would run into the rest is a union of convex bodies, the Minkowski
differences of its pieces with theirs. From the assembled place, the search slides as far as it can along directions
that contacts suggest, stops there and at fractions of the way, and goes on from where the least is left to go.
"""

from __future__ import annotations

import heapq

import numpy as np

from falsework.geometry.ways.directions import even_sphere, exact_directions
from falsework.geometry.ways.meetings import Meeting
from falsework.geometry.ways.removal import LEVEL, StraightRemovals
from falsework.model.arrays import Array
from falsework.model.bits import lowest
from falsework.model.checkpoints import checkpoint

MOST_PLACES = 400  # tried before giving up: a way that was not found may still be there
STOPS = (1.0, 0.5, 0.25, 0.75)  # of a slide
SHORTEST = 2e-3  # of the assembly's size: shorter slides lead nowhere new
CONTACT = 1e-7  # of the size: how far before a contact a slide ends, so that it can go on from there
SAME_PLACE = 2e-3  # of the size
SPREAD = 64  # directions of the sphere beside those that contacts suggest


class BentRemovals:
    """The removal oracle for paths with bends: straight lines first, then a search for the parts that have none."""

    certain = False  # a way that was not found may still be there

    def __init__(self, straight: StraightRemovals) -> None:
        self.straight = straight
        self._found: dict[tuple[int, int], Array | None] = {}

    def directions(self, moved: int, installed: int) -> Array:
        """Straight ways out, as the straight oracle has them."""
        return self.straight.directions(moved, installed)

    def blockers(self, moved: int) -> tuple[int, ...]:
        """What bars the straight ways; some of it may be got around."""
        return self.straight.blockers(moved)

    def leaves(self, moved: int, installed: int) -> bool:
        """Whether a way out was found."""
        return self.straight.leaves(moved, installed) or self._shifts(moved, installed) is not None

    def path(self, moved: int, installed: int, up: Array | None = None) -> Array | None:
        """(k, 4, 4) poses of the first moved body, from free to final; `up` where that is not against gravity.

        One way with bends is looked for, whatever is up: where it leads down, there is none.
        """
        straight = self.straight.path(moved, installed, up)
        if straight is not None:
            return straight
        shifts = self._shifts(moved, installed)
        if shifts is None or (up is not None and _leads_down(shifts, up)):
            return None
        final = self.straight.assembly.poses[lowest(moved)]
        poses = np.repeat(final[None], len(shifts), axis=0)
        poses[:, :3, 3] += shifts
        return poses[::-1]

    def _shifts(self, moved: int, installed: int) -> Array | None:
        """(k, 3) shifts from the assembled place to a free one; None where none was found."""
        rest = self.straight.rest(moved, installed)
        if (moved, rest) not in self._found:
            self._found[moved, rest] = self._search(moved, rest)
        return self._found[moved, rest]

    def _search(self, moved: int, rest: int) -> Array | None:
        straight = self.straight
        obstacles = straight.obstacles(moved, rest)
        ways = np.concatenate(
            [exact_directions(straight.joints, moved), even_sphere()[:: len(even_sphere()) // SPREAD]]
        )
        ways = np.concatenate([np.eye(3), -np.eye(3), ways])
        places, before = [np.zeros(3)], [-1]
        met = {_key(places[0], straight.size_m)}
        queue = [(straight.left_to_go(moved, rest, places[0]), 0)]
        while queue and len(places) < MOST_PLACES:
            checkpoint()
            _, here = heapq.heappop(queue)
            reach = _free_way(obstacles, places[here], ways)
            out = np.flatnonzero(np.isinf(reach))
            if len(out):
                far = [straight.clear_after(ways[k], moved, rest, places[here]) for k in out]
                shortest = int(np.argmin(far))
                return np.array([*_trail(places, before, here), places[here] + ways[out[shortest]] * far[shortest]])
            for k in np.flatnonzero(reach > SHORTEST * straight.size_m):
                for stop in STOPS:
                    place = places[here] + ways[k] * (reach[k] * stop - CONTACT * straight.size_m)
                    key = _key(place, straight.size_m)
                    if key not in met:
                        met.add(key)
                        places.append(place)
                        before.append(here)
                        heapq.heappush(queue, (straight.left_to_go(moved, rest, place), len(places) - 1))
        return None


def _leads_down(shifts: Array, up: Array) -> bool:
    """Whether one of the legs from the assembled place does."""
    legs = np.diff(shifts, axis=0)
    return bool((legs @ up < -LEVEL * np.linalg.norm(legs, axis=1)).any())


def _free_way(obstacles: list[tuple[Meeting, bool]], place: Array, ways: Array) -> Array:
    """(m,) how far the group gets from a place along each way before it runs into something."""
    reach = np.full(len(ways), np.inf)
    for meeting, flipped in obstacles:
        entry = meeting.entry(-place, -ways) if flipped else meeting.entry(place, ways)
        np.minimum(reach, entry, out=reach)
    return reach


def _trail(places: list[Array], before: list[int], here: int) -> list[Array]:
    trail = []
    while here >= 0:
        trail.append(places[here])
        here = before[here]
    return trail[::-1]


def _key(place: Array, size_m: float) -> tuple[int, int, int]:
    x, y, z = np.rint(place / (SAME_PLACE * size_m)).astype(int).tolist()
    return x, y, z
