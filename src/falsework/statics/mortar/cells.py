"""Contacts cut into small triangles, each of which bears in proportion to its area.

A pressure that is constant on each cell is one that the joint bears; it acts at the middles of the cells. So forces at
the middles are forces of the joint: they prove that it stands. What a motion is charged with is bounded cell by cell
from their corners (`proofs.checked_mortar`): that proves that it falls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from falsework.model.arrays import Array
from falsework.model.interfaces import Interfaces, Patches

SMOOTH = 1e-12  # the friction of joints that have none: their tangents may still carry cohesion


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of all contacts of an assembly."""

    joints: Interfaces  # with a point for every cell: its middle
    areas_m2: Array  # (p,)
    corners_m: Array  # (p, 3, 3)


def cells_of(joints: Interfaces, fineness: int, *, with_corners: bool) -> Cells:
    """Every contact as a fan of triangles, each cut into fineness² equal ones; edges and corners have no area.

    `with_corners` adds the contact's own points as cells without area: where nothing crushes, all of a force may act
    at one of them.
    """
    patches = joints.patches
    split = _split(fineness)
    points = [patches.points[start:end] for start, end in pairwise(patches.starts)]
    bare = [np.repeat(own[:, None], 3, axis=1) if with_corners else np.zeros((0, 3, 3)) for own in points]
    found = [np.concatenate([_fan(own, split), corners]) for own, corners in zip(points, bare, strict=True)]
    kept = np.array([len(cells) > 0 for cells in found], dtype=bool)
    corners = np.concatenate([np.zeros((0, 3, 3)), *found])
    starts = np.cumsum([0, *(len(cells) for cells in found if len(cells))])
    friction = np.maximum(patches.friction[kept], SMOOTH)
    middles = Patches(patches.bodies[kept], patches.normals[kept], friction, starts, corners.mean(axis=1))
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    return Cells(replace(joints, patches=middles), areas, corners)


def _fan(points: Array, split: Array) -> Array:
    """(cells, 3, 3) of one convex polygon; none where it is a line or a point."""
    if len(points) < 3:
        return np.zeros((0, 3, 3))
    fan = np.stack([np.broadcast_to(points[0], points[1:-1].shape), points[1:-1], points[2:]], axis=1)
    sizes = np.linalg.norm(np.cross(fan[:, 1] - fan[:, 0], fan[:, 2] - fan[:, 0]), axis=1)
    fan = fan[sizes > 1e-12 * np.ptp(points, axis=0).max() ** 2]
    cells: Array = np.einsum("cke,fei->fcki", split, fan).reshape(-1, 3, 3)
    return cells


def _split(fineness: int) -> Array:
    """(fineness², 3, 3) the corners of equal cells of one triangle, as weights of its own corners."""
    step = 1.0 / fineness

    def weights(i: int, j: int) -> tuple[float, float, float]:
        return 1.0 - (i + j) * step, i * step, j * step

    upright = [
        (weights(i, j), weights(i + 1, j), weights(i, j + 1)) for i in range(fineness) for j in range(fineness - i)
    ]
    turned = [
        (weights(i + 1, j), weights(i + 1, j + 1), weights(i, j + 1))
        for i in range(fineness)
        for j in range(fineness - i - 1)
    ]
    return np.array(upright + turned)
