"""Keyframes of hands that take hold of a part in its place: they come straight in with fingers open, as they leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from falsework.model.checkpoints import checkpoint
from falsework.robots.keyframes.frames import Keyframe
from falsework.robots.keyframes.picking import AWAY_M, drawn_back
from falsework.robots.keyframes.station import Station

if TYPE_CHECKING:
    from falsework.robots.keyframes.table import KeyframeTable

BRANCHES = 2  # of one grasp: of a redundant arm there are many, all alike
KEPT = 40  # of one part and arm
TURNED_M = 0.05  # between two places: as different as two hands that come from ways a radian apart


class Holdings:
    """Keyframes by which arms take hold of what is in place, beside a table of those by which they bring it."""

    def __init__(self, table: KeyframeTable) -> None:
        self.site, self._table = table.site, table
        self._known: dict[int, list[Keyframe]] = {}

    def of(self, part: int) -> list[Keyframe]:
        """Of all arms."""
        if part not in self._known:
            self._known[part] = []
            for station in self._table.stations:
                checkpoint()
                self._known[part] += self._frames(station, part)
        return self._known[part]

    def _frames(self, station: Station, part: int) -> list[Keyframe]:
        table, place = self._table, self.site.place_of(part)
        grasps, _ = table.grasps(station, part)
        if not grasps:
            return []
        poses = np.array([grasp.T_part_tool for grasp in grasps])
        rows, joints = station.joints(place @ poses, BRANCHES)
        if len(rows):
            rows, joints = table.least_blocked(station, part, grasps, rows, joints)
        if not len(rows):
            return []
        leaving, able = station.follow(joints, drawn_back(place @ poses[rows], AWAY_M))
        rows, leaving = rows[able], leaving[able]
        chosen = [grasps[row] for row in rows]
        own = ~self.site.own(part)
        opened, closed = (np.array([getattr(one, name) for one in chosen]) for name in ("open_m", "opening_m"))
        leaves = [mask & own for mask in station.along(leaving, opened)]
        stays = [mask & own for mask in station.along(leaving[:, :1], closed)]
        found: list[Keyframe] = []
        for k, grasp in enumerate(chosen):
            if (leaves[k] | stays[k]) & self.site.always:
                continue
            if not station.free_of_arms(leaving[k], grasp.open_m).all():
                continue
            frame = Keyframe(
                len(table.frames), part, station.number, grasp, leaving[k][::-1].copy(), leaving[k], place[None],
                leaves[k] | stays[k], stays[k], leaves[k], (), table.turned, in_place=True,
            )  # fmt: skip
            found.append(frame)
            table.frames.append(frame)
            if len(found) == KEPT:
                break
        return _spread(found)


def _spread(frames: list[Keyframe]) -> list[Keyframe]:
    """The first, then ever the one whose hand is farthest from those before: some are out of the way."""
    if not frames:
        return []
    hands = np.array([(*one.grasp.T_part_tool[:3, 3], *TURNED_M * one.grasp.T_part_tool[:3, 2]) for one in frames])
    order, apart = [0], np.linalg.norm(hands - hands[0], axis=1)
    while len(order) < len(frames):
        apart[order[-1]] = -1.0
        order.append(int(np.argmax(apart)))
        apart = np.where(apart < 0, apart, np.minimum(apart, np.linalg.norm(hands - hands[order[-1]], axis=1)))
    return [frames[k] for k in order]
