"""Bricks on a common stud grid, in whole numbers.

Bricks of one make whose poses differ by whole studs, whole plates and quarter turns share a lattice. On it
every question about touching is a question about rectangles of integers, answered by sorting cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from falsework.geometry.shapes.rectangles import Rectangles
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickSystem, BrickType, systems
from falsework.model.shapes import BrickShape

PLACE_TOLERANCE = 1e-3  # of a stud or plate: how far from a whole number a brick may sit
ANGLE_TOLERANCE = 1e-4  # rad
QUARTER_TURNS: Ints = np.array([[[1, 0], [0, 1]], [[0, -1], [1, 0]], [[-1, 0], [0, -1]], [[0, 1], [-1, 0]]])


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Bricks of one stud grid. x and y count studs, z counts plates, from the first brick's frame."""

    measures: BrickSystem
    T_world_lattice: Array  # (4, 4)
    bodies: Ints  # (m,) body numbers
    kinds: tuple[BrickType, ...]  # (m,)
    origins: Ints  # (m, 3) of the bricks' frames
    turns: Ints  # (m,) quarter turns of the bricks about z

    def local_rectangles(self, low: Ints, high: Ints) -> tuple[Ints, Ints]:
        """Rectangles given in the bricks' frames, (m, 2) corners, as lower and upper corners on the lattice."""
        turned = QUARTER_TURNS[self.turns]
        first = np.einsum("mij,mj->mi", turned, low) + self.origins[:, :2]
        second = np.einsum("mij,mj->mi", turned, high) + self.origins[:, :2]
        return np.minimum(first, second), np.maximum(first, second)

    def footprints(self) -> tuple[Ints, Ints]:
        """(m, 2), (m, 2) the bricks' extents in studs."""
        sizes = np.array([(kind.length, kind.width) for kind in self.kinds])
        return self.local_rectangles(np.zeros_like(sizes), sizes)

    def heights(self) -> tuple[Ints, Ints]:
        """(m,), (m,) bottoms and tops in plates."""
        bottoms = self.origins[:, 2]
        return bottoms, bottoms + np.array([kind.plates for kind in self.kinds])

    def boxes(self) -> tuple[Ints, Ints]:
        """(m, 3), (m, 3) lower and upper corners of the bodies."""
        low, high = self.footprints()
        bottom, top = self.heights()
        return np.column_stack([low, bottom]), np.column_stack([high, top])

    def stud_rectangles(self) -> Rectangles:
        """Where studs stand, at the height of the tops."""
        chosen = np.flatnonzero([kind.has_studs for kind in self.kinds])
        sizes = np.array([(kind.flat, kind.width) for kind in self.kinds])
        low, high = self.local_rectangles(np.zeros_like(sizes), sizes)
        return Rectangles(chosen, self.heights()[1][chosen], low[chosen], high[chosen])

    def bottom_rectangles(self) -> Rectangles:
        """The undersides, at the height of the bottoms; holes open in all of them but a baseplate's."""
        low, high = self.footprints()
        return Rectangles(np.arange(len(self.bodies)), self.heights()[0], low, high)

    def are_boxes(self) -> Bools:
        """(m,) whether the body fills its bounding box."""
        return np.array([kind.family != "slope" for kind in self.kinds], dtype=bool)

    def to_world(self, points: Array) -> Array:
        """(…, 3) lattice coordinates in studs, studs, plates -> metres in the world."""
        scale = np.array([self.measures.pitch_m, self.measures.pitch_m, self.measures.plate_m])
        world: Array = (points * scale) @ self.T_world_lattice[:3, :3].T + self.T_world_lattice[:3, 3]
        return world


@lru_cache(maxsize=2)  # every finder of contacts asks
def lattices(assembly: Assembly) -> tuple[Lattice, ...]:
    """The assembly's bricks, grouped by the stud grids they share, in order of each grid's first brick."""
    found = []
    shapes = [body.shape for body in assembly.bodies]
    kinds = {number: shape.kind for number, shape in enumerate(shapes) if isinstance(shape, BrickShape)}
    for name, measures in systems().items():
        waiting = np.array([number for number, kind in kinds.items() if kind.system == name], dtype=np.int64)
        while len(waiting):
            lattice, fits = _lattice_of_first(assembly, kinds, measures, waiting)
            found.append(lattice)
            waiting = waiting[~fits]
    return tuple(sorted(found, key=lambda lattice: int(lattice.bodies[0])))


def grids_of(assembly: Assembly, grids: tuple[Lattice, ...]) -> Ints:
    """(bodies,) the stud grid that each brick is on, −1 for all other parts."""
    number = np.full(len(assembly.bodies), -1)
    for k, grid in enumerate(grids):
        number[grid.bodies] = k
    return number


def _lattice_of_first(
    assembly: Assembly, kinds: dict[int, BrickType], measures: BrickSystem, bodies: Ints
) -> tuple[Lattice, Bools]:
    """The stud grid of the first body, and which of the bodies are on it."""
    T_world_lattice = assembly.poses[bodies[0]]
    R = T_world_lattice[:3, :3]
    turned = np.einsum("ji,njk->nik", R, assembly.poses[bodies, :3, :3])
    shifted = (assembly.poses[bodies, :3, 3] - T_world_lattice[:3, 3]) @ R
    cells = shifted / np.array([measures.pitch_m, measures.pitch_m, measures.plate_m])
    origins = np.rint(np.clip(cells, -(2.0**53), 2.0**53))
    angles = np.arctan2(turned[:, 1, 0], turned[:, 0, 0])
    turns = np.rint(angles / (np.pi / 2))
    upright = turned[:, 2, 2] > np.cos(ANGLE_TOLERANCE)
    square = np.abs(angles - turns * (np.pi / 2)) < ANGLE_TOLERANCE
    fits = upright & square & (np.abs(cells - origins) < PLACE_TOLERANCE).all(axis=1)
    fits[0] = True
    chosen = bodies[fits]
    whole = origins[fits].astype(np.int64)
    turned_by = turns[fits].astype(np.int64) % 4
    return Lattice(measures, T_world_lattice, chosen, tuple(kinds[n] for n in chosen.tolist()), whole, turned_by), fits
