"""Things that are in the way, or that nobody can tell, are carried off as they lie, by an upright hand, to a tray.

A brick that fell beside the structure may lie on a side, lean on what stands, or keep fingers from where it belongs;
one that leans is no brick that the eyes know. Whatever it is, it takes up room, and two of its sides can be held. On a
tray it is seen anew, and turned or built with like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from falsework.execution.control.belief import Belief
from falsework.execution.control.finger_room import EASED_M
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.spots import spots
from falsework.execution.control.ways import LET_FALL_M, Errand, Ways
from falsework.model.arrays import Array
from falsework.model.perception.findings import Brick, Extent
from falsework.model.poses import about, inverse
from falsework.model.robots.tool import Tool
from falsework.model.shapes import BrickShape, Shape, box
from falsework.robots.brickcell.brick_holds import ABOVE_STUDS_M, BrickHold, openings, tip_m
from falsework.robots.collision.arm_bodies import ArmBodies

DEEP_M = 0.018  # below what points up, at most: deeper, a palm that leans would run into a brick on its end
PLACES = 24  # on the trays that are tried, each with four turns
YAWS_DEG = (0.0, 90.0, 180.0, 270.0)
BLURRED_M = 2e-3  # by which what is unclear may lie otherwise than it seems
OVERHANG = 0.25  # of the pads that may reach beyond a side, where holds nearer to its middle have no room


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """What a hand may carry: a brick on whatever side, or room that something takes up."""

    room: Brick | Extent

    @property
    def T_world(self) -> Array:
        """(4, 4)."""
        return self.room.T_base_brick if isinstance(self.room, Brick) else self.room.T_base_extent

    @property
    def size_m(self) -> Array:
        """(3,) without studs."""
        return np.array(self.room.size_m)

    @property
    def studs_m(self) -> float:
        return self.room.kind.measures.stud_height_m if isinstance(self.room, Brick) else 0.0

    @property
    def clear_m(self) -> float:
        """By which tips stay above what it lies on: a brick may have to be pressed on, of others nobody knows."""
        return self.studs_m or BLURRED_M

    @property
    def far_corner_m(self) -> Array:
        """(3,) of its frame, studs included."""
        far: Array = self.size_m + np.array([0.0, 0.0, self.studs_m])
        return far

    @property
    def shape(self) -> Shape:
        return BrickShape(self.room.kind) if isinstance(self.room, Brick) else box(self.room.size_m)

    @property
    def up(self) -> Array:
        """(3,) the axis of it, forward or backward, that points up most.

        >>> from falsework.model.catalogue import brick_type
        >>> Thing(Brick(brick_type("duplo:brick_2x2"), "red", np.diag([1.0, -1.0, -1.0, 1.0]))).up.tolist()
        [0.0, 0.0, -1.0]
        """
        upward = self.T_world[2, :3]
        axis = np.zeros(3)
        axis[int(np.argmax(np.abs(upward)))] = np.sign(upward[np.argmax(np.abs(upward))])
        return axis


def carryings(ways: Ways, belief: Belief, thing: Thing, now: Array, settings: ControlSettings) -> Iterator[Errand]:
    """Ways to carry a thing off as it lies, with an upright hand, and to put it down on a tray the same way."""
    without = belief.without(thing.room)
    around, before, rng = without.around(ways.cell), belief.beside(thing.room).around(ways.cell), _rng()
    tool = ways.arm.tool
    for hold in sorted(_upright_holds(thing, tool), key=lambda hold: (hold.width_m, hold.aside_m)):
        eased = ArmBodies(ways.arm, min(hold.width_m + EASED_M, tool.opening_m[1]))
        full = ArmBodies(ways.arm, hold.width_m, [(thing.shape, tool.T_flange_tool @ inverse(hold.T_part_tool))])
        for open_m in openings(hold, tool):
            empty = ArmBodies(ways.arm, open_m)
            takes = ways.descents(thing.T_world @ hold.T_part_tool, empty, around, settings.above_m)
            takes = [take for take in takes if ways.may_close(take[-1], hold, around)]
            to_take = ways.transit(now, takes[0][0], empty, before, rng) if takes else None
            if to_take is None:
                continue
            for laid in islice(laid_so(ways, without, thing, thing.T_world[:3, :3]), PLACES * len(YAWS_DEG)):
                bring = ways.descents(laid @ hold.T_part_tool, eased, around, settings.above_m)
                to_bring = ways.transit(takes[0][0], bring[0][0], full, around, rng) if bring else None
                if to_bring is not None:
                    yield Errand(
                        ways.arm.name, hold, thing.T_world, laid, open_m, to_take, takes[0], to_bring, bring[0]
                    )
            break


def laid_so(ways: Ways, belief: Belief, thing: Thing, turned: Array) -> Iterator[Array]:
    """(4, 4) poses on the trays of a thing turned so (3, 3), and by quarters about the vertical."""
    size = thing.size_m
    foot = float(np.minimum(turned[2] * thing.far_corner_m, 0.0).sum())
    last: Array | None = None
    for place in spots(ways.cell.feeders, thing.room, belief.rooms):
        middle = (place @ np.append(size[:2] / 2, (0.0, 1.0)))[:3]
        if last is not None and np.allclose(middle, last, atol=1e-6):
            continue  # the same place, otherwise turned
        last = middle
        for degrees in YAWS_DEG:
            T = np.eye(4)
            T[:3, :3] = about(2, degrees) @ turned
            T[:3, 3] = middle - T[:3, :3] @ (size / 2)
            T[2, 3] = middle[2] + LET_FALL_M - foot
            yield T


def _upright_holds(thing: Thing, tool: Tool) -> Iterator[BrickHold]:
    """Of a thing as it lies, by two of its plain sides, or else by its studs and its rim."""
    up, size = thing.up, thing.far_corner_m
    foot, head = float(np.minimum(up * size, 0.0).sum()), float(np.maximum(up * thing.size_m, 0.0).sum())
    high = max(foot + tip_m(tool) + thing.clear_m + ABOVE_STUDS_M, head - DEEP_M)
    for closing in (axis for axis in np.eye(3) if not axis @ up):
        along = np.cross(closing, up)
        half = 0.5 * float(np.abs(along) @ size)
        reaches = (half - tool.pad_m[0] / 2, half - (0.5 - OVERHANG) * tool.pad_m[0])
        for aside in (0.0, *(sign * reach for reach in reaches for sign in (1.0, -1.0) if reach > 0)):
            point = size / 2 + aside * along
            point = point + up * (high - float(up @ point))
            for sign in (1.0, -1.0):
                T = np.eye(4)
                T[:3, 1], T[:3, 2], T[:3, 3] = sign * closing, -up, point
                T[:3, 0] = np.cross(T[:3, 1], T[:3, 2])
                if openings(hold := BrickHold(T, float(np.abs(closing) @ size), abs(aside)), tool):
                    yield hold


def _rng() -> np.random.Generator:
    """Of free ways: the same question gets the same answer."""
    return np.random.default_rng(0)
