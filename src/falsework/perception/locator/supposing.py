"""Bricks that may lie there: rectangles of cells that are seen in one colour, at every yaw and layer."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.model.perception.findings import Workplace
from falsework.model.poses import inverse
from falsework.perception.locator.aligning import Aligned, aligned, resting
from falsework.perception.locator.cells import mark_cells, rectangles, spans
from falsework.perception.locator.labels import AS_THE_FLOOR
from falsework.perception.locator.layers import Layer, layers, may_lie_on, plate_top, pressed, stud_tops
from falsework.perception.locator.settings import LocatorSettings
from falsework.perception.locator.solids import footprint, placed, solid_of
from falsework.perception.locator.supposed import Supposed, same_place
from falsework.perception.locator.views import View
from falsework.perception.locator.weighing import AGAINST, DIM, HIDES, SHOWS, take, weigh

MOST_PLACES = 6  # of one kind at one yaw in one region
HIDDEN_RIVAL = 0.4  # of what must usually be shown: rivals may be mostly hidden
_LED_AWAY = 0.1  # of the pitch: a brick that outlines moved by more is no longer on its cells
MOST_GRIDS = 4  # of one region
_SAME_GRID, _SAME_GRID_RAD = 0.08, 0.02  # of the pitch
MOST_OF_KIND = 12  # of one kind in one region, over all yaws


class Supposing:
    """All bricks that may lie there, drawn and weighed."""

    def __init__(
        self, views: Sequence[View], place: Workplace, kinds: Sequence[BrickType], settings: LocatorSettings
    ) -> None:
        self.views, self.place, self.kinds, self.settings = list(views), place, list(kinds), settings
        self.pitch = kinds[0].measures.pitch_m
        self.step = self.pitch / settings.cells_per_stud
        self._reach = max(math.hypot(*kind.size_m[:2]) for kind in kinds) / 2  # of a brick, from its middle
        self.stud = max(kind.measures.stud_height_m if kind.has_studs else 0.0 for kind in kinds)
        self._said = [np.zeros(view.depth.shape, np.int8) for view in self.views]
        self._starts = np.cumsum([0, *(view.depth.size for view in self.views)])
        first = self.views[0]
        away = max(float(np.median(first.depth[first.depth > 0])), 0.05)
        self._pixels_per_stud = first.K[0] * self.pitch / away
        self._unmoved: dict[tuple[BrickType, int, bytes], Supposed] = {}
        self._onto_plates = [inverse(plate.T_base_plate) for plate in place.plates]

    def all(self, labels: Sequence[int]) -> list[Supposed]:
        """Of every layer, label, kind and yaw."""
        out: list[Supposed] = []
        for layer in layers(self.views, self.place, self.kinds):
            level = [self._level(view, layer) for view in self.views]
            for label in labels:
                for points in self._regions(level, layer, label):
                    out += self._of_region(points, layer, label)
        return _without_doubles(out)

    def _level(self, view: View, layer: Layer) -> npt.NDArray[np.bool_]:
        """(h, w) pixels at the height of a layer's tops, or of the studs on them."""
        near = 3 * view.noise * 0.36 + self.settings.slack_m
        heights = view.heights()
        with np.errstate(invalid="ignore"):
            return np.asarray((heights > layer.top_m - near) & (heights < layer.top_m + self.stud + near))

    def _regions(self, level: Sequence[npt.NDArray[np.bool_]], layer: Layer, label: int) -> Iterator[Array]:
        """(n, 2) x, y of the pixels of each patch of one colour at a level."""
        least = 0.15 * self._pixels_per_stud**2 * min(kind.length * kind.width for kind in self.kinds)
        taken = np.zeros((0, 2))
        for view, at in zip(self.views, level, strict=True):
            here = at & (view.labels == label)
            rows = np.flatnonzero(here.any(axis=1))
            if not len(rows):
                continue
            above = int(rows[0])
            patches, count = ndimage.label(here[above : rows[-1] + 1], structure=np.ones((3, 3)))
            sizes = np.bincount(patches.ravel(), minlength=count + 1)
            for number, window in enumerate(ndimage.find_objects(patches), start=1):
                if sizes[number] < max(least, 12):
                    continue
                down, across = np.nonzero(patches[window] == number)
                points = _met(view, down + window[0].start + above, across + window[1].start, layer.top_m)
                if len(taken) and _mostly_within(points, taken, self.pitch):
                    continue
                taken = np.vstack([taken, points[:: max(1, len(points) // 200)]])
                yield points

    def _of_region(self, points: Array, layer: Layer, label: int) -> list[Supposed]:
        found: list[Supposed] = []
        if not may_lie_on(self.place, layer.surface, points, self._reach):
            return []
        sizes = sorted({(kind.length, kind.width) for kind in self._kinds_at(layer)})
        places = self._places(points, layer, label, sizes)
        shadowed = any(bool((view.labels == AS_THE_FLOOR - label).any()) for view in self.views)
        for kind in self._kinds_at(layer):
            for x, y, yaw in self._best(places[kind.length, kind.width]):
                T = placed(kind, x, y, layer.top_m - kind.size_m[2], yaw)
                # On a floor of its colour a brick's shadow has the stronger edges.
                found += self.on_cell(kind, T, label, layer) if shadowed else self._weighed(kind, T, label, layer)
                if kind.family == "slope":
                    T = placed(kind, x, y, layer.top_m - kind.size_m[2], yaw + np.pi)
                    found += self._weighed(kind, T, label, layer)
        found = _without_doubles(found)
        return found + self._on_their_grids(found, len(points), layer, label)

    def _kinds_at(self, layer: Layer) -> list[BrickType]:
        return [kind for kind in self.kinds if layer.top_m - kind.size_m[2] > layer.floor_m - 1e-4]

    def _places(
        self, points: Array, layer: Layer, label: int, sizes: Sequence[tuple[int, int]]
    ) -> dict[tuple[int, int], list[tuple[float, float, float, float]]]:
        """Of each size: (score, x, y, yaw) of rectangles that fit what is seen, over all yaws."""
        out: dict[tuple[int, int], list[tuple[float, float, float, float]]] = {size: [] for size in sizes}
        cells = self.settings.cells_per_stud
        most = max(max(size) for size in sizes)
        yaws = np.arange(self.settings.yaws) * np.pi / 2 / self.settings.yaws
        for yaw, span in zip(yaws.tolist(), spans(points, yaws, 0.002), strict=True):
            c, s = math.cos(yaw), math.sin(yaw)
            low, high = span[:2], span[2:]
            room = most * self.pitch - (high - low)  # hidden parts may be beyond what is seen
            low = low - np.clip(room, 0, None) - 3 * self.step
            high = high + np.clip(room, 0, None) + 3 * self.step
            state = self._state(low, high, yaw, layer, label)
            for length, width in sizes:
                for along, across, turn in ((length, width, 0.0), (width, length, np.pi / 2))[: 1 + (length != width)]:
                    best = rectangles(state, along * cells, across * cells, self.settings.least_shown, MOST_PLACES)
                    for i, j, score, _ in best:
                        a = low[0] + (i + (along * cells - 1) / 2) * self.step
                        b = low[1] + (j + (across * cells - 1) / 2) * self.step
                        out[length, width].append((score, c * a - s * b, s * a + c * b, yaw + turn))
        return out

    def _state(self, low: Array, high: Array, yaw: float, layer: Layer, label: int) -> npt.NDArray[np.int8]:
        shape = np.clip(np.ceil((high - low) / self.step).astype(int), 1, 600)
        state = np.zeros((int(shape[0]), int(shape[1])), np.int8)
        for view in self.views:
            mark_cells(
                view.depth, view.nearest(), view.labels, view.K, view.T_cam_base, low[0], low[1], yaw, self.step,
                layer.top_m, self.stud, view.noise, self.settings.slack_m, label, view.beside(label), state,
            )  # fmt: skip
        return state

    def _best(self, places: list[tuple[float, float, float, float]]) -> list[tuple[float, float, float]]:
        """The highest scores, none beside a higher one of nearly the same place and yaw."""
        kept: list[tuple[float, float, float]] = []
        for _, x, y, yaw in sorted(places, reverse=True):
            if all(
                np.hypot(x - other[0], y - other[1]) > 0.4 * self.pitch
                or abs((yaw - other[2] + np.pi / 4) % (np.pi / 2) - np.pi / 4) > 0.2
                for other in kept
            ):
                kept.append((x, y, yaw))
                if len(kept) == MOST_OF_KIND:
                    break
        return kept

    def _weighed(
        self, kind: BrickType, T: Array, label: int, layer: Layer | None = None, share: float = 1.0
    ) -> list[Supposed]:
        """The brick drawn, fitted and weighed: one, or none if too little speaks for it.

        `share`: of what usually must be shown; less is enough for what may hide behind others, as a rival.
        """
        return self._held(kind, aligned(self.views, kind, T, label), label, layer, share)

    def _held(self, kind: BrickType, lies: Aligned, label: int, layer: Layer | None, share: float) -> list[Supposed]:
        """What lies there, if the surface is that of its layer and enough pixels speak for it."""
        if layer is not None and self.surface_under(lies.T_base_brick, kind) != layer.surface:
            return []
        one = self.weighed(kind, label, lies)
        return [one] if self.may_be(one, share) and (layer is None or self._rests(one, layer)) else []

    def _rests(self, one: Supposed, layer: Layer) -> bool:
        """Whether it may lie on a plate as the layer has it: pressed onto its grid, or loose a stud's height higher.

        Which of the two it is depth tells where the grid does not: the mean of a top is known to a tenth of a stud.
        """
        if layer.surface < 0 or not self.place.plates[layer.surface].kind.has_studs:
            return True
        lowest = one.bottom_m < layer.floor_m + 1e-3
        if lowest and not layer.loose and not pressed(self.place.plates[layer.surface], one.T_base_brick):
            return False
        return abs(one.off_m) < 0.5 * one.kind.measures.stud_height_m

    def may_be(self, one: Supposed, share: float = 1.0) -> bool:
        """Whether enough pixels speak for it, and few enough against it."""
        least = max(12.0, share * self.settings.least_shown * one.total / len(self.views))
        told = len(one.shows) + one.against
        return len(one.shows) >= least and one.against <= self.settings.most_against * told

    def unmoved(self, kind: BrickType, T: Array, label: int) -> Supposed:
        """The brick weighed where it is, whatever its outline says; who asks again gets the same one."""
        asked = kind, label, T.tobytes()
        if asked not in self._unmoved:
            self._unmoved[asked] = self.weighed(kind, label, Aligned(T, np.zeros((6, 6)), 0, 0.0))
        return self._unmoved[asked]

    def weighed(self, kind: BrickType, label: int, lies: Aligned) -> Supposed:
        """What the pixels of all views say about a brick at its place."""
        shows, counts, off, many = [], np.zeros(6), 0.0, 0.0
        for number, view in enumerate(self.views):
            said = self._said[number]
            T = np.ascontiguousarray((view.T_cam_base @ lies.T_base_brick)[:3])
            window, told, away, count = weigh(
                view.depth,
                view.labels,
                view.K,
                T,
                solid_of(kind),
                label,
                view.beside(label),
                view.noise,
                self.settings.slack_m,
                said,
            )
            pixels = np.empty(int(told[SHOWS]), np.int64)
            take(said, window, SHOWS, self._starts[number], pixels)
            shows.append(pixels)
            counts += told
            off, many = off + away, many + count
        return Supposed(
            kind, label, lies.T_base_brick, lies, np.concatenate(shows), counts[AGAINST], counts[HIDES], counts[DIM],
            float(counts.sum()), off / many if many else 0.0,
        )  # fmt: skip

    def surface_under(self, T: Array, kind: BrickType) -> int:
        """The number of the plate that its middle is over; −1: the table."""
        length, width, _ = kind.size_m
        middle = T @ (length / 2, width / 2, 0.0, 1.0)
        for at, plate in enumerate(self.place.plates):
            x, y, _, _ = self._onto_plates[at] @ middle
            if 0 < x < plate.kind.size_m[0] and 0 < y < plate.kind.size_m[1]:
                return at
        return -1

    def floor_of(self, one: Supposed) -> float:
        """The height (m) of the table or plate that is under a brick; without limit where there is neither."""
        surface = self.surface_under(one.T_base_brick, one.kind)
        if surface < 0:
            return -math.inf if self.place.table_m is None else self.place.table_m
        top, tops = plate_top(self.place.plates[surface]), stud_tops(self.place.plates[surface])
        return tops if abs(one.bottom_m - tops) < 1e-3 else top  # loose, on its studs

    def _on_their_grids(self, found: Sequence[Supposed], pixels: int, layer: Layer, label: int) -> list[Supposed]:
        """More of them, on the stud grids of those found, where one alone does not explain a region."""
        if not found:
            return []
        best = max(found, key=lambda one: one.worth)
        alone = len(best.shows) > 0.85 * pixels
        out: list[Supposed] = []
        for seed in [best] if alone else _grids(found):
            out += self._on_grid_of(seed, layer, label)
        return out

    def _on_grid_of(self, seed: Supposed, layer: Layer, label: int) -> list[Supposed]:
        cells, reach = self.settings.cells_per_stud, 6
        yaw = seed.yaw
        c, s = np.cos(yaw), np.sin(yaw)
        corner = np.array([[c, s], [-s, c]]) @ seed.T_base_brick[:2, 3]
        low = corner - reach * self.pitch + self.step / 2
        high = low + (2 * reach + max(seed.kind.length, seed.kind.width)) * self.pitch - self.step / 2
        state = self._state(low, high, yaw, layer, label)
        seen = _summed(state == 1)
        bad = _summed(state == 2)
        out: list[Supposed] = []
        for kind in self._kinds_at(layer):
            for along, across, turn in ((kind.length, kind.width, 0.0), (kind.width, kind.length, np.pi / 2))[
                : 1 + (kind.length != kind.width)
            ]:
                a, b = along * cells, across * cells
                good = (seen[a:, b:] - seen[:-a, b:] - seen[a:, :-b] + seen[:-a, :-b])[::cells, ::cells]
                wrong = (bad[a:, b:] - bad[:-a, b:] - bad[a:, :-b] + bad[:-a, :-b])[::cells, ::cells]
                for i, j in np.argwhere(
                    (good >= HIDDEN_RIVAL * self.settings.least_shown * a * b) & (wrong <= 0.1 * a * b)
                ):
                    x, y = low - self.step / 2 + (np.array([i, j]) + np.array([along, across]) / 2) * self.pitch
                    T = placed(kind, c * x - s * y, s * x + c * y, layer.top_m - kind.size_m[2], yaw + turn)
                    out += self.on_cell(kind, T, label, layer)
        return out

    def on_cell(
        self, kind: BrickType, T: Array, label: int, layer: Layer | None = None, share: float = HIDDEN_RIVAL
    ) -> list[Supposed]:
        """The brick where its outline leads it and, where that is elsewhere, on its cells too.

        With its ends hidden nothing holds it but the edges of others, and the true packing of flush bricks would not be
        among those compared.
        """
        lies = aligned(self.views, kind, T, label)
        out = self._held(kind, lies, label, layer, share)
        if np.abs(footprint(kind, lies.T_base_brick) - footprint(kind, T)).max() > _LED_AWAY * self.pitch:
            out += self._held(kind, resting(self.views, kind, T, label), label, layer, share)
        return out


def _grids(found: Sequence[Supposed]) -> list[Supposed]:
    """The few that pixels and outline speak for most, each on a grid of its own."""
    kept: list[Supposed] = []
    for one in sorted(found, key=lambda one: 2.0 * one.misfit - one.worth):
        if not any(_same_grid(one, other) for other in kept):
            kept.append(one)
    return kept[:MOST_GRIDS]


def _same_grid(one: Supposed, other: Supposed) -> bool:
    turn = other.yaw - one.yaw
    if abs((turn + np.pi / 4) % (np.pi / 2) - np.pi / 4) > _SAME_GRID_RAD:
        return False
    c, s = math.cos(one.yaw), math.sin(one.yaw)
    off = np.array([[c, s], [-s, c]]) @ (other.corners_m[0] - one.corners_m[0]) / one.kind.measures.pitch_m
    return bool(np.abs(off - np.rint(off)).max() < _SAME_GRID)


def _met(view: View, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64], height: float) -> Array:
    """(n, 2) where pixels' rays meet a layer: its height is known better than their depth."""
    T = view.T_base_cam
    own = np.stack([(columns - view.K[2]) / view.K[0], (rows - view.K[3]) / view.K[1], np.ones(len(rows))])
    way = T[:3, :3] @ own
    return np.ascontiguousarray((T[:2, 3:] + way[:2] * ((height - T[2, 3]) / way[2])).T)


def _summed(mask: npt.NDArray[np.bool_]) -> Array:
    out = np.zeros((mask.shape[0] + 1, mask.shape[1] + 1))
    out[1:, 1:] = mask.cumsum(axis=0).cumsum(axis=1)
    return out


def _mostly_within(points: Array, others: Array, reach: float) -> bool:
    sample = points[:: max(1, len(points) // 30)]
    near = np.abs(sample[:, None] - others[None]).max(axis=2).min(axis=1) < reach / 4
    return bool(near.mean() > 0.9)


def _without_doubles(those: Sequence[Supposed]) -> list[Supposed]:
    """The best of each place: two that came to rest apart are two, and the packing chooses."""
    kept: list[Supposed] = []
    of_kind: dict[tuple[BrickType, int], list[Supposed]] = {}
    for one in sorted(those, key=lambda one: -one.worth * (1 - 0.2 * min(one.aligned.miss_px, 2.0))):
        alike = of_kind.setdefault((one.kind, one.label), [])
        if not any(same_place(one, other, 0.1, 3.0) for other in alike):
            alike.append(one)
            kept.append(one)
    return kept
