"""Parts and assemblies from solids."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from falsework.gallery.cad.workpieces import Solid, finished
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Ground
from falsework.model.part import Material, Part

STEEL, ALUMINIUM = Material("steel", 7850.0), Material("aluminium", 2700.0)


def part(name: str, solid: Solid, *, steel: bool = False) -> Part:
    """A part where its solid is."""
    return make_part(name, finished(solid), np.eye(4), material=STEEL if steel else ALUMINIUM)


def on_table(parts: Iterable[Part]) -> Assembly:
    return grounded(Assembly(tuple(parts)), Ground("table"))
