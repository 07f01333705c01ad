"""At which heights bricks may lie: on the table, pressed onto a plate, loose on the tops of its studs, on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.model.perception.findings import Plate, Workplace
from falsework.perception.locator.views import View

_PRESSED_PITCH, _PRESSED_RAD = 0.3, 0.06  # a brick that is farther off a plate's grid cannot be pressed onto it


@dataclass(frozen=True, slots=True)
class Layer:
    """Where tops of bricks may be: a height, and on which surface (−1: the table, otherwise a plate's number)."""

    top_m: float
    floor_m: float
    surface: int
    loose: bool = False  # the lowest rest on the tops of a plate's studs


def layers(views: Sequence[View], place: Workplace, kinds: Sequence[BrickType]) -> list[Layer]:
    """Heights that stacks of these kinds can have, up to the highest thing that is seen."""
    highest = max(_highest(view) for view in views)
    plates = {kind.plates for kind in kinds}
    unit = int(np.gcd.reduce(list(plates)))
    step = unit * kinds[0].measures.plate_m
    floors = [] if place.table_m is None else [(place.table_m, -1, False)]
    for at, plate in enumerate(place.plates):
        floors.append((plate_top(plate), at, False))
        if plate.kind.has_studs:
            floors.append((stud_tops(plate), at, True))
    out = []
    for floor, surface, loose in floors:
        for count in range(min(plates) // unit, 400):
            top = floor + count * step
            if top > highest + 0.004:
                break
            out.append(Layer(top, floor, surface, loose))
    return out


def plate_top(plate: Plate) -> float:
    """Its height, m, without studs."""
    return float(plate.T_base_plate[2, 3]) + plate.kind.size_m[2]


def stud_tops(plate: Plate) -> float:
    """The height, m, at which bricks lie on it that are pressed onto nothing."""
    return plate_top(plate) + (plate.kind.measures.stud_height_m if plate.kind.has_studs else 0.0)


def pressed(plate: Plate, T_base_brick: Array) -> bool:
    """Whether a brick there is on a plate's grid, as near as outlines tell: others lie on its studs.

    >>> from falsework.model.catalogue import brick_type
    >>> plate = Plate(brick_type("duplo:baseplate_8x8"), np.eye(4))
    >>> there = np.eye(4)
    >>> there[0, 3] = 0.032
    >>> pressed(plate, there)
    True
    >>> there[0, 3] = 0.040
    >>> pressed(plate, there)
    False
    """
    if not plate.kind.has_studs:
        return True
    axes = plate.T_base_plate[:2, :2]
    along = axes.T @ T_base_brick[:2, 0]
    turn = float(np.arctan2(along[1], along[0]))
    corner = (T_base_brick[:2, 3] - plate.T_base_plate[:2, 3]) @ axes / plate.kind.measures.pitch_m
    off = abs((turn + np.pi / 4) % (np.pi / 2) - np.pi / 4)
    return bool(off < _PRESSED_RAD and np.abs(corner - np.rint(corner)).max() < _PRESSED_PITCH)


def may_lie_on(place: Workplace, surface: int, points: Array, reach_m: float) -> bool:
    """Whether a brick that reaches so far from its middle may show points (n, 2) and have its middle over a surface."""
    if surface >= 0:
        return bool(_over(place.plates[surface], points, reach_m).any())
    return not any(_over(plate, points, -reach_m).all() for plate in place.plates)


def _over(plate: Plate, points: Array, beyond_m: float) -> Array:
    """(n,) whether points are over a plate that reaches so far beyond its rims."""
    local = (points - plate.T_base_plate[:2, 3]) @ plate.T_base_plate[:2, :2]
    size = np.array(plate.kind.size_m[:2])
    return np.asarray(((local > -beyond_m) & (local < size + beyond_m)).all(axis=1))


def _highest(view: View) -> float:
    heights = view.heights()
    known = heights[np.isfinite(heights)]
    return float(np.quantile(known, 0.9995)) if len(known) else 0.0
