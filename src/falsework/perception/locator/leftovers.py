"""What no brick explains: it is refused, and so is a brick beside it that may end elsewhere."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from falsework.model.arrays import Array, Bools
from falsework.model.catalogue import BrickType
from falsework.model.perception.findings import Extent, Refused, Workplace
from falsework.perception.locator.rectangles import least_rectangle
from falsework.perception.locator.solids import solid_of
from falsework.perception.locator.supposed import Supposed
from falsework.perception.locator.views import View
from falsework.perception.locator.weighing import HIDES, weigh

_UNKNOWN = "something stands here that is no brick of these kinds and colours that could be told"
_HIDDEN = 0.1  # of a brick's pixels: with fewer it is seen to end
_POINTS = 400  # are enough to tell a rectangle
_RIM_M = 2e-3  # beyond what is seen: the rims of patches are left out
_RIM_REACH_M = 3e-3  # by which points of a plate may be off it
_SAME_M = 0.03  # nearer to each other than this, patches of two views are one thing
_SHIFT = 128  # labels are small numbers of either sign


@dataclass(frozen=True, slots=True, eq=False)
class Leftover:
    """A patch that no brick explains."""

    refused: Refused
    points_m: Array  # (n, 3) in the base's frame
    label: int  # that most of its pixels have

    def is_among(self, others: Sequence[Leftover]) -> bool:
        """Whether one of the others may be the same thing, seen from elsewhere."""
        return any(
            np.linalg.norm((self.points_m.mean(axis=0) - one.points_m.mean(axis=0))[:2]) < _SAME_M for one in others
        )


def leftovers(
    view: View, place: Workplace, kinds: Sequence[BrickType], explained: Sequence[Supposed]
) -> tuple[list[Leftover], list[Leftover]]:
    """What is part of no brick that was found or refused: what stands higher than any floor; what is only coloured.

    Upside down a brick is a hollow whose bottom hardly stands out, but it has a brick's colour.
    """
    floor = _floor(view, place)
    lowest = min(kind.size_m[2] for kind in kinds)
    stands = ndimage.minimum_filter(np.nan_to_num(view.heights(), nan=-1.0) > floor + 0.4 * lowest, size=5)
    free = ~ndimage.binary_dilation(_told(view, explained), iterations=4)
    high = ndimage.binary_opening(stands & free, iterations=1)
    colored = (view.labels >= 0) & (view.labels != view.hueless) & np.isfinite(floor)
    low = ndimage.binary_opening(colored & free & ~ndimage.binary_dilation(high, iterations=4), iterations=2)
    pitch_px = view.K[0] * kinds[0].measures.pitch_m / max(float(np.median(view.depth[view.depth > 0])), 0.05)
    found = [_patches(view, one, floor, 0.5 * pitch_px**2) for one in (high, low)]
    standing, lying = ([one for one in group if not _is_rim(one.points_m, place)] for group in found)
    return standing, lying


def _is_rim(points: Array, place: Workplace) -> bool:
    """Whether most points (n, 3) are on a plate's own side, as a camera that looks along the table sees it."""
    for plate in place.plates:
        local = (points - plate.T_base_plate[:3, 3]) @ plate.T_base_plate[:3, :3]
        length, width, height = plate.kind.size_m
        size = np.array([length, width, height + plate.kind.measures.stud_height_m])
        about = ((local > -_RIM_REACH_M) & (local < size + _RIM_REACH_M)).all(axis=1)
        within = ((local > _RIM_REACH_M) & (local < size - _RIM_REACH_M))[:, :2].all(axis=1)
        if (about & ~within).mean() > 0.5:
            return True
    return False


def _told(view: View, explained: Sequence[Supposed]) -> Bools:
    """(h, w) what bricks explain; what hides a brick is explained by the brick that it is, or by none."""
    said, told = np.zeros(view.depth.shape, np.int8), np.zeros(view.depth.shape, np.bool_)
    for one in explained:
        T = np.ascontiguousarray((view.T_cam_base @ one.T_base_brick)[:3])
        weigh(view.depth, view.labels, view.K, T, solid_of(one.kind), one.label, one.label, view.noise, 0.002, said)
        told |= (said > 0) & (said != HIDES)
        said[:] = 0
    return told


def _patches(view: View, left: Bools, floor: Array, least_px: float) -> list[Leftover]:
    """What hangs together of pixels (h, w) that are left, with depth."""
    patches, count = ndimage.label(left & (view.depth > 0))
    out = []
    for number in range(1, count + 1):
        mask = patches == number
        if mask.sum() > least_px:
            points = _points(view, mask)
            middle, extent = np.median(points, axis=0), _extent(points, float(floor[mask].min()))
            refused = Refused(_UNKNOWN, middle, (), "a view from another side, or taking it away", extent)
            label = int(np.bincount(view.labels[mask].astype(int) + _SHIFT).argmax()) - _SHIFT
            out.append(Leftover(refused, points, label))
    return out


def _extent(points: Array, floor_m: float) -> Extent:
    """Around points (n, 3) of what stands on a floor."""
    middle, sides, axes = least_rectangle(points[:: len(points) // _POINTS + 1, :2])
    size = (*(sides + 2 * _RIM_M).tolist(), max(float(np.quantile(points[:, 2], 0.98)) - floor_m, _RIM_M))
    T = np.eye(4)
    T[:2, :2] = axes.T
    T[:3, 3] = *(middle - axes.T @ (sides / 2 + _RIM_M)), floor_m
    return Extent(T, size)


def doubt(one: Supposed, left: Sequence[Leftover], on_its_colour: bool) -> Refused | None:
    """Why a brick whose end is not seen is not told after all: beside it something of its colour is left over.

    One that is seen as a whole ends where it is seen to end, but on a floor of its colour nothing is. Where a part is
    hidden, the packing says where, and one that leaves pixels of the same colour and layer over, a stud or less away,
    is not the one that lies there.
    """
    if one.hidden < _HIDDEN * one.total and not on_its_colour:
        return None
    pitch = one.kind.measures.pitch_m
    stud = one.kind.measures.stud_height_m
    for patch in left:
        level = float(patch.refused.where_m[2])
        if patch.label != one.label or level < one.top_m - 0.5 * stud:
            continue
        if _beside(one, patch.points_m[:, :2], pitch if level < one.top_m + 1.5 * stud else 0.0):
            return Refused(
                f"a {one.kind}, but beside or above it something of its colour is left over: where it ends is not told",
                np.array([*one.middle_m, one.bottom_m]),
                (),
                "a second view from another side, or taking away what stands before it",
                one.extent,
            )
    return None


def _beside(one: Supposed, points: Array, reach: float) -> bool:
    """Whether points (n, 2) are within reach of its footprint."""
    origin = one.corners_m[0]
    sides = one.corners_m[[1, 3]] - origin
    lengths = np.linalg.norm(sides, axis=1)
    local = (points - origin) @ (sides / lengths[:, None]).T
    return bool((((local > -reach) & (local < lengths + reach)).all(axis=1)).any())


def _floor(view: View, place: Workplace) -> Array:
    """(h, w) the height of the table, or of a plate's studs, where each pixel looks."""
    floor = np.full(view.depth.shape, np.inf)
    for height, where, stud in view.floors(place, beyond_m=0.004):
        floor = np.where(where, height + stud, floor)
    return floor


def _points(view: View, mask: npt.NDArray[np.bool_]) -> Array:
    """(n, 3) what pixels see, in the base's frame."""
    rows, columns = np.nonzero(mask)
    z = view.depth[rows, columns]
    points = np.column_stack([(columns - view.K[2]) / view.K[0] * z, (rows - view.K[3]) / view.K[1] * z, z])
    return np.asarray(points @ view.T_base_cam[:3, :3].T + view.T_base_cam[:3, 3])
