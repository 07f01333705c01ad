"""The one convex program behind every verdict, in its plain form: sparse matrices and an interior point.

    minimise |r|  subject to  r = A x + loads,  x in the admissible sets of the interfaces

|r|² = Σ F²/m + τᵀI⁻¹τ over the free parts (seed 002, eq. 13, with the norm in place of its square: the optimum
is the same and a zero is found to full precision). r = 0: the forces x balance the loads. r ≠ 0: the parts
accelerate by M⁻¹r (eq. 14), and the multipliers of the balance are a motion that proves it.

Over the same unknowns: the least factor on the clutches' strength with which r can be 0 (limit analysis), the greatest
factor on a further load, and the forces of least elastic energy (seed 000, eq. 13 and 16).

The fast solvers of this room answer the same questions; this is their oracle, and decides when they pass.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy.sparse import block_diag, csc_array, csc_matrix, diags_array, hstack, triu, vstack

from falsework.kernels.interior_point import first_unit, interior_point
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion
from falsework.statics.clutches.capacities import ClutchRows
from falsework.statics.core.friction_cones import Cone, cone_generators, contact_axes
from falsework.statics.core.hinge_motions import keeping_hinges
from falsework.statics.core.loads import both, load_scale, load_wrenches, reach
from falsework.statics.core.outcome import Outcome
from falsework.statics.core.unknowns import (
    clutch_unknowns,
    hinge_moment_axes,
    hinge_unknowns,
    patch_unknowns,
)

STIFFER = 1e-6  # energy of contacts and pressed faces against that of clutches: only to make forces unique


class Program:
    """The program of one state. Inside, loads and lengths are of order one; what goes in and out is SI."""

    def __init__(
        self,
        assembly: Assembly,
        joints: Interfaces,
        state: State,
        clutch_rows: tuple[ClutchRows, ...] = (),
        cone: Cone = "exact",
    ) -> None:
        self._assembly, self._joints, self._cone, self._gravity = assembly, joints, cone, state.gravity_of(assembly)
        self._kinds = clutch_rows
        there = self._there = flags(state.installed, len(assembly.bodies))
        self._free = flags(state.free(assembly), len(assembly.bodies))
        self._force_n = load_scale(assembly, state)
        self._length_m = reach(assembly)
        self._sorts = (
            patch_unknowns(assembly, joints, there, cone, self._gravity),
            clutch_unknowns(assembly, joints, there, clutch_rows),
            hinge_unknowns(assembly, joints, there),
        )
        self._scale(load_wrenches(assembly, state))

    def _scale(self, loads: Array) -> None:
        """Balance A x + b over the free bodies, and limits − rows·x in the cones; loads and lengths of order one."""
        force, length = self._force_n, self._length_m
        into = self._into = np.tile([1 / force] * 3 + [1 / (force * length)] * 3, int(self._free.sum()))
        self._units = np.concatenate([np.where(sort.is_moment, force * length, force) for sort in self._sorts])
        columns = hstack([sort.columns for sort in self._sorts], format="csr")[np.repeat(self._free, 6)]
        self._A = diags_array(into) @ columns @ diags_array(self._units)
        self._b = into * loads[self._free].ravel()
        self._rows = block_diag([sort.rows for sort in self._sorts], format="csc") @ diags_array(self._units / force)
        self._limits = np.concatenate([sort.limits for sort in self._sorts]) / force

    def solve(self, timeout_s: float | None = None, strongest: float = np.inf) -> Outcome:
        """Least residual; whatever comes out is only a proposal to the referee.

        `strongest` bounds the limits of clutches, times all loads: forces within less are forces within more.
        """
        if not self._free.any():
            return Outcome(self._forces(np.zeros(len(self._units))), None, "Solved")
        root = self._inverse_root_masses()
        size = root.shape[0]
        below = vstack([csc_array((1, len(self._units))), -(root @ self._A), self._rows])
        G = hstack([csc_array(([-1.0], ([0], [0])), shape=(below.shape[0], 1)), below])
        h = np.concatenate([[0.0], root @ self._b, np.minimum(self._limits, strongest)])
        cones = [("second order", 1 + size), *self._cones()]
        x, z, status = interior_point(first_unit(G.shape[1]), None, csc_matrix(G), h, cones, timeout_s)
        if not (np.isfinite(x).all() and np.isfinite(z).all()):
            return Outcome(None, None, status)
        return Outcome(self._forces(x[1:]), self._motion(z, float(x[0]), root), status)

    def least_factor(self, timeout_s: float | None = None) -> tuple[float | None, str]:
        """The least t with which limits × t on the clutches balance the loads; None and why where there is none."""
        factor, outcome = self.least_strength(timeout_s)
        return factor, outcome.status

    def least_strength(self, timeout_s: float | None = None) -> tuple[float | None, Outcome]:
        """The least factor on the clutches' limits, the forces that need no more, and the motion that needs no less.

        On the motion the loads gain t times what the clutches take up: it proves a fall where t > 1.
        """
        if not self._free.any():
            return 0.0, Outcome(self._forces(np.zeros(len(self._units))), None, "Solved")
        balance = hstack([csc_array((len(self._b), 1)), self._A])
        within = hstack([csc_array(-self._limits[:, None]), self._rows])
        G = vstack([balance, within, csc_array(-first_unit(1 + len(self._units))[None, :])])
        h = np.concatenate([-self._b, np.zeros(len(self._limits) + 1)])
        cones = [("zero", len(self._b)), *self._cones(), ("nonnegative", 1)]
        x, z, status = interior_point(first_unit(G.shape[1]), None, csc_matrix(G), h, cones, timeout_s)
        if status not in ("Solved", "AlmostSolved"):
            return None, Outcome(None, None, status)
        motion = self._yielding(z[: len(self._b)], z[len(self._b) :], 1.0)
        return max(float(x[0]), 0.0), Outcome(self._forces(x[1:]), motion, status)

    def greatest_factor(self, extra: Array, timeout_s: float | None = None) -> tuple[float | None, str]:
        """The greatest t ≥ 0 for which the loads and t times `extra` (bodies, 6) can be balanced; inf without bound."""
        added = self._into * extra[self._free].ravel()
        size = float(np.abs(added).max(initial=0.0))
        if size == 0.0:
            return np.inf, "Solved"
        balance = hstack([csc_array(added[:, None] / size), self._A])
        within = hstack([csc_array((len(self._limits), 1)), self._rows])
        G = vstack([balance, within, csc_array(-first_unit(1 + len(self._units))[None, :])])
        h = np.concatenate([-self._b, self._limits, [0.0]])
        cones = [("zero", len(self._b)), *self._cones(), ("nonnegative", 1)]
        x, _, status = interior_point(-first_unit(G.shape[1]), None, csc_matrix(G), h, cones, timeout_s)
        if status in ("DualInfeasible", "AlmostDualInfeasible"):
            return np.inf, status
        return (max(float(x[0]), 0.0) / size if status in ("Solved", "AlmostSolved") else None), status

    def least_work(self, moved: Array, timeout_s: float | None = None) -> Outcome:
        """Forces that balance the loads, of which those on the bodies that do not balance do least on a motion.

        `moved` (bodies, 6) is that motion: supports that give way, hands that shift what they hold. The multipliers
        are the motion of all other bodies that goes with it, and prove that no forces do less
        (`statics.proofs.support_work`).
        """
        moved = np.where(self._free[:, None], 0.0, moved)
        columns = hstack([sort.columns for sort in self._sorts], format="csc")
        speed = float(np.abs(moved * np.array([1.0] * 3 + [self._length_m] * 3)).max()) or 1.0
        work = (columns.T @ moved.ravel()) * self._units / (self._force_n * speed)
        G = csc_matrix(vstack([self._A, self._rows]))
        h = np.concatenate([-self._b, self._limits])
        cones = [("zero", len(self._b)), *self._cones()]
        x, z, status = interior_point(work, None, G, h, cones, timeout_s)
        if status not in ("Solved", "AlmostSolved"):
            return Outcome(None, None, status)
        motion = self._yielding(z[: len(self._b)], z[len(self._b) :], speed, moved)
        return Outcome(self._forces(x), Motion(motion.twists + moved, motion.clutch_slips), status)

    def elastic(self, factor: float, timeout_s: float | None = None) -> Forces | None:
        """Forces of least elastic energy with the clutches' strength times a factor (seed 000, eq. 16)."""
        energies = [np.asarray(kind.energy) for kind in self._kinds]
        blocks: list[Any] = [diags_array(np.full(len(self._sorts[0].is_moment), STIFFER))]
        for number in self._joints.clutches.kind:
            blocks += [csc_array(energies[number]), diags_array(np.full(4, STIFFER))]
        blocks.append(diags_array(np.full(len(self._sorts[2].is_moment), STIFFER)))
        units = diags_array(self._units / self._force_n)
        P = triu(units @ block_diag(blocks, format="csc") @ units, format="csc")
        G = vstack([self._A, self._rows])
        h = np.concatenate([-self._b, factor * self._limits])
        cones = [("zero", len(self._b)), *self._cones()]
        x, _, status = interior_point(np.zeros(G.shape[1]), csc_matrix(P), csc_matrix(G), h, cones, timeout_s)
        return self._forces(x) if status in ("Solved", "AlmostSolved") else None

    def _cones(self) -> list[tuple[str, int]]:
        cones = []
        for sort in self._sorts:
            count = len(sort.limits)
            cones += [("second order", 3)] * (count // 3) if sort.triples else [("nonnegative", count)] * (count > 0)
        return cones

    def _inverse_root_masses(self) -> csc_array:
        """M^(−½) of the free bodies; masses relative to their sum, lengths to the assembly's reach."""
        blocks = []
        for body in itertools.compress(self._assembly.bodies, self._free):
            R = body.T_world_part[:3, :3]
            inertia = R @ body.inertia_part_kgm2 @ R.T / self._length_m**2
            values, vectors = np.linalg.eigh(inertia / self._mass_kg)
            root = np.zeros((6, 6))
            root[:3, :3] = np.eye(3) / np.sqrt(body.mass_kg / self._mass_kg)
            root[3:, 3:] = vectors @ np.diag(values**-0.5) @ vectors.T
            blocks.append(root)
        return csc_array(block_diag(blocks, format="csc"))

    @property
    def _mass_kg(self) -> float:
        return float(self._assembly.masses_kg[self._free].sum())

    def _forces(self, x: Array) -> Forces:
        """Unknowns as forces at points and joints, in SI."""
        joints, force, length = self._joints, self._force_n, self._length_m
        ends = np.cumsum([0] + [len(sort.is_moment) for sort in self._sorts])
        patch, clutch, hinge = (x[start:end] for start, end in itertools.pairwise(ends))
        generators = (
            cone_generators(joints.patches, self._gravity) if self._cone == "8" else contact_axes(joints.patches)
        )
        weights = patch.reshape(generators.shape[:2]) * self._present(joints.patches.bodies[joints.patches.owner])
        weights = np.maximum(weights, 0.0) if self._cone == "8" else weights
        wrenches = clutch.reshape(-1, 10) * self._present(joints.clutches.bodies)
        moments = hinge.reshape(-1, 5) * self._present(joints.hinges.bodies)
        return Forces(
            force * np.einsum("pe,pei->pi", weights, generators),
            -force * wrenches[:, :6] * np.array([1, 1, 1, length, length, length]),
            force * np.maximum(wrenches[:, 6:], 0.0),
            force * moments[:, :3],
            force * length * np.einsum("hk,hki->hi", moments[:, 3:], hinge_moment_axes(joints)),
        )

    def _present(self, pairs: Ints) -> Array:
        """(n, 1) 1 where both bodies of a pair are there: what an absent interface carries means nothing."""
        present: Array = both(self._there, pairs)[:, None].astype(float)
        return present

    def _motion(self, z: Array, norm: float, root: csc_array) -> Motion:
        """Multipliers of the balance, times the norm they belong to, are the accelerations M⁻¹r; in SI."""
        size = root.shape[0]
        acceleration = self._force_n / self._mass_kg * norm
        return self._yielding(-(root.T @ z[1 : 1 + size]), z[1 + size :], acceleration)

    def _yielding(self, balance: Array, rows: Array, unit: float, moved: Array | None = None) -> Motion:
        """Multipliers of the balance as a motion, those of the clutches' limits as its slips; in SI times a unit."""
        twists = np.zeros((len(self._free), 6)) if moved is None else moved.copy()  # of supports
        per_length = np.array([1.0] * 3 + [1 / self._length_m] * 3)
        twists[self._free] = unit * balance.reshape(-1, 6) * per_length
        start = len(self._sorts[0].limits)
        count = sum(len(self._kinds[kind].limits) for kind in self._joints.clutches.kind)
        kept = keeping_hinges(self._assembly, self._joints.hinges, self._there, self._free, twists)
        return Motion(np.where(self._free[:, None], kept, 0.0), unit * np.maximum(rows[start : start + count], 0.0))
