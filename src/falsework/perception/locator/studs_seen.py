"""Are there studs on it? A smooth box of a brick's size and colour has the same outline, and the same flat top.

Studs stand a few times the noise of depth above a top, but depth is taken over a window, which flattens them, and
neighbours share its noise. So the height of all pixels of a top is compared with that of the drawn studs, seen through
such a window: what share of them is there, and how sure that is.
"""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from falsework.kernels.casting import STUD, TOP, body_hit, solid_hit, window
from falsework.kernels.exact import compiled
from falsework.model.arrays import Array, Bools
from falsework.model.catalogue import BrickType
from falsework.perception.locator.solids import solid_of
from falsework.perception.locator.supposed import Supposed
from falsework.perception.locator.views import View

_WINDOW_PX = 5  # over which stereo cameras take depth
_SHARED = 12.0  # neighbours share noise: so many pixels count as one
_LEAST_PIXELS = 30

Room = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Top:
    """The pixels inside a drawn top that nothing hides, and how high above it they are seen, and should be, m."""

    room: Room
    told: Bools  # (rows, columns) of the room
    seen: Array  # (n,)
    studs: Array  # (n,)


def studs_seen(views: Sequence[View], one: Supposed) -> tuple[float, float]:
    """(share of the studs' height that is seen, its deviation): 1 for a brick, 0 for a smooth box."""
    seen, drawn = 0.0, 0.0
    for view in views:
        top = top_of(view, one.kind, one.T_base_brick)
        if top is None:
            continue
        studs = top.studs - top.studs.mean()
        weight = 1.0 / (_SHARED * depth_noise(view) ** 2)
        drawn += weight * float(studs @ studs)
        seen += weight * float(studs @ top.seen)
    return (seen / drawn, 1.0 / math.sqrt(drawn)) if drawn > 0 else (0.0, math.inf)


def depth_noise(view: View) -> float:
    """Of a pixel, m, at the distance of most of what is seen."""
    return view.noise * float(np.median(view.depth[view.depth > 0])) ** 2


def top_of(view: View, kind: BrickType, T_base_brick: Array) -> Top | None:
    """A top as a view shows it; None where too little of it is seen."""
    solid = solid_of(kind)
    room = room_of_top(view.K, _in_camera(view, T_base_brick), solid, *view.depth.shape)
    first, last, left, right = room
    if last - first < _WINDOW_PX or right - left < _WINDOW_PX:
        return None
    flat, studs = drawn_studs(view, kind, T_base_brick, room)
    seen = view.depth[first:last, left:right]
    above = flat - seen
    near = 3.0 * view.noise * flat**2 + 0.002
    free = view.nearest()[first:last, left:right] > flat - solid[STUD] - near  # depth is mixed where others begin
    inside = ndimage.binary_erosion(flat > 0, iterations=2)
    told = inside & free & (seen > 0) & (above > -near) & (above < near + solid[STUD])
    return Top(room, told, above[told], studs[told]) if told.sum() >= _LEAST_PIXELS else None


def drawn_studs(view: View, kind: BrickType, T_base_brick: Array, room: Room) -> tuple[Array, Array]:
    """(depth of the top without studs, how much nearer studs are seen), (rows, columns) of a room; 0 beside the top."""
    flat, studs = drawn_top(view.K, _in_camera(view, T_base_brick), solid_of(kind), room)
    return flat, ndimage.median_filter(studs, size=_WINDOW_PX, mode="nearest")


def _in_camera(view: View, T_base_brick: Array) -> Array:
    return np.ascontiguousarray((view.T_cam_base @ T_base_brick)[:3])


@compiled
def room_of_top(K, T_cam_brick, solid, height, width):
    """(first row, last row, first column, last column) that a brick can cover, and a little more: it may be moved."""
    return window(solid, T_cam_brick, K, height, width, 3)


@compiled
def drawn_top(K, T_cam_brick, solid, room):
    """(depth of the top without studs, how much nearer studs are), both (rows, columns) of a room; 0 beside the top."""
    T = T_cam_brick
    o, d = np.empty(3), np.empty(3)
    for axis in range(3):
        o[axis] = -(T[0, axis] * T[0, 3] + T[1, axis] * T[1, 3] + T[2, axis] * T[2, 3])
    first, last, left, right = room
    flat = np.zeros((max(last - first, 0), max(right - left, 0)))
    studs = np.zeros(flat.shape)
    for v in range(first, last):
        y = (v - K[3]) / K[1]
        for u in range(left, right):
            x = (u - K[2]) / K[0]
            for axis in range(3):
                d[axis] = T[0, axis] * x + T[1, axis] * y + T[2, axis]
            below, face = body_hit(solid, o, d)
            if face == TOP and below < np.inf:
                nearest, _ = solid_hit(solid, o, d)
                flat[v - first, u - left] = below
                studs[v - first, u - left] = below - nearest
    return flat, studs
