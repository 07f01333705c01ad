"""Interfaces of an assembly that lies on a table before it is complete.

Parts whose place is below the table's top are not there as long as it lies so: they touch nothing then, and are in
nobody's way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.geometry.contacts.interfaces import in_order, interfaces
from falsework.geometry.contacts.keeping import is_large, kept_of
from falsework.geometry.shapes.placed_solids import diameter
from falsework.geometry.shapes.studs import reach_in_world
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import STANDARD_GRAVITY, Assembly, Ground
from falsework.model.interfaces import Interfaces

SUNK = 1e-6  # of the assembly's size
LIFTED = 2e-2  # of it: parts that are higher above a table do not touch it


def interfaces_on_table(assembly: Assembly) -> Interfaces:
    """The interfaces between the ground part, whose top is its upper side, and all parts above it."""
    table = assembly.ground_part
    assert table is not None, "it lies on something"
    up = table.T_world_part[:3, 2]
    top = float((reach_in_world(table) @ up).max()) - SUNK * diameter(assembly)
    kept = [number for number, part in enumerate(assembly.parts) if float((reach_in_world(part) @ up).min()) >= top]
    if len(kept) == len(assembly.parts):
        if is_large(assembly):
            return kept_of(assembly, "on table", lambda: _with_table(assembly, top, up))
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
    return _renumbered(joints, np.array([*kept, len(assembly.parts)]))


def _with_table(assembly: Assembly, top: float, up: Array) -> Interfaces:
    """The same for large assemblies: parts touch each other as they do without a table, which is asked part by part."""
    bare = assembly.changed(ground=Ground(), ground_part=None, gravity=np.array(STANDARD_GRAVITY), loads=())
    joints = interfaces(bare)
    reach = top + LIFTED * diameter(assembly)
    for number, part in enumerate(assembly.parts):
        if float((reach_in_world(part) @ up).min()) <= reach:
            alone = assembly.changed(parts=(part,), fixed=assembly.fixed & {part.name}, loads=(), hinges=())
            joints = joints.joined(_renumbered(interfaces(alone), np.array([number, len(assembly.parts)])))
    return in_order(joints)


def _renumbered(joints: Interfaces, numbers: Ints) -> Interfaces:
    """With other numbers of bodies."""
    return Interfaces(
        replace(joints.patches, bodies=numbers[joints.patches.bodies]),
        replace(joints.clutches, bodies=numbers[joints.clutches.bodies]),
        replace(joints.hinges, bodies=numbers[joints.hinges.bodies]),
        replace(joints.ambiguous, bodies=numbers[joints.ambiguous.bodies]),
        tuple(replace(one, bodies=(int(numbers[one.bodies[0]]), int(numbers[one.bodies[1]]))) for one in joints.curved),
    )
