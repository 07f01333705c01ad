"""Along which ways bricks of one stud grid block each other, in whole numbers.

A way is one of the six directions of the grid; or, for a brick that is to be pressed in from below, down by a little
and then aside. Sideways a body meets bodies and studs; along the studs only bodies, since holes take studs.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.lattice import Lattice
from falsework.model.arrays import Bools, Ints

# +x, −x, +y, −y, +z, −z: axis and sign
WAYS = ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1))
Boxes = tuple[Ints, Ints]  # lower and upper corners (m, 3)


def lattice_blocks(lattice: Lattice, drop: int) -> Bools:
    """(6 + 4, m, m) whether brick i, leaving along a way, runs into brick j.

    The last four go down by `drop` plates first, then along +x, −x, +y, −y.
    """
    low, high = lattice.boxes()
    above = _overlap(low, high, 0) & _overlap(low, high, 1)
    upward = above & (low[None, :, 2] >= high[:, None, 2])
    under = above & (high[None, :, 2] <= low[:, None, 2])
    near = under & (high[None, :, 2] > low[:, None, 2] - drop)
    straight = [_aside(lattice, axis, sign, 0) for axis, sign in WAYS[:4]]
    lowered = [near | _aside(lattice, axis, sign, drop) for axis, sign in WAYS[:4]]
    found = np.stack([*straight, upward, under, *lowered])
    np.einsum("kii->ki", found)[:] = False
    return found


def _aside(lattice: Lattice, axis: int, sign: int, drop: int) -> Bools:
    """(m, m) whether brick i, lowered by some plates and moving sideways, runs into the body or the studs of j."""
    body, studs = lattice.boxes(), _studs(lattice)
    lowered, lowered_studs = _lowered(body, drop), _lowered(studs, drop)
    met = _runs_into(lowered, body, axis, sign)
    met |= _runs_into(lowered, studs, axis, sign)
    met |= _runs_into(lowered_studs, body, axis, sign)
    return met


def _runs_into(mover: Boxes, other: Boxes, axis: int, sign: int) -> Bools:
    """(m, m) whether box i, moving along an axis, meets box j that is not behind it."""
    met = np.ones((len(mover[0]), len(other[0])), dtype=bool)
    for across in range(3):
        if across != axis:
            met &= (mover[0][:, None, across] < other[1][None, :, across]) & (
                other[0][None, :, across] < mover[1][:, None, across]
            )
    if sign > 0:
        return met & (other[1][None, :, axis] > mover[0][:, None, axis])
    return met & (other[0][None, :, axis] < mover[1][:, None, axis])


def _studs(lattice: Lattice) -> Boxes:
    """The layer that a brick's studs reach into, one plate high; empty for bricks without."""
    sizes = np.array([(kind.flat if kind.has_studs else 0, kind.width) for kind in lattice.kinds])
    low, high = lattice.local_rectangles(np.zeros_like(sizes), sizes)
    tops = lattice.heights()[1]
    studded = np.array([kind.has_studs for kind in lattice.kinds], dtype=np.int64)
    return np.column_stack([low, tops]), np.column_stack([high, tops + studded])


def _lowered(boxes: Boxes, plates: int) -> Boxes:
    shift = np.array([0, 0, plates])
    return boxes[0] - shift, boxes[1] - shift


def _overlap(low: Ints, high: Ints, axis: int) -> Bools:
    found: Bools = (low[:, None, axis] < high[None, :, axis]) & (low[None, :, axis] < high[:, None, axis])
    return found
