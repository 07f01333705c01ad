"""One rigid part, where it goes in the assembly, and what it weighs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, freeze
from falsework.model.errors import BadPart
from falsework.model.shapes import BrickShape, Shape

ORTHONORMAL = 1e-6  # how far RᵀR may be from the identity


@dataclass(frozen=True, slots=True)
class Material:
    """What a part is made of."""

    name: str = "unspecified"
    density_kg_m3: float = 1000.0


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A rigid part in its assembled pose."""

    name: str
    shape: Shape
    T_world_part: Array  # (4, 4) assembled pose
    mass_kg: float
    com_part_m: Array  # (3,) centre of mass in the part's frame
    inertia_part_kgm2: Array  # (3, 3) about the centre of mass, part axes
    material: Material = Material()
    color: str | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and 0 < len(self.name) <= 1000):
            raise BadPart(str(self.name), "name", self.name, "a name of 1 to 1000 characters")
        if not 0 < self.mass_kg < np.inf:  # rejects NaN too
            raise BadPart(self.name, "mass_kg", self.mass_kg, "a positive number")
        try:
            freeze(self, T_world_part=(4, 4), com_part_m=(3,), inertia_part_kgm2=(3, 3))
        except ValueError as why:
            raise BadPart(self.name, "arrays", str(why), "numbers of the right shape") from why
        self._check_pose()

    def _check_pose(self) -> None:
        T = self.T_world_part
        if not np.isfinite(T).all():
            raise BadPart(self.name, "T_world_part", "a number that is not finite", "finite numbers")
        R = T[:3, :3]
        if np.abs(R.T @ R - np.eye(3)).max() > ORTHONORMAL or np.linalg.det(R) < 0:
            raise BadPart(self.name, "T_world_part", R.tolist(), "a rotation in its upper left 3x3")
        if not np.isfinite(self.com_part_m).all() or not np.isfinite(self.inertia_part_kgm2).all():
            raise BadPart(self.name, "com_part_m, inertia_part_kgm2", "a number that is not finite", "finite numbers")

    @property
    def com_world_m(self) -> Array:
        centre: Array = self.T_world_part[:3, :3] @ self.com_part_m + self.T_world_part[:3, 3]
        return centre

    @property
    def is_brick(self) -> bool:
        return isinstance(self.shape, BrickShape)
