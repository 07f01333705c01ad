"""Interfaces of an assembly that lies on a table before it is complete.

Parts whose place is below the table's top are not there as long as it lies so: they touch nothing then, and are in
nobody's way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.placed_solids import diameter
from falsework.geometry.shapes.studs import reach_in_world
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces

SUNK = 1e-6  # of the assembly's size


def interfaces_on_table(assembly: Assembly) -> Interfaces:
    """The interfaces between the ground part, whose top is its upper side, and all parts above it."""
    table = assembly.ground_part
    assert table is not None, "it lies on something"
    up = table.T_world_part[:3, 2]
    top = float((reach_in_world(table) @ up).max()) - SUNK * diameter(assembly)
    kept = [number for number, part in enumerate(assembly.parts) if float((reach_in_world(part) @ up).min()) >= top]
    if len(kept) == len(assembly.parts):
        return interfaces(assembly)
    if not kept:
        return Interfaces.none()
    names = {assembly.parts[number].name for number in kept}
    joints = interfaces(
        assembly.changed(
            parts=tuple(assembly.parts[number] for number in kept),
            fixed=assembly.fixed & names,
            loads=(),
            hinges=tuple(hinge for hinge in assembly.hinges if {hinge.first, hinge.second} <= names),
        )
    )
    numbers = np.array([*kept, len(assembly.parts)])
    return Interfaces(
        replace(joints.patches, bodies=numbers[joints.patches.bodies]),
        replace(joints.clutches, bodies=numbers[joints.clutches.bodies]),
        replace(joints.hinges, bodies=numbers[joints.hinges.bodies]),
        replace(joints.ambiguous, bodies=numbers[joints.ambiguous.bodies]),
    )
