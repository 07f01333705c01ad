"""The keyframe table: for every part, arm, grasp and branch, what is in the way; filled when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.checkpoints import checkpoint
from falsework.model.robots.grasp import Grasp
from falsework.robots.grasps.bearing import Burden
from falsework.robots.grasps.grasps import grasps_of
from falsework.robots.keyframes.frames import Keyframe, Pick
from falsework.robots.keyframes.site import Site
from falsework.robots.keyframes.station import Station, carried_blockers
from falsework.robots.kinematics.following import along, along_all

SPACING_M = 0.02  # between looks along a path
ENTRY_M = (0.03, 0.12)  # least and greatest end of a part's path that is followed straight; half of its size between
BEYOND_M = 0.01  # beyond the end of a path, where boxes are barely apart
AWAY_M = 0.08  # how far a hand draws back straight before it goes elsewhere
LIFT_M = 0.05  # how far a part is lifted straight
TRIED = 64  # positions of one arm at one place that are followed, those with the least in their way
KEPT = 16  # keyframes of one part and arm
PICKS = 3  # ways to take up one part with one grasp


@dataclass(slots=True)
class Lacking:
    """What an arm lacks for a part, as far as it got."""

    why: str = "it was not asked"
    blockers: int = 0


@dataclass(slots=True)
class _Known:
    frames: list[Keyframe] = field(default_factory=list)
    lacking: dict[int, Lacking] = field(default_factory=dict)  # by arm


class KeyframeTable:
    """Keyframes of all arms of a site, by part and by the end of its path."""

    def __init__(self, site: Site, press_n: float = 0.0) -> None:
        self.site, self.press_n = site, press_n
        self.stations = [Station(site, number) for number in range(len(site.cell.arms))]
        self.frames: list[Keyframe] = []
        self._known: dict[tuple[int, bytes], _Known] = {}
        self._carried: dict[tuple[int, bytes], int] = {}
        self._takes: dict[tuple[int, int], Bools] = {}
        self._picks: dict[tuple[int, int, int], tuple[Pick, ...]] = {}

    def of(self, part: int, path: Array, present: int) -> tuple[list[Keyframe], dict[int, Lacking]]:
        """All keyframes for a part (a number) that comes along a path (k, 4, 4), in the assembly's frame.

        And by arm that has none, what it lacks. The arm follows the end of the path, from where the part keeps clear of
        what is `present` (a mask of the site).
        """
        for tail in self._tails(part, path):
            key = part, np.round(tail, 6).tobytes()
            if key not in self._carried:
                (self._carried[key],) = carried_blockers(self.site, part, tail[:1])
            if not self._carried[key] & present:
                break
        if key not in self._known:
            checkpoint()
            self._known[key] = self._filled(part, tail, path, self._carried[key])
        known = self._known[key]
        return known.frames, known.lacking

    def _tails(self, part: int, path: Array) -> Iterator[Array]:
        """(k, 4, 4) ends of a path, in the world, ever longer ones: along these an arm brings the part."""
        if len(path) > 2 or np.abs(path[0, :3, :3] - path[1, :3, :3]).max() > 1e-9:
            yield self.site.T_world_assembly @ along_all(path, SPACING_M)
            return
        size = float(np.linalg.norm(np.ptp(self.site.solids[part].points, axis=0)))
        least = float(np.clip(0.5 * size, *ENTRY_M))
        way = path[0, :3, 3] - path[1, :3, 3]
        whole = float(np.linalg.norm(way))
        for length in (least, 2 * least, whole + BEYOND_M):
            start = path[1].copy()
            start[:3, 3] += way * (length / whole)
            yield self.site.T_world_assembly @ along(start, path[1], SPACING_M)

    def _filled(self, part: int, tail: Array, path: Array, carried: int) -> _Known:
        known = _Known()
        for station in self.stations:
            lacking = Lacking()
            frames = self._frames(station, part, tail, path, carried, lacking)
            known.frames += frames
            if not frames:
                known.lacking[station.number] = lacking
        return known

    def _frames(
        self, station: Station, part: int, tail: Array, path: Array, carried: int, lacking: Lacking
    ) -> list[Keyframe]:
        grasps = self.grasps(station, part, lacking)
        if not grasps:
            return []
        poses = np.array([grasp.T_part_tool for grasp in grasps])
        taken = np.flatnonzero(self._can_take(station, part, grasps, poses))
        if not len(taken):
            lacking.why = "it cannot take the part where it waits"
            return []
        rows, joints = station.joints(tail[-1] @ poses[taken])
        rows = taken[rows]
        if not len(rows):
            lacking.why = "its place is out of reach"
            return []
        rows, joints = self._least_blocked(station, part, grasps, rows, joints, lacking)
        if not len(rows):
            return []
        coming, leaving, able = self._followed(station, part, poses[rows], joints, tail)
        if not able.any():
            lacking.why = "no path of its joints leads to the place and back"
            return []
        found: list[Keyframe] = []
        for row in np.flatnonzero(able):
            grasp = grasps[rows[row]]
            picks = self.picks(station, part, int(rows[row]), grasp)
            if not picks:
                lacking.why = "it cannot take the part so where it waits"
                continue
            if (
                frame := self._frame(station, part, grasp, coming[row], leaving[row], tail, path, carried, picks)
            ) is None:
                lacking.why = "the cell itself is in its way"
                continue
            found.append(frame)
            self.frames.append(frame)
            if len(found) == KEPT:
                break
        return found

    def grasps(self, station: Station, part: int, lacking: Lacking) -> tuple[Grasp, ...]:
        """Those of a part by the tool of an arm that may carry it."""
        one, arm, tool = self.site.assembly.parts[part], station.placed.arm, station.placed.tool
        if arm.payload_kg is not None and one.mass_kg + tool.mass_kg > arm.payload_kg:
            lacking.why = f"{one.mass_kg:.3g} kg and {tool.mass_kg:.3g} kg of tool are beyond its payload of {arm.payload_kg:.3g} kg"
            return ()
        found = grasps_of(one, tool, Burden(one.mass_kg, self.press_n))
        lacking.why = found.why_not
        return found.grasps

    def _least_blocked(
        self, station: Station, part: int, grasps: Sequence[Grasp], rows: Ints, joints: Array, lacking: Lacking
    ) -> tuple[Ints, Array]:
        """Positions that nothing permanent blocks, those first that fewest bodies do."""
        blocked = np.zeros(len(rows), object)
        free = np.zeros(len(rows), bool)
        for opening, several in _by_opening(grasps, rows):
            free[several] = station.free_of_arms(joints[several], opening)
            blocked[several] = station.in_the_way(joints[several], opening)
        own = self.site.own(part)
        masks = [int(mask) & ~own for mask in blocked]
        permanent = [mask & self.site.always for mask in masks]
        able = [k for k in range(len(rows)) if free[k] and not permanent[k]]
        if not able:
            least = min(permanent, key=int.bit_count)
            lacking.why = (
                f"{self.site.told(least)} in its way" if least else "it would touch itself or another arm at home"
            )
            lacking.blockers = least
        able.sort(key=lambda k: (masks[k].bit_count(), int(rows[k])))
        chosen = np.array(able[:TRIED], np.int64)
        return rows[chosen], joints[chosen]

    def _followed(
        self, station: Station, part: int, poses: Array, joints: Array, tail: Array
    ) -> tuple[Array, Array, Bools]:
        """(m, k, n) joints along the end of the part's path and (m, a, n) along the way back, and (m,) where both go."""
        inward = tail[None, ::-1] @ poses[:, None]  # from the place outward
        outward, came = station.follow(joints, inward)
        away = np.array([_drawn_back(tail[-1] @ T, AWAY_M) for T in poses])
        leaving, left = station.follow(joints, away)
        able = came & left
        for k in range(0, outward.shape[1], max(1, outward.shape[1] - 1)):
            if able.any():
                at = np.repeat(tail[::-1][k][None], int(able.sum()), axis=0)
                able[able] &= ~station.meets_own_load(np.ascontiguousarray(outward[able, k]), part, at)
        return outward[:, ::-1], leaving, able

    def _frame(
        self,
        station: Station,
        part: int,
        grasp: Grasp,
        coming: Array,
        leaving: Array,
        tail: Array,
        path: Array,
        carried: int,
        picks: tuple[Pick, ...],
    ) -> Keyframe | None:
        """With what is in its way; None where that is something permanent."""
        own = self.site.own(part)
        comes = _all(station.in_the_way(coming, grasp.opening_m)) | carried
        (stays,) = station.in_the_way(coming[-1:], grasp.opening_m)
        leaves = _all(station.in_the_way(leaving, grasp.open_m))
        masks = [mask & ~own for mask in (comes, stays, leaves)]
        if any(mask & self.site.always for mask in masks):
            return None
        if not station.free_of_arms(np.concatenate([coming, leaving]), grasp.open_m).all():
            return None
        return Keyframe(len(self.frames), part, station.number, grasp, coming, leaving, tail, path, *masks, picks)

    # Where parts wait

    def _can_take(self, station: Station, part: int, grasps: Sequence[Grasp], poses: Array) -> Bools:
        """(g,) which grasps an arm reaches where the part waits, with nothing permanent in its way there."""
        key = station.number, part
        if key not in self._takes:
            able = np.zeros(len(grasps), bool)
            for place in self.site.places[self.site.assembly.parts[part].name]:
                rows, joints = station.joints(place.T_world_part @ poses)
                for opening, several in _by_opening(grasps, rows, opened=True):
                    masks = station.in_the_way(joints[several], opening)
                    free = [not mask & self.site.always & ~self.site.own(part) for mask in masks]
                    able[rows[several][np.array(free, bool)]] = True
            self._takes[key] = able
        return self._takes[key]

    def picks(self, station: Station, part: int, number: int, grasp: Grasp) -> tuple[Pick, ...]:
        """Ways in which an arm takes a part up by a grasp; `number` is the grasp's."""
        key = station.number, part, number
        if key not in self._picks:
            found: list[Pick] = []
            for place in self.site.places[self.site.assembly.parts[part].name]:
                found += self._picks_at(station, part, grasp, place.feeder, place.T_world_part)
            self._picks[key] = tuple(sorted(found, key=lambda pick: pick.blockers.bit_count())[:PICKS])
        return self._picks[key]

    def _picks_at(self, station: Station, part: int, grasp: Grasp, feeder: str, T: Array) -> list[Pick]:
        _, joints = station.joints((T @ grasp.T_part_tool)[None])
        if not len(joints):
            return []
        lifted = T.copy()
        lifted[2, 3] += LIFT_M
        up = along(T, lifted, SPACING_M)
        rising, rose = station.follow(joints, np.repeat((up @ grasp.T_part_tool)[None], len(joints), axis=0))
        back = _drawn_back(T @ grasp.T_part_tool, AWAY_M)
        leaving, left = station.follow(joints, np.repeat(back[None], len(joints), axis=0))
        (carried,) = carried_blockers(self.site, part, lifted[None])
        own, found = self.site.own(part), []
        for row in np.flatnonzero(rose & left):
            comes = _all(station.in_the_way(leaving[row], grasp.open_m)) & ~own
            rises = _all(station.in_the_way(rising[row], grasp.opening_m)) & ~own
            mask = comes | rises | carried
            if mask & self.site.always:
                continue
            if station.meets_own_load(rising[row][-1:], part, lifted[None]).any():
                continue
            if station.free_of_arms(np.concatenate([leaving[row], rising[row]]), grasp.open_m).all():
                found.append(Pick(feeder, T, leaving[row][::-1].copy(), rising[row], mask))
        return found


def _drawn_back(T_world_tool: Array, far_m: float) -> Array:
    """(k, 4, 4) from a pose of the tool straight back against its way in."""
    end = T_world_tool.copy()
    end[:3, 3] -= far_m * T_world_tool[:3, 2]
    return along(T_world_tool, end, SPACING_M)


def _by_opening(grasps: Sequence[Grasp], rows: Ints, *, opened: bool = False) -> list[tuple[float, Ints]]:
    openings = np.round([grasps[row].open_m if opened else grasps[row].opening_m for row in rows], 3)
    return [(float(one), np.flatnonzero(openings == one)) for one in np.unique(openings)]


def _all(masks: Sequence[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found
