"""How well depth tells heights: of a mean over many pixels, and of a brick that is told to rest on something."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from falsework.model.arrays import Array
from falsework.model.perception.findings import Workplace
from falsework.perception.locator.supposed import Supposed
from falsework.perception.locator.views import View

_LEVEL_M = 3e-5  # what levelling leaves of the height of everything


def resting_spread(one: Supposed, views: Sequence[View], spreads: Sequence[Callable[[int], float]]) -> Array:
    """(3, 3) covariance of a brick's height (m) and of its tilt about x and y (rad), by the view that shows it best.

    The brick is told to lie level and as high as its layer: depth would let it be off by so much. Where its top is not
    seen, nothing but its own size limits it. `spreads`: of a mean of so many pixels, over depth², in each view.
    """
    starts = np.cumsum([0, *(view.depth.size for view in views)])
    shown = np.histogram(one.shows, starts)[0]
    best = int(np.argmax(shown))
    return _in_view(one, int(shown[best]), views[best], spreads[best])


def _in_view(one: Supposed, seen: int, view: View, spread: Callable[[int], float]) -> Array:
    length, width, height = one.kind.size_m
    away = float(view.T_cam_base[2, :3] @ one.T_base_brick[:3, 3] + view.T_cam_base[2, 3])
    top = length * width * (view.K[0] / away) ** 2 * seen / max(one.total, 1.0)
    if min(seen, top) < 12:
        return np.diag([height**2, 1.0, 1.0])
    mean = (spread(int(min(seen, top))) * away**2) ** 2
    turn = one.T_base_brick[:2, :2]
    slopes = mean * np.linalg.inv(turn @ np.diag([length**2, width**2]) @ turn.T / 12)
    out = np.zeros((3, 3))
    out[0, 0] = mean + one.off_m**2 + _LEVEL_M**2
    out[1:, 1:] = [[slopes[1, 1], -slopes[1, 0]], [-slopes[0, 1], slopes[0, 0]]]  # z = a·x + b·y turns by b, −a
    return out


def mean_depth_spread(view: View, place: Workplace) -> Callable[[int], float]:
    """A function of a count of pixels: the deviation of their mean depth over depth², by what level ground shows.

    Neighbours share noise, so means over blocks of several sizes are compared, not pixels.
    """
    heights = view.heights()
    floor = place.table_m if place.table_m is not None else float(place.plates[0].T_base_plate[2, 3])
    with np.errstate(invalid="ignore"):
        flat = np.abs(heights - floor) < 4 * view.noise * np.median(view.depth[view.depth > 0]) ** 2 + 0.001
    off = np.where(flat, (heights - floor) / np.maximum(view.depth, 0.05) ** 2, np.nan)
    sizes, spreads = [], []
    for side in (8, 16, 24, 32):
        rows, columns = off.shape[0] // side, off.shape[1] // side
        squares = off[: rows * side, : columns * side].reshape(rows, side, columns, side).swapaxes(1, 2)
        blocks = squares.reshape(rows * columns, side * side)
        full = np.isfinite(blocks).mean(axis=1) > 0.9
        if full.sum() >= 12:
            means = np.nanmean(blocks[full], axis=1)
            sizes.append(side * side)
            spreads.append(1.4826 * float(np.median(np.abs(means - np.median(means)))))
    if not sizes:
        return lambda count: view.noise
    scale = float(np.median(np.array(spreads) * np.sqrt(sizes)))
    return lambda count: scale / math.sqrt(count)
