"""Interfaces of an assembly that lies on a table before it is complete.

Parts whose place is below the table's top are not there as long as it lies so: they touch nothing then, and are in
nobody's way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.geometry.contacts.interfaces import in_order, interfaces
from falsework.geometry.contacts.keeping import is_large, kept_of, triangles_of
from falsework.geometry.shapes.placed_solids import diameter
from falsework.geometry.shapes.studs import reach_in_world
from falsework.model.arrays import Bools, Ints
from falsework.model.assembly import STANDARD_GRAVITY, Assembly, Ground
from falsework.model.interfaces import Hinges, Interfaces

SUNK = 1e-6  # of the assembly's size
LIFTED = 2e-2  # of it: parts that are higher above a table do not touch it
FEW = 2_000  # triangles: with fewer, to find all joints again takes less than to ask about the table part by part


def interfaces_on_table(assembly: Assembly, among: Interfaces | None = None) -> Interfaces:
    """The interfaces between the ground part, whose top is its upper side, and all parts above it.

    `among`: those of the parts without a table, where they are known; then only the table is asked about, if that is
    less work.
    """
    table = assembly.ground_part
    assert table is not None, "it lies on something"
    up = table.T_world_part[:3, 2]
    lowest = np.array([float((reach_in_world(part) @ up).min()) for part in assembly.parts])
    top = float((reach_in_world(table) @ up).max()) - SUNK * diameter(assembly)
    kept = np.flatnonzero(lowest >= top)
    near = kept[lowest[kept] <= top + LIFTED * diameter(assembly)]
    if among is not None and triangles_of(assembly) >= FEW:
        return _with_table(assembly, _of_some(among, kept), near)
    if len(kept) == len(assembly.parts):
        if is_large(assembly):
            return kept_of(assembly, "on table", lambda: _with_table(assembly, _without_table(assembly), near))
        return interfaces(assembly)
    if not len(kept):
        return Interfaces.none()
    return _renumbered(interfaces(_chosen(assembly, kept)), np.array([*kept, len(assembly.parts)]))


def _without_table(assembly: Assembly) -> Interfaces:
    return interfaces(assembly.changed(ground=Ground(), ground_part=None, gravity=np.array(STANDARD_GRAVITY), loads=()))


def _with_table(assembly: Assembly, among: Interfaces, near: Ints) -> Interfaces:
    """Parts touch each other as they do without a table, which is asked about part by part."""
    joints = among
    for number in near:
        alone = interfaces(_chosen(assembly, near[near == number]))
        joints = joints.joined(_renumbered(alone, np.array([number, len(assembly.parts)])))
    return in_order(joints)


def _chosen(assembly: Assembly, kept: Ints) -> Assembly:
    """Some of the parts, on the same table."""
    names = {assembly.parts[number].name for number in kept}
    return assembly.changed(
        parts=tuple(assembly.parts[number] for number in kept),
        fixed=assembly.fixed & names,
        loads=(),
        hinges=tuple(hinge for hinge in assembly.hinges if {hinge.first, hinge.second} <= names),
    )


def _of_some(joints: Interfaces, kept: Ints) -> Interfaces:
    """The joints between some of the bodies, none of them a clutch."""

    def both(bodies: Ints) -> Bools:
        return np.asarray(np.isin(bodies, kept).all(axis=1))

    hinges, there = joints.hinges, both(joints.hinges.bodies)
    return Interfaces(
        joints.patches.chosen(both(joints.patches.bodies)),
        joints.clutches,
        Hinges(hinges.bodies[there], hinges.points[there], hinges.axes[there]),
        joints.ambiguous.chosen(both(joints.ambiguous.bodies)),
        tuple(one for one in joints.curved if np.isin(one.bodies, kept).all()),
    )


def _renumbered(joints: Interfaces, numbers: Ints) -> Interfaces:
    """With other numbers of bodies."""
    return Interfaces(
        replace(joints.patches, bodies=numbers[joints.patches.bodies]),
        replace(joints.clutches, bodies=numbers[joints.clutches.bodies]),
        replace(joints.hinges, bodies=numbers[joints.hinges.bodies]),
        replace(joints.ambiguous, bodies=numbers[joints.ambiguous.bodies]),
        tuple(replace(one, bodies=(int(numbers[one.bodies[0]]), int(numbers[one.bodies[1]]))) for one in joints.curved),
    )
