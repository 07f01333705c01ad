"""Bricks that lie on a side or upside down are turned upright by a hand that leans.

A hand cannot turn over right above a table, where its palm would be in it. So it comes leaning by 45° the way that the
brick's top points to, and after a quarter turn about the line through its pads it leans by 45° the other way. What lies
upside down is laid on a side by the first turn and upright by the second.

A hand that leans needs room, 20 cm for a Panda's. What fell where there is none, as beside the structure, is carried
off as it lies by an upright hand, to a tray, and turned there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from falsework.execution.control.belief import Belief
from falsework.execution.control.finger_room import EASED_M
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.spots import spots
from falsework.execution.control.ways import LET_FALL_M, Errand, Ways
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.perception.findings import Brick, Located
from falsework.model.poses import about, inverse
from falsework.model.robots.tool import Tool
from falsework.model.shapes import BrickShape
from falsework.robots.brickcell.brick_holds import ABOVE_STUDS_M, BrickHold, openings, tip_m
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.surroundings import Surroundings

DEEP_M = 0.018  # below what points up, at most: deeper, a palm that leans would run into a brick on its end
PLACES = 24  # on the trays that are tried, each with four turns
LEAN = np.sqrt(0.5)  # sine and cosine of 45°
YAWS_DEG = (0.0, 90.0, 180.0, 270.0)


def up_axis(lying: Brick) -> Array:
    """(3,) the axis of a brick, forward or backward, that points up most.

    >>> from falsework.model.catalogue import brick_type
    >>> up_axis(Brick(brick_type("duplo:brick_2x2"), "red", np.diag([1.0, -1.0, -1.0, 1.0]))).tolist()
    [0.0, 0.0, -1.0]
    """
    up = lying.T_base_brick[2, :3]
    axis = np.zeros(3)
    axis[int(np.argmax(np.abs(up)))] = np.sign(up[np.argmax(np.abs(up))])
    return axis


def lies(brick: Brick) -> str:
    """How and where a brick lies, in words."""
    x, y, _ = 1e3 * (brick.T_base_brick @ np.append(np.array(brick.kind.size_m) / 2, 1.0))[:3]
    return f"{'upside down' if up_axis(brick)[2] else 'on a side'} at {x:.0f}, {y:.0f} mm"


def rightings(ways: Ways, belief: Belief, lying: Brick, now: Array, settings: ControlSettings) -> Iterator[Errand]:
    """Ways to turn a brick by a quarter, nearer to upright, and to put it down on a tray."""
    around, before, rng = belief.around(ways.cell), _with(lying, ways, belief), np.random.default_rng(0)
    part = make_part("toppled", BrickShape(lying.kind), lying.T_base_brick)
    tool = ways.arm.tool
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
        full = ArmBodies(ways.arm, hold.width_m, [(part.shape, tool.T_flange_tool @ inverse(hold.T_part_tool))])
        for laid in islice(_laid(ways, belief, lying, upward), PLACES * len(YAWS_DEG)):
            bring = ways.descents(laid @ hold.T_part_tool, eased, around, settings.above_m)
            to_bring = ways.transit(takes[0][0], bring[0][0], full, around, rng) if bring else None
            if to_bring is not None:
                yield Errand(
                    ways.arm.name, hold, lying.T_base_brick, laid, open_m, to_take, takes[0], to_bring, bring[0]
                )


def carryings(ways: Ways, belief: Belief, lying: Brick, now: Array, settings: ControlSettings) -> Iterator[Errand]:
    """Ways to carry a brick off as it lies, with an upright hand, and to put it down on a tray the same way."""
    around, before, rng = belief.around(ways.cell), _with(lying, ways, belief), np.random.default_rng(0)
    shape, tool = BrickShape(lying.kind), ways.arm.tool
    for hold in _upright_holds(lying, tool):
        eased = ArmBodies(ways.arm, min(hold.width_m + EASED_M, tool.opening_m[1]))
        full = ArmBodies(ways.arm, hold.width_m, [(shape, tool.T_flange_tool @ inverse(hold.T_part_tool))])
        for open_m in openings(hold, tool):
            empty = ArmBodies(ways.arm, open_m)
            takes = ways.descents(lying.T_base_brick @ hold.T_part_tool, empty, around, settings.above_m)
            to_take = ways.transit(now, takes[0][0], empty, before, rng) if takes else None
            if to_take is None:
                continue
            for laid in islice(_laid_so(ways, belief, lying, lying.T_base_brick[:3, :3]), PLACES * len(YAWS_DEG)):
                bring = ways.descents(laid @ hold.T_part_tool, eased, around, settings.above_m)
                to_bring = ways.transit(takes[0][0], bring[0][0], full, around, rng) if bring else None
                if to_bring is not None:
                    yield Errand(
                        ways.arm.name, hold, lying.T_base_brick, laid, open_m, to_take, takes[0], to_bring, bring[0]
                    )
            break


def _with(lying: Brick, ways: Ways, belief: Belief) -> Surroundings:
    """Everything that an arm may run into on its way to a brick, that one too."""
    return belief.lying(lying).around(ways.cell)


def _upright_holds(lying: Brick, tool: Tool) -> Iterator[BrickHold]:
    """Of a brick as it lies, by two of its plain sides, or else by its studs and its rim."""
    up, size = up_axis(lying), _far_corner(lying)
    foot, head = float(np.minimum(up * size, 0.0).sum()), float(np.maximum(up * np.array(lying.kind.size_m), 0.0).sum())
    high = max(foot + tip_m(tool) + lying.kind.measures.stud_height_m + ABOVE_STUDS_M, head - DEEP_M)
    for closing in (axis for axis in np.eye(3) if not axis @ up):
        along = np.cross(closing, up)
        reach = 0.5 * float(np.abs(along) @ size) - tool.pad_m[0] / 2
        for aside in (0.0, reach, -reach) if reach > 0 else (0.0,):
            point = size / 2 + aside * along
            point = point + up * (high - float(up @ point))
            for sign in (1.0, -1.0):
                T = np.eye(4)
                T[:3, 1], T[:3, 2], T[:3, 3] = sign * closing, -up, point
                T[:3, 0] = np.cross(T[:3, 1], T[:3, 2])
                if openings(hold := BrickHold(T, float(np.abs(closing) @ size), abs(aside)), tool):
                    yield hold


def _turning_holds(lying: Brick, tool: Tool) -> Iterator[tuple[BrickHold, Array]]:
    """Holds that lean as much before a quarter turn as after it, with the brick's axis (3,) that points up then."""
    up = up_axis(lying)
    size = np.array(lying.kind.size_m)
    corner = _far_corner(lying)
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


def _far_corner(brick: Brick) -> Array:
    """(3,) of a brick's frame, studs included."""
    length, width, height = brick.kind.size_m
    return np.array([length, width, height + brick.kind.measures.stud_height_m])


def _laid(ways: Ways, belief: Belief, lying: Brick, upward: Array) -> Iterator[Array]:
    """(4, 4) poses on the trays with an axis of the brick upward, turned about the line through both pads."""
    closing = np.cross(up_axis(lying), upward)
    along = lying.T_base_brick[:3, :3] @ closing
    along = np.append(along[:2], 0.0) / np.linalg.norm(along[:2])
    up = np.array([0.0, 0.0, 1.0])
    own = np.column_stack([closing, np.cross(upward, closing), upward])
    return _laid_so(ways, belief, lying, np.column_stack([along, np.cross(up, along), up]) @ own.T)


def _laid_so(ways: Ways, belief: Belief, lying: Brick, turned: Array) -> Iterator[Array]:
    """(4, 4) poses on the trays of a brick turned so (3, 3), and by quarters about the vertical."""
    size = np.array(lying.kind.size_m)
    foot = float(np.minimum(turned[2] * _far_corner(lying), 0.0).sum())
    seen = Located(lying.kind, lying.color, lying.T_base_brick)
    last: Array | None = None
    for place in spots(ways.cell.feeders, seen, belief.loose):
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
