"""Hinges as the referee sees them: moments that they cannot carry, and what a motion tears."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.interfaces import Hinges
from falsework.model.verdict import Forces
from falsework.statics.proofs.checked_bodies import ROUNDING, Balance, CheckedBodies, Tally, lengths


class CheckedHinges:
    """All hinges of an assembly."""

    def __init__(self, hinges: Hinges, bodies: CheckedBodies) -> None:
        self._hinges, self._bodies = hinges, bodies

    def add(self, balance: Balance, forces: Forces, there: Bools) -> None:
        """Adds hinge forces to a balance, and moments about the axis, which no hinge can carry."""
        hinges = self._hinges
        if not len(hinges):
            return
        both = there[hinges.bodies].all(axis=1)
        about = np.abs(np.einsum("hi,hi->h", forces.hinge_moments, hinges.axes))
        for side, sign in ((1, 1.0), (0, -1.0)):
            bodies = hinges.bodies[:, side]
            balance.push(bodies, hinges.points - self._bodies.coms_m[bodies], sign * forces.hinge_forces)
            np.add.at(balance.wrenches[:, 3:], bodies, sign * forces.hinge_moments)
            moments = lengths(forces.hinge_moments) / self._bodies.radii_m[bodies]
            np.add.at(balance.summed, bodies, moments)
            excess = np.where(both, about / self._bodies.radii_m[bodies], lengths(forces.hinge_forces) + moments)
            np.add.at(balance.beyond, bodies, excess)

    def entry(self, twists: Array, tally: Tally) -> Array:
        """(pieces,) summed speed at which a motion tears hinges apart or turns them about another axis."""
        hinges = self._hinges
        if not len(hinges):
            return np.zeros(tally.count)
        first, second = hinges.bodies.T
        moved = [self._bodies.velocity(twists, bodies, hinges.points) for bodies in (first, second)]
        apart = moved[1] - moved[0]
        turned = twists[second, 3:] - twists[first, 3:]
        twisted = turned - np.einsum("hi,hi->h", turned, hinges.axes)[:, None] * hinges.axes
        reach = self._bodies.radii_m[hinges.bodies].max(axis=1)
        rounded = (
            ROUNDING
            * self._bodies.speeds(twists)[hinges.bodies].sum(axis=1)
            * (
                1.0
                + lengths(hinges.points - self._bodies.coms_m[first]) / self._bodies.radii_m[first]
                + lengths(hinges.points - self._bodies.coms_m[second]) / self._bodies.radii_m[second]
            )
        )
        torn = np.maximum(0.0, lengths(apart) + reach * lengths(twisted) - rounded)
        return tally.of_pairs(hinges.bodies, torn)
