"""Where arms should stand: bases and feeders for one assembly, by coverage over thousands of layouts.

Layouts are drawn at random around the structure. All are ranked by distances alone, which costs next to nothing; the
best are asked about a few parts, the best of those about more, and so on (successive halving), until a handful has been
asked about every part and about arms side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from falsework.formats.robots.catalogue import arm_named, tool_named
from falsework.geometry.contacts.ground import bounds_m
from falsework.geometry.shapes.studs import reach_in_world
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.checkpoints import checkpoint
from falsework.model.errors import BadInput
from falsework.model.part import Part
from falsework.model.robots.cell import Cell
from falsework.model.travel import MadeAnew
from falsework.robots.cells.coverage import Coverage, Wanted, coverage
from falsework.robots.cells.feeding import waiting_places
from falsework.robots.cells.kinds import PILLAR_M, POSITIONER, TURNTABLE, made_cell, parsed_kind, reach_of, standing
from falsework.robots.cells.reaching import Worker

LAYOUTS = 3000
STAGES = ((96, 5), (32, 12), (10, 24))  # of so many layouts, so many parts are asked about
SECOND = 0.02  # what a second arm is worth where one can bring a part
JUDGED, JUDGED_BY = 8, 4  # layouts that a judge is asked about, by so many parts
JUDGED_BY_ALL = 2  # … by all parts
MOVED, MOVED_BY = 60, (0.2, 25.0, 0.25)  # times that things are moved, by shares of distance and reach, and degrees
FINAL = 4  # layouts that are asked about every part
FOOT = 0.2  # of the reach: how near a base comes to structure or feeder
NEAREST, COMFORTABLE, FARTHEST = 0.3, 0.55, 0.85  # of the reach: where an arm works best
UNEVEN_M = 0.03  # a hand that takes a low part from a tray must not meet a tall one: where they differ more, stations
TRAY_WITHIN = 0.6  # of the reach: a tray that would be wider becomes stations
SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class PlacedCell(MadeAnew):
    """A cell for an assembly, and what it reaches of it."""

    cell: Cell
    coverage: Coverage
    layouts: int  # that were drawn


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """Places about the structure, in m and degrees."""

    bases: Array  # (arms, 3) distance, direction, yaw
    feeders: Array  # (feeders, 2) x, y in m


class Judge(Protocol):
    """Who knows how well a cell serves an assembly."""

    def readied(self, cell: Cell) -> Cell:
        """The cell as it will serve, its layout as it is."""
        ...

    def __call__(self, cell: Cell, parts: Sequence[int]) -> Sequence[int]:
        """By part (a number), how many arms can bring it."""
        ...


def placed_cell(
    kind: str,
    assembly: Assembly,
    *,
    layouts: int = LAYOUTS,
    rng: np.random.Generator | None = None,
    judge: Judge | None = None,
) -> PlacedCell:
    """The best of so many layouts of a kind of cell for an assembly; same random generator, same cell.

    Layouts that come out best by coverage are put to a judge, if there is one.

    >>> import falsework
    >>> bridge = falsework.load("examples/bridge.txt")
    >>> placed_cell("panda", bridge, layouts=50).coverage.share
    1.0
    """
    if layouts < 1:
        raise BadInput(f"layouts: found {layouts}, expected a number above 0")
    return _Search(kind, assembly, np.random.default_rng(SEED) if rng is None else rng).best(layouts, judge)


class _Search:
    """One assembly and one kind of cell."""

    def __init__(self, kind: str, assembly: Assembly, rng: np.random.Generator) -> None:
        self.kind, self.assembly, self.rng = kind, assembly, rng
        self._asked: dict[_Layout, tuple[Wanted, list[Worker]]] = {}
        self.count, arm, _ = parsed_kind(kind)
        self.reach = reach_of(arm)
        low, high = bounds_m(assembly)
        self.room = np.array([low, high])
        self.radius = 0.5 * float(np.hypot(*(high - low)[:2]))
        self.radius += 2 * PILLAR_M if kind.endswith(POSITIONER) else 0.0
        self.T_world_structure = np.eye(4)
        self.T_world_structure[:3, 3] = -0.5 * (low + high) * (1, 1, 0) - low * (0, 0, 1) + 0.0
        self.tray, self.station = self._tray()
        self.places = np.array([part.com_world_m for part in assembly.parts if part.name not in assembly.fixed])
        if not len(self.places):
            raise BadInput("all parts are fixed, so there is nothing to build")
        self.places = self.places + self.T_world_structure[:3, 3]

    def best(self, layouts: int, judge: Judge | None = None) -> PlacedCell:
        drawn = [self._drawn() for _ in range(layouts)]
        guesses = self._guesses(drawn)
        order = np.argsort(-guesses, kind="stable")
        order = order[: max(1, int((guesses >= 0).sum()))]
        half = STAGES[0][0] // 2  # the best by distance are often alike: as many are taken from all over
        spread = order[np.unique(np.linspace(0, len(order) - 1, half).astype(int))]
        chosen = [drawn[k] for k in dict.fromkeys([*order[:half].tolist(), *spread.tolist()])]
        parts = self.rng.permutation(len(self.places))
        for keep, asked in STAGES:
            scored = [(self._score(layout, np.sort(parts[:asked])), layout) for layout in chosen[:keep]]
            chosen = [layout for _, layout in sorted(scored, key=lambda one: -one[0])]
        everything = np.arange(len(self.places), dtype=np.int64)
        if judge is not None:
            cell = judge.readied(self._judged(chosen, judge, parts))
            return PlacedCell(cell, coverage(cell, self.assembly), layouts)
        final = [(self._covered(layout, everything), layout) for layout in chosen[:FINAL]]
        best, layout = max(final, key=lambda one: _rank(one[0]))
        return PlacedCell(self._cell(layout), best, layouts)

    def _judged(self, chosen: list[_Layout], judge: Judge, parts: Ints) -> Cell:
        """The cell that serves best: of many by a few parts, of the best of these by all.

        Then things are moved a little, ever again, as long as there are parts that it does not serve.
        """
        free = [number for number, part in enumerate(self.assembly.parts) if part.name not in self.assembly.fixed]
        some = sorted(free[k] for k in parts[:JUDGED_BY])
        few = [_served(judge(self._cell(layout), some)) for layout in chosen[:JUDGED]]
        final = [chosen[k] for k in np.argsort(-np.array(few), kind="stable")[:JUDGED_BY_ALL]]
        found = [judge(self._cell(layout), free) for layout in final]
        best = max(range(len(final)), key=lambda k: _served(found[k]))
        layout, served = final[best], found[best]
        for _ in range(MOVED):
            if all(served):
                break
            moved = self._moved(layout)
            if self._guesses([moved])[0] < 0:
                continue
            lacking = [part for part, arms in zip(free, served, strict=True) if not arms]
            if not any(judge(self._cell(moved), lacking)):
                continue
            if _served(again := judge(self._cell(moved), free)) > _served(served):
                layout, served = moved, again
        return self._cell(layout)

    def _moved(self, layout: _Layout) -> _Layout:
        """The same with one base or one feeder elsewhere by up to so much."""
        share, turn, far = MOVED_BY
        bases, feeders = layout.bases.copy(), layout.feeders.copy()
        one = int(self.rng.integers(len(bases) + len(feeders)))
        if one < len(bases):
            bases[one, 0] *= 1.0 + self.rng.uniform(-share, share)
            bases[one, 1] += self.rng.uniform(-turn, turn)
        else:
            feeders[one - len(bases)] += self.rng.uniform(-far, far, 2) * self.reach
        return _Layout(bases, feeders)

    def _tray(self) -> tuple[tuple[float, float], bool]:
        """The least square tray for all parts, or stations for one of them at a time where it would be too wide."""
        sizes = np.array([2 * part.radius_m for part in self._light()])
        heights = [float(np.ptp(reach_in_world(part)[:, 2])) for part in self._light()]
        if max(heights) - min(heights) > UNEVEN_M:
            largest = _to_cm(float(sizes.max()))
            return (largest, largest), True
        side = _to_cm(0.8 * float(np.sqrt(((sizes + 0.02) ** 2).sum())))
        while side <= TRAY_WITHIN * self.reach:
            here, spot = [np.eye(4)], self.room + 1e3  # somewhere else
            cell = made_cell(self.kind, here * self.count, here, (side, side), self.T_world_structure, spot)
            try:
                waiting_places(cell, self.assembly)
            except BadInput:
                side = _to_cm(1.05 * side)
            else:
                return (side, side), False
        largest = _to_cm(float(sizes.max()))
        return (largest, largest), True

    def _light(self) -> list[Part]:
        """Parts that the arm may carry; all where it may carry none."""
        _, arm, name = parsed_kind(self.kind)
        model, tool = arm_named(arm), tool_named(name)
        most = float("inf") if model.payload_kg is None else model.payload_kg - tool.mass_kg
        parts = [part for part in self.assembly.parts if part.name not in self.assembly.fixed]
        return [part for part in parts if part.mass_kg <= most] or parts

    def _drawn(self) -> _Layout:
        """Arms about the structure, not too near to each other; feeders beside them."""
        rng, even = self.rng, 360.0 / self.count
        first = rng.uniform(0.0, 360.0)
        turns = first + even * np.arange(self.count) + rng.uniform(-0.3, 0.3, self.count) * even
        nearest = self.radius + FOOT * self.reach
        distances = rng.uniform(nearest, max(nearest * 1.05, 0.8 * self.reach + 0.5 * self.radius), self.count)
        yaws = turns + 180.0 + rng.choice([-60.0, 0.0, 60.0], self.count)
        feeders = self.count if self.station else 1
        half = 0.5 * float(np.hypot(*self.tray))
        bases = np.column_stack([distances, turns, yaws])
        aside = rng.uniform(half + FOOT * self.reach, half + (FOOT + 0.5) * self.reach, feeders)
        beside = rng.uniform(0.0, 360.0, feeders)
        return _Layout(bases, _polar(bases[:feeders]) + _polar(np.column_stack([aside, beside])))

    def _guesses(self, layouts: Sequence[_Layout]) -> Array:
        """By layout, the share of places and feeders at a comfortable distance of some arm; −1 where things overlap."""
        bases = _polar(np.array([layout.bases for layout in layouts]))
        feeders = np.array([layout.feeders for layout in layouts])
        apart, own, among = _between(bases, feeders), _between(bases, bases), _between(feeders, feeders)
        own = own + 1e9 * np.eye(own.shape[1])
        among = among + 1e9 * np.eye(among.shape[1])
        half, foot = 0.5 * float(np.hypot(*self.tray)), FOOT * self.reach
        crowded = apart.min(axis=(1, 2)) < half + foot
        crowded |= (own.min(axis=(1, 2)) < 2 * foot) | (among.min(axis=(1, 2)) < 2 * half)
        crowded |= np.linalg.norm(feeders, axis=2).min(axis=1) < self.radius + half
        ways, apart = self._distances(bases) / self.reach, apart / self.reach
        good, near = (ways > NEAREST) & (ways < FARTHEST), (apart > NEAREST) & (apart < FARTHEST)
        guesses = good.any(axis=1).mean(axis=1) + good.mean(axis=(1, 2)) + near.any(axis=2).mean(axis=1)
        return np.where(crowded, -1.0, guesses - 0.1 * np.abs(ways - COMFORTABLE).mean(axis=(1, 2)))

    def _distances(self, bases: Array) -> Array:
        """(layouts, arms, parts) from bases to places; on a turntable, those it turns to that are most comfortable."""
        if not self.kind.endswith((TURNTABLE, POSITIONER)):
            return _between(bases, self.places[None, :, :2])
        out, far = np.linalg.norm(self.places[:, :2], axis=1), np.linalg.norm(bases, axis=2)[..., None]
        turned: Array = np.clip(COMFORTABLE * self.reach, np.abs(far - out), far + out)
        return turned

    def _cell(self, layout: _Layout) -> Cell:
        bases = [standing(*row) for row in layout.bases.tolist()]
        feeders = [np.eye(4) for _ in layout.feeders]
        for T, at in zip(feeders, layout.feeders, strict=True):
            T[:2, 3] = np.round(at, 3)
        return made_cell(self.kind, bases, feeders, self.tray, self.T_world_structure, self.room, self.station)

    def _covered(self, layout: _Layout, parts: Ints, side_by_side: bool = True) -> Coverage:
        checkpoint()
        if layout not in self._asked:  # several stages ask about one layout
            cell = self._cell(layout)
            self._asked[layout] = Wanted.of(cell, self.assembly), Worker.all_of(cell, self.assembly)
        wanted, workers = self._asked[layout]
        return wanted.coverage(workers, parts, side_by_side)

    def _score(self, layout: _Layout, parts: Ints) -> float:
        try:
            return _rank(self._covered(layout, parts, side_by_side=len(parts) > 4))
        except BadInput:  # a base in the structure: the layout is none
            return -1.0


def _rank(found: Coverage) -> float:
    """What a layout is chosen by: what can be built, then arms side by side, then how many arms reach each place."""
    together = 0.0 if found.side_by_side is None else found.side_by_side
    return 4.0 * float(found.covered.mean()) + 2.0 * found.share + together + float(found.places.mean())


def _served(arms: Sequence[int]) -> float:
    """The share of parts that some arm brings; a second arm counts a little."""
    return float(np.mean(np.array(arms) > 0) + SECOND * np.mean(np.array(arms) > 1))


def _to_cm(length_m: float) -> float:
    return float(np.ceil(100 * length_m)) / 100


def _polar(rows: Array) -> Array:
    """(…, 2) places from distances and directions in degrees."""
    turns = np.radians(rows[..., 1])
    found: Array = rows[..., :1] * np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    return found


def _between(ones: Array, others: Array) -> Array:
    """(k, a, b) distances of points (k, a, 2) from points (k, b, 2)."""
    apart: Array = np.linalg.norm(ones[:, :, None] - others[:, None], axis=3)
    return apart
