"""What arms may run into: the bodies of an assembly where they stand in the cell, and what the cell itself has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.shapes.convex_pieces import rough_pieces_of
from falsework.model.arrays import Array, Bools, frozen
from falsework.model.assembly import Assembly
from falsework.model.robots.cell import ROTARY, Cell, Rotary
from falsework.model.robots.tilting import UPRIGHT, Stance
from falsework.model.shapes import box
from falsework.model.travel import MadeAnew
from falsework.robots.collision.bodies import Bodies, Piece, bodies_of
from falsework.robots.kinematics.chain import Chain

WORLD = np.eye(4)[None, None, :3]  # (1, 1, 3, 4) the pose of what stands


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings(MadeAnew):
    """Bodies that stand, numbered: those of the assembly as it numbers them, then the table and the obstacles.

    >>> from falsework import new_cell
    >>> Surroundings.of(new_cell("two-panda")).names
    ('table',)
    """

    names: tuple[str, ...]
    bodies: Bodies
    mounts: Bools  # (pieces,) what a base may stand on
    parts: int  # how many of the numbers are bodies of the assembly

    def __post_init__(self) -> None:
        object.__setattr__(self, "mounts", frozen(self.mounts, (None,), np.bool_))

    @staticmethod
    def of(
        cell: Cell,
        assembly: Assembly | None = None,
        T_world_assembly: Array | None = None,
        stance: Stance = UPRIGHT,
    ) -> Surroundings:
        """All bodies of an assembly, complete, where it stands in a cell, and the cell's own.

        The assembly's own table is left out where the cell has one: it is the same. `T_world_assembly` says where it
        stands if not at the cell's place, `stance` how the plate of a positioner does.
        """
        T = cell.T_world_structure if T_world_assembly is None else T_world_assembly
        bodies = () if assembly is None else assembly.bodies
        pieces: list[Piece] = []
        for number, body in enumerate(bodies):
            same_table = assembly is not None and body is assembly.ground_part and assembly.ground.kind == "table"
            if same_table and cell.table is not None:
                continue
            pose = T @ body.T_world_part
            pieces += [
                Piece(one.vertices @ pose[:3, :3].T + pose[:3, 3], 0.0, 0, number)
                for one in rough_pieces_of(body.shape).all
            ]
        names = [body.name for body in bodies]
        mounts = [False] * len(pieces)
        if cell.table is not None:
            pieces.append(Piece(table_corners(cell), 0.0, 0, len(names)))
            mounts.append(True)
            names.append("table")
        for obstacle in cell.obstacles:
            pose = obstacle.T_world_obstacle
            solid = [one.vertices @ pose[:3, :3].T + pose[:3, 3] for one in rough_pieces_of(obstacle.shape).all]
            pieces += [Piece(corners, 0.0, 0, len(names)) for corners in solid]
            mounts += [True] * len(solid)
            names.append(obstacle.name)
        if cell.rotary is not None and cell.rotary.tilt is not None:
            pieces.append(Piece(plate_corners(cell.rotary, stance), 0.0, 0, len(names)))
            mounts.append(False)
            names.append(ROTARY)
        return Surroundings(tuple(names), bodies_of(pieces), np.array(mounts, bool), len(bodies))

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The convex pieces of all bodies, in the world."""
        parts = np.split(self.bodies.points, self.bodies.starts[1:-1])
        return tuple(
            Piece(points, float(radius), 0, int(owner))
            for points, radius, owner in zip(parts, self.bodies.radii, self.bodies.owner, strict=True)
        )

    @property
    def words(self) -> int:
        """Of 64 bits each, that hold a bit for every body."""
        return max(1, -(-len(self.names) // 64))

    @property
    def cell_mask(self) -> int:
        """Bits of what the cell itself has."""
        return ((1 << len(self.names)) - 1) & ~((1 << self.parts) - 1)


def table_corners(cell: Cell) -> Array:
    """(8, 3) of the cell's table."""
    assert cell.table is not None
    x, y = cell.table.size_m
    corner = np.array(cell.table.top_m) - (x / 2, y / 2, cell.table.thickness_m)
    corners: Array = box((x, y, cell.table.thickness_m)).vertices + corner
    return corners


def plate_corners(rotary: Rotary, stance: Stance) -> Array:
    """(k, 3) of a positioner's plate as it stands."""
    assert rotary.tilt is not None
    T = rotary.turned(*stance)
    corners: Array = (rotary.tilt.plate_m + rotary.centre_m) @ T[:3, :3].T + T[:3, 3]
    return corners


def standing_chain() -> Chain:
    """A chain without joints, for what does not move."""
    none = np.zeros(0)
    eye = np.ascontiguousarray(np.eye(4)[:3])
    axes, steps = np.zeros((0, 3)), np.zeros((1, 3))
    return Chain(eye, np.zeros((0, 3, 4)), np.zeros(0, np.int64), eye, none, none, axes, steps, np.eye(3), none)
