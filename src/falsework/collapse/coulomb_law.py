"""Coulomb's law at one contact as a projection, and how it moves with the point it projects (Alart and Curnier 1991).

    R(x) = (max(x_n, 0), nearest point to x_t of the disk of radius μ max(x_n, 0))

Force f and motion u obey Signorini's and Coulomb's laws together iff f = R(f − ρu), for any ρ > 0: what presses does
not part, what sticks does not slide, what slides is braked by μ f_n against its sliding. Nothing dilates, so the
derivative is not symmetric where a contact slides: friction follows pressure, pressure does not follow friction.
"""

from __future__ import annotations

import math

from falsework.kernels.compiled import inner
from falsework.model.arrays import Array

OPEN, STICKS, SLIDES = 0, 1, 2


@inner
def resist(x: Array, friction: float, out: Array) -> None:
    """out (3,) ← R(x); a joint (friction < 0) bears any force."""
    if friction < 0.0:
        out[0], out[1], out[2] = x[0], x[1], x[2]
        return
    normal = max(x[0], 0.0)
    across = math.sqrt(x[1] * x[1] + x[2] * x[2])
    share = 1.0 if across <= friction * normal else friction * normal / across
    out[0], out[1], out[2] = normal, share * x[1], share * x[2]


@inner
def resist_slope(x: Array, friction: float, out: Array) -> int:
    """out (3, 3) ← R′(x), left as it is where it vanishes; returns whether the contact is open, sticks or slides."""
    if friction >= 0.0 and x[0] <= 0.0:
        return OPEN
    for i in range(3):
        for j in range(3):
            out[i, j] = 1.0 if i == j else 0.0
    across = math.sqrt(x[1] * x[1] + x[2] * x[2])
    if friction < 0.0 or across < friction * x[0]:
        return STICKS
    if friction == 0.0:
        out[1, 1] = out[2, 2] = 0.0
        return STICKS
    a, b = x[1] / across, x[2] / across
    turn = friction * x[0] / across
    out[1, 0], out[2, 0] = friction * a, friction * b
    out[1, 1], out[2, 2] = turn * (1.0 - a * a), turn * (1.0 - b * b)
    out[1, 2] = out[2, 1] = -turn * a * b
    return SLIDES
