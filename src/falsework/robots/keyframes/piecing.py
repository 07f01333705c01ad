"""Pairs of bricks put together in the air: one arm holds the lower out, another presses the upper on, and places both.

The pair stands upright between the two arms, as it will in the structure but for a turn. The arm that brings the upper
brick never lets go of it: by the same grasp it carries the pair to its place. Both are samples, as all keyframes are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import TYPE_CHECKING

import numpy as np

from falsework.model.arrays import Array
from falsework.model.checkpoints import checkpoint
from falsework.model.poses import inverse
from falsework.model.robots.grasp import Grasp
from falsework.robots.keyframes.frames import Keyframe, Piecing, Transfer
from falsework.robots.keyframes.picking import SPACING_M
from falsework.robots.keyframes.station import Station, carried_blockers
from falsework.robots.keyframes.transfers import Transfers
from falsework.robots.kinematics.following import along

if TYPE_CHECKING:
    from falsework.robots.keyframes.table import KeyframeTable

HEIGHTS = (0.35, 0.45, 0.25)  # above the bases, in reaches of the smaller arm
TURNS = 12  # about the vertical
ABOVE_M = 0.04  # from which the upper brick comes straight down
STEEPEST = 0.9  # cosine between the way of the hand that holds the lower brick and down
LOOKS = 60  # ways to hold the lower brick out that are looked at further
TRIED, FRAMES = 10, 4  # keyframes of the upper brick that are tried, and kept
PIECINGS = 2  # of one keyframe


class Piecings:
    """Keyframes of pairs, from a table of keyframes of single bricks."""

    def __init__(self, table: KeyframeTable, transfers: Transfers) -> None:
        self.site, self._table, self._transfers = table.site, table, transfers
        self._known: dict[tuple[int, int], Keyframe | None] = {}

    def of(self, upper: int, lower: int, frames: Sequence[Keyframe]) -> list[Keyframe]:
        """Of keyframes of the upper brick, those by which an arm places both, after they were joined in the air."""
        found = []
        for frame in frames[:TRIED]:
            key = frame.number, lower
            if key not in self._known:
                checkpoint()
                self._known[key] = self._paired(frame, lower)
            pair = self._known[key]
            if pair is not None:
                found.append(pair)
                if len(found) == FRAMES:
                    break
        return found

    def _paired(self, frame: Keyframe, lower: int) -> Keyframe | None:
        own = 1 << lower
        if (frame.blocks_staying | frame.blocks_leaving) & own:
            return None
        beside = self._beside(frame.part, lower)
        (carried,) = carried_blockers(self.site, lower, (frame.T_world_part[0] @ beside)[None])
        if carried & self.site.always:
            return None
        piecings = tuple(islice(self._piecings(frame, lower, beside), PIECINGS))
        if not piecings:
            return None
        mine = ~self.site.own(lower)
        pair = replace(
            frame,
            number=len(self._table.frames),
            blocks_coming=(frame.blocks_coming | carried) & mine & ~self.site.own(frame.part),
            blocks_staying=frame.blocks_staying & mine,
            blocks_leaving=frame.blocks_leaving & mine,
            picks=tuple(replace(pick, blockers=pick.blockers & mine) for pick in frame.picks if pick.before is None),
            lower=lower,
            piecings=piecings,
        )
        self._table.frames.append(pair)
        return pair if pair.picks else None

    def _leans(self, lower: int, grasp: Grasp) -> bool:
        """Whether a hand that holds the lower brick leaves room above it for another."""
        way = self.site.assembly.parts[lower].T_world_part[:3, :3] @ grasp.T_part_tool[:3, 2]
        return bool(way[2] > -STEEPEST)

    def _beside(self, upper: int, lower: int) -> Array:
        """(4, 4) the lower brick in the frame of the upper one."""
        parts = self.site.assembly.parts
        T: Array = inverse(parts[upper].T_world_part) @ parts[lower].T_world_part
        return T

    def _piecings(self, frame: Keyframe, lower: int, beside: Array) -> Iterator[Piecing]:
        carrier = self._table.stations[frame.arm]
        for holder in self._table.stations:
            picks = {} if holder is carrier else self._transfers.waiting(holder, lower)
            if not picks:
                continue
            poses = self._between(holder, carrier, frame.part)  # of the upper brick
            rows, joints = carrier.joints(poses @ frame.grasp.T_part_tool, 1)
            poses = poses[rows]
            grasps, _ = self._table.grasps(holder, lower)
            numbers = [number for number in sorted(picks) if self._leans(lower, grasps[number])]
            several = [(row, number) for row in range(len(poses)) for number in numbers]
            if not several:
                continue
            tools = np.array([poses[row] @ beside @ grasps[number].T_part_tool for row, number in several])
            able, held = holder.joints(tools, 1)
            chosen = np.random.default_rng(0).permutation(len(able))  # turns and heights alike
            blocked = np.array([picks[several[k][1]].blockers.bit_count() for k in able[chosen].tolist()])
            chosen = chosen[np.argsort(blocked, kind="stable")][:LOOKS]
            asked = [several[k] for k in able[chosen].tolist()]
            at = np.array([poses[row] @ beside for row, _ in asked]).reshape(-1, 4, 4)
            using = [grasps[number] for _, number in asked]
            for k, out in self._transfers.held_out(holder, lower, using, held[chosen], at):
                row, number = asked[k]
                found = self._joined(frame, carrier, joints[row], poses[row], holder, lower, out)
                if found is not None:
                    yield replace(found, pick=picks[number])

    def _joined(
        self, frame: Keyframe, carrier: Station, q: Array, T_upper: Array, holder: Station, lower: int, out: Transfer
    ) -> Piecing | None:
        """How the upper brick comes down on the lower one that is held out, and the holder leaves, if nobody is met."""
        upper, closed, held, T_lower = frame.part, frame.grasp.opening_m, out.going[-1], out.T_world_part
        start = T_upper.copy()
        start[2, 3] += ABOVE_M
        way = along(T_upper, start, SPACING_M)
        risen, able = carrier.follow(q[None], (way @ frame.grasp.T_part_tool)[None])
        if not able[0] or not carrier.free_of_arms(risen[0], closed).all():
            return None
        if carrier.meets_own_load(q[None], upper, T_upper[None])[0] or carrier.meets(
            risen[0], closed, holder, held, out.grasp.opening_m
        ):
            return None
        if carrier.meets_load(q, closed, lower, T_lower[None]) or holder.meets_load(
            held, out.grasp.opening_m, upper, way
        ):
            return None
        if holder.meets(out.leaving, out.grasp.open_m, carrier, q, closed) or any(
            holder.meets_load(one, out.grasp.open_m, upper, T_upper[None]) for one in out.leaving
        ):
            return None
        taking = [np.concatenate([pick.coming, pick.lifting]) for pick in frame.picks if pick.before is None]
        if any(carrier.meets(ways, frame.grasp.open_m, holder, held, out.grasp.opening_m) for ways in taking):
            return None  # while the lower one is held out, the other is taken up where it waits
        (met,) = carrier.along(risen, np.array([closed]))
        (load,) = carried_blockers(self.site, upper, start[None])
        met = (met | load | out.blockers) & ~self.site.own(upper) & ~self.site.own(lower)
        if met & self.site.always:
            return None
        return Piecing(
            holder.number, lower, out.grasp, out.pick, T_lower, held, out.leaving, risen[0][::-1].copy(), T_upper, met
        )

    def _between(self, holder: Station, carrier: Station, upper: int) -> Array:
        """(m, 4, 4) poses of the upper brick between two arms, upright, lower ones and those amid both first."""
        here, there = holder.placed.T_world_base[:3, 3], carrier.placed.T_world_base[:3, 3]
        reach = min(one.placed.arm.reach_m or 1.0 for one in (holder, carrier))
        upright = self.site.assembly.parts[upper].T_world_part.copy()
        upright[:3, 3] = 0.0
        found = []
        for height, share, angle in product(HEIGHTS, (0.5, 0.4, 0.6), np.arange(TURNS) * (2 * np.pi / TURNS)):
            T = np.eye(4)
            T[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
            T[:3, 3] = here + share * (there - here)
            T[2, 3] = max(here[2], there[2]) + height * reach
            found.append(T @ upright)
        return np.array(found)
