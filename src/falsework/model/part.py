"""One rigid part, where it goes in the assembly, and what it weighs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, freeze
from falsework.model.errors import BadPart
from falsework.model.mould import Mould
from falsework.model.poses import is_rigid
from falsework.model.shapes import BrickShape, Shape, corners
from falsework.model.travel import MadeAnew


@dataclass(frozen=True, slots=True)
class Material:
    """What a part is made of.

    >>> Material("oak", 700.0).density_kg_m3
    700.0
    """

    name: str = "unspecified"
    density_kg_m3: float = 1000.0


@dataclass(frozen=True, slots=True, eq=False)
class Part(MadeAnew):
    """A rigid part in its assembled pose.

    `T_world_part` maps part coordinates to the world's, m; `com_part_m` and `inertia_part_kgm2` are in the part's
    frame, the inertia about the centre of mass. Arrays may be given as lists. `falsework.make_part` computes mass,
    centre and inertia from the shape.

    >>> from falsework import box, make_part
    >>> stone = make_part("stone", box((0.2, 0.1, 0.1)), [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.5], [0, 0, 0, 1]])
    >>> stone.mass_kg, stone.com_world_m.tolist()
    (2.0000000000000004, [0.1, 0.05, 0.55])
    """

    name: str
    shape: Shape
    T_world_part: Array  # (4, 4) assembled pose
    mass_kg: float
    com_part_m: Array  # (3,) centre of mass in the part's frame
    inertia_part_kgm2: Array  # (3, 3) about the centre of mass, part axes
    material: Material = Material()
    color: str | None = None
    mould: Mould | None = None  # studs and holes of a part that is not of the catalogue

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and 0 < len(self.name) <= 1000):
            raise BadPart(str(self.name), "name", self.name, "a name of 1 to 1000 characters")
        if not 0 < self.mass_kg < math.inf:  # rejects NaN too
            raise BadPart(self.name, "mass_kg", self.mass_kg, "a positive number")
        try:
            freeze(self, T_world_part=(4, 4), com_part_m=(3,), inertia_part_kgm2=(3, 3))
        except ValueError as why:
            raise BadPart(self.name, "arrays", str(why), "numbers of the right shape") from why
        if not is_rigid(self.T_world_part):
            raise BadPart(self.name, "T_world_part", self.T_world_part.tolist(), "a rotation and a finite translation")
        if not all(map(math.isfinite, (*self.com_part_m.tolist(), *self.inertia_part_kgm2.ravel().tolist()))):
            raise BadPart(self.name, "com_part_m, inertia_part_kgm2", "a number that is not finite", "finite numbers")

    @property
    def com_world_m(self) -> Array:
        centre: Array = self.T_world_part[:3, :3] @ self.com_part_m + self.T_world_part[:3, 3]
        return centre

    @property
    def radius_m(self) -> float:
        """How far the part reaches from its centre of mass."""
        return float(np.linalg.norm(corners(self.shape) - self.com_part_m, axis=1).max())

    @property
    def is_brick(self) -> bool:
        """Of the catalogue: a box or a slope on a stud grid."""
        return isinstance(self.shape, BrickShape)

    @property
    def is_fitted(self) -> bool:
        """It has studs or holes, by the catalogue or by its mould."""
        return self.mould is not None or isinstance(self.shape, BrickShape)
