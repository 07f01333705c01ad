"""Bricks on a stud grid, made quickly: mass and inertia are worked out once per type."""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.model.part import Part
from falsework.model.shapes import BrickShape

# Cosine and sine of quarter turns, exactly.
QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))


class BrickMaker:
    """Makes parts of catalogue bricks; bricks of one type and mass share everything but name, pose and colour."""

    def __init__(self) -> None:
        self._models: dict[tuple[BrickType, float | None], Part] = {}

    def part(
        self, name: str, kind: BrickType, pose: Array, *, mass_kg: float | None = None, color: str | None = None
    ) -> Part:
        """A brick in a pose; `mass_kg` where it is not the catalogue's."""
        model = self._models.get((kind, mass_kg))
        if model is None:
            model = make_part(name, BrickShape(kind), np.eye(4), mass_kg=mass_kg)
            self._models[kind, mass_kg] = model
        return Part(
            name, model.shape, pose, model.mass_kg, model.com_part_m, model.inertia_part_kgm2, model.material, color
        )


def footprint(kind: BrickType, turns: int) -> tuple[int, int]:
    """Studs along the grid's x and y of a brick turned by quarter turns about z."""
    return (kind.length, kind.width) if turns % 2 == 0 else (kind.width, kind.length)


def grid_pose(kind: BrickType, corner_m: tuple[float, float, float], turns: int = 0) -> Array:
    """T_world_part of a brick turned about z whose footprint's minimum corner stands at `corner_m`."""
    pose = quarter_turn(turns)
    along_x, along_y = (studs * kind.measures.pitch_m for studs in footprint(kind, turns))
    # The corner of the part that ends up at the footprint's minimum is not the part's origin once it is turned.
    shift_x = (0.0, along_x, along_x, 0.0)[turns % 4]
    shift_y = (0.0, 0.0, along_y, along_y)[turns % 4]
    pose[:3, 3] = corner_m[0] + shift_x, corner_m[1] + shift_y, corner_m[2]
    return pose


def quarter_turn(turns: int) -> Array:
    """A rotation by quarter turns about z, (4, 4), without rounding."""
    cosine, sine = QUARTERS[turns % 4]
    pose = np.eye(4)
    pose[:2, :2] = (cosine, -sine), (sine, cosine)
    return pose
