"""The nearest point of a friction cone, and how it moves with the point it is nearest to.

Forces are (f_n, f_1, f_2) in the frame of their contact; the cone is |f_t| ≤ μ f_n, a ray where μ = 0, and all of
space for a joint that can push and pull. The derivative is symmetric: a projection is the gradient of half the
squared distance to the polar cone.
"""

from __future__ import annotations

import math

from falsework.kernels.compiled import inner
from falsework.model.arrays import Array

JOINT = -1.0  # in place of μ: any force


@inner
def project(force: Array, friction: float, out: Array) -> None:
    """out (3,) ← the point of the cone nearest to `force` (3,)."""
    if friction < 0.0:
        out[0], out[1], out[2] = force[0], force[1], force[2]
        return
    along = force[0]
    across = math.sqrt(force[1] * force[1] + force[2] * force[2])
    if along >= 0.0 and across <= friction * along:
        out[0], out[1], out[2] = force[0], force[1], force[2]
    elif friction * across <= -along:
        out[0], out[1], out[2] = 0.0, 0.0, 0.0
    else:
        height = (along + friction * across) / (1.0 + friction * friction)
        share = friction * height / across if across > 0.0 else 0.0
        out[0], out[1], out[2] = height, share * force[1], share * force[2]


@inner
def slope(force: Array, friction: float, out: Array) -> int:
    """out (3, 3) ← the derivative of `project` at `force`; 0 where it vanishes."""
    for i in range(3):
        for j in range(3):
            out[i, j] = 0.0
    along = force[0]
    across = math.sqrt(force[1] * force[1] + force[2] * force[2])
    if friction < 0.0 or (along >= 0.0 and across <= friction * along):
        out[0, 0] = out[1, 1] = out[2, 2] = 1.0
        return 1
    if friction * across <= -along:
        return 0
    scale = 1.0 / (1.0 + friction * friction)
    out[0, 0] = scale
    if across > 0.0:
        height = (along + friction * across) * scale
        a, b = force[1] / across, force[2] / across
        turn = friction * height / across
        stretch = friction * friction * scale - turn
        out[0, 1] = out[1, 0] = friction * scale * a
        out[0, 2] = out[2, 0] = friction * scale * b
        out[1, 1] = turn + stretch * a * a
        out[2, 2] = turn + stretch * b * b
        out[1, 2] = out[2, 1] = stretch * a * b
    return 1
