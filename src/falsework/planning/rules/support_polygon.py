"""Press-stability as seed 004 has it: geometry alone. It knows neither clutches nor how far a structure reaches out."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from falsework.geometry.shapes.lattice import lattices
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.planning.nodes.checks import Refusal
from falsework.planning.nodes.moves import Move, bits


class PolygonPressCheck:
    """The published test: the middle of the brick is above the hull of the footprints on the ground."""

    name = "press"

    def __init__(self, assembly: Assembly) -> None:
        self._grid = lattices(assembly)[0]
        self._row = {int(body): row for row, body in enumerate(self._grid.bodies)}
        self._parts = len(assembly.parts)

    def refusal(self, move: Move) -> Refusal | None:
        there = move.earlier.installed | move.parts
        bad = [part for part in bits(move.parts) if not self.bears(part, there)]
        return Refusal(self.name, "the press is outside the support polygon", 1 << bad[0]) if bad else None

    def bears(self, part: int, installed: int) -> bool:
        """Whether the press on a brick falls inside the support polygon of the installed bricks."""
        low, high = self._grid.boxes()
        rows = [row for body, row in self._row.items() if installed >> body & 1 and body < self._parts]
        lowest = min(low[row, 2] for body, row in self._row.items() if body < self._parts)
        ground = [row for row in rows if low[row, 2] == lowest]
        if not ground:
            return False
        row = self._row[part]
        return _inside(np.concatenate([_corners(low[k], high[k]) for k in ground]), 0.5 * (low[row] + high[row])[:2])


def _corners(low: Array, high: Array) -> Array:
    return np.array([(x, y) for x in (low[0], high[0]) for y in (low[1], high[1])], dtype=float)


def _inside(points: Array, point: Array) -> bool:
    equations = ConvexHull(points).equations
    return bool((equations[:, :2] @ point + equations[:, 2] <= 1e-9).all())
