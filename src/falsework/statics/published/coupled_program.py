"""Contact forces when the room for friction is given: the convex half of coupled rigid-block analysis.

Forces f = (f_n, f_t) at the contact points of the free bodies, in units of the load, lengths of the assembly's reach:

    least     minimise ½|f|²                    with  A f + b = 0,  |f_t| ≤ μ f_n
    at rest   minimise ½|f|²                    with  A f + b = 0,  f_n ≥ 0,  |f_t| ≤ s
    moving    minimise ½|r|² + ½κ|f|²           with  r = M^(−½)(A f + b),  f_n ≥ 0,  |f_t| ≤ s

The second is the rest of bodies on equal springs: the multiplier of its balance is the displacement, and f_n is how
far the contact is pressed together, f_t how far it is shifted, up to s. The third is Gauss' principle, r = M^½ a. The
first needs no s, but its f is the displacement projected onto the cone, which is pressed harder where it slides: it is
a rest of springs wherever no contact slides.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy.sparse import block_diag, csc_array, csc_matrix, diags_array, eye_array, hstack, vstack

from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.statics.core.friction_cones import contact_axes
from falsework.statics.core.loads import both, load_scale, load_wrenches
from falsework.statics.published.push_lines import Pushes

SOFT = 1e-8  # κ: how much softer springs are than motion is free
TOLERANCE = 1e-12
NO_FRICTION = 1e-9  # of the load: less room than this is none


class CoupledProgram:
    """The two programs of one state."""

    def __init__(self, assembly: Assembly, joints: Interfaces, state: State) -> None:
        count = len(assembly.bodies)
        there, free = flags(state.installed, count), flags(state.free(assembly), count)
        patches = joints.patches
        pairs = patches.bodies[patches.owner]
        self.acting = np.flatnonzero(both(there, pairs) & (free[pairs[:, 0]] | free[pairs[:, 1]]))
        self.axes = contact_axes(joints.patches)[self.acting]
        self.friction = patches.friction[patches.owner][self.acting]
        self.force_n, self.length_m = load_scale(assembly, state), _reach(assembly)
        self.mass_kg = float(assembly.masses_kg[free].sum())
        places = np.repeat(patches.points[self.acting], 3, axis=0)
        pushes = Pushes(places, self.axes.reshape(-1, 3), np.repeat(pairs[self.acting], 3, axis=0))
        unit = np.tile([1.0] * 3 + [1 / self.length_m] * 3, int(free.sum()))
        rows = np.repeat(free, 6)
        self.A = csc_array(diags_array(unit) @ pushes.wrenches(assembly.coms_m).tocsr()[rows])
        self.b = unit * load_wrenches(assembly, state).ravel()[rows] / self.force_n
        self.root = self._inverse_root_masses(assembly, free)
        self.inverse_mass = csc_array(self.root @ self.root.T)

    @property
    def points(self) -> int:
        return len(self.acting)

    def least(self) -> Array | None:
        """Forces (p, 3) of plain equilibrium, as small as they can be; None where nothing balances."""
        size = 3 * self.points
        if not size:
            return None
        inside = np.ones((self.points, 3))
        inside[:, 0] = np.where(self.friction > 0, self.friction, 1.0)  # without friction, tangents do nothing
        rows = vstack([self.A, -diags_array(inside.ravel())])
        limits = np.concatenate([-self.b, np.zeros(size)])
        cones = [("zero", len(self.b)), *[("disk", 3)] * self.points]
        found = _solved(eye_array(size), np.zeros(size), rows, limits, cones)
        return None if found is None else found.reshape(-1, 3)

    def at_rest(self, room: Array) -> Array | None:
        """Forces (p, 3), or None where nothing balances within this room."""
        size = 3 * self.points
        if not size:
            return None
        G, h, cones = self._limits(room, size)
        rows = vstack([self.A, G])
        limits = np.concatenate([-self.b, h])
        found = _solved(eye_array(size), np.zeros(size), rows, limits, [("zero", len(self.b)), *cones])
        return None if found is None else found.reshape(-1, 3)

    def moving(self, room: Array) -> Array | None:
        """Forces (p, 3) with which the accelerations M⁻¹(A f + b) are least."""
        size, free = 3 * self.points, len(self.b)
        G, h, cones = self._limits(room, size)
        balance = hstack([self.root @ self.A, -eye_array(free)])
        rows = vstack([balance, hstack([G, csc_array((len(h), free))])])
        P = diags_array(np.concatenate([np.full(size, SOFT), np.ones(free)]))
        limits = np.concatenate([-(self.root @ self.b), h])
        found = _solved(P, np.zeros(size + free), rows, limits, [("zero", free), *cones])
        return None if found is None else found[:size].reshape(-1, 3)

    def _limits(self, room: Array, size: int) -> tuple[csc_array, Array, list[tuple[str, int]]]:
        """f_n ≥ 0, and f_t in a disk; where there is no room, f_t = 0."""
        slides = np.flatnonzero(room > NO_FRICTION)
        stuck = np.flatnonzero(room <= NO_FRICTION)
        still = (3 * stuck[:, None] + np.array([1, 2])).ravel()
        identity = csc_array(eye_array(size)).tocsr()
        triples = np.zeros((len(slides), 3))
        triples[:, 0] = room[slides]
        rows = identity[(3 * slides[:, None] + np.arange(3)).ravel()]
        disks = diags_array(np.tile([0.0, 1.0, 1.0], len(slides))) @ rows
        G = vstack([identity[still], -identity[np.arange(0, size, 3)], -disks], format="csc")
        h = np.concatenate([np.zeros(len(still) + self.points), triples.ravel()])
        return csc_array(G), h, [("zero", len(still)), ("nonnegative", self.points), *[("disk", 3)] * len(slides)]

    def _inverse_root_masses(self, assembly: Assembly, free: Bools) -> csc_array:
        """M^(−½) of the free bodies, masses relative to their sum."""
        blocks: list[Any] = []
        for body in itertools.compress(assembly.bodies, free):
            turn = body.T_world_part[:3, :3]
            values, vectors = np.linalg.eigh(turn @ body.inertia_part_kgm2 @ turn.T / self.length_m**2 / self.mass_kg)
            blocks += [np.eye(3) / np.sqrt(body.mass_kg / self.mass_kg), vectors @ np.diag(values**-0.5) @ vectors.T]
        return csc_array(block_diag(blocks, format="csc"))


def _solved(P: Any, q: Array, G: Any, h: Array, cones: list[tuple[str, int]]) -> Array | None:
    """The minimiser of ½xᵀPx + q·x with h − G x in the cones, where there is one."""
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    made = {
        "zero": clarabel.ZeroConeT,
        "nonnegative": clarabel.NonnegativeConeT,
        "disk": clarabel.SecondOrderConeT,
    }
    chosen = [made[name](size) for name, size in cones if size]
    found = clarabel.DefaultSolver(csc_matrix(P), q, csc_matrix(G), h, chosen, settings).solve()
    x = np.array(found.x)
    return x if str(found.status) in ("Solved", "AlmostSolved") and np.isfinite(x).all() else None


def _reach(assembly: Assembly) -> float:
    """Half the size of the assembly, as seen from its centres of mass; a length to scale by."""
    centres = assembly.coms_m[: len(assembly.parts)]
    radius = max(part.radius_m for part in assembly.parts)
    return float(np.ptp(centres, axis=0).max()) / 2 + radius
