"""How much of an assembly a cell can build, as far as reach goes: places of parts, feeders, arms side by side.

A part is covered if an arm that may lift it can work at its place, from one of several directions, without touching
itself, the table, obstacles or other arms' bases, and the same arm, or another, can take it up where it waits. Parts in
each other's way are not asked about: that is planning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from falsework.model.answers import NotTrueOrFalse
from falsework.model.arrays import Array, Bools, Ints, frozen
from falsework.model.assembly import Assembly
from falsework.model.robots.cell import Cell, Rotary
from falsework.model.travel import MadeAnew
from falsework.robots.cells.feeding import waiting_places
from falsework.robots.cells.reaching import Worker
from falsework.robots.cells.wanted_poses import DIRECTIONS, approaches, at_points
from falsework.robots.collision.collisions import clashes

GRID = (5, 5, 4)  # points of the room of a structure, and of a feeder's face, that are asked about
SIDE_BY_SIDE = 3  # neighbours of each part with which it is asked whether two arms can work at both
ABOVE_M = 0.06  # the height above a feeder's face that is asked about
TRIES = 6  # positions of each arm at a place, of which two must not clash
TURNS_RAD = np.radians([60, -60, 120, -120, 180])  # of a turntable at which a place is asked about, beside 0


@dataclass(frozen=True, slots=True, eq=False)
class Coverage(MadeAnew, NotTrueOrFalse):
    """What a cell's arms reach, as shares of 1.

    `places` and `feeders` have a row for each arm, in the cell's order: which parts (or points) it works at.

    >>> from falsework import new_cell
    >>> coverage(new_cell("two-panda")).unreached
    ()
    """

    ASK_INSTEAD = ".share"

    names: tuple[str, ...]  # of parts, or of points
    places: Bools  # (arms, parts) can work there
    feeders: Bools  # (arms, parts) can take it up; for a bare cell, as many points of the feeders
    lifted: Bools  # (arms, parts) may carry it
    side_by_side: float | None = None  # share of neighbouring parts at which two arms can work at once

    def __post_init__(self) -> None:
        for name in ("places", "feeders", "lifted"):
            object.__setattr__(self, name, frozen(getattr(self, name), (None, len(self.names)), np.bool_))

    @property
    def covered(self) -> Bools:
        """(parts,) one arm reaches place and feeder, and may carry it."""
        flags: Bools = np.any(self.places & self.feeders & self.lifted, axis=0)
        return flags

    @property
    def share(self) -> float:
        """Of all (part, its place) and (part, where it waits), those that some arm reaches."""
        return float(0.5 * (self.places.any(axis=0).mean() + self.feeders.any(axis=0).mean()))

    @property
    def unreached(self) -> tuple[str, ...]:
        """Parts that no arm both takes up and places."""
        return tuple(name for name, there in zip(self.names, self.covered, strict=True) if not there)

    @property
    def too_heavy(self) -> tuple[str, ...]:
        """Parts that no arm may carry."""
        light: Bools = np.any(self.lifted, axis=0)
        return tuple(name for name, may in zip(self.names, light, strict=True) if not may)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "share": self.share,
            "places": float(self.places.any(axis=0).mean()),
            "feeders": float(self.feeders.any(axis=0).mean()),
            "covered": float(self.covered.mean()),
            "side_by_side": self.side_by_side,
            "unreached": list(self.unreached),
            "too_heavy": list(self.too_heavy),
        }


def coverage(cell: Cell, assembly: Assembly | None = None) -> Coverage:
    """What a cell reaches of an assembly; without one, of the room for a structure and of its feeders.

    >>> from falsework import new_cell
    >>> coverage(new_cell("two-panda")).share > 0.5
    True
    """
    workers = Worker.all_of(cell, assembly)
    if assembly is None:
        return _of_room(cell, workers)
    wanted = Wanted.of(cell, assembly)
    return wanted.coverage(workers, wanted.all)


class Wanted:
    """Poses at which the parts of an assembly are placed and taken up in a cell, for each arm's tool."""

    def __init__(
        self, assembly: Assembly, T_world_structure: Array, waiting: dict[str, list[Array]], rotary: Rotary | None
    ) -> None:
        self.assembly, self.T_world_structure, self.waiting = assembly, T_world_structure, waiting
        self._turns = turns_of(rotary)
        self.parts = [part for part in assembly.parts if part.name not in assembly.fixed]
        centres = np.array([part.com_world_m for part in self.parts]).reshape(-1, 3)
        apart = np.linalg.norm(centres[:, None] - centres[None], axis=2) + 1e9 * np.eye(len(centres))
        self.neighbours = np.argsort(apart, axis=1, kind="stable")[:, : min(SIDE_BY_SIDE, max(0, len(centres) - 1))]

    @staticmethod
    def of(cell: Cell, assembly: Assembly) -> Wanted:
        places = waiting_places(cell, assembly)
        waiting = {k: [one.T_world_part for one in v] for k, v in places.items()}
        return Wanted(assembly, cell.T_world_structure, waiting, cell.rotary)

    @property
    def all(self) -> Ints:
        """The numbers of all parts that are not fixed."""
        return np.arange(len(self.parts), dtype=np.int64)

    def coverage(self, workers: list[Worker], chosen: Ints, side_by_side: bool = True) -> Coverage:
        """Of some of the parts."""
        parts = [self.parts[k] for k in chosen]
        tries = TRIES if side_by_side and len(workers) > 1 else 1
        positions, taken, placed = [], [], []
        for worker in workers:
            tool = worker.placed.tool
            at = [approaches(part, self.T_world_structure @ part.T_world_part, tool) for part in parts]
            positions.append(worker.positions(np.array(at), tries))
            placed.append(_reached_turned(worker, np.array(at), positions[-1][1] > 0, self._turns))
            rows = [np.concatenate([approaches(p, T, tool) for T in self.waiting[p.name]]) for p in parts]
            taken.append(_reached(worker, rows))
        return Coverage(
            tuple(part.name for part in parts),
            np.array(placed),
            np.array(taken),
            np.array([[worker.lifts(part.mass_kg) for part in parts] for worker in workers]),
            self._side_by_side(workers, positions, chosen) if side_by_side and len(workers) > 1 else None,
        )

    def _side_by_side(self, workers: list[Worker], positions: list[tuple[Array, Ints]], chosen: Ints) -> float | None:
        """Share of neighbouring parts (i, j) for which two arms have positions at i and at j that do not clash."""
        row = {int(k): place for place, k in enumerate(chosen)}
        pairs = [(row[k], row[int(j)]) for k in row for j in self.neighbours[k] if int(j) in row]
        if not pairs:
            return None
        good = 0
        for i, j in pairs:
            good += any(
                self._together(workers, positions, a, i, b, j)
                for a in range(len(workers))
                for b in range(len(workers))
                if a != b
            )
        return good / len(pairs)

    @staticmethod
    def _together(workers: list[Worker], positions: list[tuple[Array, Ints]], a: int, i: int, b: int, j: int) -> bool:
        (first, some), (second, others) = positions[a], positions[b]
        if not (some[i] and others[j]):
            return False
        met = clashes(workers[a].bodies, first[i, : some[i]], workers[b].bodies, second[j, : others[j]])
        return not bool(met.all())


def _reached(worker: Worker, rows: list[Array]) -> Bools:
    """(p,) for places that have different numbers of poses: the last is repeated."""
    longest = max(len(row) for row in rows)
    filled = [np.concatenate([row, np.repeat(row[-1:], longest - len(row), axis=0)]) for row in rows]
    return worker.reaches(np.array(filled))


def turns_of(rotary: Rotary | None) -> list[Array]:
    """(4, 4) each: by which a turntable moves what stands on it, to the angles that are asked about beside 0."""
    if rotary is None:
        return []
    return [rotary.turned(angle) for angle in TURNS_RAD if rotary.lower - 1e-9 <= angle <= rotary.upper + 1e-9]


def _reached_turned(worker: Worker, poses: Array, reached: Bools, turns: list[Array]) -> Bools:
    """(p,) which places with poses (p, k, 4, 4) are reached, at 0 or after one of some turns."""
    for turn in turns:
        missing = np.flatnonzero(~reached)
        if len(missing):
            reached[missing] = worker.reaches(turn @ poses[missing])
    return reached


def _of_room(cell: Cell, workers: list[Worker]) -> Coverage:
    points = room_points(cell)
    faces = np.concatenate([_face_points(cell, k) for k in range(len(cell.feeders))])
    taken = faces[np.round(np.linspace(0, len(faces) - 1, len(points))).astype(int)]
    names = tuple(f"{x:.3f}, {y:.3f}, {z:.3f}" for x, y, z in points)
    turns = turns_of(cell.rotary)
    places = np.array([_reached_turned(w, _around(points), w.reaches(_around(points)), turns) for w in workers])
    fed = np.array([w.reaches(_around(taken)) for w in workers])
    return Coverage(names, places, fed, np.ones_like(places))


def _around(points: Array) -> Array:
    """(p, k, 4, 4) poses of a hand at points (p, 3) from all directions."""
    return np.array([at_points(np.repeat(point[None], len(DIRECTIONS), axis=0)) for point in points])


def room_points(cell: Cell) -> Array:
    """(k, 3) points of the room that the structure may fill, the middle layer of each cell of a grid."""
    low, high = np.array([[-0.2, -0.2, 0.0], [0.2, 0.2, 0.4]]) if cell.room_m is None else cell.room_m
    steps = [(np.arange(count) + 0.5) / count for count in GRID]
    grid = low + np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 3) * (high - low)
    placed: Array = grid @ cell.T_world_structure[:3, :3].T + cell.T_world_structure[:3, 3]
    return placed


def _face_points(cell: Cell, number: int) -> Array:
    """(k, 3) points just above the face of a feeder."""
    feeder = cell.feeders[number]
    if feeder.kind == "station":
        grid = np.array([[0.0, 0.0]])
    else:
        steps = [(np.arange(count) + 0.5) / count - 0.5 for count in GRID[:2]]
        grid = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 2) * feeder.size_m
    raised = np.column_stack([grid, np.full(len(grid), ABOVE_M)])
    placed: Array = raised @ feeder.T_world_feeder[:3, :3].T + feeder.T_world_feeder[:3, 3]
    return placed
