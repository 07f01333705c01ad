"""All that can be in an arm's way, numbered: bodies of the assembly, the cell's own, and parts that wait on trays.

One mask then says what is there at a moment: what is installed, the cell, and what still waits.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.convex_pieces import rough_pieces_of
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.robots.cell import Cell
from falsework.model.robots.tilting import UPRIGHT, Stance
from falsework.model.shapes import Shape
from falsework.robots.cells.feeding import Waiting, waiting_places
from falsework.robots.collision.bodies import Piece, bodies_of, joined
from falsework.robots.collision.surroundings import Surroundings


class Site:
    """An assembly in a cell, complete, with the parts also where they wait."""

    def __init__(self, cell: Cell, assembly: Assembly, stance: Stance = UPRIGHT) -> None:
        """`stance`: how the cell's turntable, if it has one, stands."""
        self.cell, self.assembly, self.stance = cell, assembly, stance
        turned = np.eye(4) if cell.rotary is None else cell.rotary.turned(*stance)
        self.T_world_assembly: Array = turned @ cell.T_world_structure
        self.places: dict[str, tuple[Waiting, ...]] = waiting_places(cell, assembly)
        around = Surroundings.of(cell, assembly, self.T_world_assembly, stance)
        self._first = len(around.names)  # of the numbers of what waits
        trays = {feeder.name for feeder in cell.feeders if feeder.kind == "tray"}
        pieces, names, self._on_trays = [], list(around.names), 0
        for number, part in enumerate(assembly.parts):
            for place in self.places.get(part.name, ()):
                if place.feeder in trays:
                    self._on_trays |= 1 << number
                    pieces += _placed(part.shape, place.T_world_part, self._first + number)
            names.append(f"{part.name} that waits")
        bodies = joined(around.bodies, bodies_of(pieces))
        mounts = np.concatenate([around.mounts, np.zeros(len(pieces), bool)])
        self.around = Surroundings(tuple(names), bodies, mounts, around.parts)
        self.always = around.cell_mask | assembly.fixed_mask()  # what never leaves
        own = assembly.ground_part
        same = own is not None and assembly.ground.kind == "table" and cell.table is not None
        self.turning = {body.name for body in assembly.bodies if not (same and body is own)}  # with a turntable
        self.solids = [bodies_of(_placed(body.shape, np.eye(4), 0)) for body in assembly.bodies]

    def present(self, installed: int, carried: int) -> int:
        """What is there while a part (a number) is brought onto what is installed."""
        waiting = self._on_trays & ~installed & ~(1 << carried)
        return installed | self.always | waiting << self._first

    def own(self, part: int) -> int:
        """The bits of a part, in its place and where it waits."""
        return 1 << part | 1 << (self._first + part)

    def place_of(self, part: int) -> Array:
        """(4, 4) T_world_part of a part in its place."""
        placed: Array = self.T_world_assembly @ self.assembly.parts[part].T_world_part
        return placed

    def told(self, mask: int, most: int = 3) -> str:
        """The bodies of a mask in words."""
        names = [name for number, name in enumerate(self.around.names) if mask >> number & 1]
        more = f" and {len(names) - most} more" if len(names) > most else ""
        return ", ".join(names[:most]) + more


def _placed(shape: Shape, T: Array, owner: int) -> list[Piece]:
    return [Piece(one.vertices @ T[:3, :3].T + T[:3, 3], 0.0, 0, owner) for one in rough_pieces_of(shape).all]
