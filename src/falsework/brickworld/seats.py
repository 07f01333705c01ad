"""Which bricks have studs in their holes, by where they are: all the way, or partly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from falsework.brickworld.engagement import engagement, half_in
from falsework.brickworld.settings import JoinRules
from falsework.brickworld.topology import Topology
from falsework.model.arrays import Array, Ints
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput

HOME = JoinRules(height_m=0.0, tilt_deg=2.0, yaw_deg=2.0, offset_m=5e-4)  # of studs that are in holes
HOME_M = 0.2  # of a stud's height: what stands higher has not gone home


def partly_seated(kinds: Sequence[BrickType | None], poses: Array, group_of: Ints) -> dict[tuple[int, int], Array]:
    """Stud brick and hole brick of every such pair in different groups, with two corners of their studs (2, 3)."""
    found: dict[tuple[int, int], Array] = {}
    for stud, hole, lower, upper in _near(kinds, poses, group_of):
        corners = half_in(np.linalg.inv(poses[stud]) @ poses[hole], lower, upper)
        if corners is not None:
            found[stud, hole] = corners
    return found


def seated_topology(kinds: Sequence[BrickType | None], poses: Array) -> Topology:
    """Who sits on whose studs, pressed home, where nothing but their places (n, 4, 4) tells."""
    found = Topology(kinds)
    for stud, hole, lower, upper in _near(kinds, poses, np.arange(len(kinds))):
        T = np.linalg.inv(poses[stud]) @ poses[hole]
        one = engagement(T, lower, upper, HOME, (stud, hole), seated=True)
        if one is None or T[2, 3] - lower.size_m[2] > HOME_M * lower.measures.stud_height_m:
            continue
        try:
            found.connect(one)
        except BadInput:  # askew: another brick holds it otherwise
            continue
    return found


def _near(
    kinds: Sequence[BrickType | None], poses: Array, group_of: Ints
) -> Iterator[tuple[int, int, BrickType, BrickType]]:
    """Pairs of bricks in different groups whose bounds meet; studs reach above the bounds of their brick."""
    bricks = np.array([number for number, kind in enumerate(kinds) if kind is not None], dtype=np.int64)
    if len(np.unique(group_of[bricks])) < 2:
        return
    known = [kind for kind in kinds if kind is not None]
    sizes, tall = np.array([kind.size_m for kind in known]), np.array([kind.measures.stud_height_m for kind in known])
    turns, places = poses[bricks, :3, :3], poses[bricks, :3, 3]
    middles = places + np.einsum("nij,nj->ni", turns, sizes / 2)
    halves = np.einsum("nij,nj->ni", np.abs(turns), sizes / 2) + tall[:, None]
    apart = (np.abs(middles[:, None] - middles[None]) > halves[:, None] + halves[None]).any(axis=2)
    for first, second in np.argwhere(~apart & (group_of[bricks][:, None] != group_of[bricks][None])).tolist():
        yield int(bricks[first]), int(bricks[second]), known[first], known[second]
