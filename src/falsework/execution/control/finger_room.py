"""What a plan must know of the hand: fingers that let go of a brick, or of a piece by one of its, find room beside it.

A brick that comes down between two others has no play: its place in the hand is known to half a millimetre at best. An
order in which nothing does is asked for first.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.placement import Objection, Placement
from falsework.model.poses import inverse
from falsework.model.robots.tool import Tool
from falsework.model.shapes import BrickShape
from falsework.robots.brickcell.brick_holds import brick_holds

EASED_M = 4e-3  # by which fingers part before the hand leaves
NEAR_M = 1e-3  # nearer to anything than this is in the way


class FingerRoom:
    """A `PlacementCheck` for a hand that takes bricks by their sides from above; bricks lie along the axes.

    >>> import falsework
    >>> FingerRoom(falsework.new("duplo-stack"), falsework.tool_named("panda-hand")).name
    'fingers'
    """

    name, certain, minds_hands = "fingers", True, False

    def __init__(self, assembly: Assembly, tool: Tool, between: bool = True, pieces: bool = False) -> None:
        """`between`: bricks may come down between two others. `pieces`: several may be placed as one."""
        boxes = {
            number: _box(part.shape, part.T_world_part)
            for number, part in enumerate(assembly.parts)
            if isinstance(part.shape, BrickShape)
        }
        numbers, corners = list(boxes), np.array(list(boxes.values())).reshape(-1, 2, 3)
        self._boxes = boxes
        self._holds = {
            number: _obstructions(assembly.parts[number], tool, number, numbers, corners[:, 0], corners[:, 1])
            for number in numbers
        }
        self._flanks = {number: _flanks(number, numbers, corners) for number in numbers}
        self._between, self._pieces = between, pieces

    def objection(self, placement: Placement) -> Objection | None:
        """None where some hold leaves all that stands alone."""
        placed = [number for number in self._holds if placement.parts >> number & 1]
        if len(placed) != 1 and not self._pieces:
            return Objection("bricks are placed one by one")
        installed, blockers = placement.before.installed, 0
        if not self._between or len(placed) > 1:  # nobody feels a piece's way down
            for one, other in (pair for number in placed for pair in self._flanks[number]):
                if one & installed and other & installed:
                    return Objection("it would come down between two others", (one | other) & installed)
        joints = self._joints(placed, installed) if len(placed) > 1 else []
        for number in placed:
            for mask, point in self._holds[number]:
                if joints and not any((low < point).all() and (point < high).all() for low, high in joints):
                    continue  # pressed beside what carries it, it would tear off
                if not mask & (installed | placement.parts):
                    return None
                blockers |= mask & installed
        return Objection("fingers find no room beside it", blockers)

    def _joints(self, placed: list[int], installed: int) -> list[tuple[Array, Array]]:
        """(2,), (2,) each: least and greatest corner, level, of where bricks lie on others; none on the plate."""
        found = []
        for number, other in product(placed, (one for one in self._boxes if installed >> one & 1)):
            (low, high), (first, last) = self._boxes[number], self._boxes[other]
            least, most = np.maximum(low, first)[:2], np.minimum(high, last)[:2]
            if first[2] < low[2] < last[2] and (most - least > NEAR_M).all():  # boxes have studs
                found.append((least, most))
        return found

    def comes_apart(self) -> bool:
        """Whether fingers could take brick after brick away, if everything stood: without that no plan exists.

        What can be taken can still be taken once others are gone, so any order will do.
        """
        left = sum(1 << number for number in self._holds)
        while left:
            free = sum(
                1 << number
                for number, holds in self._holds.items()
                if left >> number & 1 and any(not mask & left for mask, _ in holds)
            )
            if not free:
                return False
            left &= ~free
        return True


def _obstructions(
    part: Part, tool: Tool, own: int, numbers: list[int], low: Array, high: Array
) -> list[tuple[int, Array]]:
    """For every hold of a brick the mask of others in which a hand is that opens a little, and its point (2,), level.

    `low`, `high` (n, 3) are the corners of bricks with these `numbers`.
    """
    found = []
    for hold in brick_holds(part, tool, part.com_part_m):
        T = part.T_world_part @ hold.T_part_tool @ inverse(tool.T_flange_tool)
        open_m = min(hold.width_m + EASED_M, tool.opening_m[1])
        met = np.zeros(len(numbers), dtype=bool)
        for body in tool.bodies:
            points = body.at(open_m) @ T[:3, :3].T + T[:3, 3]
            met |= ((low < points.max(axis=0) + NEAR_M) & (points.min(axis=0) - NEAR_M < high)).all(axis=1)
        mask = sum(1 << number for number, is_met in zip(numbers, met, strict=True) if is_met and number != own)
        found.append((mask, (part.T_world_part @ hold.T_part_tool)[:2, 3]))
    return found


def _flanks(own: int, numbers: list[int], corners: Array) -> list[tuple[int, int]]:
    """Along x and along y: the masks of bricks that touch one on the near and on the far side."""
    (low, high), lows, highs = corners[numbers.index(own)], corners[:, 0], corners[:, 1]
    level = np.abs(lows[:, 2] - low[2]) < 0.5 * (high[2] - low[2])  # studs of those below do not count
    found = []
    for axis in (0, 1):
        meets = level & (lows[:, 1 - axis] < high[1 - axis] - NEAR_M) & (low[1 - axis] + NEAR_M < highs[:, 1 - axis])
        sides = (np.abs(highs[:, axis] - low[axis]) < NEAR_M, np.abs(lows[:, axis] - high[axis]) < NEAR_M)
        near, far = (sum(1 << numbers[k] for k in np.flatnonzero(meets & side)) for side in sides)
        found.append((near, far))
    return found


def _box(shape: BrickShape, T: Array) -> tuple[Array, Array]:
    """(3,), (3,) least and greatest corner of a brick with its studs."""
    length, width, height = shape.kind.size_m
    size = np.array([length, width, height + shape.kind.measures.stud_height_m])
    ends = np.array([T[:3, 3], T[:3, :3] @ size + T[:3, 3]])
    return ends.min(axis=0), ends.max(axis=0)
