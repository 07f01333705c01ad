"""Whether a hand can take the bricks of a plan as it says: fingers as blocks among the bricks that are there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from falsework.geometry.shapes.lattice import Lattice
from falsework.geometry.ways.brick_grasps import Gripper
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.bits import bits
from falsework.model.errors import shown
from falsework.model.plan import Grasp, Rules, Step

SLACK = 1e-3  # of a stud
FAR_M = 1e3


class GraspJudge:
    """Judges grasps among the bricks of one assembly."""

    def __init__(self, assembly: Assembly, grids: tuple[Lattice, ...]) -> None:
        self._assembly, self._gripper = assembly, Gripper()
        self._grid = {int(body): grid for grid in grids for body in grid.bodies}
        self._boxes = {body: box for grid in grids for body, box in _boxes(grid).items()}

    def complaints(self, step: Step, grasped: int, there: int, rules: Rules) -> Iterator[str]:
        """What is wrong with how a step takes a brick among those that are there or come along.

        `grasped`: the brick that the hand is on; of several in a hand each, the step tells about one.
        """
        bodies = list(bits(grasped))
        if rules.grasps == "none":
            return
        if any(body not in self._grid for body in bodies):
            yield "it is no brick, and the rules are for bricks"
        elif step.grasp is None:
            yield "it does not say how the brick is taken"
        elif rules.grasps == "side" and step.grasp.kind != "side":
            yield f"it takes the brick by its {step.grasp.kind}, and the rules allow the long sides only"
        else:
            found = [self._complaint(body, step.grasp, there) for body in bodies]
            if None not in found:
                yield str(found[0])

    def fits(self, grasp: Grasp | None, body: int, there: int) -> bool:
        """Whether a grasp is one on this brick; so is none at all."""
        return grasp is None or (body in self._grid and self._complaint(body, grasp, there) is None)

    def _complaint(self, body: int, grasp: Grasp, there: int) -> str | None:
        """What is wrong with taking one brick so, among all bricks that are there or come along."""
        for wrong in self._wrong(body, grasp):
            return wrong
        for low, high in self._blocks(body, grasp):
            for other, grid in self._grid.items():
                if there >> other & 1 and other != body and self._overlaps(grid, other, body, low, high):
                    return f"the hand would run into {shown(self._assembly.bodies[other].name)}"
        return None

    def _wrong(self, body: int, grasp: Grasp) -> Iterator[str]:
        """The grasp is one on this brick at all: on two sides, no further apart than it opens, across the long ones."""
        low, high = self._box(body)
        axes = self._grid[body].T_world_lattice[:3, :3]
        closing, approach = axes.T @ grasp.closing, axes.T @ grasp.approach
        axis = int(np.argmax(np.abs(closing)))
        slack = SLACK * self._grid[body].measures.pitch_m
        if axis == 2 or abs(abs(closing[axis]) - 1) > 1e-6 or abs(abs(approach[2]) - 1) > 1e-6:
            yield "its grasp does not close along the stud grid, or does not come along the studs"
        elif abs(grasp.width_m - (high - low)[axis]) > slack:
            yield f"its grasp closes on {grasp.width_m:.3g} m, and the brick is {(high - low)[axis]:.3g} m wide there"
        elif grasp.kind == "side" and (high - low)[axis] > (high - low)[1 - axis] + slack:
            yield "its grasp is on the short sides"
        elif grasp.kind == "side" and grasp.width_m > self._gripper.opens_m:
            yield f"its grasp is {grasp.width_m:.3g} m wide, and the hand opens to {self._gripper.opens_m:g} m"
        point = self._local(body, grasp.point_m)
        if (point < low - slack).any() or (point > high + slack).any():
            yield "its grasp is not on the brick"

    def _box(self, body: int) -> tuple[Array, Array]:
        """Corners of a brick in metres along its grid's axes."""
        return self._boxes[body]

    def _local(self, body: int, point: Array) -> Array:
        T = self._grid[body].T_world_lattice
        local: Array = T[:3, :3].T @ (point - T[:3, 3])
        return local

    def _blocks(self, body: int, grasp: Grasp) -> list[tuple[Array, Array]]:
        """What the hand takes up, as blocks in metres along the grid's axes, on its whole way in."""
        low, high = self._box(body)
        grid = self._grid[body]
        pitch = grid.measures.pitch_m
        above = float((grid.T_world_lattice[:3, :3].T @ grasp.approach)[2]) < 0
        if grasp.kind == "top":
            return [(np.array([*low[:2], high[2]]), np.array([*high[:2], FAR_M]))]
        reach = self._gripper.below_m
        rise = (low[2], FAR_M) if above else (low[2] - reach, high[2])
        closing = int(np.argmax(np.abs(grid.T_world_lattice[:3, :3].T @ grasp.closing)))
        along = 1 - closing
        middle = self._local(body, grasp.point_m)[along]
        half = 0.5 * self._gripper.along * pitch
        blocks = []
        for edge in (low[closing] - self._gripper.beside * pitch, high[closing]):
            corner_low, corner_high = np.zeros(3), np.zeros(3)
            corner_low[[closing, along, 2]] = edge, middle - half, rise[0]
            corner_high[[closing, along, 2]] = edge + self._gripper.beside * pitch, middle + half, rise[1]
            blocks.append((corner_low, corner_high))
        palm_low, palm_high = np.minimum(blocks[0][0], blocks[1][0]), np.maximum(blocks[0][1], blocks[1][1])
        palm_low[2], palm_high[2] = (high[2], FAR_M) if above else (low[2] - reach, low[2])
        return [*blocks, (palm_low, palm_high)]

    def _overlaps(self, grid: Lattice, other: int, body: int, low: Array, high: Array) -> bool:
        """Whether another brick is in a block; bricks of other grids are judged by the box around their corners."""
        there = self._box(other)
        if grid is not self._grid[body]:
            corners = np.stack(np.meshgrid(*np.stack(there, axis=1)), axis=-1).reshape(-1, 3)
            world = corners @ grid.T_world_lattice[:3, :3].T + grid.T_world_lattice[:3, 3]
            local = np.stack([self._local(body, point) for point in world])
            there = local.min(axis=0), local.max(axis=0)
        slack = SLACK * self._grid[body].measures.pitch_m
        return bool(((low < there[1] - slack) & (there[0] + slack < high)).all())


def _boxes(grid: Lattice) -> dict[int, tuple[Array, Array]]:
    """Corners of all bricks of a grid, in metres along its axes."""
    scale = np.array([grid.measures.pitch_m, grid.measures.pitch_m, grid.measures.plate_m])
    low, high = grid.boxes()
    return {int(body): (low[row] * scale, high[row] * scale) for row, body in enumerate(grid.bodies)}
