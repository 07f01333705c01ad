"""How a hand takes a brick: by two opposite sides from above, its fingers clear of what is beside and below.

A hand that leans back leaves room above what it holds, for another hand (`leaning_holds`).

Finger tips stay a stud's height above the brick's lower face, so that they touch neither the studs that it is pressed
on nor the brick below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import BadInput, shown
from falsework.model.part import Part
from falsework.model.poses import about
from falsework.model.robots.tool import Tool
from falsework.model.shapes import BrickShape

ABOVE_STUDS_M = 1e-3  # by which tips stay clear of studs beside the brick
LEAST_PAD_M = 1.2e-3  # of a side that fingers must have to hold on to
ROOMS_M = (8e-3, 4e-3, 2e-3)  # beside the brick, on each side, as the hand comes


@dataclass(frozen=True, slots=True, eq=False)
class BrickHold:
    """A way to hold a brick, the tool's point in its frame, before anybody asked whether an arm reaches it."""

    T_part_tool: Array  # (4, 4)
    width_m: float
    aside_m: float  # how far the tool's point is, level, from where it should best be


def brick_holds(part: Part, tool: Tool, best_m: Array, aside: bool = False) -> Iterator[BrickHold]:
    """Holds of a brick, those nearest to a point `best_m` (3,) of its frame first.

    `aside`: on a side that is narrower than the pads also a quarter of a stud off its middle, where they are clear of
    bricks that lie flush beside it.

    >>> import falsework
    >>> part = falsework.new("duplo-stack").parts[0]
    >>> next(brick_holds(part, falsework.tool_named("panda-hand"), np.zeros(3))).width_m
    0.032
    """
    if tool.kind != "parallel":
        raise BadInput(f"tool {shown(tool.name)} is no pair of fingers: it cannot take bricks by their sides")
    if not isinstance(part.shape, BrickShape):
        raise BadInput(f"{shown(part.name)} is no brick; a hand of the brick world takes bricks")
    kind = part.shape.kind
    length, width, height = kind.size_m
    tip = tip_m(tool)
    lift = min(kind.measures.stud_height_m + ABOVE_STUDS_M, height - LEAST_PAD_M)
    found = []
    for axis, (across, along) in enumerate(((length, width), (width, length))):
        if across > tool.opening_m[1] - 2 * ROOMS_M[-1]:
            continue
        for place in _places(along, kind.measures.pitch_m, tool.pad_m[0], aside):
            for sign in (1.0, -1.0):
                T = np.eye(4)
                closing = np.zeros(3)
                closing[axis] = sign
                T[:3, 1], T[:3, 2] = closing, (0.0, 0.0, -1.0)
                T[:3, 0] = np.cross(T[:3, 1], T[:3, 2])
                T[:3, 3] = (across / 2, place, lift + tip) if axis == 0 else (place, across / 2, lift + tip)
                found.append(BrickHold(T, across, float(np.linalg.norm((T[:3, 3] - best_m)[:2]))))
    yield from sorted(found, key=lambda hold: hold.aside_m)


def leaning_holds(part: Part, tool: Tool, best_m: Array, lean_deg: float) -> Iterator[BrickHold]:
    """The same with the hand leaning to one side or the other, about the line through both pads.

    The lower corners of its fingers stay as far above the brick's lower face as the tips of an upright hand.

    >>> import falsework
    >>> part = falsework.new("duplo-stack").parts[0]
    >>> hold = next(leaning_holds(part, falsework.tool_named("panda-hand"), np.zeros(3), 45.0))
    >>> hold.T_part_tool[:3, 2].round(3).tolist()
    [0.707, 0.0, -0.707]
    """
    tip, half = tip_m(tool), tool.pad_m[0] / 2
    lowest = tip * np.cos(np.deg2rad(lean_deg)) + half * np.sin(np.deg2rad(abs(lean_deg)))
    for upright in brick_holds(part, tool, best_m):
        for degrees in (lean_deg, -lean_deg):
            T = upright.T_part_tool.copy()
            T[2, 3] += lowest - tip
            T[:3, :3] = T[:3, :3] @ about(1, degrees)
            yield BrickHold(T, upright.width_m, upright.aside_m)


def openings(hold: BrickHold, tool: Tool) -> list[float]:
    """How far fingers may be open as they come, the widest first."""
    wide = [min(hold.width_m + 2 * room, tool.opening_m[1]) for room in ROOMS_M]
    return [one for one in dict.fromkeys(wide) if one >= hold.width_m + 2 * ROOMS_M[-1] - 1e-9]


def _places(along_m: float, pitch_m: float, pad_m: float, aside: bool) -> list[float]:
    """Where along a side the middle of the pads may be: every half stud, the whole of the narrower on the other."""
    if aside and pad_m > along_m:
        return [along_m / 2 + k * pitch_m / 4 for k in (-1, 0, 1)]
    inset = min(pad_m, along_m) / 2
    count = max(0, int(np.floor((along_m / 2 - inset) / (pitch_m / 2) + 1e-9)))
    return [along_m / 2 + k * pitch_m / 2 for k in range(-count, count + 1)]


def tip_m(tool: Tool) -> float:
    """How far fingers reach beyond the tool's point."""
    point = tool.T_flange_tool
    ends = [float(((body.corners_m - point[:3, 3]) @ point[:3, 2]).max()) for body in tool.bodies if body.travel.any()]
    return max(ends, default=0.0)
