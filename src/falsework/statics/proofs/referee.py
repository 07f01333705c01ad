"""Checks certificates with a few lines of arithmetic. Shares no code with the solvers: model, numpy, `grips` and the
`checked_` files only.

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
from typing import NamedTuple

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, MOTION_POWER, Forces, Motion
from falsework.statics.proofs.checked_bodies import Balance, CheckedBodies, Tally, lengths
from falsework.statics.proofs.checked_clutches import CheckedClutches, Strengths
from falsework.statics.proofs.checked_contacts import CheckedContacts
from falsework.statics.proofs.checked_hinges import CheckedHinges

FORCE_BOUND = 1e6  # of the load of what moves, at one contact point
HINGE_BOUND = 1e9  # the same at a hinge: bars in a nearly straight line do bear thousands of times the load
PRESS_BOUND = 1e3  # of what the loads and clutches of everything free that it is joined with bring up, anywhere
SMALLEST = 1e-100  # N and m/s: the squares of what is much less vanish, and with them errors
STILL = (0.0, 1e-9, 1e-6, 1e-3, 0.2)  # of the largest speed: motions are tried without slower bodies


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

    def __init__(self, assembly: Assembly, joints: Interfaces) -> None:
        self._joints = joints
        self._bodies = CheckedBodies(assembly, joints)
        self._contacts = CheckedContacts(joints.patches, self._bodies)
        self._clutches = CheckedClutches(joints.clutches, self._bodies)
        self._hinges = CheckedHinges(joints.hinges, self._bodies)

    @property
    def radii_m(self) -> Array:
        """(n,) how far bodies reach from their centres of mass."""
        return self._bodies.radii_m

    def forces_residual(self, state: State, forces: Forces, strengths: Strengths) -> float:
        """The worst imbalance of a free body, or summed excess of its interfaces, relative to the body's own load."""
        there, free = self._bodies.masks(state)
        if not free.any():
            return 0.0
        own, loads = self._bodies.own_loads(state, there, free), self._bodies.loads(state, there)
        balance = Balance.of(loads, self.radii_m)
        self._contacts.add(balance, forces.patch_forces, there)
        self._clutches.add(balance, forces, strengths, there)
        self._hinges.add(balance, forces, there)
        if self._is_squeezed(balance.summed, forces.clutch_pressure, own, free):
            heft = own + lengths(loads[:, 3:]) / self.radii_m
            around = self._brought_up(heft, there, free, strengths)
            if self._is_squeezed(balance.summed, forces.clutch_pressure, own, free, around):
                return math.inf
        residual = float(((balance.left() + SMALLEST) / np.where(free, own, np.inf)).max())
        return math.inf if math.isnan(residual) else residual

    def motion_power(self, state: State, motion: Motion, strengths: Strengths) -> float:
        """How surely it cannot stand; 0 or less proves nothing."""
        return self.fall(state, motion, strengths).power

    def fall(self, state: State, motion: Motion, strengths: Strengths) -> Fall:
        """The connected piece of the motion on which the loads gain most, and what they gain."""
        there, free = self._bodies.masks(state)
        twists = np.where(free[:, None], motion.twists, 0.0)
        speeds = self._bodies.speeds(twists)
        moves = speeds > SMALLEST
        twists = np.where(moves[:, None], twists, 0.0)
        if not moves.any() or not np.isfinite(speeds).all():
            return Fall(-math.inf, np.zeros(len(free), np.bool_), 0.0)
        label = self._bodies.connected(moves, there)
        count = int(label.max()) + 1
        own, loads = self._bodies.own_loads(state, there, free), self._bodies.loads(state, there)
        heft = own + lengths(loads[:, 3:]) / self.radii_m
        tally = Tally(label, count, there)
        load, weight = tally.of_bodies(heft), tally.of_bodies(own)
        gained = tally.of_bodies(np.einsum("ni,ni->n", loads, twists))
        fastest = np.zeros(count)
        np.maximum.at(fastest, label[moves], speeds[moves])
        around = np.zeros(count)
        around[label[moves]] = self._brought_up(heft, there, free, strengths)[moves]
        resisted = self._clutches.power(twists, motion.clutch_slips, strengths, tally)
        resisted += around * self._clutches.entry(twists, tally)
        resisted += (FORCE_BOUND * load + around) * self._contacts.entry(twists, tally)
        resisted += (HINGE_BOUND * load + around) * self._hinges.entry(twists, tally)
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
        _, free = self._bodies.masks(state)
        twists = np.where(free[:, None], motion.twists, 0.0)
        speeds = self._bodies.speeds(twists)
        for share in reversed(STILL):
            slow = speeds <= share * speeds.max(initial=0.0)
            fallen = self.fall(state, Motion(np.where(slow[:, None], 0.0, twists), motion.clutch_slips), strengths)
            if fallen.power >= MOTION_POWER:
                return fallen
        return None

    def faster(self, twists: Array, share: float) -> Bools:
        """(n,) which bodies move faster than a share of the fastest in a motion (n, 6)."""
        speeds = self._bodies.speeds(twists)
        moves: Bools = speeds > share * speeds.max(initial=0.0)
        return moves

    def _brought_up(self, heft: Array, there: Bools, free: Bools, strengths: Strengths) -> Array:
        """(n,) what all that is free and joined with each free body can press with, N: loads, and grip of clutches."""
        label = self._bodies.connected(free, there)
        tally = Tally(label, int(label.max()) + 1, there)
        pieces = PRESS_BOUND * (tally.of_bodies(heft) + self._clutches.capacity(strengths, tally))
        return np.where(free, pieces[label], 0.0)

    def _is_squeezed(
        self, summed: Array, pressure: Array, own: Array, free: Bools, around: Array | None = None
    ) -> bool:
        """Whether forces exceed what motions are charged with; without `around`, whether they may."""
        clutches, hinges = self._joints.clutches, self._joints.hinges
        hinged = np.bincount(hinges.bodies.ravel(), minlength=len(free)) > 0
        most = np.where(hinged, HINGE_BOUND, FORCE_BOUND) * own
        faces = PRESS_BOUND * own if around is None else around
        most = most if around is None else most + around
        if (free & (summed > most)).any():
            return True
        if pressure.max(initial=0.0) <= faces.min(where=free, initial=np.inf):
            return False
        pressed = np.zeros(len(free))
        np.maximum.at(pressed, clutches.bodies, pressure.max(axis=1, initial=0.0)[:, None])
        return bool((free & (pressed > faces)).any())


def _as_bits(flags: Bools) -> int:
    """(n,) flags as a bit mask."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
