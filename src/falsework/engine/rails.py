"""Bodies that a hand guides: between the two halves of a step, contacts do not feel them move across a line.

Whatever contacts do to a guided body across its line the hand takes. Putting it back onto its line after the step is
not enough: what slides down a slope and is put back is inside of it. Nor is putting it back level: what can turn about
the corner that it touches with feels next to nothing there. So the hand resists turning too, but softly beside the
contacts: where these can balance the press the hand takes none of it, and of two things beneath the nearer one carries
more; where they cannot, the hand does. Put back level it must not have come farther than there is room.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from falsework.engine.foresight import Ahead
from falsework.engine.library import mujoco
from falsework.model.arrays import Array, Bools

GRAZING = 1e-6  # sine of the angle at which what slides past does not come nearer
# How hard a hand keeps from turning and contacts of what it guides keep apart, as impedances d of the engine. Of a turn
# 1 − d is left, which is a depth of about (1 − d)·3·a/k at a far corner: 40 µm at the swiftest that hands go. Forces
# that could be shared are shared by softness (1 − d)/d: contacts are 50 times as hard and take nearly all.
LEVEL, FIRM = 0.995, 0.9999
ROOM_M = 1e-5  # of what is slipped in, on every side: a tenth of what bricks have
STRONG_NM = 1e6  # of a hand against turning: more than any push


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


def let_slip(model: Any, shapes: Bools) -> None:
    """Shapes that slide past others: no friction, which pushes sides apart, and some room; what they meet is hard.

    Without room they would be squeezed by whatever they fit around: contacts begin a little early, on both sides.
    """
    model.geom_condim[shapes], model.geom_priority[shapes] = 1, 2
    model.geom_margin[shapes] -= ROOM_M
    model.geom_solimp[shapes, :2] = FIRM


def resist_turning(model: Any, first_dof: int, step_s: float) -> None:
    """From now on a hand keeps a free body from turning, as friction about its axes that is never overcome."""
    turning = slice(first_dof + 3, first_dof + 6)
    model.dof_frictionloss[turning] = STRONG_NM
    model.dof_solref[turning] = (2.0 * step_s, 1.0)
    model.dof_solimp[turning] = (LEVEL, LEVEL, 1e-3, 0.5, 2.0)


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
