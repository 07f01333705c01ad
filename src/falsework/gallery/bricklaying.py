"""Bricks on a stud grid, for builders of the gallery."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.lattice import QUARTER_TURNS
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Ground
from falsework.model.catalogue import BrickType, brick_type, systems
from falsework.model.part import Part
from falsework.model.shapes import BrickShape


class Layout:
    """Bricks laid one after the other, named by running numbers."""

    def __init__(self, system: str = "system") -> None:
        self.measures = systems()[system]
        self.parts: list[Part] = []
        self._models: dict[BrickType, Part] = {}  # mass and inertia are worked out once a type

    def brick(self, length: int, width: int, x: int, y: int, layer: int, *, color: str | None = None) -> None:
        """A brick of `length` studs along x and `width` along y, its minimum corner at studs x, y, in a layer."""
        kind = BrickType(self.measures.name, "brick", length, width, self.measures.plates_per_brick)
        self.lay(kind, x, y, layer * kind.plates, color=color)

    def piece(self, name: str, x: int, y: int, plates: int, *, turns: int = 0, color: str | None = None) -> None:
        """Any catalogue part by name, turned by quarters, the minimum corner of its footprint at studs x, y."""
        prefix = "" if self.measures.name == "system" else f"{self.measures.name}:"
        self.lay(brick_type(prefix + name), x, y, plates, turns=turns, color=color)

    def lay(self, kind: BrickType, x: int, y: int, plates: int, *, turns: int = 0, color: str | None = None) -> None:
        turned = QUARTER_TURNS[turns % 4]
        shift = np.minimum(turned @ (kind.length, kind.width), 0)
        pose = np.eye(4)
        pose[:2, :2] = turned
        pose[:2, 3] = (np.array([x, y]) - shift) * self.measures.pitch_m
        pose[2, 3] = plates * self.measures.plate_m
        if kind not in self._models:
            self._models[kind] = make_part("model", BrickShape(kind), np.eye(4))
        name = str(len(self.parts) + 1)
        self.parts.append(replace(self._models[kind], name=name, T_world_part=pose, color=color))

    def on_baseplate(self) -> Assembly:
        return grounded(Assembly(tuple(self.parts)), Ground("baseplate"))
