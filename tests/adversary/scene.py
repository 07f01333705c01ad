"""What a case is made of: blocks, bricks, hinges and loads, and how it is written down for falsework.

A scene is in world coordinates throughout. The ways in which it can be changed without changing the answer are methods
here; `writing` turns it into the document that falsework reads.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.adversary.brick_grid import Brick
from tests.adversary.solids import Solid, random_turn

GRAVITY = (0.0, 0.0, -9.81)
MOST = 9e5  # files may have numbers up to a million


class Unclear(Exception):
    """A case whose answer hangs on tolerances: something nearly touches, or overlaps; another one is drawn."""


@dataclass(frozen=True, eq=False)
class Block:
    """A part made of convex solids; weighs by its density unless a mass is given."""

    name: str
    solids: tuple[Solid, ...]
    density: float = 1000.0
    mass: float | None = None
    fixed: bool = False

    @property
    def weight_and_centre(self) -> tuple[float, np.ndarray]:
        """Mass in kg and where its centre is."""
        volumes, centres = zip(*(solid.volume_and_centre for solid in self.solids), strict=True)
        total = sum(volumes)
        centre = sum(volume * at for volume, at in zip(volumes, centres, strict=True)) / total
        return (self.density * total if self.mass is None else self.mass), centre

    def undersides(self, slack: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """What of its lowest face surely bears on studs, and what may: polygons (n, 2)."""
        lowest = min(float(solid.corners[:, 2].min()) for solid in self.solids)
        flat = [solid.corners[solid.corners[:, 2] < lowest + slack][:, :2] for solid in self.solids]
        flat = [one for one in flat if len(one) > 2]
        return flat, flat


@dataclass(frozen=True, eq=False)
class LooseBrick(Block):
    """A brick off every grid, level: its walls bear, and what is between them may."""

    kind: str = "brick_2x4"
    WALL = 1e-3  # m, less than any brick's

    def undersides(self, slack: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        low, high = self.solids[0].corners.min(axis=0)[:2], self.solids[0].corners.max(axis=0)[:2]
        walls = []
        for axis in (0, 1):
            for wall_low, wall_high in ((low[axis], low[axis] + self.WALL), (high[axis] - self.WALL, high[axis])):
                corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
                corners[:, axis] = np.where(corners[:, axis] == low[axis], wall_low, wall_high)
                walls.append(corners)
        return walls, [np.array([low, (high[0], low[1]), high, (low[0], high[1])])]


@dataclass(frozen=True, eq=False)
class Load:
    part: str
    force: np.ndarray
    at: np.ndarray | None = None  # None: at the centre of mass


@dataclass(frozen=True, eq=False)
class Hinge:
    first: str
    second: str
    at: np.ndarray
    axis: np.ndarray


@dataclass(frozen=True, eq=False)
class Scene:
    """One assembly. `ground` is none, table or baseplate."""

    parts: tuple[Block | Brick, ...]
    friction: float = 0.55
    gravity: np.ndarray = dataclasses.field(default_factory=lambda: np.array(GRAVITY))
    loads: tuple[Load, ...] = ()
    hinges: tuple[Hinge, ...] = ()
    ground: str = "none"
    allow_overlap: float = 0.0
    slivers: bool = False  # narrow contacts are meant
    table_friction: float | None = None  # the table's own
    held: tuple[str, ...] = ()  # parts that the question has held by hands
    absent: tuple[str, ...] = ()  # parts that the question leaves out
    units: str = "m"

    @property
    def has_bricks(self) -> bool:
        return any(isinstance(part, Brick) for part in self.parts)

    @property
    def has_capacities(self) -> bool:
        """Whether anything in it does not grow with gravity."""
        return self.has_bricks or bool(self.loads)

    def changed(self, **fields: Any) -> Scene:
        return dataclasses.replace(self, **fields)

    def turned(self, turn: np.ndarray, shift: np.ndarray | None = None) -> Scene:
        """The same elsewhere: parts, gravity, loads and hinges together."""
        by = np.zeros(3) if shift is None else shift
        blocks = [
            dataclasses.replace(part, solids=tuple(solid.moved(turn, by) for solid in part.solids))
            for part in self.parts
        ]
        loads = [Load(one.part, turn @ one.force, None if one.at is None else turn @ one.at + by) for one in self.loads]
        hinges = [Hinge(one.first, one.second, turn @ one.at + by, turn @ one.axis) for one in self.hinges]
        return self.changed(parts=tuple(blocks), gravity=turn @ self.gravity, loads=tuple(loads), hinges=tuple(hinges))

    def quarter_turned(self) -> Scene:
        """About the vertical, bricks and all."""
        turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
        blocks = self.changed(parts=tuple(part for part in self.parts if isinstance(part, Block))).turned(turn)
        moved = {part.name: part for part in blocks.parts} | {
            part.name: part.quarter_turned() for part in self.parts if isinstance(part, Brick)
        }
        return blocks.changed(parts=tuple(moved[part.name] for part in self.parts))

    def scaled(self, factor: float) -> Scene:
        """The same in another size: weights and loads go with the cube."""
        blocks = [
            dataclasses.replace(
                part,
                solids=tuple(solid.scaled(factor) for solid in part.solids),
                mass=None if part.mass is None else part.mass * factor**3,
            )
            for part in self.parts
        ]
        loads = [
            Load(one.part, one.force * factor**3, None if one.at is None else one.at * factor) for one in self.loads
        ]
        hinges = [Hinge(one.first, one.second, one.at * factor, one.axis) for one in self.hinges]
        overlap = self.allow_overlap * factor
        return self.changed(parts=tuple(blocks), loads=tuple(loads), hinges=tuple(hinges), allow_overlap=overlap)

    def heavier(self, factor: float) -> Scene:
        """All masses times a factor, forces along with them."""
        parts = []
        for part in self.parts:
            if isinstance(part, Brick) or part.mass is not None:
                parts.append(dataclasses.replace(part, mass=part.mass * factor))
            else:
                parts.append(dataclasses.replace(part, density=part.density * factor))
        return self.changed(
            parts=tuple(parts), loads=tuple(Load(one.part, one.force * factor, one.at) for one in self.loads)
        )

    def under(self, factor: float) -> Scene:
        """In stronger or weaker gravity, forces along with it."""
        loads = tuple(Load(one.part, one.force * factor, one.at) for one in self.loads)
        return self.changed(gravity=self.gravity * factor, loads=loads)

    def within_limits(self) -> Scene:
        """Lighter, forces along, if numbers in it are larger than files may have; strengths of bricks forbid it."""
        numbers = [float(np.abs(load.force).max()) for load in self.loads]
        numbers += [part.density if part.mass is None else part.mass for part in self.parts if isinstance(part, Block)]
        largest = max(numbers, default=0.0) / MOST
        if largest <= 1 or self.has_bricks:
            return self
        return self.heavier(1 / largest)

    def fits(self) -> bool:
        """Whether its lengths are such as files may have."""
        places = [
            np.abs(np.array(self.bounds())).max(),
            *(np.abs(load.at).max() for load in self.loads if load.at is not None),
        ]
        return max(places) < MOST

    def in_order(self, order: np.ndarray) -> Scene:
        return self.changed(parts=tuple(self.parts[k] for k in order))

    def size(self) -> float:
        """The diagonal of everything."""
        low, high = self.bounds()
        return float(np.linalg.norm(high - low))

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        corners = np.concatenate([solid.corners for part in self.parts for solid in part.solids])
        return corners.min(axis=0), corners.max(axis=0)

    def asked(self) -> Scene:
        """What is left to judge: held parts do not move, absent ones are not there."""
        parts = [dataclasses.replace(part, fixed=part.fixed or part.name in self.held) for part in self.parts]
        return self.changed(parts=tuple(part for part in parts if part.name not in self.absent))

    def options(self) -> dict[str, tuple[str, ...]]:
        """The question, as `check` takes it."""
        both = {"held": self.held, "absent": self.absent}
        return {name: names for name, names in both.items() if names}

    def document(self, rng: np.random.Generator | None = None) -> dict[str, Any]:
        """As falsework reads it; with a generator, parts are written in frames of their own."""
        unit = {"m": 1.0, "mm": 1e-3}[self.units]
        ground = self.ground if self.table_friction is None else f"{self.ground}:{self.table_friction!r}"
        found: dict[str, Any] = {"format": "falsework-assembly/1", "ground": ground, "friction": self.friction}
        found["gravity"] = self.gravity.tolist()
        if self.units != "m":
            found["units"] = self.units
        if self.allow_overlap:
            found["allow_overlap"] = self.allow_overlap / unit
        found["parts"] = [_part(part, unit, rng) for part in self.parts]
        if self.loads:
            found["loads"] = [_load(load, unit) for load in self.loads]
        if self.hinges:
            found["hinges"] = [
                {"parts": [one.first, one.second], "at": (one.at / unit).tolist(), "axis": one.axis.tolist()}
                for one in self.hinges
            ]
        return json.loads(json.dumps(found))  # plain numbers


def _load(load: Load, unit: float) -> dict[str, Any]:
    where = {} if load.at is None else {"at": (load.at / unit).tolist()}
    return {"part": load.part, "force": load.force.tolist(), **where}


def _part(part: Block | Brick, unit: float, rng: np.random.Generator | None) -> dict[str, Any]:
    found: dict[str, Any] = {"name": part.name}
    if isinstance(part, Brick):
        return {**found, **part.written()}
    if part.mass is None:
        found["density"] = part.density
    else:
        found["mass"] = part.mass
    if part.fixed:
        found["fixed"] = True
    return {**found, **_shape(part, unit, rng)}


def _shape(part: Block, unit: float, rng: np.random.Generator | None) -> dict[str, Any]:
    solids = part.solids
    if isinstance(part, LooseBrick):
        corner, next_one = solids[0].corners[:2]
        turn = 90 * round(float(np.arctan2(*(next_one - corner)[1::-1])) / (np.pi / 2)) % 360
        return {"brick": part.kind, "at": (corner / unit).tolist(), "turn": turn}
    if len(solids) == 1 and solids[0].box is not None and (rng is None or rng.random() < 0.5):
        low, sides = solids[0].box
        return {"box": (sides / unit).tolist(), "at": (low / unit).tolist()}
    pose: dict[str, Any] = {}
    if rng is not None and rng.random() < 0.3:
        turn, shift = random_turn(rng), solids[0].corners[0]
        solids = tuple(Solid((solid.corners - shift) @ turn, solid.faces) for solid in solids)
        pose = {"pose": np.column_stack([turn, shift / unit]).tolist()}
    shapes = [
        {"vertices": (one.corners / unit).tolist(), "faces": [list(loop) for loop in one.faces]} for one in solids
    ]
    return {"polyhedron": shapes[0], **pose} if len(shapes) == 1 else {"pieces": shapes, **pose}
