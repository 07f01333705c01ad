"""The named reference for blocks: the dual quadratic program of seed 002's eq. 13, as PIQP and DAQP take it.

    minimise ½ vᵀMv − loads·v   subject to   Aᵀv ≥ 0        (stable: v = 0)

Matrices are built for the state's free parts and active contacts with numpy, then handed to the solver.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.sparse import csc_matrix

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.extras import library
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.statics.core.friction_cones import cone_generators
from falsework.statics.core.loads import both, load_scale, load_wrenches

STILL = 1e-3  # of g: seed 002's threshold on the residual velocity


class PlainDual:
    """Says whether states of one assembly stand, the plain way."""

    def __init__(self, assembly: Assembly, joints: Interfaces, solver: Literal["piqp", "daqp"]) -> None:
        self._assembly, self._joints, self._solver = assembly, joints, solver
        self._generators = cone_generators(joints.patches, assembly.gravity)
        self._length = float(np.ptp(assembly.coms_m, axis=0).max())

    def stands(self, state: State) -> bool:
        free = flags(state.free(self._assembly), len(self._assembly.bodies))
        if not free.any():
            return True
        mass, loads, columns = self._matrices(state, free)
        v = self._solved(mass, loads, columns)
        return bool(np.abs(v).max() <= STILL)

    def _matrices(self, state: State, free: Any) -> tuple[Array, Array, Array]:
        """M and loads of the free parts and the columns of their active contacts; unit load, unit length."""
        assembly, patches = self._assembly, self._joints.patches
        there = flags(state.installed, len(free))
        number = np.cumsum(free) - 1
        owner = patches.owner
        pairs = patches.bodies[owner]
        active = both(there, pairs) & (free[pairs[:, 0]] | free[pairs[:, 1]])
        generators, pairs, points = self._generators[active], pairs[active], patches.points[active]
        count, edges = generators.shape[:2]
        size = 6 * int(free.sum())
        columns = np.zeros((size, count, edges))
        for side, sign in ((1, 1.0), (0, -1.0)):
            mine = np.flatnonzero(free[pairs[:, side]])
            body = pairs[mine, side]
            arms = (points[mine] - assembly.coms_m[body]) / self._length
            torques = np.cross(arms[:, None, :], generators[mine])
            wrench = sign * np.concatenate([generators[mine], torques], axis=2)  # (m, e, 6)
            rows = 6 * number[body][:, None] + np.arange(6)
            columns[rows[:, :, None], mine[:, None, None], np.arange(edges)] = np.swapaxes(wrench, 1, 2)
        scale = load_scale(assembly, state)
        loads = (load_wrenches(assembly, state)[free] / scale * ([1.0] * 3 + [1 / self._length] * 3)).ravel()
        return self._mass(free), loads, columns.reshape(size, -1)

    def _mass(self, free: Any) -> Array:
        bodies = [body for body, yes in zip(self._assembly.bodies, free, strict=True) if yes]
        total = sum(body.mass_kg for body in bodies)
        mass = np.zeros((6 * len(bodies), 6 * len(bodies)))
        for n, body in enumerate(bodies):
            R = body.T_world_part[:3, :3]
            mass[6 * n : 6 * n + 3, 6 * n : 6 * n + 3] = np.eye(3) * body.mass_kg / total
            mass[6 * n + 3 : 6 * n + 6, 6 * n + 3 : 6 * n + 6] = (
                R @ body.inertia_part_kgm2 @ R.T / (total * self._length**2)
            )
        return mass

    def _solved(self, mass: Array, loads: Array, columns: Array) -> Array:
        if not columns.shape[1]:
            return np.array(np.linalg.solve(mass, loads))
        return _by_piqp(mass, loads, columns) if self._solver == "piqp" else _by_daqp(mass, loads, columns)


def _by_piqp(mass: Array, loads: Array, columns: Array) -> Array:
    piqp = library("piqp")

    solver = piqp.SparseSolver()
    solver.settings.eps_abs = 1e-9
    solver.settings.verbose = False
    G = csc_matrix(-columns.T)
    solver.setup(csc_matrix(mass), -loads, None, None, G, None, np.zeros(G.shape[0]))
    solver.solve()
    return np.array(solver.result.x)


def _by_daqp(mass: Array, loads: Array, columns: Array) -> Array:
    daqp = library("daqp")

    count = columns.shape[1]
    rows = np.ascontiguousarray(columns.T)
    upper, lower = np.full(count, 1e30), np.zeros(count)
    v, *_ = daqp.solve(np.ascontiguousarray(mass), -loads, rows, upper, lower, np.zeros(count, dtype=np.intc))
    return np.array(v)
