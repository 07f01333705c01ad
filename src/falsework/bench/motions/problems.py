"""Random cells with random boxes to build with, taken and put down from above."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.bench.motions.top_down import Job, top_down
from falsework.model.assembly import Assembly
from falsework.model.errors import Undecided
from falsework.model.robots.cell import Cell
from falsework.model.robots.motion import Motion
from falsework.robots.cells.kinds import new_cell
from falsework.robots.motions.making import motions_of

KINDS = ("two-panda", "two-ur5e", "two-xarm7", "two-ur10e", "panda", "three-panda", "two-fr3", "ur5e")
GAP_M = 0.04  # between boxes on trays: fingers go between them


@dataclass(frozen=True, slots=True)
class Problem:
    """A cell, what is to be built in it, and who places what."""

    cell: Cell
    assembly: Assembly
    jobs: tuple[Job, ...]

    def solved(self, rng: np.random.Generator) -> Motion | None:
        """A motion, or None where an arm does not reach, or no free way was found."""
        try:
            return motions_of(top_down(self.cell, self.assembly, self.jobs), self.assembly, rng)
        except Undecided:
            return None


def random_problem(rng: np.random.Generator, most: int = 4) -> Problem:
    """Boxes in a row, some upon others, for an arm each in turn."""
    cell = new_cell(str(rng.choice(KINDS)))
    cell = replace(cell, feeders=tuple(replace(one, gap_m=GAP_M) for one in cell.feeders))
    boxes: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {}
    x = -0.1
    for number in range(int(rng.integers(1, most + 1))):
        size = rng.uniform(0.025, 0.05, 3)
        below = boxes.get(f"box {number - 1}")
        if below is not None and rng.uniform() < 0.4:
            middle = np.array([*below[1][:2], below[1][2] + below[0][2] / 2 + size[2] / 2])
        else:
            x += 0.06 + size[0]
            middle = np.array([x, rng.uniform(-0.05, 0.05), size[2] / 2])
        boxes[f"box {number}"] = (tuple(size.tolist()), tuple(middle.tolist()))
    first = int(rng.integers(len(cell.arms)))
    jobs = tuple(Job(name, cell.arms[(first + k) % len(cell.arms)].name) for k, name in enumerate(boxes))
    return Problem(cell, Assembly.from_boxes(boxes, ground="table"), jobs)  # type: ignore[arg-type]
