"""Which parts of an assembly are one solid, moved: what is told about the surface of the one is true of all.

Files of screws and nuts have the same triangles over and over. Two meshes are equal where they join their vertices in
the same way and one rigid motion brings all of these together, as near as single precision tells where a vertex is.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from falsework.geometry.shapes.tolerances import SINGLE
from falsework.model.arrays import Array
from falsework.model.shapes import Mesh, Shape

WORTH = 500  # triangles from which on a shape is compared with others


class Moved(NamedTuple):
    """A shape that stands for another, and where it is to be moved to (4, 4) to be it."""

    shape: Shape
    pose: Array


@lru_cache(maxsize=4)  # by assembly: surfaces, facets of no form and doubtful contacts ask one after the other
def as_moved(shapes: tuple[Shape | None, ...]) -> tuple[Moved | None, ...]:
    """For each shape the first that it equals, maybe itself; None of none.

    >>> from falsework.model.shapes import box
    >>> brick = box((1, 1, 1))
    >>> as_moved((brick, None))[0].shape is brick
    True
    """
    known: dict[bytes, list[Mesh]] = {}
    found: list[Moved | None] = []
    for shape in shapes:
        if shape is None:
            found.append(None)
        elif not (isinstance(shape, Mesh) and is_compared(shape)):
            found.append(Moved(shape, np.eye(4)))
        else:
            alike = known.setdefault(sha256(shape.triangles.tobytes()).digest(), [])
            moved = next((moved for one in alike if (moved := _moved(one, shape)) is not None), None)
            if moved is None:
                alike.append(shape)
            found.append(moved or Moved(shape, np.eye(4)))
    return tuple(found)


def is_compared(shape: Shape) -> bool:
    """Whether a shape is compared with others at all."""
    return isinstance(shape, Mesh) and not shape.primitives and len(shape.triangles) >= WORTH


def _moved(one: Mesh, other: Mesh) -> Moved | None:
    """How one mesh becomes another with the same triangles; None where no rigid motion does that."""
    if one is other:
        return Moved(one, np.eye(4))
    if one.vertices.shape != other.vertices.shape:
        return None
    exact = SINGLE * max(float(np.abs(mesh.vertices).max()) for mesh in (one, other))
    middles = one.vertices.mean(axis=0), other.vertices.mean(axis=0)
    turn = np.eye(3)
    if np.abs((other.vertices - middles[1]) - (one.vertices - middles[0])).max() > exact:
        left, _, right = np.linalg.svd((other.vertices - middles[1]).T @ (one.vertices - middles[0]))
        turn = left @ np.diag([1.0, 1.0, float(np.linalg.det(left @ right))]) @ right
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, middles[1] - turn @ middles[0]
    off = np.abs(one.vertices @ turn.T + pose[:3, 3] - other.vertices).max()
    return Moved(one, pose) if off <= exact else None
