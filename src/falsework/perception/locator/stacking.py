"""Bricks of which no top is seen: supposed under and upon those that were chosen, on their grid.

A brick that others cover shows its sides only, perhaps in one view of several, and no cell of its layer is seen. But
what is stacked shares a grid of studs. So where pixels of a colour are left that no chosen brick explains, bricks of
that colour are supposed under and upon their neighbours, and drawn and weighed as any others; the packing says which
of them are there, and whether a rival is as good.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.perception.locator.solids import placed
from falsework.perception.locator.supposed import Supposed, same_place
from falsework.perception.locator.supposing import Supposing
from falsework.perception.locator.views import View

_LEAST_PIXELS = 12  # of a colour, that are left over
_ANY_SHARE = 0.0  # of a brick's pixels: a long one that shows as much as a short one shows less of itself
_PARTLY = 0.1  # of a brick's pixels that others hide, or more: it may end elsewhere
_MOSTLY = 0.5  # of a brick's pixels that others hide, or more: the cells of its layer do not tell of it,
_HALF = 0.33  # nor of one that reaches beyond what is known: half of its cells are hidden, but walls are pixels too
_RIM_PX = 2  # about what a brick explains, where colours are mixed
_REACH_STUDS = 3.0  # of what is under or upon a brick, beyond it


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a brick of a kind may lie on another's grid: from which cell of it to before which."""

    kind: BrickType
    low: tuple[int, int]
    high: tuple[int, int]
    grid: Supposed
    bottom_m: float
    turned: bool = False  # its length is across that of the other

    def holds(self, other: Spot) -> bool:
        """Whether it fills all cells of the other."""
        return all(
            low <= its_low and high >= its_high
            for low, high, its_low, its_high in zip(self.low, self.high, other.low, other.high, strict=True)
        )

    @property
    def T_base_brick(self) -> Array:
        """(4, 4), made when it is asked for: of most spots only the cells matter."""
        pitch, yaw = self.kind.measures.pitch_m, self.grid.yaw
        c, s = math.cos(yaw), math.sin(yaw)
        a, b = (0.5 * (low + high) * pitch for low, high in zip(self.low, self.high, strict=True))
        x, y = self.grid.T_base_brick[:2, 3] + np.array([c * a - s * b, s * a + c * b])
        return placed(self.kind, float(x), float(y), self.bottom_m, yaw + (math.pi / 2 if self.turned else 0.0))


def stacked(supposing: Supposing, chosen: Sequence[Supposed], known: Sequence[Supposed]) -> list[Supposed]:
    """Bricks that may carry those chosen, or stand on them, but for those that are known already."""
    left = _left_over(supposing.views, chosen)
    out: list[Supposed] = []
    for one in chosen:
        for kind in supposing.kinds:
            for bottom in (one.bottom_m - kind.size_m[2], one.top_m):
                if bottom < supposing.floor_of(one) - 1e-4:
                    continue
                for label in _labels_left(supposing.views, left, one, bottom, bottom + kind.size_m[2]):
                    for spot in _on_grid(one, kind, bottom):
                        there = supposing.unmoved(kind, spot.T_base_brick, label)
                        if supposing.may_be(there, _ANY_SHARE) and not _known(there, (*known, *out)):
                            more = supposing.on_cell(kind, spot.T_base_brick, label, share=_ANY_SHARE)
                            out += [two for two in more if not _known(two, (*known, *out))]
    return out


def going_on(supposing: Supposing, chosen: Sequence[Supposed], known: Sequence[Supposed]) -> list[Supposed]:
    """Bricks of the same colour that may lie where those chosen are hidden, or end at what hides more.

    Larger ones that one chosen may be the seen end of, for it explains all that they show: also of one that is seen as
    a whole, for it may go on under what stands beside it. Two that share its cells, of which one goes on there. Smaller
    ones that explain all that it shows; and hidden ones that may begin where it is taken to go on, for it covers the
    little that they show.
    """
    out: list[Supposed] = []
    for one in chosen:
        if one.kind.family == "slope":
            continue
        alike = [two for two in supposing.kinds if two.plates == one.kind.plates and two.family != "slope"]
        for kind in alike:
            for spot in _on_grid(one, kind, one.bottom_m):
                for there in _instead(supposing, one, spot, alike):
                    if supposing.may_be(there, _ANY_SHARE) and not _known(there, (*known, *out), as_good=True):
                        out.append(there)
    return out


def _instead(supposing: Supposing, one: Supposed, spot: Spot, alike: Sequence[BrickType]) -> list[Supposed]:
    """What may be there if a brick lies at a spot, and not the one that was chosen; nothing where none may be."""
    own = Spot(one.kind, (0, 0), (one.kind.length, one.kind.width), one, one.bottom_m)
    inside = own.holds(spot)
    rest = None if inside or spot.holds(own) else _rest(one, spot, alike)
    goes_on = not inside and bool(rest or spot.holds(own)) and not _seen_to_end(supposing, spot, one)
    partly = one.hidden >= _PARTLY * one.total
    if not (partly or goes_on):
        return []
    there = _as_misfit_as(one, supposing.unmoved(spot.kind, spot.T_base_brick, one.label))
    least = (1 - supposing.settings.rival_share) * len(one.shows) - supposing.settings.rival_px
    if rest and goes_on:
        other = _as_misfit_as(one, supposing.unmoved(rest.kind, rest.T_base_brick, one.label))
        shown = len(np.union1d(there.shows, other.shows)) - 2.0 * (there.against + other.against)
        if shown > least - 2.0 * one.against:
            return [there, other]
        goes_on = False
    smaller = inside and len(there.shows) > least
    hidden = there.hidden >= (_MOSTLY if inside else _HALF) * there.total
    return [there] if goes_on or (partly and (smaller or hidden)) else []


def _rest(one: Supposed, spot: Spot, alike: Sequence[BrickType]) -> Spot | None:
    """Where a spot fills one end of a brick's cells: the brick that would fill the other end; None if none would."""
    sides = one.kind.length, one.kind.width
    for axis, across in ((0, 1), (1, 0)):
        first, last = spot.low[axis] <= 0, spot.high[axis] >= sides[axis]
        if spot.low[across] > 0 or spot.high[across] < sides[across] or first == last:
            continue
        low, high = [0, 0], list(sides)
        if first:
            low[axis] = spot.high[axis]
        else:
            high[axis] = spot.low[axis]
        for kind in alike:
            for turned in (False, True):
                rest = _spot(one, kind, (low[0], low[1]), turned, one.bottom_m)
                if rest.high == tuple(high):
                    return rest
    return None


def _as_misfit_as(one: Supposed, there: Supposed) -> Supposed:
    """As much beside the picture's outline as the one whose outline it shares, by what it shows.

    A brick that is not fitted has no misfit of its own, and must not win by that.
    """
    points = one.aligned.points * min(1.0, len(there.shows) / max(len(one.shows), 1))
    return replace(there, aligned=replace(there.aligned, points=round(points), miss_px=one.aligned.miss_px))


def _seen_to_end(supposing: Supposing, spot: Spot, one: Supposed) -> bool:
    """Whether a view looks through most of the cells that a brick there would have beside those of one."""
    kind, T = spot.kind, spot.T_base_brick
    pitch = kind.measures.pitch_m
    cells = np.indices((kind.length, kind.width)).reshape(2, -1).T * pitch + 0.5 * pitch
    places = cells @ T[:2, :2].T + T[:2, 3]
    own = (places - one.T_base_brick[:2, 3]) @ one.T_base_brick[:2, :2]
    beside = places[((own < 0) | (own > np.array(one.kind.size_m[:2]))).any(axis=1)]
    tops = np.column_stack([beside, np.full(len(beside), one.top_m)])
    for view in supposing.views:
        x, y, z = view.T_cam_base[:3, :3] @ tops.T + view.T_cam_base[:3, 3:]
        column = np.rint(view.K[0] * x / z + view.K[2]).astype(np.int64)
        row = np.rint(view.K[1] * y / z + view.K[3]).astype(np.int64)
        height, width = view.depth.shape
        inside = (z > 0.02) & (column >= 0) & (column < width) & (row >= 0) & (row < height)
        far = z[inside]
        through = view.depth[row[inside], column[inside]] > far + 3.0 * view.noise * far**2 + supposing.settings.slack_m
        if through.sum() > 0.5 * len(tops):
            return True
    return False


def _known(one: Supposed, those: Sequence[Supposed], as_good: bool = False) -> bool:
    """Whether it is among those; `as_good`: and fits there no worse."""
    return any(same_place(one, other, 0.1, 3.0) and not (as_good and _fits(other) < _fits(one)) for other in those)


def _fits(one: Supposed) -> float:
    return one.worth - 2.0 * one.misfit


def _left_over(views: Sequence[View], chosen: Sequence[Supposed]) -> list[npt.NDArray[np.bool_]]:
    """Of every view, (h, w) pixels with a label that none of the chosen shows."""
    told = np.zeros(sum(view.depth.size for view in views), np.bool_)
    for one in chosen:
        told[one.shows] = True
    out, start = [], 0
    for view in views:
        shown = told[start : start + view.depth.size].reshape(view.depth.shape)
        near = ndimage.maximum_filter(shown, size=2 * _RIM_PX + 1)
        out.append((view.labels >= 0) & ~near)
        start += view.depth.size
    return out


def _labels_left(
    views: Sequence[View], left: Sequence[npt.NDArray[np.bool_]], one: Supposed, low: float, high: float
) -> list[int]:
    """Colours that are left over about a brick, between two heights."""
    seen: set[int] = set()
    pitch = one.kind.measures.pitch_m
    reach = 0.5 * math.hypot(*one.kind.size_m[:2]) + _REACH_STUDS * pitch
    for view, mask in zip(views, left, strict=True):
        window = _window(view, np.array([*one.middle_m, low]), reach)
        heights = view.heights()[window]
        with np.errstate(invalid="ignore"):
            there = view.labels[window][mask[window] & (heights > low) & (heights < high + 0.3 * pitch)]
        counts = np.bincount(there.astype(np.int64))
        seen |= set(np.flatnonzero(counts >= _LEAST_PIXELS).tolist())
    return sorted(seen)


def _window(view: View, middle: Array, reach: float) -> tuple[slice, slice]:
    """Rows and columns of what is within reach of a point."""
    x, y, z = view.T_cam_base[:3, :3] @ middle + view.T_cam_base[:3, 3]
    if z < 0.02:
        return slice(0, 0), slice(0, 0)
    column, row, wide = view.K[0] * x / z + view.K[2], view.K[1] * y / z + view.K[3], view.K[0] * reach / z
    return (
        slice(max(0, int(row - wide)), max(0, int(row + wide) + 1)),
        slice(max(0, int(column - wide)), max(0, int(column + wide) + 1)),
    )


def _on_grid(one: Supposed, kind: BrickType, bottom: float) -> Iterator[Spot]:
    """Spots of a kind at a height, on a brick's grid, that share a stud's cell with it or more."""
    for turned in (False, True)[: 1 + (kind.length != kind.width)]:
        along, across = (kind.width, kind.length) if turned else (kind.length, kind.width)
        for i in range(1 - along, one.kind.length):
            for j in range(1 - across, one.kind.width):
                yield _spot(one, kind, (i, j), turned, bottom)


def _spot(one: Supposed, kind: BrickType, low: tuple[int, int], turned: bool, bottom: float) -> Spot:
    """The spot whose first cell is `low` on a brick's grid, with its length along that brick's or, `turned`, across."""
    along, across = (kind.width, kind.length) if turned else (kind.length, kind.width)
    return Spot(kind, low, (low[0] + along, low[1] + across), one, bottom, turned)
