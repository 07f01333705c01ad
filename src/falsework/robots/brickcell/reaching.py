"""Where an arm may go among bricks as they lie now: joints for a hold, the straight way above it, and free transits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.errors import BadInput
from falsework.robots.brickcell.arm_control import ArmControl
from falsework.robots.brickcell.cell_world import CellWorld
from falsework.robots.brickcell.paths import straight
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, clashes, masks
from falsework.robots.collision.surroundings import Surroundings

NEAR_M = 1e-3  # nearer to anything than this is in the way
TRIED = 8  # joints for one pose that are followed up to above it
LOOKS = 40  # along a transit


@dataclass(frozen=True, slots=True, eq=False)
class Descent:
    """Joints above a pose, and the straight way down to it."""

    way: Array  # (k, n) from above to the pose

    @property
    def above(self) -> Array:
        first: Array = self.way[0]
        return first


class Reach:
    """One arm among everything as it is now; parts that it takes with it, or that it may touch, are left out.

    `standing` are other arms that will stand elsewhere by then: their bodies and joints (n,), by name.
    """

    def __init__(
        self, cell: CellWorld, arm: str, standing: Mapping[str, tuple[ArmBodies, Array]] | None = None
    ) -> None:
        self._cell, self._name = cell, arm
        self._arm = cell.arm(arm)
        self._others = {name: _as_it_stands(other) for name, other in cell.arms.items() if name != arm}
        self._others |= standing or {}

    def around(self, leave_out: tuple[str, ...]) -> Surroundings:
        """All bodies where they are now but for some."""
        assembly = self._cell.world.assembly
        poses = self._cell.world.poses()
        rows = [k for k, part in enumerate(assembly.parts) if part.name not in leave_out]
        parts = tuple(replace(assembly.parts[k], T_world_part=poses[k]) for k in rows)
        return Surroundings.of(self._cell.cell, assembly.changed(parts=parts, loads=(), fixed=frozenset()), np.eye(4))

    def descents(self, T_world_tool: Array, bodies: ArmBodies, around: Surroundings, height_m: float) -> list[Descent]:
        """Ways to a pose of the tool's point from so far behind it, above for a hand that points down.

        Nothing is in the way; the nearest to home come first.
        """
        arm, home = self._arm, np.array(self._arm.placed.home)
        rows = arm.kinematics.branches(arm.in_base(T_world_tool), home)
        if not len(rows):
            return []
        rows = rows[self.free(rows, bodies, around)]
        order = np.argsort(np.abs(rows - home).max(axis=1), kind="stable")
        above = T_world_tool.copy()
        above[:3, 3] -= height_m * T_world_tool[:3, 2]
        found = []
        for q in rows[order][:TRIED]:
            try:
                way = straight(arm.kinematics, q, arm.in_base(above))
            except BadInput:
                continue  # a limit on the way: other joints may have none
            if self.free(way, bodies, around).all():
                found.append(Descent(way[::-1]))
        return found

    def transit(self, begin: Array, end: Array, bodies: ArmBodies, around: Surroundings) -> Array | None:
        """(k, n) a way from joints to joints, straight in joint space or by home; None where both are blocked."""
        home = np.array(self._arm.placed.home)
        for way in (np.array([begin, end]), np.array([begin, home, end])):
            legs = [np.linspace(a, b, LOOKS) for a, b in pairwise(way)]
            if self.free(np.concatenate(legs), bodies, around).all():
                return way
        return None

    def free(self, rows: Array, bodies: ArmBodies, around: Surroundings) -> Bools:
        """(m,) whether the arm at rows (m, n) touches neither anything, nor itself, nor other arms where they are."""
        free: Bools = np.array([mask == 0 for mask in masks(blockers(bodies, rows, around, NEAR_M))])
        free &= ~bodies.touches_itself(rows, NEAR_M)
        for other, q in self._others.values():
            free &= ~clashes(bodies, rows, other, q[None], NEAR_M)[:, 0]
        return free


def _as_it_stands(other: ArmControl) -> tuple[ArmBodies, Array]:
    """An arm as it stands now, its fingers as far open as they are."""
    low, high = other.placed.tool.opening_m
    return ArmBodies(other.placed, float(np.clip(other.opening_m, low, high))), other.drive.q
