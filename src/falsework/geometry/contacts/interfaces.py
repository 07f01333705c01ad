"""Every interface of an assembly, and the components they make of it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from falsework.geometry.contacts.brickfaces import brick_overlaps
from falsework.geometry.contacts.corners import CornerContacts
from falsework.geometry.contacts.curved.doubtful import DoubtfulContacts
from falsework.geometry.contacts.curved.finder import CurvedContacts
from falsework.geometry.contacts.fitted import FittedContacts
from falsework.geometry.contacts.flat.planar import PlanarContacts
from falsework.geometry.contacts.grid_contacts import BrickContacts, grid_groups
from falsework.geometry.contacts.keeping import kept_of
from falsework.geometry.contacts.offgrid import refuse_studs_off_grid
from falsework.geometry.contacts.overlap import refuse
from falsework.geometry.shapes.fittings import fitted_pairs
from falsework.geometry.shapes.lattice import lattices
from falsework.geometry.shapes.linking import components_of
from falsework.model.arrays import Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.checkpoints import checkpoint
from falsework.model.errors import Overlap
from falsework.model.interfaces import Clutches, Hinges, Interfaces, Patches
from falsework.model.ports import ContactFinder

log = logging.getLogger(__name__)
FINDERS: tuple[ContactFinder, ...] = (
    BrickContacts(),
    FittedContacts(),
    CurvedContacts(),
    PlanarContacts(),
    CornerContacts(),
    DoubtfulContacts(),
)


def interfaces(assembly: Assembly, finders: Sequence[ContactFinder] = FINDERS) -> Interfaces:
    """Contacts, clutches and hinges of an assembly; parts that share space are refused.

    The finders are asked in order, each told what those before it have found. A hinge is all that acts between the
    two parts that share it.

    Points and normals are in world axes, m.

    >>> from falsework import load
    >>> joints = interfaces(load("examples/bridge.txt"))
    >>> len(joints.patches), len(joints.clutches)
    (5, 16)
    """
    if tuple(finders) != FINDERS:
        joints, notes = _joints(assembly, finders)
    else:
        joints, notes = kept_of(assembly, "interfaces", lambda: _joints(assembly, finders))
    for note in notes:
        log.warning(note)
    return joints


def _joints(assembly: Assembly, finders: Sequence[ContactFinder]) -> tuple[Interfaces, tuple[str, ...]]:
    """All joints, and what is to be told about how they were found."""
    refuse_studs_off_grid(assembly, lattices(assembly), fitted_pairs(assembly))
    _refuse_brick_overlaps(assembly)
    checkpoint()
    notes = () if assembly.as_drawn else refuse(assembly, grid_groups(assembly))
    joints = Interfaces(Patches.none(), Clutches.none(), _hinges(assembly))
    for finder in finders:
        checkpoint()
        joints = joints.joined(finder.find(assembly, joints))
    return in_order(_without_hinged(joints)), notes


def components(assembly: Assembly, joints: Interfaces) -> int:
    """How many separate things it is, the ground included with what it carries.

    Clutches and hinges join; a contact joins unless it is between two bricks, which it cannot hold together.
    """
    is_fitted = np.array([body.is_fitted for body in assembly.bodies])
    pairs = joints.patches.bodies
    pairs = pairs[~is_fitted[pairs].all(axis=1)]
    pairs = np.concatenate([pairs, joints.clutches.bodies, joints.hinges.bodies])
    return 1 + int(components_of(len(assembly.bodies), *pairs.T).max(initial=-1))


def _refuse_brick_overlaps(assembly: Assembly) -> None:
    found = [overlap for grid in lattices(assembly) for overlap in brick_overlaps(grid)]
    deep = [overlap for overlap in found if overlap[2] > assembly.allow_overlap_m]
    if deep:
        first, second, depth = max(deep, key=lambda overlap: overlap[2])
        names = [assembly.bodies[number].name for number in (first, second)]
        raise Overlap(names[0], names[1], depth, assembly.allow_overlap_m)


def _without_hinged(joints: Interfaces) -> Interfaces:
    """Without contacts between parts that share a hinge."""
    if not len(joints.hinges):
        return joints
    hinged = {tuple(sorted(pair)) for pair in joints.hinges.bodies.tolist()}

    def free(bodies: Ints) -> Bools:
        return np.array([(a, b) not in hinged for a, b in bodies.tolist()], dtype=bool)

    patches, ambiguous = joints.patches, joints.ambiguous
    return Interfaces(
        patches.chosen(free(patches.bodies)),
        joints.clutches,
        joints.hinges,
        ambiguous.chosen(free(ambiguous.bodies)),
        tuple(contact for contact in joints.curved if contact.bodies not in hinged),
    )


def in_order(joints: Interfaces) -> Interfaces:
    """Sorted by body numbers; the finders' own order within a pair."""
    patches, ambiguous = joints.patches, joints.ambiguous
    return Interfaces(
        patches.chosen(np.lexsort((patches.bodies[:, 1], patches.bodies[:, 0]))),
        joints.clutches,
        joints.hinges,
        ambiguous.chosen(np.lexsort((ambiguous.bodies[:, 1], ambiguous.bodies[:, 0]))),
        tuple(sorted(joints.curved, key=lambda contact: contact.bodies)),
    )


def _hinges(assembly: Assembly) -> Hinges:
    pairs = [(assembly.index[hinge.first], assembly.index[hinge.second]) for hinge in assembly.hinges]
    points = [hinge.point_m for hinge in assembly.hinges]
    axes = [hinge.axis for hinge in assembly.hinges]
    return Hinges(np.reshape(pairs, (-1, 2)), np.reshape(points, (-1, 3)), np.reshape(axes, (-1, 3)))
