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

import numpy as np
from scipy import ndimage

from falsework.kernels.casting import STUD, TOP, body_hit, solid_hit, window
from falsework.kernels.exact import compiled
from falsework.model.arrays import Array
from falsework.perception.locator.solids import solid_of
from falsework.perception.locator.supposed import Supposed
from falsework.perception.locator.views import View

_WINDOW_PX = 5  # over which stereo cameras take depth
_SHARED = 12.0  # neighbours share noise: so many pixels count as one
_LEAST_PIXELS = 30


def studs_seen(views: Sequence[View], one: Supposed) -> tuple[float, float]:
    """(share of the studs' height that is seen, its deviation): 1 for a brick, 0 for a smooth box."""
    seen, drawn = 0.0, 0.0
    for view in views:
        heights, studs = _top(view, one)
        if len(studs) < _LEAST_PIXELS:
            continue
        studs = studs - studs.mean()
        noise = view.noise * float(np.median(view.depth[view.depth > 0])) ** 2
        weight = 1.0 / (_SHARED * noise**2)
        drawn += weight * float(studs @ studs)
        seen += weight * float(studs @ heights)
    return (seen / drawn, 1.0 / math.sqrt(drawn)) if drawn > 0 else (0.0, math.inf)


def _top(view: View, one: Supposed) -> tuple[Array, Array]:
    """(what is seen, what should be seen of studs) above a top, m, of the pixels inside it that nothing hides."""
    solid = solid_of(one.kind)
    T = np.ascontiguousarray((view.T_cam_base @ one.T_base_brick)[:3])
    (first, last, left, right), flat, studs = drawn_top(view.K, T, solid, *view.depth.shape)
    if last - first < _WINDOW_PX or right - left < _WINDOW_PX:
        return np.zeros(0), np.zeros(0)
    inside = ndimage.binary_erosion(flat > 0, iterations=2)
    studs = ndimage.median_filter(studs, size=_WINDOW_PX, mode="nearest")
    seen = view.depth[first:last, left:right]
    above = flat - seen
    near = 3.0 * view.noise * flat**2 + 0.002
    free = view.nearest()[first:last, left:right] > flat - solid[STUD] - near  # depth is mixed where others begin
    told = inside & free & (seen > 0) & (above > -near) & (above < near + solid[STUD])
    return above[told], studs[told]


@compiled
def drawn_top(K, T_cam_brick, solid, height, width):
    """(window, depth of the top without studs, how much nearer studs are), both (rows, columns); 0 beside the top."""
    T = T_cam_brick
    o, d = np.empty(3), np.empty(3)
    for axis in range(3):
        o[axis] = -(T[0, axis] * T[0, 3] + T[1, axis] * T[1, 3] + T[2, axis] * T[2, 3])
    first, last, left, right = window(solid, T, K, height, width, 1)
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
    return (first, last, left, right), flat, studs
