"""Transfers: where no grasp serves both where a part waits and its place, it is put down, or given from hand to hand.

On the table a part may lie in any of its stable poses, turned about the vertical, where nothing else is meant to be.
In the air two hands come to it from opposed sides, between the two arms. Both are samples: what is not found here may
yet exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

import numpy as np

from falsework.geometry.shapes.studs import reach_in_world
from falsework.geometry.stable_poses import stable_poses
from falsework.model.arrays import Array, Ints
from falsework.model.poses import inverse
from falsework.model.robots.grasp import Grasp
from falsework.robots.cells.feeding import Waiting
from falsework.robots.collision.collisions import MARGIN_M
from falsework.robots.keyframes.frames import Pick, Transfer
from falsework.robots.keyframes.picking import AWAY_M, PICKED, PICKS, Picking, drawn_back
from falsework.robots.keyframes.station import Station, carried_blockers

GRID_M = 0.06  # between spots on the table that are looked at
APART_M = 0.03  # between what is put down and rooms of others
SPOTS = 8  # on the table, those nearest to both arms
TURNS = 6  # about the vertical
LYING = 8  # stable poses of a part
STEADY_RAD = 0.1  # by which a part that is put down may be tilted without tipping over
PAIRS = 40  # of grasps by two hands at once
OPPOSED = 0.5  # cosine between the ways in which two hands come, at most
ROLLS = 8  # of a part in the air about the way in which the first hand came
HEIGHTS = (0.35, 0.5, 0.2)  # above the bases, in reaches of the smaller arm
LOOKS = 600  # ways to hold a part out that are looked at further
ENOUGH = 4 * PICKS  # transfers of one part to one arm

GraspsOf = Callable[[Station, int], tuple[tuple[Grasp, ...], str]]


class Transfers:
    """Picks that come after a transfer, for all arms of a site."""

    def __init__(self, picking: Picking, stations: Sequence[Station], grasps: GraspsOf) -> None:
        self._picking, self._stations, self._grasps = picking, stations, grasps
        self.site = picking.site
        self._first: dict[tuple[int, int], dict[int, Pick]] = {}

    def picks_of(
        self, taker: Station, part: int, grasps: Sequence[Grasp], numbers: Ints
    ) -> dict[int, tuple[Pick, ...]]:
        """By number of a grasp, how an arm comes by a part with it after a transfer; none where none was found."""
        found: dict[int, list[Pick]] = {int(number): [] for number in numbers}
        for number, pick in self._all(taker, part, grasps, numbers):
            found[number].append(pick)
            if sum(map(len, found.values())) >= ENOUGH:
                break
        return {
            number: tuple(sorted(picks, key=lambda pick: _in_the_way(pick).bit_count())[:PICKS])
            for number, picks in found.items()
        }

    def _all(self, taker: Station, part: int, grasps: Sequence[Grasp], numbers: Ints) -> Iterator[tuple[int, Pick]]:
        for first in (taker, *(one for one in self._stations if one is not taker)):
            picks = self.waiting(first, part)
            if picks:
                yield from self._by_table(first, picks, taker, part, grasps, numbers)
                if first is not taker:
                    yield from self._by_hand(first, picks, taker, part, grasps, numbers)

    def waiting(self, station: Station, part: int) -> dict[int, Pick]:
        """By number of a grasp, how an arm takes the part up where it waits."""
        key = station.number, part
        if key not in self._first:
            grasps, _ = self._grasps(station, part)
            poses = np.array([grasp.T_part_tool for grasp in grasps]).reshape(-1, 4, 4)
            numbers = np.flatnonzero(self._picking.can_take(station, part, grasps, poses)) if grasps else ()
            picks = self._picking.picks_of(station, part, grasps, np.array(numbers, np.int64)) if len(numbers) else {}
            self._first[key] = {number: some[0] for number, some in picks.items() if some}
        return self._first[key]

    # On the table

    def _by_table(
        self, first: Station, picks: dict[int, Pick], taker: Station, part: int, grasps: Sequence[Grasp], numbers: Ints
    ) -> Iterator[tuple[int, Pick]]:
        """Put down by one arm and taken by another, or by the same."""
        own, _ = self._grasps(first, part)
        for T in self._lying(part, first, taker):
            raised = T.copy()
            raised[2, 3] += 2 * MARGIN_M
            (met,) = carried_blockers(self.site, part, raised[None])
            if met & self.site.always:
                continue
            place = Waiting("table", T)
            taken = dict(islice(self._picking.picks_at(taker, part, grasps, numbers, place), PICKS))
            if not taken:
                continue
            several = np.array(sorted(picks), np.int64)
            put = next(self._picking.picks_at(first, part, own, several, place), None)
            if put is None:
                continue
            number, there = put
            before = Transfer(
                "put", first.number, own[number], picks[number], T, there.lifting[::-1].copy(),
                there.coming[::-1].copy(), there.blockers | met,
            )  # fmt: skip
            for row, pick in taken.items():
                yield row, replace(pick, blockers=pick.blockers | met, before=before)

    def _lying(self, part: int, *arms: Station) -> Iterator[Array]:
        """(4, 4) poses of a part on the table: nearest spots first, then how it lies, then how it is turned."""
        one = self.site.assembly.parts[part]
        own = inverse(one.T_world_part)
        poses = [
            pose.T_world_assembly @ one.T_world_part
            for pose in stable_poses(self.site.assembly, 1 << part, keep=LYING)
            if pose.tilt_rad >= STEADY_RAD
        ]
        points = reach_in_world(one) @ own[:3, :3].T + own[:3, 3]
        radius = max((float(np.linalg.norm((points @ T[:3, :3].T + T[:3, 3])[:, :2], axis=1).max()) for T in poses),
                     default=0.0)  # fmt: skip
        angles = np.arange(TURNS) * (2 * np.pi / TURNS)
        for spot, T, angle in product(self._spots(radius, arms), poses, angles):
            turn = np.eye(4)
            turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
            turn[:3, 3] = spot
            yield turn @ T

    def _spots(self, radius: float, arms: Sequence[Station]) -> list[Array]:
        """(3,) points on the table, farther than a radius from its edge, the structure's room and feeders."""
        table = self.site.cell.table
        if table is None:
            return []
        half = 0.5 * np.array(table.size_m) - radius
        if (half <= 0).any():
            return []
        axes = [np.arange(-np.floor(h / GRID_M), np.floor(h / GRID_M) + 1) * GRID_M for h in half]
        spots = np.array([(x, y, 0.0) for x in axes[0] for y in axes[1]]) + table.top_m
        free = np.ones(len(spots), bool)
        for corners in self._rooms():
            low, high = corners.min(axis=0)[:2], corners.max(axis=0)[:2]
            outside = np.maximum(low - spots[:, :2], spots[:, :2] - high).max(axis=1)
            free &= outside > radius + APART_M
        far = np.zeros(len(spots))
        for arm in {one.number: one for one in arms}.values():
            away = np.linalg.norm((spots - arm.placed.T_world_base[:3, 3])[:, :2], axis=1)
            far = np.maximum(far, np.abs(away / (arm.placed.arm.reach_m or 1.0) - 0.55))
        order = np.flatnonzero(free)[np.argsort(far[free], kind="stable")]
        return list(spots[order[:SPOTS]])

    def _rooms(self) -> Iterator[Array]:
        """(k, 3) corners in the world of what is meant for others: the structure, and feeders."""
        site = self.site
        parts = [reach_in_world(part) for part in site.assembly.parts]
        T = site.T_world_assembly
        yield np.concatenate(parts) @ T[:3, :3].T + T[:3, 3]
        for feeder in site.cell.feeders:
            x, y = 0.5 * np.array(feeder.size_m)
            corners = np.array([(x, y, 0.0), (x, -y, 0.0), (-x, y, 0.0), (-x, -y, 0.0)])
            T = feeder.T_world_feeder
            yield corners @ T[:3, :3].T + T[:3, 3]

    # From hand to hand

    def _by_hand(
        self, giver: Station, picks: dict[int, Pick], taker: Station, part: int, grasps: Sequence[Grasp], numbers: Ints
    ) -> Iterator[tuple[int, Pick]]:
        """Held in the air by one arm until another holds it too."""
        own, _ = self._grasps(giver, part)
        gives, takes, poses = self._between(giver, sorted(picks), own, taker, grasps, numbers)
        if not len(poses):
            return
        theirs, _ = taker.joints(poses @ np.array([grasps[number].T_part_tool for number in takes]), 1)
        gives, takes, poses = gives[theirs], takes[theirs], poses[theirs]
        if not len(poses):
            return
        mine, ours = giver.joints(poses @ np.array([own[number].T_part_tool for number in gives]), 1)
        chosen = np.random.default_rng(0).permutation(len(mine))[:LOOKS]  # pairs, turns and heights alike
        rows, joints = mine[chosen], ours[chosen]
        seen: set[int] = set()
        for row, held in self.held_out(giver, part, [own[number] for number in gives[rows]], joints, poses[rows]):
            number = int(takes[rows[row]])
            if number in seen:
                continue
            pick = self._taken_over(giver, held, taker, part, grasps[number])
            if pick is not None:
                seen.add(number)
                before = replace(held, pick=picks[int(gives[rows[row]])])
                yield number, replace(pick, before=before)

    def _between(
        self, giver: Station, gives: Sequence[int], own: Sequence[Grasp], taker: Station, grasps: Sequence[Grasp],
        numbers: Ints,
    ) -> tuple[Ints, Ints, Array]:  # fmt: skip
        """Pairs of grasps, numbers (m,) each, and poses (m, 4, 4) of the part between two arms; opposed ones first."""
        ways = np.array([own[number].T_part_tool[:3, 2] for number in gives])
        others = np.array([grasps[number].T_part_tool[:3, 2] for number in numbers])
        alike = ways @ others.T
        order = np.argsort(alike, axis=None, kind="stable")[:PAIRS]
        pairs = [divmod(int(one), len(numbers)) for one in order if alike.flat[int(one)] <= OPPOSED]
        here, there = giver.placed.T_world_base[:3, 3], taker.placed.T_world_base[:3, 3]
        reach = min(one.placed.arm.reach_m or 1.0 for one in (giver, taker))
        ahead = there - here
        ahead[2] = 0.0
        ahead = ahead / (np.linalg.norm(ahead) or 1.0)
        turns = _facing(ahead)
        firsts, seconds, poses = [], [], []
        for height, (i, j), turn in product(HEIGHTS, pairs, turns):
            tool = np.eye(4)
            tool[:3, :3] = turn
            tool[:3, 3] = 0.5 * (here + there)
            tool[2, 3] = max(here[2], there[2]) + height * reach
            firsts.append(gives[i])
            seconds.append(int(numbers[j]))
            poses.append(tool @ inverse(own[gives[i]].T_part_tool))
        return np.array(firsts, np.int64), np.array(seconds, np.int64), np.array(poses).reshape(-1, 4, 4)

    def held_out(
        self, giver: Station, part: int, grasps: Sequence[Grasp], joints: Array, poses: Array
    ) -> Iterator[tuple[int, Transfer]]:
        """Of joints (m, n) with a grasp each, at poses (m, 4, 4) of the part: which the giver may be at, and leave."""
        tools = poses @ np.array([grasp.T_part_tool for grasp in grasps]).reshape(-1, 4, 4)
        back = drawn_back(tools, AWAY_M)
        leaving, left = giver.follow(joints, back)
        able = np.flatnonzero(left)
        able = able[~giver.meets_own_load(joints[able], part, poses[able])]
        stays = giver.along(joints[able][:, None], np.array([grasps[row].opening_m for row in able.tolist()]))
        leaves = giver.along(leaving[able], np.array([grasps[row].open_m for row in able.tolist()]))
        carried = carried_blockers(self.site, part, poses[able])
        for k, row in enumerate(able.tolist()):
            met = (stays[k] | leaves[k] | carried[k]) & ~self.site.own(part)
            if met & self.site.always or not giver.free_of_arms(leaving[row], grasps[row].open_m).all():
                continue
            nothing = Pick("", poses[row], leaving[row], leaving[row], 0)
            q = joints[row : row + 1].copy()
            yield row, Transfer("give", giver.number, grasps[row], nothing, poses[row], q, leaving[row], met)

    def _taken_over(self, giver: Station, held: Transfer, taker: Station, part: int, grasp: Grasp) -> Pick | None:
        """How the taker comes to what the giver holds, if some branch of it keeps clear of the giver."""
        T = held.T_world_part
        _, joints = taker.joints((T @ grasp.T_part_tool)[None], PICKED)
        if not len(joints):
            return None
        back = np.repeat(drawn_back((T @ grasp.T_part_tool)[None], AWAY_M), len(joints), axis=0)
        coming, came = taker.follow(joints, back)
        for k in np.flatnonzero(came).tolist():
            q = coming[k, :1]
            if taker.meets_own_load(q, part, T[None])[0] or not taker.free_of_arms(coming[k], grasp.open_m).all():
                continue
            (met,) = taker.along(coming[k : k + 1], np.array([grasp.open_m]))
            met &= ~self.site.own(part)
            if met & self.site.always or taker.meets(
                coming[k], grasp.open_m, giver, held.going[-1], held.grasp.opening_m
            ):
                continue
            if giver.meets(held.leaving, held.grasp.open_m, taker, q[0], grasp.opening_m):
                continue
            return Pick("", T, coming[k][::-1].copy(), q.copy(), met)
        return None


def _facing(ahead: Array) -> list[Array]:
    """(3, 3) turns of a tool that points ahead, rolled about its own axis; then pointing half downwards."""
    found = []
    for down in (0.0, 0.7):
        z = ahead - np.array([0.0, 0.0, down])
        z = z / np.linalg.norm(z)
        x = np.cross([0.0, 0.0, 1.0], z)
        x = x / np.linalg.norm(x)
        frame = np.column_stack([x, np.cross(z, x), z])
        for angle in np.arange(ROLLS) * (2 * np.pi / ROLLS):
            roll = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0, 0, 1.0]])
            found.append(frame @ roll)
    return found


def _in_the_way(pick: Pick) -> int:
    """Of the whole of it, transfer included."""
    if pick.before is None:
        return pick.blockers
    return pick.blockers | pick.before.blockers | pick.before.pick.blockers
