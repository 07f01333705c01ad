"""Bricks that begin partly seated: studs are in their holes, but not all the way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.brickworld.engagement import half_in
from falsework.model.arrays import Array, Ints
from falsework.model.catalogue import BrickType


def partly_seated(kinds: Sequence[BrickType | None], poses: Array, group_of: Ints) -> dict[tuple[int, int], Array]:
    """Stud brick and hole brick of every such pair in different groups, with two corners of their studs (2, 3).

    Only bricks whose bounds meet are compared; studs reach above the bounds of their brick.
    """
    bricks = np.array([number for number, kind in enumerate(kinds) if kind is not None], dtype=np.int64)
    if len(np.unique(group_of[bricks])) < 2:
        return {}
    known = [kind for kind in kinds if kind is not None]
    sizes, tall = np.array([kind.size_m for kind in known]), np.array([kind.measures.stud_height_m for kind in known])
    turns, places = poses[bricks, :3, :3], poses[bricks, :3, 3]
    middles = places + np.einsum("nij,nj->ni", turns, sizes / 2)
    halves = np.einsum("nij,nj->ni", np.abs(turns), sizes / 2) + tall[:, None]
    apart = (np.abs(middles[:, None] - middles[None]) > halves[:, None] + halves[None]).any(axis=2)
    found: dict[tuple[int, int], Array] = {}
    for first, second in np.argwhere(~apart & (group_of[bricks][:, None] != group_of[bricks][None])).tolist():
        stud, hole = int(bricks[first]), int(bricks[second])
        lower, upper = kinds[stud], kinds[hole]
        assert lower is not None and upper is not None
        corners = half_in(np.linalg.inv(poses[stud]) @ poses[hole], lower, upper)
        if corners is not None:
            found[stud, hole] = corners
    return found
