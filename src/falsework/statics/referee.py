"""Checks certificates with a few lines of arithmetic. Shares no code with the solvers: model, numpy and `grips` only.

Forces prove that a state stands if every free part is in balance and no interface carries more than it can.
A motion v proves that it cannot if the loads gain more on it than all interfaces can take up:

    loads·v  >  Σ h_i(v),    h_i(v) = the most that interface i can resist on v.

For a contact h is 0 when the motion is permitted. A contact force beyond FORCE_BOUND times the load is no
answer (with exact cones the reachable wrenches need not be closed; seed 002 bounds the forces too), so a
motion that enters a contact a little is charged for it at that bound instead of being thrown out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly, Load
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, MOTION_POWER, Forces, Motion
from falsework.statics.grips import Grips

FORCE_BOUND = 1e3  # of the total load, at one contact point
HINGE_BOUND = 1e6  # of that, at a hinge: bars in a nearly straight line do bear thousands of times the load
STILL = (0.0, 1e-3, 0.2)  # of the largest speed: motions are tried without slower bodies, the fewest are kept
CORNERS = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """What the referee is told about the interfaces: cone edges, and the strength of each kind of clutch."""

    cone: Literal["8", "exact"]
    first_edges: Array  # (patches, 3) unit tangents; used with "8" only
    point_n: Array  # (kinds,) μ·F₀ of one clutch point
    friction: Array  # (kinds,) μ of the clutches
    factor: float = 1.0  # on all clutch strengths


class Judgement(NamedTuple):
    """What is proved of each of many states."""

    stands: Bools  # (m,)
    moving: list[int]  # bit masks of the fewest bodies whose motion proves a fall; 0 where nothing does


class Referee:
    """Checks forces and motions of states of one assembly."""

    def __init__(self, assembly: Assembly, found: Interfaces) -> None:
        self._assembly, self._found = assembly, found
        patches = found.patches
        owner = patches.owner
        self._owner, self._pairs = owner, patches.bodies[owner]
        self._normals, self._friction = patches.normals[owner], patches.friction[owner]
        self._sides = np.concatenate([self._pairs[:, 1], self._pairs[:, 0]])
        arms = np.concatenate([patches.points, patches.points]) - assembly.coms_m[self._sides]
        self._arms = arms[len(patches.points) :], arms[: len(patches.points)]  # of the first bodies, of the second
        self._levers = np.cross(np.eye(3), arms[:, None, :])  # (2p, 3, 3): lever · f = arm × f
        self.radii_m = np.array([body.radius_m for body in assembly.bodies])
        self._grips = Grips.of(found.clutches)
        self._joints = self._joint_maps()
        components = np.arange(6)
        self._point_slots = (6 * self._sides[:, None] + components).ravel()
        self._joint_slots = (6 * found.clutches.bodies[:, :, None] + components).ravel()

    def forces_residual(self, state: State, forces: Forces, strengths: Strengths) -> float:
        """The worst imbalance or excess of these forces, relative to the total load; small means proved."""
        there, free = self._masks([state])
        scale, balance = self._scales([state], free), self._loads([state], there)
        excess = self._add_patches(balance, forces.patch_forces[None], there, scale)
        worst = max(
            float(excess[0]),
            self._add_clutches(balance[0], forces, strengths, there[0]),
            self._add_hinges(balance[0], forces, there[0]),
        )
        return max(worst, float(self._unbalanced(balance, free)[0])) / float(scale[0])

    def contact_residuals(self, states: Sequence[State], patch_forces: Array) -> Array:
        """(m,) the same for many states at once, of an assembly with contacts only; forces are (m, p, 3)."""
        there, free = self._masks(states)
        scale, balance = self._scales(states, free), self._loads(states, there)
        excess = self._add_patches(balance, patch_forces, there, scale)
        residuals: Array = np.maximum(excess, self._unbalanced(balance, free)) / scale
        return residuals

    def motion_power(self, state: State, motion: Motion, strengths: Strengths) -> float:
        """(loads·v − Σh(v)) / (load × |v|): how surely it cannot stand; 0 or less proves nothing."""
        there, free = self._masks([state])
        twists = np.where(free[:, :, None], motion.twists[None], 0.0)
        opened, paid = self._clutch_yield(twists[0], motion.clutch_slips, strengths, there[0])
        opened += HINGE_BOUND * self._hinge_entry(twists[0], there[0])
        return float(self._powers([state], twists, strengths, there, free, opened, paid)[0])

    def contact_powers(self, states: Sequence[State], twists: Array, strengths: Strengths) -> Array:
        """(m,) the same for many states at once, of an assembly with contacts only; twists are (m, n, 6)."""
        there, free = self._masks(states)
        return self._powers(states, np.where(free[:, :, None], twists, 0.0), strengths, there, free)

    def judge(self, states: Sequence[State], patch_forces: Array, twists: Array, strengths: Strengths) -> Judgement:
        """What forces (m, p, 3) and motions (m, n, 6) prove of many states of an assembly with contacts only."""
        _, free = self._masks(states)
        moving, twists = np.zeros(free.shape, np.bool_), np.where(free[:, :, None], twists, 0.0)
        for share in STILL:
            moves = self.faster(twists, share)
            powers = self.contact_powers(states, np.where(moves[:, :, None], twists, 0.0), strengths)
            proved = powers >= MOTION_POWER
            moving[proved] = moves[proved]
        stands = self.contact_residuals(states, patch_forces) <= FORCES_RESIDUAL
        return Judgement(stands, _as_bits(moving))

    def faster(self, twists: Array, share: float) -> Bools:
        """(m, n) which bodies move faster than a share of the fastest, in each of many motions (m, n, 6)."""
        speeds = np.maximum(_lengths(twists[..., :3]), _lengths(twists[..., 3:]) * self.radii_m)
        moves: Bools = speeds > share * speeds.max(axis=1, keepdims=True, initial=0.0)
        return moves

    def _powers(
        self,
        states: Sequence[State],
        twists: Array,
        strengths: Strengths,
        there: Bools,
        free: Bools,
        opened: float = 0.0,
        paid: float = 0.0,
    ) -> Array:
        """(m,) power of motions of the free bodies; `opened` and `paid` is what joints other than contacts resist."""
        scale = self._scales(states, free)
        speed = np.maximum(_lengths(twists[..., :3]), _lengths(twists[..., 3:]) * self.radii_m).max(axis=1, initial=0.0)
        moves = (speed > 0) & (speed < np.inf)
        gained = np.einsum("mni,mni->m", self._loads(states, there), twists)
        entered = self._patch_entry(twists, strengths, there)
        resisted = FORCE_BOUND * scale * (entered + opened) + paid
        return np.where(moves, (gained - resisted) / np.where(moves, scale * speed, 1.0), -np.inf)

    def _unbalanced(self, balance: Array, free: Bools) -> Array:
        """(m,) the largest force, or torque over radius, left on a free body, N."""
        left = np.maximum(_lengths(balance[..., :3]), _lengths(balance[..., 3:]) / self.radii_m)
        worst: Array = np.where(free, left, 0.0).max(axis=1, initial=0.0)
        return worst

    def _masks(self, states: Sequence[State]) -> tuple[Bools, Bools]:
        """(m, n) which bodies are there, and which of them must find their own balance."""
        count, fixed = len(self.radii_m), self._assembly.fixed_mask()
        bits = [state.installed for state in states] + [fixed | state.held for state in states]
        packed = np.frombuffer(b"".join(one.to_bytes(count // 8 + 1, "little") for one in bits), dtype=np.uint8)
        flags = np.unpackbits(packed.reshape(len(bits), -1), axis=1, count=count, bitorder="little").view(np.bool_)
        there, stays = flags[: len(states)], flags[len(states) :]
        return there, there & ~stays

    def _scales(self, states: Sequence[State], free: Bools) -> Array:
        """(m,) weight of the free parts plus the forces applied to them, N."""
        scales: Array = free @ self._assembly.masses_kg * _lengths(self._pulls(states))
        for row, load in self._applied(states):
            if free[row, self._assembly.index[load.part]]:
                scales[row] += math.hypot(*load.force_n.tolist())
        scales[scales == 0.0] = 1.0
        return scales

    def _applied(self, states: Sequence[State]) -> list[tuple[int, Load]]:
        """Which state, and what pulls on it besides gravity."""
        if not self._assembly.loads and all(state.loads is None for state in states):
            return []
        return [(row, load) for row, state in enumerate(states) for load in state.loads_of(self._assembly)]

    def _pulls(self, states: Sequence[State]) -> Array:
        """(m, 3) gravity, or (1, 3) where it is the same for all."""
        if all(state.gravity is None for state in states):
            return self._assembly.gravity[None]
        return np.array([state.gravity_of(self._assembly) for state in states])

    def _loads(self, states: Sequence[State], there: Bools) -> Array:
        """(m, n, 6) load on each body: force, torque about its centre of mass."""
        total = np.zeros((*there.shape, 6))
        total[..., :3] = self._assembly.masses_kg[:, None] * self._pulls(states)[:, None, :]
        for row, load in self._applied(states):
            body = self._assembly.index[load.part]
            total[row, body, :3] += load.force_n
            if load.point_m is not None:
                total[row, body, 3:] += np.cross(load.point_m - self._assembly.coms_m[body], load.force_n)
        total[~there] = 0.0
        return total

    def _summed(self, slots: Ints, wrenches: Array) -> Array:
        """(bodies, 6) wrenches added up over the bodies' components that `slots` names."""
        sums: Array = np.bincount(slots, weights=wrenches.ravel(), minlength=6 * len(self.radii_m)).astype(np.float64)
        return sums.reshape(-1, 6)

    def _push(self, balance: Array, bodies: Ints, points: Array, forces: Array) -> None:
        """Add forces at world points to the wrenches of bodies."""
        arms = points - self._assembly.coms_m[bodies]
        np.add.at(balance, bodies, np.concatenate([forces, _cross(arms, forces)], axis=1))

    def _velocity(self, twists: Array, bodies: Ints, points: Array) -> Array:
        moved: Array = twists[bodies, :3] + _cross(twists[bodies, 3:], points - self._assembly.coms_m[bodies])
        return moved

    def _joint_maps(self) -> Array:
        """(k, 2·6, 10) wrenches on stud and hole brick from the wrench on the hole brick and four corner pressures."""
        clutches = self._found.clutches
        axes, origins = clutches.T_world_clutch[:, :3, :3], clutches.T_world_clutch[:, :3, 3]
        half = np.array([kind.half for kind in clutches.kinds]).reshape(-1, 2)[clutches.kind]
        corners = np.concatenate([CORNERS * half[:, None, :], np.zeros((len(clutches), 4, 1))], axis=2)
        places = origins[:, None, :] + np.einsum("kij,kcj->kci", axes, corners)
        maps = np.zeros((len(clutches), 2, 6, 10))
        for side, sign in ((1, 1.0), (0, -1.0)):
            centres = self._assembly.coms_m[clutches.bodies[:, side]]
            forces = np.concatenate([axes, np.repeat(axes[:, :, 2:], 4, axis=2)], axis=2)  # (k, 3, 7)
            arms = np.concatenate(
                [np.repeat((origins - centres)[:, None], 3, axis=1), places - centres[:, None]], axis=1
            )
            columns = [0, 1, 2, 6, 7, 8, 9]
            maps[:, side, :3, columns] = sign * forces.transpose(2, 0, 1)
            maps[:, side, 3:, columns] = sign * np.cross(arms, forces.swapaxes(1, 2)).transpose(1, 0, 2)
            maps[:, side, 3:, 3:6] = sign * axes
        return maps.reshape(-1, 12, 10)

    # Contacts

    def _add_patches(self, balance: Array, given: Array, there: Bools, scale: Array) -> Array:
        """Adds contact forces (m, p, 3) to the balance; returns by how much, in N, the worst leaves its cone, (m,)."""
        pairs, normals = self._pairs, self._normals
        if not given.any():
            return np.zeros(len(given))
        both = there[:, pairs[:, 0]] & there[:, pairs[:, 1]]
        normal = np.einsum("mpi,pi->mp", given, normals)
        sideways = _lengths(given - normal[..., None] * normals)
        size = _lengths(given)
        outside = np.maximum(-normal, sideways - self._friction * normal)
        excess = np.maximum(outside, size - FORCE_BOUND * scale[:, None])
        acting = np.concatenate([given, -given], axis=1)
        torques = np.einsum("pij,mpj->mpi", self._levers, acting)
        wrenches = np.concatenate([acting, torques], axis=2)
        for row, each in enumerate(wrenches):
            balance[row] += self._summed(self._point_slots, each)
        worst: Array = np.where(both, excess, size).max(axis=1, initial=0.0)
        return worst

    def _patch_entry(self, twists: Array, strengths: Strengths, there: Bools) -> Array:
        """(m,) summed speed at which motions work against forces that the contacts can give; 0 when permitted."""
        pairs, normals = self._pairs, self._normals
        moved = [twists[:, bodies, :3] for bodies in pairs.T]
        turned = [_cross(twists[:, bodies, 3:], arms) for bodies, arms in zip(pairs.T, self._arms, strict=True)]
        apart = moved[1] + turned[1] - moved[0] - turned[0]
        normal = np.einsum("mpi,pi->mp", apart, normals)
        sideways = apart - normal[..., None] * normals
        if strengths.cone == "8":
            edges = strengths.first_edges[self._owner]
            along = np.einsum("mpi,pi->mp", sideways, edges)
            across = np.einsum("mpi,pi->mp", sideways, _cross(normals, edges))
            slip = _along_the_nearest_of_eight(np.abs(along), np.abs(across))
        else:
            slip = _lengths(sideways)
        entered = np.maximum(0.0, self._friction * slip - normal)
        both = there[:, pairs[:, 0]] & there[:, pairs[:, 1]]
        summed: Array = np.where(both, entered, 0.0).sum(axis=1)
        return summed

    # Clutches

    def _add_clutches(self, balance: Array, forces: Forces, strengths: Strengths, there: Bools) -> float:
        """Adds clutch forces to the balance; returns by how much, in N, the worst point is overloaded (eq. 8, 9)."""
        clutches = self._found.clutches
        if not len(clutches):
            return 0.0
        wrenches, pressure = forces.clutch_wrenches, forces.clutch_pressure
        acting = np.concatenate([wrenches, pressure], axis=1)
        balance += self._summed(self._joint_slots, self._joints @ acting[:, :, None])
        axial, radial, tangential = self._grips.forces(wrenches)
        kind = self._grips.kind
        slides = np.abs(tangential) + axial - strengths.friction[kind] * radial
        over = np.maximum(slides - strengths.factor * strengths.point_n[kind], -axial)
        excess = np.maximum(-pressure.min(axis=1), np.maximum.reduceat(over, self._grips.starts))
        both = there[clutches.bodies[:, 0]] & there[clutches.bodies[:, 1]]
        absent = np.abs(acting).max(axis=1)
        return float(np.where(both, excess, absent).max())

    def _clutch_yield(self, twists: Array, slips: Array, strengths: Strengths, there: Bools) -> tuple[float, float]:
        """What the motion does to the clutches: speed that cannot be, and the power that yielding takes up.

        Slips z ≥ 0 that make up the relative twist, Rᵀz = d, bound the power by limits·z. Negative slips, what the
        slips leave over, and corners pressed into each other are speed that cannot be.
        """
        clutches, grips = self._found.clutches, self._grips
        if not len(clutches):
            return 0.0, 0.0
        present: Bools = there[clutches.bodies[:, 0]] & there[clutches.bodies[:, 1]]
        relative = self._relative_twists(twists)
        turning = np.stack([-relative[:, 4], relative[:, 3]], axis=1)
        apart = relative[:, 2:3] + np.einsum("ki,kci->kc", turning, CORNERS * grips.half[:, None, :])
        z = slips[grips.slips]
        left = (grips.twists(z, strengths.friction) - relative) * grips.lengths
        wrong = np.maximum(0.0, -apart).sum(axis=1) + _lengths(left)
        yields = present[grips.owner]
        paid = strengths.point_n[grips.kind] * (z[1] + z[2])
        entering = float(wrong[present].sum() + np.maximum(0.0, -z[:, yields]).sum())
        return entering, strengths.factor * float(paid[yields].sum())

    def _relative_twists(self, twists: Array) -> Array:
        """(k, 6) of the hole brick against the stud brick, in the clutches' frames."""
        clutches = self._found.clutches
        axes, origins = clutches.T_world_clutch[:, :3, :3], clutches.T_world_clutch[:, :3, 3]
        stud, hole = clutches.bodies.T
        apart = self._velocity(twists, hole, origins) - self._velocity(twists, stud, origins)
        turned = twists[hole, 3:] - twists[stud, 3:]
        return np.concatenate([np.einsum("kji,kj->ki", axes, apart), np.einsum("kji,kj->ki", axes, turned)], axis=1)

    # Hinges

    def _add_hinges(self, balance: Array, forces: Forces, there: Bools) -> float:
        """Adds hinge forces to the balance; returns the largest moment about an axis, which a hinge cannot carry."""
        hinges = self._found.hinges
        if not len(hinges):
            return 0.0
        both = there[hinges.bodies].all(axis=1)
        reach = self.radii_m[hinges.bodies].max(axis=1, initial=0.0)
        about = np.abs(np.einsum("hi,hi->h", forces.hinge_moments, hinges.axes))
        absent = _lengths(forces.hinge_forces) * ~both
        for side, sign in ((1, 1.0), (0, -1.0)):
            self._push(balance, hinges.bodies[:, side], hinges.points, sign * forces.hinge_forces)
            np.add.at(balance[:, 3:], hinges.bodies[:, side], sign * forces.hinge_moments)
        return float(np.maximum(absent, np.divide(about, reach, out=about, where=reach > 0)).max(initial=0.0))

    def _hinge_entry(self, twists: Array, there: Bools) -> float:
        """Summed speed at which a motion tears hinges apart or turns them about another axis."""
        hinges = self._found.hinges
        if not len(hinges):
            return 0.0
        first, second = hinges.bodies.T
        apart = self._velocity(twists, second, hinges.points) - self._velocity(twists, first, hinges.points)
        turned = twists[second, 3:] - twists[first, 3:]
        twisted = turned - np.einsum("hi,hi->h", turned, hinges.axes)[:, None] * hinges.axes
        reach = self.radii_m[hinges.bodies].max(axis=1, initial=0.0)
        speeds = _lengths(apart) + reach * _lengths(twisted)
        return float(speeds[there[hinges.bodies].all(axis=1)].sum())


def _lengths(vectors: Array) -> Array:
    """Euclidean lengths along the last axis."""
    lengths: Array = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))
    return lengths


def _along_the_nearest_of_eight(x: Array, y: Array) -> Array:
    """max over k of cos(kπ/4)·x + sin(kπ/4)·y, for x, y ≥ 0: what eight edges see of a slip."""
    seen: Array = np.maximum(np.maximum(x, y), (x + y) * math.sqrt(0.5))
    return seen


def _cross(a: Array, b: Array) -> Array:
    """a × b along the last axis, without numpy's generality."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def _as_bits(flags: Bools) -> list[int]:
    """(m, n) flags as bit masks."""
    return [int.from_bytes(row, "little") for row in np.packbits(flags, axis=1, bitorder="little")]
