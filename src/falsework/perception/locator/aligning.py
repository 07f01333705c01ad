"""A supposed brick, moved until its outline lies on that in the picture: Gauss–Newton on edges and depth."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.perception.locator.edge_rows import POINT_PX, edge_rows
from falsework.perception.locator.fusing import fused, with_its_camera
from falsework.perception.locator.moving import stepped
from falsework.perception.locator.solids import edges_of, footprint, solid_of
from falsework.perception.locator.views import View

FLAT = (0, 1, 5)  # x, y and yaw are free; the height is that of a layer
LEAST_CONTRAST = 14.0  # grey levels across an edge, of 255
REACHES = (5.0, 4.0, 3.0, 2.5, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0)  # px, one for each step

_SCATTER_PX = 0.23  # what points of an outline miss by, in the median; the farther, the less they know,
_MOST_SPREAD = 2.0  # up to so many times; what they miss by more is a whole edge's
_STAY = 1e-3  # share of what is known that pulls towards staying
_STILL_M = 5e-5  # a step that is no longer worth taking


@dataclass(frozen=True, slots=True)
class Aligned:
    """Where it came to lie, and how sure that is."""

    T_base_brick: Array  # (4, 4)
    information: Array  # (6, 6) of shift (m) and turn (rad) about the middle of the underside, 1/px²
    points: int  # of the outline that were seen
    miss_px: float  # root mean square of what is left
    cameras: Array | None = None  # (3, 3) covariance of x, y (m) and yaw (rad) by several cameras, weighed

    def known(self) -> Array:
        """(3, 3) information on x, y (m) and yaw (rad), of an outline whose edges err as a whole."""
        spread = POINT_PX**2 * min(max(self.miss_px / _SCATTER_PX, 1.0), _MOST_SPREAD) ** 2
        return np.asarray(self.information[np.ix_(FLAT, FLAT)] / spread)


def aligned(
    views: Sequence[View],
    kind: BrickType,
    T_base_brick: Array,
    label: int,
    free: tuple[int, ...] = FLAT,
    reaches: Sequence[float] = REACHES,
    whole: bool = False,
) -> Aligned:
    """The pose whose outline agrees best with what all views show, from one that is a few pixels off.

    `whole`: edges err as a whole, by shadows for one, so that one that is off counts little: nearer to the truth for
    a brick that is certainly there. Points that err each by themselves hold what may be nothing to all its edges.
    Views then err as a whole too, each with its camera.
    """
    if whole and len(views) > 1 and free == FLAT:
        return _by_cameras(views, kind, T_base_brick, label, reaches)
    solid, edges = solid_of(kind), edges_of(kind)
    T = np.array(T_base_brick)
    columns = np.array(free)
    A, total, squares, points = np.zeros((6, 6)), 0.0, 0.0, 0
    for reach in reaches:
        A, g = np.zeros((6, 6)), np.zeros(6)
        total, squares, points = 0.0, 0.0, 0
        for view in views:
            told = _rows(view, T, solid, edges, label, reach, whole, A, g)
            total, squares, points = total + told[0], squares + told[1], points + told[2]
        if points < 6:
            break
        T, step = stepped(T, solid, A, g, columns, _STAY)
        if reach <= 2.0 and np.abs(step[:3]).max() < _STILL_M:
            break
    miss = float(np.sqrt(squares / total)) if total > 0 else np.inf
    return Aligned(T, A, points, miss)


def _by_cameras(
    views: Sequence[View], kind: BrickType, T_base_brick: Array, label: int, reaches: Sequence[float]
) -> Aligned:
    """The same of several views, each weighed by how well its camera is known."""
    solid, edges = solid_of(kind), edges_of(kind)
    T, flat = np.array(T_base_brick), np.ix_(FLAT, FLAT)
    middle = footprint(kind, T).mean(axis=0)
    cameras = [view.calibration_at(*middle) for view in views]
    each, told = [np.zeros((3, 3))] * len(views), [(0.0, 0.0, 0)] * len(views)
    for reach in reaches:
        A, g = np.zeros((6, 6)), np.zeros(6)
        for at, (view, camera) in enumerate(zip(views, cameras, strict=True)):
            own, right = np.zeros((6, 6)), np.zeros(6)
            told[at] = _rows(view, T, solid, edges, label, reach, True, own, right)
            each[at] = own[flat]
            own[flat], right[list(FLAT)] = with_its_camera(own[flat], right[list(FLAT)], camera)
            A, g = A + own, g + right
        if sum(one[2] for one in told) < 6:
            break
        T, step = stepped(T, solid, A, g, np.array(FLAT), _STAY)
        if reach <= 2.0 and np.abs(step[:3]).max() < _STILL_M:
            break
    total, squares, points = (sum(column) for column in zip(*told, strict=True))
    information = np.zeros((6, 6))
    information[flat], shared = fused(each, cameras)
    return Aligned(T, information, int(points), float(np.sqrt(squares / total)) if total > 0 else np.inf, shared)


def _rows(
    view: View, T: Array, solid: Array, edges: Array, label: int, reach: float, whole: bool, A: Array, g: Array
) -> tuple[float, float, int]:
    """What one view adds to A (6, 6) and g (6); the sum of its weights, of its squares, and its points."""
    away = float(view.T_cam_base[2, :3] @ T[:3, 3] + view.T_cam_base[2, 3])
    tolerance = 3 * view.noise * away**2 + 0.003
    total, squares, points = edge_rows(
        view.rgb, view.depth, view.labels, view.K, view.T_cam_base, T, solid, edges, label,
        view.beside(label), reach, reach + 1.0, tolerance, LEAST_CONTRAST, whole, A, g,
    )  # fmt: skip
    return total, squares, points


def resting(views: Sequence[View], kind: BrickType, T_base_brick: Array, label: int, reach: float = 2.0) -> Aligned:
    """What outlines within reach (px) say of that very place: it does not move."""
    told = aligned(views, kind, T_base_brick, label, reaches=(reach,))
    return Aligned(T_base_brick, told.information, told.points, told.miss_px)
