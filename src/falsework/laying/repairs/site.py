"""The stud grid about a model, cell by cell: what is full, what stands open to studs and holes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.formats.basics.brick_parts import BrickMaker, grid_pose
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.lattice import Lattice, lattices
from falsework.model.arrays import Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickType
from falsework.model.part import Part

ROOM = 10  # studs about the model, and plates above it
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Placement:
    """A brick to be added: its kind, and the cell of its least corner in studs, studs, plates of the site."""

    kind: BrickType
    x: int
    y: int
    z: int

    @property
    def box(self) -> tuple[slice, slice, slice]:
        return (
            slice(self.x, self.x + self.kind.length),
            slice(self.y, self.y + self.kind.width),
            slice(self.z, self.z + self.kind.plates),
        )


class Site:
    """The cells of the largest upright grid of a model."""

    def __init__(self, assembly: Assembly, lattice: Lattice) -> None:
        self.assembly, self.lattice = assembly, lattice
        low, high = lattice.boxes()
        mine = lattice.bodies < len(assembly.parts)  # the ground reaches too far
        self.origin = low[mine].min(axis=0) - (ROOM, ROOM, 0)
        size = high[mine].max(axis=0) + ROOM - self.origin
        self.owner: Ints = np.full(tuple(size), NOBODY, dtype=np.int64)
        self.studs: Bools = np.zeros(tuple(size), dtype=bool)  # full cells that have a stud on top
        self.holes: Bools = np.zeros(tuple(size), dtype=bool)  # full cells that are open below
        for row, body in enumerate(lattice.bodies.tolist()):
            begin = np.maximum(low[row] - self.origin, 0)
            end = np.minimum(high[row] - self.origin, size)
            if (begin < end).all():
                self._fill(row, body, tuple(slice(a, b) for a, b in zip(begin.tolist(), end.tolist(), strict=True)))
        plate = lattice.bodies == len(assembly.parts)
        self.is_founded = bool(plate.any()) and assembly.ground.kind == "baseplate"
        self._maker = BrickMaker()

    def _fill(self, row: int, body: int, box: tuple[slice, ...]) -> None:
        kind = self.lattice.kinds[row]
        self.owner[box] = body
        self.holes[box[0], box[1], box[2].start] = kind.has_holes
        if kind.has_studs and kind.family != "slope":
            self.studs[box[0], box[1], box[2].stop - 1] = True

    def is_free(self, one: Placement) -> bool:
        """Whether it is within the site and nothing is where it would be."""
        inside = one.x >= 0 and one.y >= 0 and one.z >= 0
        inside &= one.x + one.kind.length <= self.owner.shape[0] and one.y + one.kind.width <= self.owner.shape[1]
        inside &= one.z + one.kind.plates <= self.owner.shape[2]
        return inside and bool((self.owner[one.box] == NOBODY).all())

    def below(self, one: Placement) -> dict[int, int]:
        """Bodies whose studs it would stand on, and how many; the ground is one more than all parts."""
        x, y, _ = one.box
        if one.z == 0:
            return {len(self.assembly.parts): one.kind.length * one.kind.width} if self.is_founded else {}
        return _counted(self.owner[x, y, one.z - 1][self.studs[x, y, one.z - 1]])

    def above(self, one: Placement) -> dict[int, int]:
        """Bodies whose holes its studs would enter, and how many."""
        x, y, z = one.box
        if z.stop >= self.owner.shape[2] or not one.kind.has_studs:
            return {}
        return _counted(self.owner[x, y, z.stop][self.holes[x, y, z.stop]])

    def with_added(self, several: tuple[Placement, ...], removed: frozenset[int] = frozenset()) -> Assembly:
        """The model with bricks more and without some parts; new ones are named fix-1, fix-2, …"""
        kept = [part for number, part in enumerate(self.assembly.parts) if number not in removed]
        taken = {part.name for part in self.assembly.parts}
        names = (f"fix-{number}" for number in range(1, 10_000))
        free = (name for name in names if name not in taken)
        added = [self._made(next(free), one) for one in several]
        loads = tuple(load for load in self.assembly.loads if load.part in {part.name for part in kept})
        changed = self.assembly.changed(parts=(*kept, *added), loads=loads, ground_part=None, steps=())
        return grounded(changed, self.assembly.ground)

    def _made(self, name: str, one: Placement) -> Part:
        pitch, plate = self.lattice.measures.pitch_m, self.lattice.measures.plate_m
        x, y, z = np.array([one.x, one.y, one.z]) + self.origin
        pose = self.lattice.T_world_lattice @ grid_pose(one.kind, (x * pitch, y * pitch, z * plate))
        return replace(self._maker.part(name, one.kind, pose), name=name)


def _counted(bodies: Ints) -> dict[int, int]:
    found, counts = np.unique(bodies[bodies >= 0], return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def site_of(assembly: Assembly) -> Site | None:
    """The site of the upright grid that most bricks are on; None where there is none."""
    upright = [grid for grid in lattices(assembly) if grid.T_world_lattice[2, 2] > 0.999999]
    upright = [grid for grid in upright if (grid.bodies < len(assembly.parts)).any()]
    return Site(assembly, max(upright, key=lambda grid: len(grid.bodies))) if upright else None
