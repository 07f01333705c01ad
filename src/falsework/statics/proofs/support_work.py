"""How much work supports can do at most, proved by one motion. Shares no code with the solvers.

Let supports move by a given motion, and the free bodies along with them in some way v. For any forces that balance the
loads of the free bodies, virtual work says

    loads·v  +  (work of the supports on the structure)  =  Σ (power that interface i takes up on v)  ≤  Σ h_i(v),

so the supports do at most Σ h_i(v) − loads·v, whatever the forces are. For contacts h is 0 where the motion opens
every contact at least as fast as friction times the slip; what little rounding leaves of entering is charged with
FORCE_BOUND times the load, as in the referee.
"""

from __future__ import annotations

import math

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces
from falsework.statics.proofs.checked_bodies import Balance, CheckedBodies, Tally, lengths
from falsework.statics.proofs.checked_clutches import CheckedClutches, Strengths
from falsework.statics.proofs.checked_contacts import CheckedContacts
from falsework.statics.proofs.checked_hinges import CheckedHinges

FORCE_BOUND = 1e3  # of the load of all that is free, at one contact point: what is charged for entering


class SupportWork:
    """Of one assembly in one state; bounds are those of contacts and hinges."""

    def __init__(self, assembly: Assembly, joints: Interfaces, state: State) -> None:
        self._bodies = CheckedBodies(assembly, joints)
        self._contacts = CheckedContacts(joints.patches, self._bodies)
        self._hinges = CheckedHinges(joints.hinges, self._bodies)
        self._clutches = CheckedClutches(joints.clutches, self._bodies)
        self._there, self._free = self._bodies.masks(state)
        self._loads = np.where(self._free[:, None], self._bodies.loads(state, self._there), 0.0)

    def on_structure(self, forces: Forces, strengths: Strengths) -> Array:
        """(n, 6) what every body that need not balance, support or hand, puts on the others about its own centre."""
        balance = Balance.of(np.zeros_like(self._loads), self._bodies.radii_m)
        self._contacts.add(balance, forces.patch_forces, self._there)
        self._clutches.add(balance, forces, strengths, self._there)
        self._hinges.add(balance, forces, self._there)
        return np.where((self._there & ~self._free)[:, None], -balance.wrenches, 0.0)

    def done(self, forces: Forces, motion: Array, strengths: Strengths) -> float:
        """What the supports do on their motion (n, 6) with these forces, W."""
        return float((self.on_structure(forces, strengths) * np.where(self._free[:, None], 0.0, motion)).sum())

    def most(self, motion: Array) -> float:
        """What they can do at most with any forces, W; `motion` (n, 6) is that of supports and of what follows them."""
        if not np.isfinite(motion).all():
            return math.inf
        everything = Tally(np.where(self._there, 0, -1), 1, self._there)
        entering = self._contacts.entry(motion, everything) + self._hinges.entry(motion, everything)
        heft = lengths(self._loads[:, :3]) + lengths(self._loads[:, 3:]) / self._bodies.radii_m
        return float(FORCE_BOUND * heft.sum() * entering[0] - (self._loads * motion).sum())
