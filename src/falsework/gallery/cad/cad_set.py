"""The CAD benchmark: a hundred assemblies of 3 to 50 parts, the same on every machine.

It stands for seed 001's 240 assemblies, which cannot be had. Small ones are a little more frequent than large ones, as
there: half have up to 20 parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from falsework.gallery.cad.declared import Declared, Made
from falsework.gallery.cad.generator import FEWEST, MOST, cad_assembly
from falsework.geometry.contacts.ground import grounded
from falsework.model.assembly import Assembly, Ground

COUNT, SKEW = 100, 1.4


@dataclass(frozen=True, slots=True)
class CadSpecimen:
    """One assembly of the set; nothing of it is fixed, and it stands on nothing, so that it may be turned over.

    >>> specimen = cad_set()[0]
    >>> specimen.name, len(specimen.make().parts), specimen.declared.feasible
    ('cad-001', 3, True)
    """

    name: str
    seed: int
    parts: int

    def made(self) -> Made:
        """The assembly as it lies on a table, and the truth about it."""
        return cad_assembly(np.random.default_rng(self.seed), self.parts)

    def make(self) -> Assembly:
        return grounded(self.made().assembly, Ground("none"))

    @property
    def declared(self) -> Declared:
        return self.made().declared


@cache
def cad_set() -> tuple[CadSpecimen, ...]:
    """The set, from few parts to many."""
    counts = [FEWEST + round((MOST - FEWEST) * (k / (COUNT - 1)) ** SKEW) for k in range(COUNT)]
    return tuple(CadSpecimen(f"cad-{k:03}", k, parts) for k, parts in enumerate(counts, start=1))
