"""Random cells with random things to build in them: boxes side by side and upon each other, and pegs in holes.

A peg waits lying and stands in a block in the end: with cups no single grasp serves both, so it is put down on the
table and taken anew, or given from hand to hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.model.assembly import Assembly
from falsework.model.errors import Undecided
from falsework.model.robots.cell import Cell, Lie
from falsework.model.robots.motion import Motion
from falsework.planning.plan import plan
from falsework.robots.cells.kinds import new_cell
from falsework.robots.motions.making import motions_of

KINDS = ("two-panda", "two-ur5e", "two-xarm7", "two-ur10e", "panda", "three-panda", "two-fr3", "ur5e")
CUPS = ("panda+suction-20", "ur5e+suction-20", "two-panda+suction-20", "two-ur5e+suction-20", "two-gofa+suction-20")
GAP_M = 0.04  # between boxes on trays: fingers go between them
PEGS, CUPPED = 0.2, 0.25  # shares of problems
BUDGET = 400

Boxes = dict[str, tuple[tuple[float, ...], tuple[float, ...]]]


@dataclass(frozen=True, slots=True)
class Problem:
    """A cell, and what is to be built in it."""

    cell: Cell
    assembly: Assembly
    regrasp: bool = False
    rules: str | None = None

    def solved(self, rng: np.random.Generator) -> Motion | None:
        """A motion as `plan --cell` finds it, or None where it finds none: then nobody knows whether there is one."""
        return self.asked(rng)[0]

    def asked(self, rng: np.random.Generator) -> tuple[Motion | None, str]:
        """The motion, or None and what stopped it."""
        planned = plan(self.assembly, rules=self.rules, cell=self.cell, regrasp=self.regrasp, budget=BUDGET)
        if planned.in_cell is None:
            return None, planned.why
        try:
            return motions_of(planned.in_cell, self.assembly, rng), ""
        except Undecided as why:
            return None, str(why)


def random_problem(rng: np.random.Generator, most: int = 4) -> Problem:
    """Boxes in a row, some upon others; or a peg. The structure stands a little elsewhere in each."""
    peg = rng.uniform() < PEGS
    cell = new_cell(str(rng.choice(CUPS if peg or rng.uniform() < CUPPED else KINDS)))
    T = cell.T_world_structure.copy()
    T[:2, 3] += rng.uniform(-0.02, 0.02, 2)
    lie: Lie = "stable" if peg or rng.uniform() < 0.3 else "assembled"
    feeders = tuple(replace(one, gap_m=GAP_M, lie=lie) for one in cell.feeders)
    cell = replace(cell, T_world_structure=T, feeders=feeders, room_m=None)
    if peg:
        return Problem(cell, pegged(rng))
    return Problem(cell, Assembly.from_boxes(_row(rng, most), ground="table"))


def _row(rng: np.random.Generator, most: int) -> Boxes:
    boxes: Boxes = {}
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
    return boxes


def pegged(rng: np.random.Generator) -> Assembly:
    """A peg that stands in the hole of a block, which is fixed and hides most of its sides."""
    side, height = float(rng.uniform(0.028, 0.034)), float(rng.uniform(0.08, 0.1))
    hole, wall = 0.5 * side + 0.005, 0.05
    block = height - float(rng.uniform(0.015, 0.025))
    long, across, middle = 2 * (wall + hole), hole + 0.5 * wall, 0.5 * block
    boxes: Boxes = {
        "peg": ((side, side, height), (0.0, 0.0, 0.5 * height)),
        "north": ((long, wall, block), (0.0, across, middle)),
        "south": ((long, wall, block), (0.0, -across, middle)),
        "east": ((wall, 2 * hole, block), (across, 0.0, middle)),
        "west": ((wall, 2 * hole, block), (-across, 0.0, middle)),
    }
    return Assembly.from_boxes(boxes, fixed=("north", "south", "east", "west"), ground="table", density_kg_m3=500.0)
