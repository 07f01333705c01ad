"""Bricks as whole numbers of studs and plates, for formats that count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.shapes.lattice import ANGLE_TOLERANCE, QUARTER_TURNS
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput, shown
from falsework.model.part import Part
from falsework.model.shapes import BrickShape

OFF_GRID = 1e-6  # of a stud or plate: further off, and reading back would move the brick


@dataclass(frozen=True, slots=True)
class GridBrick:
    """A brick upright on the world's stud grid; the place is that of its footprint's minimum corner."""

    part: Part
    kind: BrickType
    x: int
    y: int
    plates: int
    turns: int

    @property
    def sides(self) -> tuple[int, int]:
        """Studs along the world's x and y."""
        return (self.kind.length, self.kind.width) if self.turns % 2 == 0 else (self.kind.width, self.kind.length)


def on_grid(assembly: Assembly, system: str, name: str) -> list[GridBrick]:
    """All parts as bricks of one make on the world's grid; BadInput names the first that is not, and the format."""
    return [_placed(part, system, name) for part in assembly.parts]


def brick_kind(part: Part, system: str, name: str) -> BrickType:
    """The catalogue entry of a part that must be a brick of this make."""
    if not isinstance(part.shape, BrickShape):
        raise BadInput(f"{name} holds bricks only; part {shown(part.name)} is a {type(part.shape).__name__.lower()}")
    if part.shape.kind.system != system:
        raise BadInput(f"{name} holds {system} bricks only; part {shown(part.name)} is a {part.shape.kind}")
    return part.shape.kind


def _placed(part: Part, system: str, name: str) -> GridBrick:
    kind = brick_kind(part, system, name)
    T = part.T_world_part
    turns = round(np.arctan2(T[1, 0], T[0, 0]) / (np.pi / 2)) % 4
    turned = np.eye(3)
    turned[:2, :2] = QUARTER_TURNS[turns]
    if np.abs(T[:3, :3] - turned).max() > ANGLE_TOLERANCE:
        raise BadInput(f"{name} holds upright bricks in quarter turns; part {shown(part.name)} is tilted or turned")
    low = np.minimum(QUARTER_TURNS[turns] @ (kind.length, kind.width), 0)
    measures = kind.measures
    cells = T[:3, 3] / (measures.pitch_m, measures.pitch_m, measures.plate_m)
    whole = np.rint(cells)
    if np.abs(cells - whole).max() > OFF_GRID:
        raise BadInput(
            f"{name} counts whole studs and plates from the origin; part {shown(part.name)} is off that grid"
        )
    x, y, plates = (int(value) for value in whole)
    return GridBrick(part, kind, x + int(low[0]), y + int(low[1]), plates, turns)
