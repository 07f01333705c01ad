"""The one convex program behind every verdict, in its plain form: sparse matrices and an interior point.

    minimise |r|  subject to  r = A x + loads,  x in the admissible sets of the interfaces

|r|² = Σ F²/m + τᵀI⁻¹τ over the free parts (seed 002, eq. 13, with the norm in place of its square: the optimum
is the same and a zero is found to full precision). r = 0: the forces x balance the loads. r ≠ 0: the parts
accelerate by M⁻¹r (eq. 14), and the multipliers of the balance are a motion that proves it.

The fast solvers of this room answer the same question; this is their oracle, and decides when they pass.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import block_diag, csc_array, csc_matrix, diags_array, hstack, vstack

from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion
from falsework.statics.clutch import ClutchRows
from falsework.statics.cones import cone_generators
from falsework.statics.loading import both, flags, load_scale, load_wrenches
from falsework.statics.unknowns import (
    Cone,
    Unknowns,
    clutch_unknowns,
    contact_axes,
    hinge_moment_axes,
    hinge_unknowns,
    patch_unknowns,
)

TOLERANCE = 1e-11


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Both certificates, to be judged by the referee, and how the solver ended."""

    forces: Forces | None
    motion: Motion | None  # accelerations, m/s² and rad/s²
    status: str


class Program:
    """The program of one state. Inside, loads and lengths are of order one; what goes in and out is SI."""

    def __init__(
        self,
        assembly: Assembly,
        found: Interfaces,
        state: State,
        cone: Cone = "8",
        clutch_rows: tuple[ClutchRows, ...] = (),
        factor: float = 1.0,
    ) -> None:
        self._assembly, self._found, self._cone, self._gravity = assembly, found, cone, state.gravity_of(assembly)
        there = self._there = flags(state.installed, len(assembly.bodies))
        self._free = flags(state.free(assembly), len(assembly.bodies))
        self._force_n = load_scale(assembly, state)
        self._length_m = _reach(assembly)
        self._sorts = (
            patch_unknowns(assembly, found, there, cone, self._gravity),
            clutch_unknowns(assembly, found, there, clutch_rows, factor),
            hinge_unknowns(assembly, found, there),
        )
        self._clutch_row_counts = [len(clutch_rows[kind].limits) for kind in found.clutches.kind]
        self._loads = load_wrenches(assembly, state)[self._free].ravel()

    def solve(self, seconds: float | None = None) -> Outcome:
        """Run the interior point; whatever it returns is only a proposal to the referee."""
        import clarabel

        if not self._free.any():
            return Outcome(self._forces(np.zeros(sum(len(sort.is_moment) for sort in self._sorts))), None, "Solved")
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
        if seconds is not None:
            settings.time_limit = seconds
        G, h, cones, root = self._standard_form(clarabel)
        q = np.zeros(G.shape[1])
        q[0] = 1.0
        solution = clarabel.DefaultSolver(csc_matrix((len(q), len(q))), q, G, h, cones, settings).solve()
        x, z = np.array(solution.x), np.array(solution.z)
        if not (np.isfinite(x).all() and np.isfinite(z).all()):
            return Outcome(None, None, str(solution.status))
        return Outcome(self._forces(x[1:]), self._motion(z, float(x[0]), root), str(solution.status))

    def _standard_form(self, clarabel: Any) -> tuple[csc_matrix, Array, list[Any], csc_array]:
        """Unknowns (t, x); t and the residual in a second-order cone, then every sort's own limits."""
        force, length = self._force_n, self._length_m
        root = self._inverse_root_masses()
        into = np.tile([1 / force] * 3 + [1 / (force * length)] * 3, int(self._free.sum()))
        units = np.concatenate([np.where(sort.is_moment, force * length, force) for sort in self._sorts])
        columns = hstack([sort.columns for sort in self._sorts], format="csr")[np.repeat(self._free, 6)]
        A = root @ (diags_array(into) @ columns @ diags_array(units))
        limits = block_diag([sort.rows for sort in self._sorts], format="csc") @ diags_array(units / force)
        one, size = csc_array(([-1.0], ([0], [0])), shape=(1, 1)), A.shape[0]
        rows = [[one, None], [csc_array((size, 1)), -A], [csc_array((limits.shape[0], 1)), limits]]
        G = csc_matrix(
            vstack([hstack([row[0], row[1] if row[1] is not None else csc_array((1, len(units)))]) for row in rows])
        )
        h = np.concatenate([[0.0], root @ (into * self._loads), *[sort.limits / force for sort in self._sorts]])
        cones = [clarabel.SecondOrderConeT(1 + size)]
        for sort in self._sorts:
            cones += _cones(sort, clarabel)
        return G, h, cones, root

    def _inverse_root_masses(self) -> csc_array:
        """M^(−½) of the free bodies; masses relative to their sum, lengths to the assembly's reach."""
        bodies = [body for body, free in zip(self._assembly.bodies, self._free, strict=True) if free]
        blocks = []
        for body in bodies:
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
        found, force, length = self._found, self._force_n, self._length_m
        ends = np.cumsum([0] + [len(sort.is_moment) for sort in self._sorts])
        patch, clutch, hinge = (x[start:end] for start, end in itertools.pairwise(ends))
        generators = cone_generators(found.patches, self._gravity) if self._cone == "8" else contact_axes(found)
        weights = patch.reshape(generators.shape[:2]) * self._present(found.patches.bodies[found.patches.owner])
        weights = np.maximum(weights, 0.0) if self._cone == "8" else weights
        wrenches = clutch.reshape(-1, 10) * self._present(found.clutches.bodies)
        moments = hinge.reshape(-1, 5) * self._present(found.hinges.bodies)
        return Forces(
            force * np.einsum("pe,pei->pi", weights, generators),
            -force * wrenches[:, :6] * np.array([1, 1, 1, length, length, length]),
            force * np.maximum(wrenches[:, 6:], 0.0),
            force * moments[:, :3],
            force * length * np.einsum("hk,hki->hi", moments[:, 3:], hinge_moment_axes(found)),
        )

    def _present(self, pairs: Ints) -> Array:
        """(n, 1) 1 where both bodies of a pair are there: what an absent interface carries means nothing."""
        present: Array = both(self._there, pairs)[:, None].astype(float)
        return present

    def _motion(self, z: Array, norm: float, root: csc_array) -> Motion:
        """Multipliers of the balance, times the norm they belong to, are the accelerations M⁻¹r; in SI."""
        size = root.shape[0]
        acceleration = self._force_n / self._mass_kg * norm
        twists = np.zeros((len(self._free), 6))
        per_length = np.array([1.0] * 3 + [1 / self._length_m] * 3)
        twists[self._free] = -acceleration * (root.T @ z[1 : 1 + size]).reshape(-1, 6) * per_length
        start = 1 + size + len(self._sorts[0].limits)
        slips = acceleration * np.maximum(z[start : start + sum(self._clutch_row_counts)], 0.0)
        return Motion(twists, slips)


def _cones(sort: Unknowns, clarabel: Any) -> list[Any]:
    count = len(sort.limits)
    if sort.triples:
        return [clarabel.SecondOrderConeT(3)] * (count // 3)
    return [clarabel.NonnegativeConeT(count)] if count else []


def _reach(assembly: Assembly) -> float:
    """Half the size of the assembly, as seen from its centres of mass; a length to scale by."""
    centres = assembly.coms_m[: len(assembly.parts)]
    radius = max(part.radius_m for part in assembly.parts)
    return float(np.ptp(centres, axis=0).max()) / 2 + radius
