"""Random problems in which something must be held while the only arm that reaches the feeder is away for the next part.

Either one weight of two tips a beam, or a beam falls off its foot until a weight is on it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.bench.motions.problems import Boxes, Problem
from falsework.model.assembly import Assembly
from falsework.model.robots.cell import Cell
from falsework.robots.cells.kinds import new_cell

KINDS = ("two-panda", "two-ur5e", "three-panda", "two-fr3", "two-xarm7", "two-ur10e")
LIGHT_KG, WEIGHT_KG, COUNTERWEIGHT_KG = 0.1, 0.3, 1.2


def held_problem(rng: np.random.Generator) -> Problem:
    """A cell with a station that the first arm alone reaches, and a seesaw, or a beam that leans."""
    cell = one_brings(str(rng.choice(KINDS)), rng)
    wide, deep, thick = rng.uniform(0.03, 0.045, 3).tolist()
    long, foot = rng.uniform(0.2, 0.3), rng.uniform(0.03, 0.05)
    above = foot + 1.5 * thick
    end = (long - deep) / 2
    boxes: Boxes = {"foot": ((wide, deep, foot), (0.0, 0.0, foot / 2))}
    if rng.uniform() < 0.5:
        boxes["beam"] = ((wide, long, thick), (0.0, 0.0, foot + thick / 2))
        for name, y in (("south", -end), ("north", end)):
            boxes[name] = ((wide, deep, thick), (0.0, y, above))
        masses = {"foot": LIGHT_KG, "beam": LIGHT_KG, "south": WEIGHT_KG, "north": WEIGHT_KG}
    else:
        boxes["beam"] = ((wide, long, thick), (0.0, end, foot + thick / 2))
        boxes["weight"] = ((wide, deep, thick), (0.0, 0.0, above))
        masses = {"foot": LIGHT_KG, "beam": LIGHT_KG, "weight": COUNTERWEIGHT_KG}
    return Problem(cell, Assembly.from_boxes(boxes, ground="table", masses_kg=masses), regrasp=True)


def one_brings(kind: str, rng: np.random.Generator) -> Cell:
    """All parts come at one station, beside the first arm and away from the others."""
    cell = new_cell(kind)
    base = cell.arms[0].T_world_base[:2, 3]
    away = base / np.linalg.norm(base)
    aside = rng.choice([-1, 1]) * np.array([-away[1], away[0]])
    T, stands = cell.feeders[0].T_world_feeder.copy(), cell.T_world_structure.copy()
    T[:3, :3] = np.eye(3)
    T[:2, 3] = base + rng.uniform(0.4, 0.5) * aside + rng.uniform(-0.05, 0.15) * away
    stands[:2, 3] += rng.uniform(-0.03, 0.03, 2)
    station = replace(cell.feeders[0], T_world_feeder=T, size_m=(0.4, 0.4), kind="station", parts=())
    return replace(cell, feeders=(station,), T_world_structure=stands, room_m=None)
