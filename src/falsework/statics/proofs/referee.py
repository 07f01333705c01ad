"""Checks certificates with a few lines of arithmetic. Shares no code with the solvers: model, numpy and `grips` only.

**Forces** prove that a state stands if every free body is in balance, to 1e-6 of its own weight and loads (rounding of
the sums counted against it), and its interfaces together carry no more than that beyond what they can.

**A motion** v of the free bodies proves that it cannot stand if the loads gain more on it than all interfaces can take
up. The argument is one line of virtual work. Let forces balance the loads; then on any motion

    loads·v  =  Σ (power that interface i takes up on v)  ≤  Σ h_i(v),    h_i(v) = the most that it can take up,

so a motion with loads·v > Σ h_i(v) leaves no forces. What h is, or is at most:

- *Contacts*: Coulomb's cone takes up nothing where μ·slip ≤ opening speed, and any amount elsewhere. No force beyond
  FORCE_BOUND times the load of what moves, plus PRESS_BOUND times what all that is free and joined with it brings up,
  counts as an answer (with exact cones the reachable wrenches need not be closed; seed 002 bounds the forces too). So
  entering is charged at that bound, and larger forces are refused.
- *Clutches*: the limits on a clutch's points are R w ≤ c. Any slips z ≥ 0 with Rᵀz = d, d the relative twist, give
  w·d = (R w)·z ≤ c·z. Slips that are negative count as zero, and what they then leave of d is charged with a bound on
  all wrenches of the clutch (GRIP_BOUND). Pressed faces push with what loads and clutches bring up (PRESS_BOUND).
- *Hinges* carry any force and any moment but the one about their axis: tearing is charged like entering.

Bodies that move together through interfaces are one piece; one piece that falls is enough, and only its own load and
speed count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, MOTION_POWER, Forces, Motion
from falsework.statics.proofs.grips import Grips

FORCE_BOUND = 1e6  # of the load of what moves, at one contact point
HINGE_BOUND = 1e9  # the same at a hinge: bars in a nearly straight line do bear thousands of times the load
PRESS_BOUND = 1e3  # of what the loads and clutches of everything free that it is joined with bring up, anywhere
GRIP_BOUND = 4.0  # no wrench of a clutch exceeds this many times its points' strength (× its reach)
ROUNDING = 2.0**-50  # relative, of sums and of speeds
SMALLEST = 1e-100  # N and m/s: the squares of what is much less vanish, and with them errors
STILL = (0.0, 1e-9, 1e-6, 1e-3, 0.2)  # of the largest speed: motions are tried without slower bodies
CORNERS = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """What the referee is told about the clutches: the strength of each kind."""

    point_n: Array  # (kinds,) μ·F₀ of one clutch point
    friction: Array  # (kinds,) μ of the clutches
    factor: float = 1.0  # on all clutch strengths


class Judgement(NamedTuple):
    """What is proved of each of many states."""

    stands: Bools  # (m,)
    moving: list[int]  # bit masks of the fewest bodies whose motion proves a fall; 0 where nothing does


class Fall(NamedTuple):
    """The piece of a motion that proves most."""

    power: float  # (loads·v − Σh(v)) / (load × |v|), all of that piece; −inf where nothing moves
    moving: Bools  # (n,) the bodies of the piece
    scale_w: float  # load × |v|


class Referee:
    """Checks forces and motions of states of one assembly."""

    def __init__(self, assembly: Assembly, found: Interfaces) -> None:
        self._assembly, self._found = assembly, found
        patches = found.patches
        owner = patches.owner
        self._pairs = patches.bodies[owner]
        self._normals, self._friction = patches.normals[owner], patches.friction[owner]
        self._arms = patches.points[:, None] - assembly.coms_m[self._pairs]  # (p, 2, 3)
        self.radii_m = np.array([body.radius_m for body in assembly.bodies])
        self._grips = Grips.of(found.clutches)
        self._joints = self._joint_maps()
        self._joint_slots = (6 * found.clutches.bodies[:, :, None] + np.arange(6)).ravel()

    # What is asked

    def forces_residual(self, state: State, forces: Forces, strengths: Strengths) -> float:
        """The worst imbalance of a free body, or summed excess of its interfaces, relative to the body's own load."""
        there, free = self._masks(state)
        if not free.any():
            return 0.0
        own = self._own_loads(state, there, free)
        loads, summed, beyond = self._loads(state, there), np.zeros(len(free)), np.zeros(len(free))
        balance = loads.copy()
        self._add_patches(balance, summed, beyond, forces.patch_forces, there)
        self._add_clutches(balance, summed, beyond, forces, strengths, there)
        self._add_hinges(balance, summed, beyond, forces, there)
        if self._is_squeezed(summed, forces.clutch_pressure, own, free):
            heft = own + _lengths(loads[:, 3:]) / self.radii_m
            around = self._brought_up(heft, there, free, strengths)
            if self._is_squeezed(summed, forces.clutch_pressure, own, free, around):
                return math.inf
        left = np.maximum(_lengths(balance[:, :3]), _lengths(balance[:, 3:]) / self.radii_m) + ROUNDING * summed
        residual = float(((np.maximum(left, beyond) + SMALLEST) / np.where(free, own, np.inf)).max())
        return math.inf if math.isnan(residual) else residual

    def motion_power(self, state: State, motion: Motion, strengths: Strengths) -> float:
        """How surely it cannot stand; 0 or less proves nothing."""
        return self.fall(state, motion, strengths).power

    def fall(self, state: State, motion: Motion, strengths: Strengths) -> Fall:
        """The connected piece of the motion on which the loads gain most, and what they gain."""
        there, free = self._masks(state)
        twists = np.where(free[:, None], motion.twists, 0.0)
        speeds = self._speeds(twists)
        moves = speeds > SMALLEST
        twists = np.where(moves[:, None], twists, 0.0)
        if not moves.any() or not np.isfinite(speeds).all():
            return Fall(-math.inf, np.zeros(len(free), np.bool_), 0.0)
        label = self._connected(moves, there)
        count = int(label.max()) + 1
        own, loads = self._own_loads(state, there, free), self._loads(state, there)
        heft = own + _lengths(loads[:, 3:]) / self.radii_m
        tally = _Tally(label, count, there)
        load, weight = tally.of_bodies(heft), tally.of_bodies(own)
        gained = tally.of_bodies(np.einsum("ni,ni->n", loads, twists))
        fastest = np.zeros(count)
        np.maximum.at(fastest, label[moves], speeds[moves])
        around = np.zeros(count)
        around[label[moves]] = self._brought_up(heft, there, free, strengths)[moves]
        resisted = self._clutch_power(twists, motion.clutch_slips, strengths, tally)
        resisted += around * self._press_entry(twists, tally)
        resisted += (FORCE_BOUND * load + around) * self._patch_entry(twists, tally)
        resisted += (HINGE_BOUND * load + around) * self._hinge_entry(twists, tally)
        scale = weight * fastest
        powers = np.divide(gained - resisted, scale, out=np.full(count, -np.inf), where=weight > SMALLEST)
        best = int(np.argmax(powers))
        return Fall(float(powers[best]), label == best, float(scale[best]))

    def judge(self, states: Sequence[State], patch_forces: Array, twists: Array, strengths: Strengths) -> Judgement:
        """What forces (m, p, 3) and motions (m, n, 6) prove of many states of an assembly with contacts only."""
        stands, moving = np.zeros(len(states), np.bool_), []
        for row, state in enumerate(states):
            fallen = self.fewest(state, Motion(twists[row], np.zeros(0)), strengths)
            moving.append(0 if fallen is None else _as_bits(fallen.moving))
            stands[row] = self.contact_residual(state, patch_forces[row]) <= FORCES_RESIDUAL
        return Judgement(stands, moving)

    def accepted(self, states: Sequence[State], patch_forces: Array) -> Bools:
        """(m,) whether forces (m, p, 3) prove that states of an assembly with contacts only stand."""
        residuals = [self.contact_residual(*each) for each in zip(states, patch_forces, strict=True)]
        return np.array(residuals) <= FORCES_RESIDUAL

    def contact_residual(self, state: State, patch_forces: Array) -> float:
        """`forces_residual` of an assembly with contacts only."""
        none = np.zeros((0, 6)), np.zeros((0, 4)), np.zeros((0, 3)), np.zeros((0, 3))
        return self.forces_residual(state, Forces(patch_forces, *none), Strengths(np.zeros(0), np.zeros(0)))

    def fewest(self, state: State, motion: Motion, strengths: Strengths) -> Fall | None:
        """The fewest bodies whose motion proves a fall, without those slower than a share of the fastest; or None.

        For contacts only: the joints of bodies that rest are not asked how they would slip.
        """
        _, free = self._masks(state)
        twists = np.where(free[:, None], motion.twists, 0.0)
        speeds = self._speeds(twists)
        for share in reversed(STILL):
            slow = speeds <= share * speeds.max(initial=0.0)
            fallen = self.fall(state, Motion(np.where(slow[:, None], 0.0, twists), motion.clutch_slips), strengths)
            if fallen.power >= MOTION_POWER:
                return fallen
        return None

    def faster(self, twists: Array, share: float) -> Bools:
        """(n,) which bodies move faster than a share of the fastest in a motion (n, 6)."""
        speeds = self._speeds(twists)
        moves: Bools = speeds > share * speeds.max(initial=0.0)
        return moves

    # Bodies and loads

    def _speeds(self, twists: Array) -> Array:
        speeds: Array = np.maximum(_lengths(twists[:, :3]), _lengths(twists[:, 3:]) * self.radii_m)
        return speeds

    def _masks(self, state: State) -> tuple[Bools, Bools]:
        """(n,) which bodies are there, and which of them must find their own balance."""
        count = len(self.radii_m)
        both = (state.installed, state.installed & ~state.held & ~self._assembly.fixed_mask())
        packed = np.frombuffer(b"".join(one.to_bytes(count // 8 + 1, "little") for one in both), dtype=np.uint8)
        flags = np.unpackbits(packed.reshape(2, -1), axis=1, count=count, bitorder="little").view(np.bool_)
        return flags[0], flags[1]

    def _own_loads(self, state: State, there: Bools, free: Bools) -> Array:
        """(n,) weight of each body plus the forces applied to it, N.

        What has no load of its own is measured by the least loaded of the free bodies that it acts on.
        """
        own = self._assembly.masses_kg * math.hypot(*state.gravity_of(self._assembly).tolist())
        for load in state.loads_of(self._assembly):
            own[self._assembly.index[load.part]] += math.hypot(*load.force_n.tolist())
        bare = free & (own == 0.0)
        if bare.any():
            label = self._connected(free, there)
            least = np.full(int(label.max()) + 1, np.inf)
            loaded = free & (own > 0.0)
            np.minimum.at(least, label[loaded], own[loaded])
            own[bare] = np.where(np.isfinite(least), least, 1.0)[label[bare]]
        return own

    def _loads(self, state: State, there: Bools) -> Array:
        """(n, 6) load on each body: force, torque about its centre of mass."""
        total = np.zeros((len(there), 6))
        total[:, :3] = self._assembly.masses_kg[:, None] * state.gravity_of(self._assembly)
        for load in state.loads_of(self._assembly):
            body = self._assembly.index[load.part]
            total[body, :3] += load.force_n
            if load.point_m is not None:
                total[body, 3:] += np.cross(load.point_m - self._assembly.coms_m[body], load.force_n)
        total[~there] = 0.0
        return total

    def _connected(self, chosen: Bools, there: Bools) -> Ints:
        """(n,) number of the piece that each chosen body belongs to, joined by interfaces; −1 for the others."""
        found = self._found
        pairs = np.concatenate([found.patches.bodies, found.clutches.bodies, found.hinges.bodies])
        pairs = pairs[(chosen & there)[pairs].all(axis=1)]
        label = np.arange(len(chosen))
        while True:
            least = label[pairs].min(axis=1) if len(pairs) else label[:0]
            before = label.copy()
            np.minimum.at(label, pairs[:, 0], least)
            np.minimum.at(label, pairs[:, 1], least)
            label = label[label]
            if np.array_equal(before, label):
                break
        pieces: Ints = np.full(len(chosen), -1)
        pieces[chosen] = np.unique(label[chosen], return_inverse=True)[1]
        return pieces

    def _push(self, balance: Array, summed: Array, bodies: Ints, arms: Array, forces: Array) -> None:
        """Add forces at arms from the centres of mass to the wrenches of bodies, and their sizes to `summed`."""
        wrenches = np.concatenate([forces, _cross(arms, forces)], axis=1)
        slots = (6 * bodies[:, None] + np.arange(6)).ravel()
        balance += np.bincount(slots, weights=wrenches.ravel(), minlength=balance.size).reshape(-1, 6)
        sizes = _lengths(forces) * (1.0 + _lengths(arms) / self.radii_m[bodies])
        summed += np.bincount(bodies, weights=sizes, minlength=len(summed))

    def _velocity(self, twists: Array, bodies: Ints, points: Array) -> Array:
        moved: Array = twists[bodies, :3] + _cross(twists[bodies, 3:], points - self._assembly.coms_m[bodies])
        return moved

    def _brought_up(self, heft: Array, there: Bools, free: Bools, strengths: Strengths) -> Array:
        """(n,) what all that is free and joined with each free body can press with, N: loads, and grip of clutches."""
        label = self._connected(free, there)
        tally = _Tally(label, int(label.max()) + 1, there)
        pieces = PRESS_BOUND * (tally.of_bodies(heft) + self._capacity(strengths, tally))
        return np.where(free, pieces[label], 0.0)

    def _is_squeezed(
        self, summed: Array, pressure: Array, own: Array, free: Bools, around: Array | None = None
    ) -> bool:
        """Whether forces exceed what motions are charged with; without `around`, whether they may."""
        clutches, hinges = self._found.clutches, self._found.hinges
        hinged = np.bincount(hinges.bodies.ravel(), minlength=len(free)) > 0
        most = np.where(hinged, HINGE_BOUND, FORCE_BOUND) * own
        pressed = np.zeros(len(free))
        np.maximum.at(pressed, clutches.bodies, pressure.max(axis=1, initial=0.0)[:, None])
        faces = PRESS_BOUND * own if around is None else around
        most = most if around is None else most + around
        return bool((free & ((summed > most) | (pressed > faces))).any())

    # Contacts

    def _add_patches(self, balance: Array, summed: Array, beyond: Array, given: Array, there: Bools) -> None:
        """Adds contact forces (p, 3) to the balance, and by how much they leave their cones to `beyond`."""
        if not len(given):
            return
        pairs, normals = self._pairs, self._normals
        normal = np.einsum("pi,pi->p", given, normals)
        sideways = _lengths(given - normal[:, None] * normals)
        outside = np.maximum(-normal, sideways - self._friction * normal)
        excess = np.where(there[pairs].all(axis=1), np.maximum(outside, 0.0), _lengths(given))
        for side, sign in ((0, -1.0), (1, 1.0)):
            self._push(balance, summed, pairs[:, side], self._arms[:, side], sign * given)
            beyond += np.bincount(pairs[:, side], weights=excess, minlength=len(beyond))

    def _patch_entry(self, twists: Array, tally: _Tally) -> Array:
        """(pieces,) summed speed at which a motion works against forces that the contacts can give."""
        pairs, normals = self._pairs, self._normals
        moved = [twists[pairs[:, k], :3] + _cross(twists[pairs[:, k], 3:], self._arms[:, k]) for k in (0, 1)]
        relative = moved[1] - moved[0]
        normal = np.einsum("pi,pi->p", relative, normals)
        slip = _lengths(relative - normal[:, None] * normals)
        sizes = [
            _lengths(twists[pairs[:, k], :3]) + _lengths(twists[pairs[:, k], 3:]) * _lengths(self._arms[:, k])
            for k in (0, 1)
        ]
        rounded = ROUNDING * (1.0 + self._friction) * (sizes[0] + sizes[1])
        return tally.of_pairs(pairs, np.maximum(0.0, self._friction * slip - normal - rounded))

    # Clutches

    def _add_clutches(
        self, balance: Array, summed: Array, beyond: Array, forces: Forces, strengths: Strengths, there: Bools
    ) -> None:
        """Adds clutch forces to the balance, and by how much points are overloaded (eq. 8, 9) to `beyond`."""
        clutches = self._found.clutches
        if not len(clutches):
            return
        wrenches, pressure = forces.clutch_wrenches, forces.clutch_pressure
        acting = np.concatenate([wrenches, pressure], axis=1)
        pushed = (self._joints @ acting[:, :, None]).reshape(-1, 2, 6)
        balance += np.bincount(self._joint_slots, weights=pushed.ravel(), minlength=balance.size).reshape(-1, 6)
        sizes = np.einsum("kij,kj->ki", np.abs(self._joints), np.abs(acting)).reshape(-1, 2, 6)
        radii = self.radii_m[clutches.bodies]
        sizes = sizes[..., :3].max(axis=2) + sizes[..., 3:].max(axis=2) / radii
        summed += np.bincount(clutches.bodies.ravel(), weights=sizes.ravel(), minlength=len(summed))
        axial, radial, tangential = self._grips.forces(wrenches)
        kind = self._grips.kind
        slides = np.abs(tangential) + axial - strengths.friction[kind] * radial
        over = np.maximum(np.maximum(slides - strengths.factor * strengths.point_n[kind], -axial), 0.0)
        excess = np.maximum(-pressure, 0.0).sum(axis=1) + np.add.reduceat(over, self._grips.starts)
        both = there[clutches.bodies].all(axis=1, keepdims=True)
        excesses = np.where(both, excess[:, None], sizes)
        beyond += np.bincount(clutches.bodies.ravel(), weights=excesses.ravel(), minlength=len(beyond))

    def _clutch_power(self, twists: Array, slips: Array, strengths: Strengths, tally: _Tally) -> Array:
        """(pieces,) the most that the studs can take up on the motion."""
        clutches, grips = self._found.clutches, self._grips
        if not len(clutches):
            return np.zeros(tally.count)
        relative = self._relative_twists(twists)
        z = np.maximum(slips[grips.slips], 0.0)
        left = _lengths((grips.twists(z, strengths.friction) - relative) * grips.lengths)
        held = strengths.factor * strengths.point_n[grips.kind]
        paid = np.bincount(grips.owner, weights=held * (z[1] + z[2]), minlength=len(clutches))
        grip = GRIP_BOUND * np.bincount(grips.owner, weights=held, minlength=len(clutches))
        return tally.of_pairs(clutches.bodies, paid + grip * left)

    def _press_entry(self, twists: Array, tally: _Tally) -> Array:
        """(pieces,) summed speed at which a motion presses the corners of clutches' faces into each other."""
        clutches = self._found.clutches
        if not len(clutches):
            return np.zeros(tally.count)
        relative = self._relative_twists(twists)
        turning = np.stack([-relative[:, 4], relative[:, 3]], axis=1)
        apart = relative[:, 2:3] + np.einsum("ki,kci->kc", turning, CORNERS * self._grips.half[:, None, :])
        rounded = ROUNDING * self._speeds(twists)[clutches.bodies].sum(axis=1)[:, None]
        return tally.of_pairs(clutches.bodies, np.maximum(0.0, -apart - rounded).sum(axis=1))

    def _capacity(self, strengths: Strengths, tally: _Tally) -> Array:
        """(pieces,) what the points of all clutches can hold together, N."""
        grips, clutches = self._grips, self._found.clutches
        held = strengths.factor * strengths.point_n[grips.kind]
        each: Array = np.bincount(grips.owner, weights=held, minlength=len(clutches)).astype(np.float64)
        return tally.of_pairs(clutches.bodies, each)

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

    def _relative_twists(self, twists: Array) -> Array:
        """(k, 6) of the hole brick against the stud brick, in the clutches' frames."""
        clutches = self._found.clutches
        axes, origins = clutches.T_world_clutch[:, :3, :3], clutches.T_world_clutch[:, :3, 3]
        stud, hole = clutches.bodies.T
        apart = self._velocity(twists, hole, origins) - self._velocity(twists, stud, origins)
        turned = twists[hole, 3:] - twists[stud, 3:]
        return np.concatenate([np.einsum("kji,kj->ki", axes, apart), np.einsum("kji,kj->ki", axes, turned)], axis=1)

    # Hinges

    def _add_hinges(self, balance: Array, summed: Array, beyond: Array, forces: Forces, there: Bools) -> None:
        """Adds hinge forces to the balance, and moments about the axis, which no hinge can carry, to `beyond`."""
        hinges = self._found.hinges
        if not len(hinges):
            return
        both = there[hinges.bodies].all(axis=1)
        about = np.abs(np.einsum("hi,hi->h", forces.hinge_moments, hinges.axes))
        for side, sign in ((1, 1.0), (0, -1.0)):
            bodies = hinges.bodies[:, side]
            self._push(
                *(balance, summed, bodies, hinges.points - self._assembly.coms_m[bodies], sign * forces.hinge_forces)
            )
            np.add.at(balance[:, 3:], bodies, sign * forces.hinge_moments)
            moments = _lengths(forces.hinge_moments) / self.radii_m[bodies]
            np.add.at(summed, bodies, moments)
            excess = np.where(both, about / self.radii_m[bodies], _lengths(forces.hinge_forces) + moments)
            np.add.at(beyond, bodies, excess)

    def _hinge_entry(self, twists: Array, tally: _Tally) -> Array:
        """(pieces,) summed speed at which a motion tears hinges apart or turns them about another axis."""
        hinges = self._found.hinges
        if not len(hinges):
            return np.zeros(tally.count)
        first, second = hinges.bodies.T
        apart = self._velocity(twists, second, hinges.points) - self._velocity(twists, first, hinges.points)
        turned = twists[second, 3:] - twists[first, 3:]
        twisted = turned - np.einsum("hi,hi->h", turned, hinges.axes)[:, None] * hinges.axes
        reach = self.radii_m[hinges.bodies].max(axis=1)
        rounded = (
            ROUNDING
            * self._speeds(twists)[hinges.bodies].sum(axis=1)
            * (
                1.0
                + _lengths(hinges.points - self._assembly.coms_m[first]) / self.radii_m[first]
                + _lengths(hinges.points - self._assembly.coms_m[second]) / self.radii_m[second]
            )
        )
        torn = np.maximum(0.0, _lengths(apart) + reach * _lengths(twisted) - rounded)
        return tally.of_pairs(hinges.bodies, torn)


class _Tally:
    """Sums over the pieces that move: of bodies, and of interfaces that are there and touch a piece."""

    def __init__(self, label: Ints, count: int, there: Bools) -> None:
        self._label, self.count, self._there = label, count, there

    def of_bodies(self, values: Array) -> Array:
        moves = self._label >= 0
        return self._sum(self._label[moves], values[moves])

    def of_pairs(self, pairs: Ints, values: Array) -> Array:
        piece = self._label[pairs].max(axis=1) if len(pairs) else self._label[:0]
        counts = (piece >= 0) & self._there[pairs].all(axis=1) if len(pairs) else np.zeros(0, np.bool_)
        return self._sum(piece[counts], values[counts])

    def _sum(self, piece: Ints, values: Array) -> Array:
        sums: Array = np.bincount(piece, weights=values, minlength=self.count).astype(np.float64)
        return sums


def _lengths(vectors: Array) -> Array:
    """Euclidean lengths along the last axis."""
    lengths: Array = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))
    return lengths


def _cross(a: Array, b: Array) -> Array:
    """a × b along the last axis, without numpy's generality."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def _as_bits(flags: Bools) -> int:
    """(n,) flags as a bit mask."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
