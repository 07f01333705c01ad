"""An arm of a cell asked where it can work: for many places, positions that reach them and touch nothing."""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.convex_pieces import rough_pieces_of
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.poses import inverse
from falsework.model.robots.cell import Cell, CellArm
from falsework.robots.cells.covering import free_positions
from falsework.robots.cells.wanted_poses import ROLLS
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.bodies import Piece, bodies_of
from falsework.robots.collision.collisions import MARGIN_M
from falsework.robots.collision.surroundings import Surroundings
from falsework.robots.collision.touching import in_the_way
from falsework.robots.kinematics.kinematics import Kinematics

FREE = 8  # angles of a seventh joint at which a place is looked at


class Worker:
    """One arm of a cell with all that stands around it, other arms' bases and an assembly's fixed parts among it.

    >>> from falsework import new_cell
    >>> worker = Worker.all_of(new_cell("two-panda"))[0]
    >>> down = np.diag([1.0, -1.0, -1.0, 1.0])
    >>> down[2, 3] = 0.1
    >>> worker.positions(down[None, None])[1].tolist()
    [1]
    """

    def __init__(self, cell: Cell, placed: CellArm, assembly: Assembly | None = None) -> None:
        self.placed = placed
        self.bodies = ArmBodies(placed)
        self.kinematics = Kinematics(placed.arm, placed.tool)
        around = Surroundings.of(cell)
        others = [ArmBodies(one) for one in cell.arms if one is not placed]
        pieces = _pieces(around)
        mounts = around.mounts.tolist()
        fixed = [] if assembly is None else [part for part in assembly.parts if part.name in assembly.fixed]
        for part in fixed:  # always there
            solid = rough_pieces_of(part.shape).moved(cell.T_world_structure @ part.T_world_part)
            pieces += [Piece(one.vertices) for one in solid.all]
            mounts += [False] * len(solid.all)
        for other in others:
            feet = _feet(other)
            pieces += feet
            mounts += [False] * len(feet)
        self._around = bodies_of(pieces)
        self._pairs = self.bodies.pairs_with(self._around, np.array(mounts, bool))
        self._back = inverse(placed.T_world_base)

    @staticmethod
    def all_of(cell: Cell, assembly: Assembly | None = None) -> list[Worker]:
        """Every arm of a cell, among the fixed parts of an assembly."""
        return [Worker(cell, placed, assembly) for placed in cell.arms]

    def positions(self, T_world_tool: Array, most: int = 1) -> tuple[Array, Ints]:
        """(p, most, n) positions for places with poses (p, k, 4, 4) of the tool's point, and how many each has.

        An arm that no closed form fits is searched for, from fewer poses and for one position.
        """
        if self.kinematics.form == "numeric":
            return self._searched(self._back @ T_world_tool, most)
        wanted = np.array((self._back @ T_world_tool)[..., :3, :], order="C")
        return free_positions(
            self.kinematics.chain,
            self.kinematics.form_number,
            np.array(self.placed.home),
            self.kinematics.spread(FREE),
            self.bodies.chain,
            self.bodies.bodies,
            self.bodies.own_pairs,
            self._around,
            self._pairs,
            MARGIN_M,
            wanted,
            most,
        )

    def _searched(self, wanted: Array, most: int) -> tuple[Array, Ints]:
        found, counts = np.zeros((len(wanted), most, len(self.placed.home))), np.zeros(len(wanted), np.int64)
        standing = np.eye(4)[None, None, :3]
        for p, poses in enumerate(wanted):
            for T in poses[: max(1, poses.shape[0] // ROLLS)]:
                q = self.kinematics.solve(T, self.placed.home)
                if q is None or self.bodies.touches_itself(q[None], MARGIN_M)[0]:
                    continue
                links = self.bodies.links(q[None])
                if not in_the_way(self.bodies.bodies, links, self._around, standing, self._pairs, MARGIN_M, 1).any():
                    found[p, 0], counts[p] = q, 1
                    break
        return found, counts

    def reaches(self, T_world_tool: Array) -> Bools:
        """(p,) which places it can work at."""
        return self.positions(T_world_tool)[1] > 0

    def lifts(self, mass_kg: float) -> bool:
        """Whether it may carry so much beside its tool."""
        payload = self.placed.arm.payload_kg
        return payload is None or mass_kg + self.placed.tool.mass_kg <= payload


def _pieces(around: Surroundings) -> list[Piece]:
    points, starts = around.bodies.points, around.bodies.starts
    return [Piece(points[starts[k] : starts[k + 1]]) for k in range(len(around.bodies.radii))]


def _feet(other: ArmBodies) -> list[Piece]:
    """The base and the first link of another arm, wherever that is turned to: the base alone stands still."""
    links = other.links(other.placed.home[None])[0]
    bodies = other.bodies
    found = []
    for k in np.flatnonzero(bodies.link <= 1):
        T = links[bodies.link[k]]
        points = bodies.points[bodies.starts[k] : bodies.starts[k + 1]] @ T[:, :3].T + T[:, 3]
        found.append(Piece(points, float(bodies.radii[k])))
    return found
