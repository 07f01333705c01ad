"""Bodies that a hand guides: between the two halves of a step, contacts feel only their motion along a line.

Whatever else contacts do to a guided body the hand takes. Putting it back onto its line after the step is not enough:
a body that touches with one corner has turned about it by then, and put back level it is inside of what it touched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from falsework.engine.library import mujoco
from falsework.model.arrays import Array


def keep_to_line(model: Any, data: Any, first_dof: int, line: Array) -> None:
    """Of a free body, in the rows of all constraints that are there: its velocity along the line, nothing else."""
    if mujoco().mj_isSparse(model):
        starts = np.flatnonzero(data.efc_J_colind == first_dof)
        places = starts[:, None] + np.arange(6)
        values = data.efc_J.ravel()
        values[places] = _along(values[places], line)
        return
    rows = data.efc_J.reshape(-1, model.nv)[:, first_dof : first_dof + 6]
    rows[:] = _along(rows, line)


def _along(rows: Array, line: Array) -> Array:
    """(n, 6) of which only what acts along the line is left."""
    kept = np.zeros_like(rows)
    kept[:, :3] = (rows[:, :3] @ line)[:, None] * line
    return kept


def guided_wrench(wrench: Array, weight_n: Array, line: Array) -> Array:
    """(6,) what a guided body feels of a push: the hand takes what is across the line, weight (3,) included."""
    across = weight_n - (weight_n @ line) * line
    return np.concatenate([(wrench[:3] @ line) * line - across, np.zeros(3)])
