"""The CAD benchmark: a hundred assemblies of 3 to 50 parts, the same on every machine.

It stands for seed 001's 240 assemblies, which cannot be had. Small ones are a little more frequent than large ones, as
there: half have up to 24 parts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from falsework.gallery.cad.declared import Declared, Made
from falsework.gallery.cad.generator import FEWEST, MOST, cad_assembly
from falsework.geometry.contacts.ground import grounded
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground

COUNT, SKEW = 100, 1.15
# Quarter turns that bring each side of the assembly up in turn: its top, its bottom, and the other four.
SIDES = tuple(
    np.array(rows, dtype=float)
    for rows in (
        ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
        ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
        ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
        ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
        ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
    )
)


@dataclass(frozen=True, slots=True)
class CadSpecimen:
    """One assembly of the set, as somebody filed it: any of its sides may be up, nothing of it is fixed.

    >>> specimen = cad_set()[0]
    >>> specimen.name, len(specimen.make().parts), specimen.declared.feasible
    ('cad-001', 3, True)
    """

    name: str
    seed: int
    parts: int
    up: int = 0  # which of `SIDES` the file's z axis is along

    def made(self) -> Made:
        """The assembly as it lies on a table, and the truth about it."""
        return cad_assembly(np.random.default_rng(self.seed), self.parts)

    @property
    def T_filed_made(self) -> Array:
        """From the frame in which it was made, and in which its ways are declared, to that of the file."""
        pose = np.eye(4)
        pose[:3, :3] = SIDES[self.up]
        return pose

    def make(self) -> Assembly:
        """As filed, standing on nothing: planners find out how it should lie."""
        loose = grounded(self.made().assembly, Ground("none"))
        turn = self.T_filed_made
        parts = [replace(part, T_world_part=turn @ part.T_world_part) for part in loose.parts]
        return loose.changed(parts=tuple(parts))

    @property
    def declared(self) -> Declared:
        return self.made().declared


@cache
def cad_set() -> tuple[CadSpecimen, ...]:
    """The set, from few parts to many."""
    counts = [FEWEST + round((MOST - FEWEST) * (k / (COUNT - 1)) ** SKEW) for k in range(COUNT)]
    return tuple(CadSpecimen(f"cad-{k:03}", k, parts, k % len(SIDES)) for k, parts in enumerate(counts, start=1))
