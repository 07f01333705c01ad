"""Contacts as the referee sees them: what leaves Coulomb's cone, and what a motion enters."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.interfaces import Patches
from falsework.statics.proofs.checked_bodies import ROUNDING, Balance, CheckedBodies, Tally, cross, lengths


class CheckedContacts:
    """All contact points, patch by patch."""

    def __init__(self, patches: Patches, bodies: CheckedBodies) -> None:
        owner = patches.owner
        self.pairs = patches.bodies[owner]
        self.normals, self.friction = patches.normals[owner], patches.friction[owner]
        self.arms = patches.points[:, None] - bodies.coms_m[self.pairs]  # (p, 2, 3)
        self._radii_m = bodies.radii_m

    def add(self, balance: Balance, given: Array, there: Bools) -> None:
        """Adds contact forces (p, 3) to a balance, and by how much they leave their cones."""
        if not given.any():  # as often among clutches
            return
        normals, (one, other) = self.normals, self.pairs.T
        normal, size = np.einsum("pi,pi->p", given, normals), lengths(given)
        sideways = lengths(given - normal[:, None] * normals)
        outside = np.maximum(-normal, sideways - self.friction * normal)
        excess = np.where(there[one] & there[other], np.maximum(outside, 0.0), size)
        balance.take(self._wrenches(given), self.pairs, self._levers * size[:, None], excess.repeat(2))

    @cached_property
    def _levers(self) -> Array:
        """(p, 2) what a newton at a point sums up to on either body."""
        levers: Array = 1.0 + lengths(self.arms) / self._radii_m[self.pairs]
        return levers

    @cached_property
    def _slots(self) -> Ints:
        """(p·2·6,) where wrenches on the two bodies of each point stand among those of all bodies."""
        slots: Ints = (6 * self.pairs[:, :, None] + np.arange(6)).ravel()
        return slots

    def _wrenches(self, given: Array) -> Array:
        """(6n,) wrenches on bodies about their centres of mass, from the force on the second body at each point."""
        each = np.empty((len(given), 2, 6))
        each[:, 0, :3], each[:, 1, :3] = -given, given
        each[:, :, 3:] = cross(self.arms, each[:, :, :3])
        sums: Array = np.bincount(self._slots, weights=each.ravel(), minlength=6 * len(self._radii_m)).astype(
            np.float64
        )
        return sums

    def entry(self, twists: Array, tally: Tally) -> Array:
        """(pieces,) summed speed at which a motion works against forces that the contacts can give."""
        pairs, normals = self.pairs, self.normals
        moved = [twists[pairs[:, k], :3] + cross(twists[pairs[:, k], 3:], self.arms[:, k]) for k in (0, 1)]
        relative = moved[1] - moved[0]
        normal = np.einsum("pi,pi->p", relative, normals)
        slip = lengths(relative - normal[:, None] * normals)
        sizes = [
            lengths(twists[pairs[:, k], :3]) + lengths(twists[pairs[:, k], 3:]) * lengths(self.arms[:, k])
            for k in (0, 1)
        ]
        rounded = ROUNDING * (1.0 + self.friction) * (sizes[0] + sizes[1])
        return tally.of_pairs(pairs, np.maximum(0.0, self.friction * slip - normal - rounded))
