"""The keyframe table: for every part, arm, grasp and branch, what is in the way; filled when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.checkpoints import checkpoint
from falsework.model.robots.grasp import Grasp
from falsework.model.robots.tilting import UPRIGHT, Stance
from falsework.robots.grasps.bearing import Burden
from falsework.robots.grasps.grasps import grasps_of
from falsework.robots.keyframes.frames import Keyframe, Pick
from falsework.robots.keyframes.holding import Holdings
from falsework.robots.keyframes.picking import AWAY_M, SPACING_M, Picking, by_opening, drawn_back
from falsework.robots.keyframes.piecing import Piecings
from falsework.robots.keyframes.site import Site
from falsework.robots.keyframes.station import Station, carried_blockers
from falsework.robots.keyframes.transfers import Transfers
from falsework.robots.kinematics.following import along, along_all

ENTRY_M = (0.03, 0.08)  # least and greatest end of a part's path that is followed straight; half of its size between
BEYOND_M = 0.01  # beyond the end of a path, where boxes are barely apart
TRIED = 80  # positions of one arm at one place that are followed, those with the least in their way
KEPT = 16  # keyframes of one part and arm


@dataclass(slots=True)
class Lacking:
    """What an arm lacks for a part, as far as it got."""

    why: str = "it was not asked"
    blockers: int = 0


class KeyframeTable:
    """Keyframes of all arms of a site, by part and by the end of its path."""

    def __init__(
        self,
        site: Site,
        press_n: float = 0.0,
        *,
        tried: int = TRIED,
        transfers: bool = True,
        turned: Stance = UPRIGHT,
        like: KeyframeTable | None = None,
    ) -> None:
        """`tried`: positions of one arm at one place that are looked at further; fewer are quicker.

        `transfers`: whether parts that no arm takes and places by one grasp are put down, or handed over, between.
        `turned` is how the turntable stands at the site; `like` a table of another stance, whose numbers go on here.
        """
        self.site, self.press_n, self._tried = site, press_n, tried
        self.stations = [Station(site, number) for number in range(len(site.cell.arms))]
        self.frames: list[Keyframe] = [] if like is None else like.frames
        self.turned = turned
        self.picking = Picking(site)
        self._transfers = Transfers(self.picking, self.stations, self.grasps) if transfers else None
        self._piecings = None if self._transfers is None else Piecings(self, self._transfers)
        self._known: dict[tuple[int, int, bytes, bool], tuple[list[Keyframe], Lacking]] = {}
        self._grasps: dict[tuple[int, int], tuple[tuple[Grasp, ...], str]] = {} if like is None else like._grasps
        self._carried: dict[tuple[int, bytes], int] = {}
        self.holdings = Holdings(self)

    def of(self, part: int, paths: Sequence[Array], present: int) -> tuple[list[Keyframe], dict[int, Lacking]]:
        """All keyframes for a part (a number) that comes along one of some paths (k, 4, 4), in the assembly's frame.

        Of every arm, those of the first path that it can follow; and by arm that follows none, what it lacks. The arm
        follows the end of a path, from where the part keeps clear of what is `present` (a mask of the site). Only where
        no arm has any by one grasp for both ends, those with a transfer between are looked for.
        """
        found, lacking = self._of(part, paths, present, by_transfer=False)
        if not found and self._transfers is not None:
            found, _ = self._of(part, paths, present, by_transfer=True)
            lacking = {number: lacks for number, lacks in lacking.items() if all(one.arm != number for one in found)}
        return found, lacking

    def pairs(self, upper: int, lower: int, frames: Sequence[Keyframe]) -> list[Keyframe]:
        """Of keyframes of a part, those by which it is placed with another that was put to it in the air."""
        return [] if self._piecings is None else self._piecings.of(upper, lower, frames)

    def _of(
        self, part: int, paths: Sequence[Array], present: int, by_transfer: bool
    ) -> tuple[list[Keyframe], dict[int, Lacking]]:
        found: list[Keyframe] = []
        lacking: dict[int, Lacking] = {}
        left = list(self.stations)
        for path in paths:
            key, tail = self._shortest(part, path, present)
            for station in tuple(left):
                known = (station.number, *key, by_transfer)
                if known not in self._known:
                    checkpoint()
                    self._known[known] = self._filled(station, part, tail, self._carried[key], by_transfer)
                frames, lacks = self._known[known]
                if frames:
                    found += frames
                    left.remove(station)
                    lacking.pop(station.number, None)
                else:
                    lacking.setdefault(station.number, lacks)
            if not left:
                break
        return found, lacking

    def _shortest(self, part: int, path: Array, present: int) -> tuple[tuple[int, bytes], Array]:
        """The shortest end of a path at whose beginning the part is clear of what is present."""
        for tail in self._tails(part, path):
            key = part, np.round(tail, 6).tobytes()
            if key not in self._carried:
                (self._carried[key],) = carried_blockers(self.site, part, tail[:1])
            if not self._carried[key] & present:
                break
        return key, tail

    def follows(self, frame: Keyframe, path: Array) -> bool:
        """Whether a keyframe belongs to a path."""
        return any(
            tail.shape == frame.T_world_part.shape and np.allclose(tail, frame.T_world_part, atol=1e-6)
            for tail in self._tails(frame.part, path)
        )

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

    def _filled(
        self, station: Station, part: int, tail: Array, carried: int, by_transfer: bool
    ) -> tuple[list[Keyframe], Lacking]:
        lacking = Lacking()
        return self._frames(station, part, tail, carried, lacking, by_transfer), lacking

    def _frames(
        self, station: Station, part: int, tail: Array, carried: int, lacking: Lacking, by_transfer: bool
    ) -> list[Keyframe]:
        grasps, lacking.why = self.grasps(station, part)
        if not grasps:
            return []
        poses = np.array([grasp.T_part_tool for grasp in grasps])
        taken = np.arange(len(grasps))
        if not by_transfer:
            taken = np.flatnonzero(self.picking.can_take(station, part, grasps, poses))
        if not len(taken):
            lacking.why = "it cannot take the part where it waits"
            return []
        rows, joints = station.joints(tail[-1] @ poses[taken])
        rows = taken[rows]
        if not len(rows):
            lacking.why = "its place is out of reach"
            return []
        rows, joints = self.least_blocked(station, part, grasps, rows, joints, lacking)
        if not len(rows):
            return []
        coming, leaving, able = self._followed(station, part, poses[rows], joints, tail)
        if not able.any():
            lacking.why = "no path of its joints leads to the place and back"
            return []
        rows, coming, leaving = rows[able], coming[able], leaving[able]
        source = self.picking if self._transfers is None or not by_transfer else self._transfers
        picks = source.picks_of(station, part, grasps, np.unique(rows))
        good = np.array([bool(picks[int(row)]) for row in rows])
        if not good.any():
            lacking.why = "it cannot take the part so where it waits"
            return []
        chosen = [(grasps[row], picks[int(row)]) for row in rows[good]]
        found = self._framed(station, part, chosen, coming[good], leaving[good], tail, carried)
        if not found:
            lacking.why = "the cell itself, or another arm at home, is in its way"
        return found

    def grasps(self, station: Station, part: int) -> tuple[tuple[Grasp, ...], str]:
        """Those of a part by the tool of an arm that may carry it, or why there are none."""
        key = station.number, part
        if key not in self._grasps:
            self._grasps[key] = self._found_grasps(station, part)
        return self._grasps[key]

    def _found_grasps(self, station: Station, part: int) -> tuple[tuple[Grasp, ...], str]:
        one, arm, tool = self.site.assembly.parts[part], station.placed.arm, station.placed.tool
        if arm.payload_kg is not None and one.mass_kg + tool.mass_kg > arm.payload_kg:
            both = f"{one.mass_kg:.3g} kg and {tool.mass_kg:.3g} kg of tool"
            return (), f"{both} are beyond its payload of {arm.payload_kg:.3g} kg"
        found = grasps_of(one, tool, Burden(one.mass_kg, self.press_n))
        return found.grasps[: 2 * self._tried], found.why_not

    def least_blocked(
        self,
        station: Station,
        part: int,
        grasps: Sequence[Grasp],
        rows: Ints,
        joints: Array,
        lacking: Lacking | None = None,
    ) -> tuple[Ints, Array]:
        """Positions at a part's place that nothing permanent blocks, those first that fewest bodies do."""
        blocked = np.zeros(len(rows), object)
        free = np.zeros(len(rows), bool)
        for opening, several in by_opening(grasps, rows):
            free[several] = station.free_of_arms(joints[several], opening)
            blocked[several] = station.in_the_way(joints[several], opening)
        own = self.site.own(part)
        masks = [int(mask) & ~own for mask in blocked]
        permanent = [mask & self.site.always for mask in masks]
        able = [k for k in range(len(rows)) if free[k] and not permanent[k]]
        if not able and lacking is not None:
            least = min(permanent, key=int.bit_count)
            lacking.why = (
                f"{self.site.told(least)} in its way" if least else "it would touch itself or another arm at home"
            )
            lacking.blockers = least
        able.sort(key=lambda k: (masks[k].bit_count(), int(rows[k])))
        chosen = np.array(able[: self._tried], np.int64)
        return rows[chosen], joints[chosen]

    def _followed(
        self, station: Station, part: int, poses: Array, joints: Array, tail: Array
    ) -> tuple[Array, Array, Bools]:
        """(m, k, n) joints along the end of the part's path, (m, a, n) along the way back, and (m,) where both go."""
        inward = tail[None, ::-1] @ poses[:, None]  # from the place outward
        outward, came = station.follow(joints, inward)
        away = drawn_back(tail[-1] @ poses, AWAY_M)
        leaving, left = station.follow(joints, away)
        able = came & left
        for k in (0, outward.shape[1] - 1):
            if able.any():
                at = np.repeat(tail[::-1][k][None], int(able.sum()), axis=0)
                able[able] &= ~station.meets_own_load(outward[able, k], part, at)
        return outward[:, ::-1], leaving, able

    def _framed(
        self,
        station: Station,
        part: int,
        chosen: Sequence[tuple[Grasp, tuple[Pick, ...]]],
        coming: Array,
        leaving: Array,
        tail: Array,
        carried: int,
    ) -> list[Keyframe]:
        """Keyframes that nothing permanent bars, each with what is in its way; the first KEPT of them."""
        closed = np.array([grasp.opening_m for grasp, _ in chosen])
        opened = np.array([grasp.open_m for grasp, _ in chosen])
        own, always = ~self.site.own(part), self.site.always
        comes = [(mask | carried) & own for mask in station.along(coming, closed)]
        stays = [mask & own for mask in station.along(coming[:, -1:], closed)]
        leaves = [mask & own for mask in station.along(leaving, opened)]
        found: list[Keyframe] = []
        for k, (grasp, picks) in enumerate(chosen):
            if (comes[k] | stays[k] | leaves[k]) & always:
                continue
            if not station.free_of_arms(np.concatenate([coming[k], leaving[k]]), grasp.open_m).all():
                continue
            masks = comes[k], stays[k], leaves[k]
            frame = Keyframe(
                len(self.frames), part, station.number, grasp, coming[k], leaving[k], tail, *masks, picks, self.turned
            )
            found.append(frame)
            self.frames.append(frame)
            if len(found) == KEPT:
                break
        return found
