"""Joints of limited strength as a referee sees them. Shares no code with the solvers.

**Forces** at the middles of cells prove that it stands if every free body is in balance and no cell is pulled, crushed,
or sheared beyond friction and cohesion (|t| ≤ μ n + c A, 0 ≤ n ≤ σ A), each to 1e-6 of the body's own load.

**A motion** proves that it falls if the loads gain more on it than all cells can take up. A cell that bears p(x) and
t(x) at its points takes up ∫ −(p v_n + t·v_t) ≤ ∫ c|v_t| + σ max(0, μ|v_t| − v_n). Velocities of a rigid pair are
linear over a cell and both terms are convex in them, so over a triangle each integral is at most its area times the
mean of the values at its three corners. Where nothing crushes, the fastest corner that enters is charged at FORCE_BOUND
times the load of all that is free.
"""

from __future__ import annotations

import math

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.mortar import Mortar
from falsework.model.state import State
from falsework.statics.proofs.checked_bodies import ROUNDING, Balance, CheckedBodies, cross, lengths

FORCE_BOUND = 1e6
SMALLEST = 1e-100


class CheckedMortar:
    """The cells of one assembly: its interfaces with a point a cell, (p,) areas, (p, 3, 3) corners, m² and m."""

    def __init__(
        self, assembly: Assembly, joints: Interfaces, areas_m2: Array, corners_m: Array, mortar: Mortar
    ) -> None:
        patches = joints.patches
        self._bodies = CheckedBodies(assembly, joints)
        self._pairs, self._points = patches.bodies[patches.owner], patches.points
        self._normals, self._friction = patches.normals[patches.owner], patches.friction[patches.owner]
        self._areas, self._corners, self._mortar = areas_m2, corners_m, mortar

    def forces_residual(self, state: State, given: Array) -> float:
        """The worst imbalance of a free body, or summed excess of its cells, relative to the body's own load."""
        there, free = self._bodies.masks(state)
        if not free.any():
            return 0.0
        own = self._bodies.own_loads(state, there, free)
        balance = Balance.of(self._bodies.loads(state, there), self._bodies.radii_m)
        excess = self._excess(given, there)
        for side, sign in ((0, -1.0), (1, 1.0)):
            bodies = self._pairs[:, side]
            balance.push(bodies, self._points - self._bodies.coms_m[bodies], sign * given)
            balance.beyond[:] += np.bincount(bodies, weights=excess, minlength=len(there))
        residual = float(((balance.left() + SMALLEST) / np.where(free, own, np.inf)).max())
        return math.inf if math.isnan(residual) else residual

    def motion_power(self, state: State, twists: Array) -> float:
        """How surely it cannot stand, (loads·v − what cells take up) / (load × |v|); 0 or less proves nothing."""
        there, free = self._bodies.masks(state)
        twists = np.where(free[:, None], twists, 0.0)
        speed = float(self._bodies.speeds(twists).max(initial=0.0))
        if not SMALLEST < speed < math.inf:
            return -math.inf
        loads = np.where(free[:, None], self._bodies.loads(state, there), 0.0)
        heft = float((lengths(loads[:, :3]) + lengths(loads[:, 3:]) / self._bodies.radii_m).sum())
        moves = self._bodies.speeds(twists) > 1e-9 * speed
        scale = float(self._bodies.own_loads(state, there, free)[moves].sum()) * speed
        gained = float((loads * twists).sum()) - self._taken_up(twists, there, heft)
        return gained / scale if scale > SMALLEST else -math.inf

    def _excess(self, given: Array, there: Bools) -> Array:
        """(p,) N by which cells carry what they cannot."""
        normal = np.einsum("pi,pi->p", given, self._normals)
        shear = lengths(given - normal[:, None] * self._normals)
        room = self._friction * normal + self._mortar.cohesion_pa * self._areas
        outside = np.maximum(-normal, shear - room)
        if math.isfinite(self._mortar.crushing_pa):
            outside = np.maximum(outside, normal - self._mortar.crushing_pa * self._areas)
        excess: Array = np.where(there[self._pairs].all(axis=1), np.maximum(outside, 0.0), lengths(given))
        return excess

    def _taken_up(self, twists: Array, there: Bools, heft: float) -> float:
        """W, at most, on a motion."""
        first, second = (self._velocities(twists, side) for side in (0, 1))
        normals = self._normals[:, None]
        opening = ((second - first) * normals).sum(axis=2)
        slip = lengths(second - first - opening[:, :, None] * normals)
        rounded = ROUNDING * (1.0 + self._friction)[:, None] * (lengths(first) + lengths(second))
        entering = np.maximum(self._friction[:, None] * slip - opening - rounded, 0.0)
        power = self._mortar.cohesion_pa * self._areas * slip.mean(axis=1)
        if math.isfinite(self._mortar.crushing_pa):
            power += self._mortar.crushing_pa * self._areas * entering.mean(axis=1)
        else:
            power += FORCE_BOUND * heft * entering.max(axis=1)
        return float(power[there[self._pairs].all(axis=1)].sum())

    def _velocities(self, twists: Array, side: int) -> Array:
        """(p, 3, 3) of the cells' corners as parts of one body of each pair."""
        bodies = self._pairs[:, side]
        arms = self._corners - self._bodies.coms_m[bodies][:, None]
        moved: Array = twists[bodies, None, :3] + cross(np.broadcast_to(twists[bodies, None, 3:], arms.shape), arms)
        return moved
