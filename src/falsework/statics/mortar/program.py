"""The convex program of joints with cohesion and crushing strength, cell by cell.

Beside the balance of `core.program`, of the normal force n and the shear t of a cell of area A:

    |t| ≤ μ n + c A,    0 ≤ n ≤ σ A
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csc_array, vstack

from falsework.model.assembly import Assembly
from falsework.model.mortar import Mortar
from falsework.model.state import State
from falsework.statics.core.program import Program
from falsework.statics.mortar.cells import Cells


class MortarProgram(Program):
    """The program of one state; `Program` says what can be asked of it."""

    def __init__(self, assembly: Assembly, cells: Cells, mortar: Mortar, state: State) -> None:
        super().__init__(assembly, cells.joints, state)
        count = len(cells.areas_m2)
        self._limits[: 3 * count : 3] += mortar.cohesion_pa * cells.areas_m2 / self._force_n
        pressed = csc_array(
            (np.ones(count), (np.arange(count), 3 * np.arange(count))), shape=(count, self._rows.shape[1])
        )
        bounds, limits = [-pressed], [np.zeros(count)]
        if math.isfinite(mortar.crushing_pa):
            bounds.append(pressed)
            limits.append(mortar.crushing_pa * cells.areas_m2 / self._force_n)
        self._bounded = sum(len(one) for one in limits)
        self._rows = vstack([self._rows, *bounds], format="csc")
        self._limits = np.concatenate([self._limits, *limits])

    def _cones(self) -> list[tuple[str, int]]:
        return [*super()._cones(), ("nonnegative", self._bounded)]
