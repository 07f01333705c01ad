"""Bodies that a hand guides: between the two halves of a step, contacts do not feel them move across a line.

Whatever contacts do to a guided body across its line the hand takes. Putting it back onto its line after the step is
not enough: what slides down a slope and is put back is inside of it. It does turn in the step, so that it leans where
it is pressed and of two things beneath it the nearer one carries more; put back level it must not have come farther
than there is room.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from falsework.engine.foresight import Ahead
from falsework.engine.library import mujoco
from falsework.model.arrays import Array

GRAZING = 1e-6  # sine of the angle at which what slides past does not come nearer


def keep_to_line(model: Any, data: Any, first_dof: int, line: Array) -> None:
    """Of a free body, in the rows of all constraints that are there: no velocity but along the line, and turning."""
    if mujoco().mj_isSparse(model):
        starts = np.flatnonzero(data.efc_J_colind == first_dof)
        places = starts[:, None] + np.arange(3)
        values = data.efc_J.ravel()
        values[places] = np.outer(values[places] @ line, line)
        return
    rows = data.efc_J.reshape(-1, model.nv)[:, first_dof : first_dof + 3]
    rows[:] = np.outer(rows @ line, line)


def guided_wrench(wrench: Array, weight_n: Array, line: Array) -> Array:
    """(6,) what a guided body feels of a push: the hand takes what is across the line, weight (3,) included."""
    across = weight_n - (weight_n @ line) * line
    return np.concatenate([(wrench[:3] @ line) * line - across, wrench[3:]])


def room_m(ahead: Ahead, model: Any, body: int, line: Array) -> float:
    """How far a body can be shifted along a line before it meets what is near."""
    room = np.inf
    for side, sign in ((0, 1.0), (1, -1.0)):
        closing = sign * (ahead.normals @ line)
        meets = (model.geom_bodyid[ahead.geoms[:, side]] == body) & (closing > GRAZING)
        room = min(room, float((np.maximum(ahead.gaps[meets], 0.0) / closing[meets]).min(initial=np.inf)))
    return room
