"""Bricks that lie on a side or upside down are turned upright by a hand that leans.

A hand cannot turn over right above a table, where its palm would be in it. So it comes leaning by 45° the way that the
brick's top points to, and after a quarter turn about the line through its pads it leans by 45° the other way. What lies
upside down is laid on a side by the first turn and upright by the second.

A hand that leans needs room, 20 cm for a Panda's. What fell where there is none, as beside the structure, is carried
off first (`clearing.py`) and turned on a tray.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from falsework.execution.control.belief import Belief
from falsework.execution.control.clearing import DEEP_M, PLACES, YAWS_DEG, Thing, laid_so
from falsework.execution.control.finger_room import EASED_M
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.ways import Errand, Ways
from falsework.model.arrays import Array
from falsework.model.perception.findings import Brick
from falsework.model.poses import inverse
from falsework.model.robots.tool import Tool
from falsework.model.shapes import BrickShape
from falsework.robots.brickcell.brick_holds import ABOVE_STUDS_M, BrickHold, openings, tip_m
from falsework.robots.collision.arm_bodies import ArmBodies

LEAN = np.sqrt(0.5)  # sine and cosine of 45°


def lies(brick: Brick) -> str:
    """How and where a brick lies, in words."""
    x, y, _ = 1e3 * (brick.T_base_brick @ np.append(np.array(brick.kind.size_m) / 2, 1.0))[:3]
    return f"{'upside down' if Thing(brick).up[2] else 'on a side'} at {x:.0f}, {y:.0f} mm"


def rightings(ways: Ways, belief: Belief, lying: Brick, now: Array, settings: ControlSettings) -> Iterator[Errand]:
    """Ways to turn a brick by a quarter, nearer to upright, and to put it down on a tray."""
    without = belief.without(lying)
    around, before = without.around(ways.cell), belief.beside(lying).around(ways.cell)
    rng, shape, tool = np.random.default_rng(0), BrickShape(lying.kind), ways.arm.tool
    for hold, upward in _turning_holds(lying, tool):
        for open_m in openings(hold, tool):
            empty = ArmBodies(ways.arm, open_m)
            takes = ways.descents(lying.T_base_brick @ hold.T_part_tool, empty, around, settings.above_m)
            to_take = ways.transit(now, takes[0][0], empty, before, rng) if takes else None
            if to_take is not None:
                break
        else:
            continue
        eased = ArmBodies(ways.arm, min(hold.width_m + EASED_M, tool.opening_m[1]))
        full = ArmBodies(ways.arm, hold.width_m, [(shape, tool.T_flange_tool @ inverse(hold.T_part_tool))])
        for laid in islice(_laid(ways, without, lying, upward), PLACES * len(YAWS_DEG)):
            bring = ways.descents(laid @ hold.T_part_tool, eased, around, settings.above_m)
            to_bring = ways.transit(takes[0][0], bring[0][0], full, around, rng) if bring else None
            if to_bring is not None:
                yield Errand(
                    ways.arm.name, hold, lying.T_base_brick, laid, open_m, to_take, takes[0], to_bring, bring[0]
                )


def _turning_holds(lying: Brick, tool: Tool) -> Iterator[tuple[BrickHold, Array]]:
    """Holds that lean as much before a quarter turn as after it, with the brick's axis (3,) that points up then."""
    up, size, corner = Thing(lying).up, np.array(lying.size_m), Thing(lying).far_corner_m
    top = np.array([0.0, 0.0, 1.0])
    level = [sign * axis for axis in np.eye(3)[:2] for sign in (1.0, -1.0)]
    least = LEAN * (tip_m(tool) + tool.pad_m[0] / 2) + ABOVE_STUDS_M  # of the tool's point above what the brick lies on
    for upward in [top] if up[2] == 0 else level:
        closing = np.cross(up, upward)
        width = float(np.abs(closing) @ size)
        point = size / 2
        for axis in (up, upward):
            foot, head = float(np.minimum(axis * corner, 0.0).sum()), float(np.maximum(axis * size, 0.0).sum())
            lowest = max(foot + least, head - DEEP_M)
            point = point + axis * max(0.0, lowest - float(axis @ point))
        for sign in (1.0, -1.0):
            T = np.eye(4)
            T[:3, 1], T[:3, 2], T[:3, 3] = sign * closing, -LEAN * (up + upward), point
            T[:3, 0] = np.cross(T[:3, 1], T[:3, 2])
            if openings(hold := BrickHold(T, width, 0.0), tool):
                yield hold, upward


def _laid(ways: Ways, belief: Belief, lying: Brick, upward: Array) -> Iterator[Array]:
    """(4, 4) poses on the trays with an axis of the brick upward, turned about the line through both pads."""
    closing = np.cross(Thing(lying).up, upward)
    along = lying.T_base_brick[:3, :3] @ closing
    along = np.append(along[:2], 0.0) / np.linalg.norm(along[:2])
    up = np.array([0.0, 0.0, 1.0])
    own = np.column_stack([closing, np.cross(upward, closing), upward])
    return laid_so(ways, belief, Thing(lying), np.column_stack([along, np.cross(up, along), up]) @ own.T)
