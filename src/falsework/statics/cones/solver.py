"""Equilibrium of rigid bodies with Coulomb's cones, prepared once for an assembly.

Find forces in the cones that balance the loads on every free body, or a motion that no contact forbids and on which the
loads gain power: but for the very edge, one of the two exists (Farkas).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Literal

import numpy as np

from falsework.kernels.block_cholesky import BlockPattern
from falsework.model.arrays import Array, Bools, Ints
from falsework.statics.cones.newton import STABLE, UNSTABLE
from falsework.statics.cones.one_state import solve_state
from falsework.statics.cones.proving import Batch, prove_batch
from falsework.statics.cones.room import Cones, Room, make_room
from falsework.statics.proofs.compiled_referee import Case

LEAST_GYRATION = 1e-6  # of the assembly's size, added to radii of gyration: points can turn too
LEAST_MASS = 1e-9  # of the median


@dataclass(frozen=True, slots=True, eq=False)
class ConeAnswer:
    """Forces, or a motion, or neither."""

    answer: Literal["stable", "unstable", "undecided"]
    forces: Array | None  # (p, 3) on the second bodies, world axes, where stable, and with refined motions
    twists: Array | None  # (n, 6) velocity of the centre of mass and angular velocity, where unstable
    iterations: int  # factorisations


class ConeSolver:
    """Prepared once for an assembly; answers states of it, from any number of threads."""

    def __init__(
        self,
        bodies: Ints,  # (k, 2)
        starts: Ints,  # (k + 1,)
        points: Array,  # (p, 3) world
        normals: Array,  # (k, 3) unit, from the first body into the second
        friction: Array,  # (k,)
        coms: Array,  # (n, 3) world
        masses: Array,  # (n,)
        inertias: Array,  # (n, 3, 3) world axes, about the centre of mass
        radii: Array,  # (n,) about the centre of mass
    ) -> None:
        extent = points if len(points) else coms  # the ground's centre may be far away
        low, high = extent.min(0), extent.max(0)
        origin = (low + high) / 2
        self._length = float(np.linalg.norm(high - low) / 2) or 1.0
        self._mass = float(np.median(masses)) or 1.0
        bodies = np.array(bodies, np.int64).reshape(-1, 2)
        pattern = BlockPattern.of(len(coms), bodies)
        self._order = pattern.order
        self._blocks = len(pattern.rows)
        scaled_coms, frames = (coms - origin) / self._length, contact_frames(normals)
        owner = np.repeat(np.arange(len(bodies)), np.diff(starts))
        scaled_points = np.einsum("pij,pj->pi", frames[owner], (points - origin) / self._length)
        by_body, patches_of = _patches_by_body(len(coms), bodies)
        self._cones = Cones(
            bodies,
            np.array(starts, np.int64),
            frames,
            np.array(friction, float),
            scaled_points,
            _mass_matrices(scaled_coms, masses / self._mass, inertias / (self._mass * self._length**2)),
            scaled_coms,
            np.array(radii, float) / self._length,
            pattern.place,
            by_body,
            patches_of,
        )
        self._rooms: list[Room] = []

    def solve(
        self,
        installed: Bools,  # (n,)
        free: Bools,  # (n,)
        loads: Array,  # (n, 6) force, and torque about the centre of mass; world axes
        *,
        refine_motion: bool = False,
        timeout_s: float | None = None,
    ) -> ConeAnswer:
        """Forces or a motion for one state.

        A motion has a largest part speed of 1 (radius × angular velocity counts); with `refine_motion` it is the
        acceleration that minimises ½ vᵀMv − loads·v over the permitted motions. After `timeout_s` the answer is
        undecided.
        """
        cones, room = self._cones, self._room()
        forces = np.zeros(cones.points.shape)
        twists = np.zeros((len(cones.masses), 6))
        stop = np.zeros(1, np.int64)
        timer = None if timeout_s is None else threading.Timer(timeout_s, stop.__setitem__, (0, 1))
        if timer is not None:
            timer.start()
        status, factors = solve_state(
            *(cones, self._order, room, np.array(installed, bool), np.array(free, bool), np.array(loads, float)),
            *(self._length, self._mass, refine_motion, stop, forces, twists),
        )
        if timer is not None:
            timer.cancel()
        self._rooms.append(room)
        if status == STABLE:
            return ConeAnswer("stable", forces, None, factors)
        if status == UNSTABLE:
            return ConeAnswer("unstable", forces if refine_motion else None, twists, factors)
        return ConeAnswer("undecided", None, None, factors)

    def prove(self, batch: Batch, loads: Array, case: Case) -> None:
        """What the referee makes of the forces or motions of states, written into the batch.

        The row of `loads` (l, n, 6), and of the referee's own in `case`, that acts on each is told by the batch.
        """
        room = self._room()
        prove_batch(self._cones, self._order, room, self._length, self._mass, loads, case, batch)
        self._rooms.append(room)

    def _room(self) -> Room:
        """Workspace that no other thread uses now."""
        try:
            return self._rooms.pop()
        except IndexError:
            return make_room(self._cones, self._blocks)


def contact_frames(normals: Array) -> Array:
    """(k, 3, 3) rows: each normal and two tangents."""
    helper = np.where(np.abs(normals[:, :1]) < 0.7, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    first = np.cross(normals, helper)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return np.stack([normals, first, np.cross(normals, first)], axis=1)


def _patches_by_body(count: int, bodies: Ints) -> tuple[Ints, Ints]:
    """The patches of each body, as starts and numbers."""
    owners = bodies.ravel()
    order = np.argsort(owners, kind="stable")
    starts = np.searchsorted(owners[order], np.arange(count + 1))
    return starts.astype(np.int64), (order // 2).astype(np.int64)


def _mass_matrices(coms: Array, masses: Array, inertias: Array) -> Array:
    """M with ½ xᵀMx the kinetic energy of a twist x about the origin."""
    count = len(masses)
    cross = np.zeros((count, 3, 3))  # [c]×
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -coms[:, 2], coms[:, 1], -coms[:, 0]
    cross -= cross.transpose(0, 2, 1)
    m = np.maximum(masses, LEAST_MASS)[:, None, None]
    matrices = np.zeros((count, 6, 6))
    matrices[:, :3, :3] = m * np.eye(3)
    matrices[:, :3, 3:] = -m * cross
    matrices[:, 3:, :3] = m * cross
    matrices[:, 3:, 3:] = inertias + LEAST_GYRATION**2 * m * np.eye(3) - m * cross @ cross
    return matrices
