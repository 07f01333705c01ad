"""Bricks as the judges know them: measures, where studs are gripped, which bricks are joined and which only touch.

The published facts: pitch 8 mm, plates of 3.2 mm, studs of 4.8 mm by 1.7 mm. A stud is gripped at four points on the
axes under a brick that is one stud wide; otherwise by the walls beside it and, on the diagonals away from these, by
tubes: three points under the rim, four inside. All sides of bricks are without friction among themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tests.adversary.solids import Solid, box

PITCH, PLATE, STUD_RADIUS, STUD_HEIGHT = 0.008, 0.0032, 0.0024, 0.0017
POINT_N = {False: 0.56, True: 0.70}  # what a point holds, by whether the upper brick is one stud wide
CLUTCH_FRICTION = 0.2
_AXES = ((-1, 0), (1, 0), (0, -1), (0, 1))
_DIAGONALS = ((-1, -1), (1, -1), (-1, 1), (1, 1))


@dataclass(frozen=True, eq=False)
class Brick:
    """A brick, plate or tile on the grid: the corner of its footprint in studs, studs and plates."""

    name: str
    kind: str  # brick_2x4, plate_1x6, tile_2x2
    at: tuple[int, int, int]
    turned: bool = False  # by a quarter
    mass: float = 2e-3
    fixed: bool = False

    @cached_property
    def sides(self) -> tuple[int, int, int]:
        """Studs along x and y, plates along z."""
        family, length, width = re.fullmatch(r"([a-z]+)_(\d+)x(\d+)", self.kind).groups()  # type: ignore[union-attr]
        plan = (int(width), int(length)) if self.turned else (int(length), int(width))
        return (*plan, 3 if family == "brick" else 1)

    @property
    def has_studs(self) -> bool:
        return not self.kind.startswith("tile")

    @property
    def narrow(self) -> bool:
        return min(self.sides[:2]) == 1

    @property
    def low(self) -> np.ndarray:
        return np.array(self.at)

    @property
    def high(self) -> np.ndarray:
        return self.low + self.sides

    @cached_property
    def solids(self) -> tuple[Solid, ...]:
        """The body without its studs."""
        unit = np.array([PITCH, PITCH, PLATE])
        return (box(self.low * unit, np.array(self.sides) * unit),)

    @property
    def weight_and_centre(self) -> tuple[float, np.ndarray]:
        return self.mass, self.solids[0].corners.mean(axis=0)

    def quarter_turned(self) -> Brick:
        """About the vertical through the origin."""
        x, y, z = self.at
        return replace(self, at=(-y - self.sides[1], x, z), turned=not self.turned)

    def studs(self) -> np.ndarray:
        """(n, 3) centres of the tops of its studs."""
        if not self.has_studs:
            return np.zeros((0, 3))
        cells = np.array(list(np.ndindex(self.sides[0], self.sides[1]))) + 0.5 + self.low[:2]
        top = self.high[2] * PLATE + STUD_HEIGHT
        return np.column_stack([cells * PITCH, np.full(len(cells), top)])

    def written(self) -> dict[str, Any]:
        fixed = {"fixed": True} if self.fixed else {}
        turn = 90 if self.turned else 0
        return {"brick": self.kind, "studs": list(self.at), "turn": turn, "mass": self.mass, **fixed}


@dataclass(frozen=True, eq=False)
class Clutch:
    """Studs of one brick in another: where they are gripped, in the world."""

    lower: str
    upper: str
    origin: np.ndarray  # (3,) the centre of the rectangle in which the faces press on each other
    points: np.ndarray  # (m, 2) from the origin, along x and y
    inward: np.ndarray  # (m, 2) unit, into the stud
    half: np.ndarray  # (2,) of the pressed rectangle
    point_n: float

    @property
    def corners(self) -> np.ndarray:
        """(4, 2) of the pressed rectangle."""
        return np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) * self.half


def clutch(lower_name: str, upper: Brick, low: np.ndarray, high: np.ndarray) -> Clutch:
    """The grip of a brick on the studs between two corners (in studs) under it."""
    middle = (low + high) / 2
    points, inward = [], []
    for x in range(int(low[0]), int(high[0])):
        for y in range(int(low[1]), int(high[1])):
            for way in _gripped(upper, x, y):
                points.append((np.array([x + 0.5, y + 0.5]) - middle) * PITCH + STUD_RADIUS * way)
                inward.append(-way)
    origin = np.array([middle[0] * PITCH, middle[1] * PITCH, upper.at[2] * PLATE])
    half = (high - low) * PITCH / 2
    return Clutch(lower_name, upper.name, origin, np.array(points), np.array(inward), half, POINT_N[upper.narrow])


def _gripped(upper: Brick, x: int, y: int) -> list[np.ndarray]:
    """Unit directions from the middle of a stud to where it is gripped."""
    if upper.narrow:
        return [np.array(way, dtype=float) for way in _AXES]
    (left, front, _), (right, back, _) = upper.low, upper.high
    walls = [
        way for way, there in zip(_AXES, (x == left, x == right - 1, y == front, y == back - 1), strict=True) if there
    ]
    tubes = [way for way in _DIAGONALS if all(way[0] * wall[0] + way[1] * wall[1] < 0 for wall in walls)]
    return [np.array(wall, dtype=float) for wall in walls] + [np.array(tube) / np.sqrt(2) for tube in tubes]


def joints(bricks: list[Brick], baseplate: int | None) -> list[Clutch]:
    """All clutches among bricks, and of those at the height of a baseplate, in plates, with it."""
    found = []
    for upper in bricks:
        for lower in bricks:
            low, high = np.maximum(lower.low, upper.low)[:2], np.minimum(lower.high, upper.high)[:2]
            if lower.has_studs and lower.high[2] == upper.low[2] and (low < high).all():
                found.append(clutch(lower.name, upper, low, high))
    return found + [clutch("ground", one, one.low[:2], one.high[:2]) for one in bricks if one.at[2] == baseplate]


@dataclass(frozen=True, eq=False)
class Face:
    """Where two bricks touch without a clutch."""

    first: str
    second: str
    points: np.ndarray  # (4, 3)
    normal: np.ndarray  # from the first into the second
    upright: bool  # one lies on the other


def faces(bricks: list[Brick]) -> list[Face]:
    """Sides that touch, and bricks on tiles."""
    found = []
    unit = np.array([PITCH, PITCH, PLATE])
    for one in bricks:
        for other in bricks:
            for axis in range(3):
                if one.high[axis] != other.low[axis] or (axis == 2 and one.has_studs):
                    continue
                low, high = np.maximum(one.low, other.low), np.minimum(one.high, other.high)
                u, v = (axis + 1) % 3, (axis + 2) % 3
                if low[u] >= high[u] or low[v] >= high[v]:
                    continue
                points = np.repeat(low[None].astype(float), 4, axis=0)
                points[:, axis] = one.high[axis]
                points[(1, 2), u], points[(2, 3), v] = high[u], high[v]
                found.append(Face(one.name, other.name, points * unit, np.eye(3)[axis], axis == 2))
    return found
