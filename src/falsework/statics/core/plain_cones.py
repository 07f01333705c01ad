"""The plain program for contacts alone, made ready once: for the few states that no compiler is worth waking for.

    minimise |r|   subject to   r = M^(−½)(G f + loads),   f in Coulomb's cones

as `program.py` has it (seed 002, eq. 13), with G the wrenches of unit forces along each contact's normal and tangents.
Those do not depend on the state, so a state only picks the columns of contacts that are there and touch a free body.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from falsework.kernels.interior_point import Columns, first_unit, interior_point
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.bits import flags_of
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion
from falsework.statics.core.compiled_cones import NO_JOINTS
from falsework.statics.core.friction_cones import contact_axes
from falsework.statics.core.loads import load_scale, load_wrenches, reach
from falsework.statics.core.outcome import Outcome, Wanted


class Proposals(NamedTuple):
    """Forces and motions for many states, to be judged; zeros where there are none."""

    patch_forces: Array  # (m, p, 3)
    twists: Array  # (m, n, 6)


class PlainCones:
    """Contacts, nothing else. Inside, loads and lengths are of order one."""

    gives_accelerations = True

    def __init__(self, assembly: Assembly, joints: Interfaces) -> None:
        self._assembly, self._patches = assembly, joints.patches
        self._pairs = joints.patches.bodies[joints.patches.owner]  # (p, 2)
        self._lengths_m = np.array([1.0] * 3 + [reach(assembly)] * 3)
        self._roots = _inverse_root_masses(assembly, reach(assembly))
        self._axes = contact_axes(joints.patches)
        friction = joints.patches.friction[joints.patches.owner]
        ones = np.ones_like(friction)
        self._limits = np.stack([np.where(friction == 0.0, 1.0, friction), ones, ones], axis=1)  # (p, 3)
        arms = joints.patches.points[:, None] - assembly.coms_m[self._pairs]  # (p, 2, 3)
        forces = self._axes[:, :, None] * np.array([-1.0, 1.0])[:, None]  # (p, 3, 2, 3)
        wrenches = np.concatenate([forces, np.cross(arms[:, None], forces)], axis=3) / self._lengths_m
        self._wrenches = np.einsum("pbij,pebj->pebi", self._roots[self._pairs], wrenches)  # (p, 3, 2, 6)

    def propose(self, state: State, wanted: Wanted) -> Outcome:
        """Forces and a motion for one state, to be judged."""
        found = self.solve_many([state], wanted.timeout_s)
        if not (np.isfinite(found.patch_forces).all() and np.isfinite(found.twists).all()):
            return Outcome(None, None, "undecided")
        return Outcome(Forces(found.patch_forces[0], *NO_JOINTS), Motion(found.twists[0], np.zeros(0)), "Solved")

    def solve_many(self, states: Sequence[State], timeout_s: float | None = None) -> Proposals:
        """Forces and a motion for each of several states, to be judged; `timeout_s` for each."""
        count = len(self._assembly.bodies)
        there = flags_of([state.installed for state in states], count)
        free = flags_of([state.free(self._assembly) for state in states], count)
        along = np.zeros((len(states), len(self._pairs), 3))
        twists = np.zeros((len(states), count, 6))
        for n, state in enumerate(states):
            if free[n].any():
                used = np.flatnonzero(there[n][self._pairs].all(axis=1) & free[n][self._pairs].any(axis=1))
                along[n, used], twists[n, free[n]] = self._solve(state, used, free[n], timeout_s)
        return Proposals(np.einsum("spe,pei->spi", along, self._axes), twists)

    def _solve(self, state: State, used: Ints, free: Bools, timeout_s: float | None) -> tuple[Array, Array]:
        """Forces along the axes of the points in use, N, and accelerations of the free bodies, M⁻¹r (eq. 14)."""
        force_n, mass_kg = load_scale(self._assembly, state), float(self._assembly.masses_kg[free].sum())
        roots = np.sqrt(mass_kg) * self._roots[free]
        loads = load_wrenches(self._assembly, state)[free] / (force_n * self._lengths_m)
        G = _columns(np.sqrt(mass_kg) * self._wrenches[used], self._limits[used], self._pairs[used], free)
        count, size = G.shape[1] - 1, 1 + loads.size
        h = np.concatenate([[0.0], np.einsum("bij,bj->bi", roots, loads).ravel(), np.zeros(count)])
        cones = [("second order", size)] + [("second order", 3)] * len(used)
        x, z, _ = interior_point(first_unit(1 + count), None, G, h, cones, timeout_s)
        motion = -np.einsum("bji,bj->bi", roots, z[1:size].reshape(-1, 6)) / self._lengths_m
        return force_n * x[1:].reshape(-1, 3), force_n / mass_kg * x[0] * motion


def _columns(wrenches: Array, limits: Array, pairs: Ints, free: Bools) -> Columns:
    """One column for the norm, three a point: minus their wrenches (p, 3, 2, 6) on free bodies, and the cone's rows."""
    points, edges = wrenches.shape[:2]
    count, size = points * edges, 1 + 6 * int(free.sum())
    firsts = 1 + 6 * (np.cumsum(free) - 1)[pairs]  # (p, 2) rows at which the bodies' balances begin
    rows = np.broadcast_to(firsts[:, None, :, None] + np.arange(6), wrenches.shape).reshape(count, 12)
    balanced = np.broadcast_to(free[pairs][:, None, :, None], wrenches.shape).reshape(count, 12)
    values = np.column_stack([-wrenches.reshape(count, 12), -limits.ravel()])
    rows = np.column_stack([rows, size + np.arange(count)])
    kept = np.column_stack([balanced, np.ones(count, dtype=bool)])
    starts = np.concatenate([[0, 1], 1 + np.cumsum(kept.sum(axis=1))])
    entries = np.concatenate([[-1.0], values[kept]]), np.concatenate([[0], rows[kept]]), starts
    return Columns(*entries, (size + count, 1 + count))


def _inverse_root_masses(assembly: Assembly, length_m: float) -> Array:
    """(n, 6, 6) M^(−½) of every body, in kg^(−½); lengths relative to `length_m`."""
    turns = np.array([body.T_world_part[:3, :3] for body in assembly.bodies])
    inertias = np.array([body.inertia_part_kgm2 for body in assembly.bodies])
    values, vectors = np.linalg.eigh(turns @ inertias @ np.swapaxes(turns, 1, 2) / length_m**2)
    roots = np.zeros((len(turns), 6, 6))
    roots[:, :3, :3] = np.eye(3) / np.sqrt(assembly.masses_kg)[:, None, None]
    roots[:, 3:, 3:] = np.einsum("nik,nk,njk->nij", vectors, values**-0.5, vectors)
    return roots
