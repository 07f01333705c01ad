"""Contacts as the referee sees them: what leaves Coulomb's cone, and what a motion enters."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.interfaces import Patches
from falsework.statics.proofs.checked_bodies import ROUNDING, Balance, CheckedBodies, Tally, cross, lengths


class CheckedContacts:
    """All contact points, patch by patch."""

    def __init__(self, patches: Patches, bodies: CheckedBodies) -> None:
        owner = patches.owner
        self.pairs = patches.bodies[owner]
        self.normals, self.friction = patches.normals[owner], patches.friction[owner]
        self.arms = patches.points[:, None] - bodies.coms_m[self.pairs]  # (p, 2, 3)

    def add(self, balance: Balance, given: Array, there: Bools) -> None:
        """Adds contact forces (p, 3) to a balance, and by how much they leave their cones."""
        used = np.flatnonzero(given.any(axis=1))  # among clutches most contacts carry nothing
        if not len(used):
            return
        given, pairs, normals, arms = given[used], self.pairs[used], self.normals[used], self.arms[used]
        normal = np.einsum("pi,pi->p", given, normals)
        sideways = lengths(given - normal[:, None] * normals)
        outside = np.maximum(-normal, sideways - self.friction[used] * normal)
        excess = np.where(there[pairs].all(axis=1), np.maximum(outside, 0.0), lengths(given))
        bodies, both = pairs.ravel(), np.stack([-given, given], axis=1)
        balance.push(bodies, arms.reshape(-1, 3), both.reshape(-1, 3))
        balance.beyond[:] += np.bincount(bodies, weights=excess.repeat(2), minlength=len(there))

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
