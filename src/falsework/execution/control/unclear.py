"""What eyes refuse to tell takes up room all the same: what shares room is one thing.

A brick that leans, or stands on its end, is often refused in pieces: a part that might be a brick, and what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from falsework.model.arrays import Array
from falsework.model.perception.findings import Extent, Refused
from falsework.model.poses import inverse

SHARED_M = 3e-3  # level, by which rooms overlap that are one thing's; bricks that lie flush beside each other do not


def put_together(unclear: Sequence[Refused]) -> tuple[Refused, ...]:
    """The same things, each once; of those that share room the first tells why."""
    told = list[Refused]()
    for one in unclear:
        for at, other in enumerate(told):
            if one.extent is not None and other.extent is not None and _share(one.extent, other.extent):
                room = _around(one.extent, other.extent)
                told[at] = replace(other, where_m=room.middle_m, rivals=other.rivals + one.rivals, extent=room)
                break
        else:
            told.append(one)
    return tuple(told) if len(told) == len(unclear) else put_together(told)


def _share(one: Extent, other: Extent) -> bool:
    """Whether their footprints overlap, in the axes of either: corners of a turned one are taken for all of it."""
    return all((_overlap(a, b) > SHARED_M).all() for a, b in ((one, other), (other, one)))


def _overlap(one: Extent, other: Extent) -> Array:
    """(2,) along the first's axes."""
    corners = _corners(other) @ one.T_base_extent[:3, :3] - one.T_base_extent[:3, 3] @ one.T_base_extent[:3, :3]
    overlap: Array = np.minimum(corners.max(axis=0), one.size_m)[:2] - np.maximum(corners.min(axis=0), 0.0)[:2]
    return overlap


def _around(one: Extent, other: Extent) -> Extent:
    """Around both, along the axes of the larger."""
    large, small = sorted((one, other), key=lambda room: -float(np.prod(room.size_m)))
    T = inverse(large.T_base_extent)
    corners = np.concatenate([_corners(large), _corners(small)]) @ T[:3, :3].T + T[:3, 3]
    low, high = corners.min(axis=0), corners.max(axis=0)
    pose = np.array(large.T_base_extent)
    pose[:3, 3] += pose[:3, :3] @ low
    x, y, z = (high - low).tolist()
    return Extent(pose, (x, y, z))


def _corners(room: Extent) -> Array:
    """(8, 3) in the base's frame."""
    local = np.array(np.meshgrid(*((0.0, side) for side in room.size_m))).reshape(3, -1).T
    corners: Array = local @ room.T_base_extent[:3, :3].T + room.T_base_extent[:3, 3]
    return corners
