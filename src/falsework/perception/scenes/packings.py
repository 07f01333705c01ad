"""Packings: bricks of one colour and height, side by side on one stud grid, that fill the same cells in another way.

Which packings are legal is a matter of agreement. No two bricks share room; each rests on the table, on a plate or on a
stud; and **bricks of one colour that lie flush and together are one brick of the catalogue count as that brick**: two
2x2 end to end are read as a 2x4, since no picture of colour and depth tells them apart. A 2x2 and a 2x4 end to end, six
studs long, are legal in two ways, and two 2x4 side by side as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType, brick_type
from falsework.perception.scenes.layouts import Footprint, cells_of, quarter_turned, shifted
from falsework.perception.scenes.scene import Scene, SceneBrick

Cells = frozenset[tuple[int, int]]
DUPLO = (brick_type("duplo:brick_2x2"), brick_type("duplo:brick_2x4"))


@dataclass(frozen=True)
class Placed:
    """A brick by the cells that it fills on a grid."""

    kind: BrickType
    cells: Cells
    T_base_brick: Array

    @cached_property
    def key(self) -> tuple[str, Cells]:
        return str(self.kind), self.cells


def flat_cells(brick: SceneBrick, T_base_grid: Array) -> Cells | None:
    """Cells of a grid that a brick stands on, if it is on the grid and in the grid's own layer."""
    cells = cells_of(brick, T_base_grid)
    if cells is None or min(z for _, _, z in cells) != 0:
        return None
    return frozenset((x, y) for x, y, _ in cells)


def placements(kinds: Sequence[BrickType], T_base_grid: Array, onto: Cells) -> Iterator[Placed]:
    """Every way in which a brick of these kinds fills at least one of the cells `onto`."""
    low = np.min(list(onto), axis=0)
    high = np.max(list(onto), axis=0)
    for kind in kinds:
        for turned in (False, True) if kind.length != kind.width else (False,):
            length, width = (kind.width, kind.length) if turned else (kind.length, kind.width)
            for x in range(low[0] - length + 1, high[0] + 1):
                for y in range(low[1] - width + 1, high[1] + 1):
                    cells = frozenset((x + i, y + j) for i in range(length) for j in range(width))
                    if cells & onto:
                        T = shifted(T_base_grid, (x, y), 0, kind)
                        yield Placed(kind, cells, quarter_turned(T, kind) if turned else T)


def is_merged(packing: Sequence[Placed], kinds: Sequence[BrickType]) -> bool:
    """Whether two or more of a packing together are one brick of the catalogue, so that they count as that."""
    if len(packing) < 2:
        return False
    T = packing[0].T_base_brick
    everything = frozenset().union(*(one.cells for one in packing))
    for whole in placements(kinds, T, everything):
        if whole.cells <= everything:
            parts = [one for one in packing if one.cells & whole.cells]
            if len(parts) > 1 and all(one.cells <= whole.cells for one in parts):
                return True
    return False


def merges(brick: SceneBrick, others: Sequence[SceneBrick], kinds: Sequence[BrickType]) -> bool:
    """Whether a brick, with others that lie flush to it and have its colour and height, is one of the catalogue."""
    same = [kind for kind in kinds if kind.plates == brick.kind.plates and kind.system == brick.kind.system]
    group = [brick, *(one for one in others if one.color == brick.color and one.kind.plates == brick.kind.plates)]
    placed = []
    for one in group:
        cells = flat_cells(one, brick.T_base_brick) if one.upright else None
        if cells is not None:
            placed.append(Placed(one.kind, cells, brick.T_base_brick))
    return is_merged(placed, same)


def rests(one: SceneBrick, scene: Scene, on: Sequence[SceneBrick]) -> bool:
    """Whether a brick lies on the table, on the plate, or on one of `on`."""
    mine = Footprint.of(one.kind, one.T_base_brick)
    if scene.table is not None and abs(mine.low_m - scene.table.top_m) < 1e-4:
        return True
    below = [*on, *([] if scene.plate is None else [scene.plate])]
    for other in below:
        for studs in (False, True):
            theirs = Footprint.of(other.kind, other.T_base_brick, 0.0, studs)
            lowered = Footprint(mine.corners_m, mine.low_m - 2e-4, mine.high_m)
            if abs(mine.low_m - theirs.high_m) < 1e-4 and lowered.overlaps(theirs):
                return True
    return False
