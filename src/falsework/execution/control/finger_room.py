"""What a plan must know of the hand: bricks go one by one, and fingers that let go of one find room beside it."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.placement import Objection, Placement
from falsework.model.poses import inverse
from falsework.model.robots.tool import Tool
from falsework.model.shapes import BrickShape
from falsework.robots.brickcell.brick_holds import BrickHold, brick_holds

EASED_M = 4e-3  # by which fingers part before the hand leaves
NEAR_M = 1e-3  # nearer to anything than this is in the way


class FingerRoom:
    """A `PlacementCheck` for a hand that takes bricks by their sides from above; bricks lie along the axes.

    >>> import falsework
    >>> FingerRoom(falsework.new("duplo-stack"), falsework.tool_named("panda-hand")).name
    'fingers'
    """

    name, certain, minds_hands = "fingers", True, False

    def __init__(self, assembly: Assembly, tool: Tool) -> None:
        self._assembly, self._tool = assembly, tool
        self._boxes = {
            number: _box(part.shape, part.T_world_part)
            for number, part in enumerate(assembly.parts)
            if isinstance(part.shape, BrickShape)
        }

    def objection(self, placement: Placement) -> Objection | None:
        """None where some hold leaves all that stands alone."""
        placed = [number for number in self._boxes if placement.parts >> number & 1]
        if len(placed) != 1:
            return Objection("bricks are placed one by one")
        part = self._assembly.parts[placed[0]]
        standing = [number for number in self._boxes if placement.before.installed >> number & 1]
        blockers = 0
        for hold in brick_holds(part, self._tool, part.com_part_m):
            touched = self._touched(part.T_world_part, hold, standing)
            if not touched:
                return None
            blockers |= sum(1 << number for number in touched)
        return Objection("fingers find no room beside it", blockers)

    def _touched(self, T_world_part: Array, hold: BrickHold, standing: list[int]) -> list[int]:
        """Which of the bricks that stand a hand is in that opens a little."""
        T = T_world_part @ hold.T_part_tool @ inverse(self._tool.T_flange_tool)
        open_m = min(hold.width_m + EASED_M, self._tool.opening_m[1])
        bodies = [body.at(open_m) @ T[:3, :3].T + T[:3, 3] for body in self._tool.bodies]
        spans = [(points.min(axis=0) - NEAR_M, points.max(axis=0) + NEAR_M) for points in bodies]
        return [number for number in standing if any(_meet(self._boxes[number], span) for span in spans)]


def _box(shape: BrickShape, T: Array) -> tuple[Array, Array]:
    """(3,), (3,) least and greatest corner of a brick with its studs."""
    length, width, height = shape.kind.size_m
    size = np.array([length, width, height + shape.kind.measures.stud_height_m])
    ends = np.array([T[:3, 3], T[:3, :3] @ size + T[:3, 3]])
    return ends.min(axis=0), ends.max(axis=0)


def _meet(one: tuple[Array, Array], other: tuple[Array, Array]) -> bool:
    return bool((one[0] < other[1]).all() and (other[0] < one[1]).all())
