"""Along which of the six directions of a stud grid bricks block each other, in whole numbers."""

from __future__ import annotations

import numpy as np

from falsework.geometry.lattice import Lattice
from falsework.model.arrays import Bools, Ints

# +x, −x, +y, −y, +z, −z: axis and sign
WAYS = ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1))


def lattice_blocks(lattice: Lattice) -> Bools:
    """(6, m, m) whether brick i, moving along a direction, runs into brick j.

    Sideways a body meets bodies and studs; along the studs only bodies, since holes take studs.
    """
    low, high = lattice.boxes()
    overlap = [_overlap(low, high, axis) for axis in range(3)]
    found = np.zeros((len(WAYS), len(low), len(low)), dtype=bool)
    for row, (axis, sign) in enumerate(WAYS):
        ahead = low[None, :, axis] >= high[:, None, axis] if sign > 0 else high[None, :, axis] <= low[:, None, axis]
        if axis == 2:
            found[row] = overlap[0] & overlap[1] & ahead
            continue
        found[row] = overlap[2] & overlap[1 - axis] & ahead
        found[row] |= _into_studs(lattice, axis, sign)
        found[row] |= _into_studs(lattice, axis, -sign).T
    np.einsum("kii->ki", found)[:] = False
    return found


def _into_studs(lattice: Lattice, axis: int, sign: int) -> Bools:
    """(m, m) whether body i, moving sideways, runs into the studs of brick j, which stand in the layer above j."""
    low, high = lattice.boxes()
    sizes = np.array([(kind.flat, kind.width) for kind in lattice.kinds])
    stud_low, stud_high = lattice.local_rectangles(np.zeros_like(sizes), sizes)
    studded = np.array([kind.has_studs for kind in lattice.kinds])
    top, other = high[:, 2], 1 - axis
    blocked: Bools = (low[:, None, 2] <= top[None, :]) & (top[None, :] < top[:, None]) & studded[None, :]
    blocked &= (low[:, None, other] < stud_high[None, :, other]) & (stud_low[None, :, other] < high[:, None, other])
    if sign > 0:
        return blocked & (stud_high[None, :, axis] > low[:, None, axis])
    return blocked & (stud_low[None, :, axis] < high[:, None, axis])


def _overlap(low: Ints, high: Ints, axis: int) -> Bools:
    found: Bools = (low[:, None, axis] < high[None, :, axis]) & (low[None, :, axis] < high[:, None, axis])
    return found
