"""The contact finder of stud grids: clutches, and the faces of bricks that share a grid, in whole numbers."""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.brickfaces import brick_patches
from falsework.geometry.contacts.clutches import clutches_of
from falsework.geometry.shapes.lattice import lattices
from falsework.model.arrays import Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Clutches, Interfaces, Patches


class BrickContacts:
    """Clutches and faces of bricks on one grid.

    Bricks are a little narrower than their cells, so those that meet in an edge of the grid do not touch.
    """

    def find(self, assembly: Assembly, known: Interfaces) -> Interfaces:
        """All of them: nobody else looks at bricks that share a grid."""
        grids = lattices(assembly)
        if not grids:
            return Interfaces.none()
        clutches = Clutches.joined([table for grid in grids if len(table := clutches_of(assembly, grid))])
        patches = Patches.joined([brick_patches(grid, assembly.friction) for grid in grids])
        return Interfaces(patches, clutches, known.hinges)


def grid_groups(assembly: Assembly) -> Ints:
    """(bodies,) the grid on which a body is a box, −1 for all others: pairs of one grid were found in whole numbers."""
    groups = np.full(len(assembly.bodies), -1)
    for number, grid in enumerate(lattices(assembly)):
        groups[grid.bodies[grid.are_boxes()]] = number
    return groups
