"""What eyes refuse to tell takes up room all the same: what shares room is one thing.

A brick that leans, or stands on its end, is often refused in pieces: a part that might be a brick, and what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from falsework.model.arrays import Array
from falsework.model.perception.findings import Brick, Extent, Refused
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


def overlap(one: Extent, other: Extent, by_m: float = SHARED_M) -> bool:
    """Whether two rooms share more than a little, in the axes of either: corners of a turned one are all of it."""
    return all((_shared(a, b) > by_m).all() for a, b in ((one, other), (other, one)))


def extent_of(room: Brick | Extent) -> Extent:
    """The upright box around a brick, on whatever side it lies, without its studs."""
    if isinstance(room, Extent):
        return room
    local = _box(room.size_m) @ room.T_base_brick[:3, :3].T
    T = np.eye(4)
    flat = room.T_base_brick[:2, int(np.argmax(np.linalg.norm(room.T_base_brick[:2, :3], axis=0)))]
    x, y = flat / np.linalg.norm(flat)
    T[:2, :2] = [[x, -y], [y, x]]
    along = local @ T[:3, :3]
    low, high = along.min(axis=0), along.max(axis=0)
    T[:3, 3] = room.T_base_brick[:3, 3] + T[:3, :3] @ low
    return Extent(T, tuple((high - low).tolist()))


def _share(one: Extent, other: Extent) -> bool:
    """Whether one is, at least in part, over the other."""
    return all((_shared(a, b)[:2] > SHARED_M).all() for a, b in ((one, other), (other, one)))


def _shared(one: Extent, other: Extent) -> Array:
    """(3,) along the first's axes."""
    corners = (_corners(other) - one.T_base_extent[:3, 3]) @ one.T_base_extent[:3, :3]
    shared: Array = np.minimum(corners.max(axis=0), one.size_m) - np.maximum(corners.min(axis=0), 0.0)
    return shared


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


def _box(size_m: tuple[float, float, float]) -> Array:
    """(8, 3) corners of a box from the origin."""
    return np.array(np.meshgrid(*((0.0, side) for side in size_m))).reshape(3, -1).T


def _corners(room: Extent) -> Array:
    """(8, 3) in the base's frame."""
    corners: Array = _box(room.size_m) @ room.T_base_extent[:3, :3].T + room.T_base_extent[:3, 3]
    return corners
