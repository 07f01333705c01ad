"""Is the plate where it should be? What shows the table within its rim, or the plate beyond it, says that it is not."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np
from scipy import ndimage

from falsework.kernels.casting import draw
from falsework.model.arrays import Array, Bools
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Plate, Workplace
from falsework.perception.locator.layers import plate_top
from falsework.perception.locator.registering import PLATE_LABEL, Pixels, covered, marked_plate
from falsework.perception.locator.solids import solid_of
from falsework.perception.locator.views import View

_AWAY_M, _LEVELLED_M = 0.001, 0.004  # of the rim: so far a camera may be off by a plate, and by levelling alone;
_AWAY_PX = 2.0  # and within so much depth is mixed
_APART_M = 0.004  # between points along the rim
_LEAST_POINTS = 12  # of a side that say anything: 5 cm
_MOST_WRONG = 0.5  # of them: a brick of the plate's colour may stand along a part of a side
_UNEVEN_M = 0.001  # what a plate may be higher or lower than told, besides noise;
_MOST_ASKEW = 0.2  # of its pixels may be: flying pixels about what stands on it, and walls of its colour
_SURE_DEVIATIONS = 3.0  # of depth, that the table must lie below halfway up the plate


def refuse_absent(view: View, plate: Plate, place: Workplace) -> None:
    """BadInput where table and plate are seen on the wrong sides of a plate's rim: its pose, or the camera's, is wrong.

    What lies on a plate or before it is nearer, so that deeper than the plate is only the table; and beyond its rim
    nothing has its height and its colour, but for walls of bricks in that colour that stand there.
    """
    if place.table_m is None:
        return
    top, wide = plate_top(plate), view.pixel_m(np.append(plate.T_base_plate[:2, 3], plate_top(plate)))
    half = (top - place.table_m) / 2
    if wide <= 0 or half < _SURE_DEVIATIONS * view.noise * (wide * view.K[0]) ** 2:
        return  # behind the camera, or too thin a plate to be told from the table by depth
    pixels = covered(view, plate)
    marked = marked_plate(view, plate, pixels) or view  # without it no pixel has the plate's label
    away = (_AWAY_M if view.registered else _LEVELLED_M) + _AWAY_PX * wide
    noise = _SURE_DEVIATIONS * view.noise * (wide * view.K[0]) ** 2
    stud = plate.kind.measures.stud_height_m
    heights, labels = _at(marked, pixels)
    flat = (heights > top - noise - _UNEVEN_M) & (heights < top + stud + noise + _UNEVEN_M)
    askew = ~flat[labels == PLATE_LABEL]
    if len(askew) and askew.mean() > _MOST_ASKEW:
        raise BadInput(
            f"the plate does not lie as it should: {askew.mean():.0%} of its pixels are higher or lower than its top; "
            f"is it level, and its place right?"
        )
    for side in _rim(plate, -away):
        heights, _ = _seen(view, side)
        within = heights[heights < top + half]  # what is higher hides the plate
        _refuse(within < top - half, "table within")
    drawn = _drawn(view, plate)  # from a slant its studs stand out over its rim
    for side in _rim(plate, away):
        heights, labels = _seen(marked, side, drawn)
        beyond = heights < top + stud
        _refuse(((labels == PLATE_LABEL) & (heights > top - min(half, noise)))[beyond], "plate beyond")


def _refuse(wrong: Bools, what: str) -> None:
    if len(wrong) >= _LEAST_POINTS and wrong.mean() > _MOST_WRONG:
        raise BadInput(
            f"no plate is seen where it should be: {wrong.mean():.0%} of one of its sides has {what} it; "
            f"are T_base_cam and the place of the plate right?"
        )


def _rim(plate: Plate, beyond_m: float) -> list[Array]:
    """(n, 3) points along each side of its top, moved out by so much."""
    length, width, height = plate.kind.size_m
    x = np.arange(_APART_M, length, _APART_M)
    y = np.arange(_APART_M, width, _APART_M)
    sides = [np.column_stack([x, np.full(len(x), at)]) for at in (-beyond_m, width + beyond_m)]
    sides += [np.column_stack([np.full(len(y), at), y]) for at in (-beyond_m, length + beyond_m)]
    flat = [np.column_stack([side, np.full(len(side), height)]) for side in sides]
    return [side @ plate.T_base_plate[:3, :3].T + plate.T_base_plate[:3, 3] for side in flat]


def _drawn(view: View, plate: Plate) -> Bools:
    """(h, w) whether a pixel shows the plate where it should be, or one within two pixels does."""
    depth, ids = np.full(view.depth.shape, np.inf), np.full(view.depth.shape, -1, np.int32)
    T = np.ascontiguousarray((view.T_cam_base @ plate.T_base_plate)[None, :3])
    draw(depth, ids, np.zeros(view.depth.shape, np.int8), view.K, solid_of(plate.kind)[None], T)
    return np.asarray(ndimage.maximum_filter(ids >= 0, size=2 * int(_AWAY_PX) + 1, mode="nearest"))


def _seen(view: View, points: Array, but: Bools | None = None) -> tuple[Array, Array]:
    """(heights, labels) of the pixels that look at points, without those beside the picture, in holes or in `but`."""
    own = points @ view.T_cam_base[:3, :3].T + view.T_cam_base[:3, 3]
    own = own[own[:, 2] > 0.02]
    uv = np.rint(own[:, :2] / own[:, 2:] * view.K[:2] + view.K[2:]).astype(np.int64)
    uv = uv[(uv >= 0).all(axis=1) & (uv < np.array(view.depth.shape[::-1])).all(axis=1)]
    return _at(view, uv if but is None else uv[~but[uv[:, 1], uv[:, 0]]])


def _at(view: View, uv: Pixels) -> tuple[Array, Array]:
    """(heights, labels) of pixels, without holes."""
    heights, labels = view.heights()[uv[:, 1], uv[:, 0]], view.labels[uv[:, 1], uv[:, 0]]
    known = np.isfinite(heights)
    return np.asarray(heights[known]), np.asarray(labels[known])
