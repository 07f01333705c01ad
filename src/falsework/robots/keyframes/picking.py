"""How arms take parts up where these wait, or were put down: joints there and back, and what is in the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.robots.grasp import Grasp
from falsework.robots.cells.feeding import Waiting
from falsework.robots.keyframes.frames import Pick
from falsework.robots.keyframes.site import Site
from falsework.robots.keyframes.station import Station, carried_blockers
from falsework.robots.kinematics.following import along

SPACING_M = 0.02  # between looks along a path
AWAY_M = 0.05  # how far a hand draws back straight before it goes elsewhere
LIFT_M = 0.04  # how far a part is lifted straight
PICKED = 4  # positions of one arm at one grasp where a part waits that are looked at
PICKS = 3  # ways to take up one part with one grasp


class Picking:
    """Asks stations how they take parts up, and remembers the answers."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._takes: dict[tuple[int, int], Bools] = {}
        self._picks: dict[tuple[int, int], dict[int, tuple[Pick, ...]]] = {}

    def can_take(self, station: Station, part: int, grasps: Sequence[Grasp], poses: Array) -> Bools:
        """(g,) which grasps an arm reaches where the part waits, with nothing permanent in its way there."""
        key = station.number, part
        if key not in self._takes:
            able = np.zeros(len(grasps), bool)
            for place in self.site.places[self.site.assembly.parts[part].name]:
                for angles in station.kinematics.looks:
                    left = np.flatnonzero(~able)
                    rows, joints = station.joints(place.T_world_part @ poses[left], PICKED, angles)
                    rows = left[rows]
                    for opening, several in by_opening(grasps, rows, opened=True):
                        masks = station.in_the_way(joints[several], opening)
                        free = [not mask & self.site.always & ~self.site.own(part) for mask in masks]
                        able[rows[several][np.array(free, bool)]] = True
            self._takes[key] = able
        return self._takes[key]

    def picks_of(
        self, station: Station, part: int, grasps: Sequence[Grasp], numbers: Ints
    ) -> dict[int, tuple[Pick, ...]]:
        """By number of a grasp, how an arm takes a part up by it; ways first that least is in the way of."""
        known = self._picks.setdefault((station.number, part), {})
        missing = np.array([number for number in numbers if int(number) not in known], np.int64)
        found: dict[int, list[Pick]] = {int(number): [] for number in missing}
        for place in self.site.places[self.site.assembly.parts[part].name] if len(missing) else ():
            for number, pick in self.picks_at(station, part, grasps, missing, place):
                found[number].append(pick)
        for number, picks in found.items():
            known[number] = tuple(sorted(picks, key=lambda pick: pick.blockers.bit_count())[:PICKS])
        return known

    def picks_at(
        self, station: Station, part: int, grasps: Sequence[Grasp], numbers: Ints, place: Waiting
    ) -> Iterator[tuple[int, Pick]]:
        """By number of a grasp, ways to take a part up by it at one place."""
        T = place.T_world_part
        poses = np.array([grasps[number].T_part_tool for number in numbers])
        rows, joints = station.joints(T @ poses, PICKED)
        if not len(rows):
            return
        lifted = T.copy()
        lifted[2, 3] += LIFT_M
        up = along(T, lifted, SPACING_M)
        rising, rose = station.follow(joints, up[None] @ poses[rows][:, None])
        leaving, left = station.follow(joints, drawn_back(T @ poses, AWAY_M)[rows])
        able = np.flatnonzero(rose & left)
        able = able[~station.meets_own_load(rising[able, -1], part, np.repeat(lifted[None], len(able), axis=0))]
        rows, rising, leaving = rows[able], rising[able], leaving[able]
        (carried,) = carried_blockers(self.site, part, lifted[None])
        own = ~self.site.own(part)
        comes = station.along(leaving, np.array([grasps[number].open_m for number in numbers[rows]]))
        rises = station.along(rising, np.array([grasps[number].opening_m for number in numbers[rows]]))
        blocked = [(comes[k] | rises[k] | carried) & own for k in range(len(rows))]
        good = np.array([k for k, mask in enumerate(blocked) if not mask & self.site.always], np.int64)
        whole = np.concatenate([leaving, rising], axis=1)
        opened = np.array([grasps[number].open_m for number in numbers[rows[good]]])
        free = station.ways_free_of_arms(whole[good], opened)
        for k in good[free].tolist():
            yield int(numbers[rows[k]]), Pick(place.feeder, T, leaving[k][::-1].copy(), rising[k], blocked[k])


def drawn_back(T_world_tool: Array, far_m: float) -> Array:
    """(m, k, 4, 4) from poses (m, 4, 4) of the tool straight back against its way in."""
    shares = np.linspace(0.0, 1.0, int(np.ceil(far_m / SPACING_M - 1e-9)) + 1)
    poses = np.repeat(T_world_tool[:, None], len(shares), axis=1)
    poses[..., :3, 3] -= far_m * shares[:, None] * T_world_tool[:, None, :3, 2]
    return poses


def by_opening(grasps: Sequence[Grasp], rows: Ints, *, opened: bool = False) -> list[tuple[float, Ints]]:
    """Openings to a millimetre, each with the places in `rows` (numbers of grasps) that have it."""
    openings = np.round([grasps[row].open_m if opened else grasps[row].opening_m for row in rows], 3)
    return [(float(one), np.flatnonzero(openings == one)) for one in np.unique(openings)]
