"""Is the plate where it should be? What shows the table within its rim, or the plate beyond it, says that it is not."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Plate, Workplace
from falsework.perception.locator.layers import plate_top
from falsework.perception.locator.registering import PLATE_LABEL, covered, marked_plate
from falsework.perception.locator.views import View

_AWAY_M, _LEVELLED_M = 0.001, 0.004  # of the rim: so far a camera may be off by a plate, and by levelling alone;
_AWAY_PX = 2.0  # and within so much depth is mixed
_APART_M = 0.004  # between points along the rim
_LEAST_POINTS = 12  # of a side that say anything: 5 cm
_MOST_WRONG = 0.5  # of them: a brick of the plate's colour may stand along a part of a side
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
    marked = marked_plate(view, plate, covered(view, plate)) or view  # without it no pixel has the plate's label
    away = (_AWAY_M if view.registered else _LEVELLED_M) + _AWAY_PX * wide
    noise = _SURE_DEVIATIONS * view.noise * (wide * view.K[0]) ** 2
    stud = plate.kind.measures.stud_height_m
    for side in _rim(plate, -away):
        heights, _ = _seen(view, side)
        within = heights[heights < top + half]  # what is higher hides the plate
        _refuse(within < top - half, "table within")
    for side in _rim(plate, away):
        heights, labels = _seen(marked, side)
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


def _seen(view: View, points: Array) -> tuple[Array, Array]:
    """(heights, labels) of the pixels that look at points, but for those beside the picture and in holes."""
    own = points @ view.T_cam_base[:3, :3].T + view.T_cam_base[:3, 3]
    own = own[own[:, 2] > 0.02]
    uv = np.rint(own[:, :2] / own[:, 2:] * view.K[:2] + view.K[2:]).astype(np.int64)
    uv = uv[(uv >= 0).all(axis=1) & (uv < np.array(view.depth.shape[::-1])).all(axis=1)]
    heights, labels = view.heights()[uv[:, 1], uv[:, 0]], view.labels[uv[:, 1], uv[:, 0]]
    known = np.isfinite(heights)
    return np.asarray(heights[known]), np.asarray(labels[known])
