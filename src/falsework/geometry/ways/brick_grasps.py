"""Where a hand can take a brick, on the stud grid (seed 004, 4.2).

Two fingers close on the long sides of a brick, on both pairs of sides of a square one; each takes two cells along the
side and one beside it, four in all, and comes from above or below through every cell on its way. A tool for studs
(as the robots of APEX-MR have) takes a brick by its top and needs nothing beside it.

What a grasp needs to be free does not depend on the state: it can be used iff none of the bodies in its way is there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from falsework.geometry.shapes.lattice import Lattice
from falsework.model.arrays import Array, Ints
from falsework.model.plan import Grasp

FAR = 10**9  # plates: beyond everything


@dataclass(frozen=True, slots=True)
class Gripper:
    """What a hand needs, in studs and metres, and how wide it opens."""

    along: int = 2  # studs of a side that a finger takes
    beside: int = 1  # studs that it takes next to the side
    below_m: float = 0.1  # that a hand coming from below needs under the brick
    opens_m: float = 0.085  # the widest it closes upon


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """One way to take a brick, and the bodies that would be in its way."""

    grasp: Grasp
    blockers: int  # bit mask over the assembly's bodies


class BrickGrasps:
    """Grasps of the bricks of one stud grid, nearest to the middle of the brick first."""

    def __init__(self, lattice: Lattice, gripper: Gripper | None = None) -> None:
        self._lattice = lattice
        self._gripper = Gripper() if gripper is None else gripper
        self._row = {int(body): row for row, body in enumerate(lattice.bodies)}
        self._below = math.ceil(self._gripper.below_m / lattice.measures.plate_m - 1e-9)  # plates
        self._known: dict[tuple[int, int], tuple[Reach, ...]] = {}

    @cached_property
    def _boxes(self) -> tuple[Ints, Ints]:
        return self._lattice.boxes()

    def of(self, body: int, way: int = 1) -> tuple[Reach, ...]:
        """All grasps of a brick for a hand that comes from above (1) or from below (−1)."""
        if (body, way) not in self._known:
            sides = sorted(self._sides(self._row[body], way), key=lambda one: one[0])
            top = self._top(self._row[body]) if way > 0 else []
            self._known[body, way] = (*(reach for _, reach in sides), *top)
        return self._known[body, way]

    def free(self, body: int, others: int, way: int = 1, kinds: tuple[str, ...] = ("side", "top")) -> Grasp | None:
        """The first grasp of these kinds that none of the other bodies (a mask) blocks."""
        for reach in self.of(body, way):
            if reach.grasp.kind in kinds and not reach.blockers & others:
                return reach.grasp
        return None

    def _sides(self, row: int, way: int) -> list[tuple[float, Reach]]:
        """Grasps by two fingers, with their distance from the brick's middle in studs."""
        low, high = self._boxes[0][row], self._boxes[1][row]
        sides = high[:2] - low[:2]
        found = []
        for closing in (0, 1):
            along = 1 - closing
            if sides[closing] > sides[along]:
                continue
            if sides[closing] * self._lattice.measures.pitch_m > self._gripper.opens_m:
                continue
            take = self._gripper.along
            first, last = int(low[along]), int(high[along]) - take
            for start in range(min(first, last), max(first, last) + 1):
                off = abs(start + 0.5 * take - 0.5 * (low[along] + high[along]))
                found.append((float(off), self._side(row, closing, start, way)))
        return found

    def _side(self, row: int, closing: int, start: int, way: int) -> Reach:
        """Fingers on both sides along `closing`, on the studs from `start` on."""
        low, high = self._boxes[0][row], self._boxes[1][row]
        along, take, beside = 1 - closing, self._gripper.along, self._gripper.beside
        bottom, top = (int(low[2]), FAR) if way > 0 else (int(low[2]) - self._below, int(high[2]))
        hand = (int(high[2]), FAR) if way > 0 else (int(low[2]) - self._below, int(low[2]))
        edges = (int(low[closing]) - beside, int(high[closing]))
        window = start, start + take
        regions = [_region(closing, (edge, edge + beside), window, (bottom, top)) for edge in edges]
        span = (int(low[closing]) - beside, int(high[closing]) + beside)
        regions.append(_region(closing, span, window, hand))
        middle = np.zeros(3)
        middle[closing] = 0.5 * (low[closing] + high[closing])
        middle[along] = start + 0.5 * take
        middle[2] = 0.5 * (low[2] + high[2])
        axes = self._lattice.T_world_lattice[:3, :3]
        width = float(high[closing] - low[closing]) * self._lattice.measures.pitch_m
        grasp = Grasp(self._lattice.to_world(middle), axes[:, closing], -way * axes[:, 2], width)
        return Reach(grasp, self._blockers(row, regions))

    def _top(self, row: int) -> list[Reach]:
        """The stud tool, for a brick that has studs."""
        if not self._lattice.kinds[row].has_studs:
            return []
        low, high = self._boxes[0][row], self._boxes[1][row]
        above = (np.array([*low[:2], high[2]]), np.array([*high[:2], FAR]))
        axes = self._lattice.T_world_lattice[:3, :3]
        middle: Array = self._lattice.to_world(np.array([*(0.5 * (low + high)[:2]), float(high[2])]))
        narrow = int(np.argmin(high[:2] - low[:2]))
        width = float((high - low)[narrow]) * self._lattice.measures.pitch_m
        return [Reach(Grasp(middle, axes[:, narrow], -axes[:, 2], width, "top"), self._blockers(row, [above]))]

    def _blockers(self, row: int, regions: list[tuple[Ints, Ints]]) -> int:
        """The bodies, but for the brick itself, that have cells in any of the regions."""
        lows, highs = self._boxes
        inside = np.zeros(len(lows), dtype=bool)
        for low, high in regions:
            inside |= ((lows < high) & (low < highs)).all(axis=1)
        inside[row] = False
        return sum(1 << int(body) for body in self._lattice.bodies[inside])


def _region(
    closing: int, across: tuple[int, int], along: tuple[int, int], height: tuple[int, int]
) -> tuple[Ints, Ints]:
    """Lower and upper corner of a block of cells."""
    sides = (across, along) if closing == 0 else (along, across)
    corners = np.array([*sides, height])
    return corners[:, 0], corners[:, 1]
