"""Clutches as the referee sees them: how their points are loaded, and what they can take up on a motion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.interfaces import Clutches
from falsework.model.verdict import Forces
from falsework.statics.proofs.checked_bodies import ROUNDING, Balance, CheckedBodies, Tally, lengths
from falsework.statics.proofs.stud_grips import Grips

if TYPE_CHECKING:
    from scipy.sparse import csr_array

GRIP_BOUND = 4.0  # no wrench of a clutch exceeds this many times its points' strength (× its reach)
CORNERS = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """What the referee is told about the clutches: the strength of each kind."""

    point_n: Array  # (kinds,) μ·F₀ of one clutch point
    friction: Array  # (kinds,) μ of the clutches
    factor: float = 1.0  # on all clutch strengths


class CheckedClutches:
    """All clutches of an assembly."""

    def __init__(self, clutches: Clutches, bodies: CheckedBodies) -> None:
        self._clutches, self._bodies = clutches, bodies
        self._grips = Grips.of(clutches)
        self._levers = self._most_levers()

    def add(self, balance: Balance, forces: Forces, strengths: Strengths, there: Bools) -> None:
        """Adds clutch forces to a balance, and by how much points are overloaded (eq. 8, 9)."""
        clutches = self._clutches
        if not len(clutches):
            return
        wrenches, pressure = forces.clutch_wrenches, forces.clutch_pressure
        acting = np.concatenate([wrenches, pressure], axis=1)
        parts = np.abs(acting)
        torque = parts[:, 3:6].sum(axis=1)
        sizes = self._levers[0] * (parts.sum(axis=1) - torque)[:, None] + self._levers[1] * torque[:, None]
        axial, radial, tangential = self._grips.forces(wrenches)
        kind = self._grips.kind
        slides = np.abs(tangential) + axial - strengths.friction[kind] * radial
        over = np.maximum(np.maximum(slides - strengths.factor * strengths.point_n[kind], -axial), 0.0)
        excess = np.maximum(-pressure, 0.0).sum(axis=1) + np.add.reduceat(over, self._grips.starts)
        both = there[clutches.bodies].all(axis=1, keepdims=True)
        excesses = np.where(both, excess[:, None], sizes)
        balance.take(self._joints @ acting.ravel(), clutches.bodies, sizes, excesses)

    def power(self, twists: Array, slips: Array, strengths: Strengths, tally: Tally) -> Array:
        """(pieces,) the most that the studs can take up on the motion."""
        clutches, grips = self._clutches, self._grips
        if not len(clutches):
            return np.zeros(tally.count)
        relative = self._relative_twists(twists)
        z = np.maximum(slips[grips.slips], 0.0)
        left = lengths((grips.twists(z, strengths.friction) - relative) * grips.lengths)
        held = strengths.factor * strengths.point_n[grips.kind]
        paid = np.bincount(grips.owner, weights=held * (z[1] + z[2]), minlength=len(clutches))
        grip = GRIP_BOUND * np.bincount(grips.owner, weights=held, minlength=len(clutches))
        return tally.of_pairs(clutches.bodies, paid + grip * left)

    def entry(self, twists: Array, tally: Tally) -> Array:
        """(pieces,) summed speed at which a motion presses the corners of clutches' faces into each other."""
        clutches = self._clutches
        if not len(clutches):
            return np.zeros(tally.count)
        relative = self._relative_twists(twists)
        turning = np.stack([-relative[:, 4], relative[:, 3]], axis=1)
        apart = relative[:, 2:3] + np.einsum("ki,kci->kc", turning, CORNERS * self._grips.half[:, None, :])
        rounded = ROUNDING * self._bodies.speeds(twists)[clutches.bodies].sum(axis=1)[:, None]
        return tally.of_pairs(clutches.bodies, np.maximum(0.0, -apart - rounded).sum(axis=1))

    def capacity(self, strengths: Strengths, tally: Tally) -> Array:
        """(pieces,) what the points of all clutches can hold together, N."""
        grips, clutches = self._grips, self._clutches
        held = strengths.factor * strengths.point_n[grips.kind]
        each: Array = np.bincount(grips.owner, weights=held, minlength=len(clutches)).astype(np.float64)
        return tally.of_pairs(clutches.bodies, each)

    @cached_property
    def _joints(self) -> csr_array:
        """(6n, 10k) wrenches on bricks from the wrench on the hole brick and four corner pressures of each clutch."""
        clutches = self._clutches
        axes, origins = clutches.T_world_clutch[:, :3, :3], clutches.T_world_clutch[:, :3, 3]
        half = np.array([kind.half for kind in clutches.kinds]).reshape(-1, 2)[clutches.kind]
        corners = np.concatenate([CORNERS * half[:, None, :], np.zeros((len(clutches), 4, 1))], axis=2)
        places = origins[:, None, :] + np.einsum("kij,kcj->kci", axes, corners)
        maps = np.zeros((len(clutches), 2, 6, 10))
        for side, sign in ((1, 1.0), (0, -1.0)):
            centres = self._bodies.coms_m[clutches.bodies[:, side]]
            forces = np.concatenate([axes, np.repeat(axes[:, :, 2:], 4, axis=2)], axis=2)  # (k, 3, 7)
            arms = np.concatenate(
                [np.repeat((origins - centres)[:, None], 3, axis=1), places - centres[:, None]], axis=1
            )
            columns = [0, 1, 2, 6, 7, 8, 9]
            maps[:, side, :3, columns] = sign * forces.transpose(2, 0, 1)
            maps[:, side, 3:, columns] = sign * np.cross(arms, forces.swapaxes(1, 2)).transpose(1, 0, 2)
            maps[:, side, 3:, 3:6] = sign * axes
        return _summing(maps, clutches.bodies, len(self._bodies.radii_m))

    def _most_levers(self) -> tuple[Array, Array]:
        """(k, 2) what a newton, and a newton metre, of a joint's load sums up to at most on either brick."""
        clutches, radii_m = self._clutches, self._bodies.radii_m[self._clutches.bodies]
        arms = lengths(clutches.T_world_clutch[:, None, :3, 3] - self._bodies.coms_m[clutches.bodies])
        return 1.0 + (arms + lengths(self._grips.half)[:, None]) / radii_m, 1.0 / radii_m

    def _relative_twists(self, twists: Array) -> Array:
        """(k, 6) of the hole brick against the stud brick, in the clutches' frames."""
        clutches = self._clutches
        axes, origins = clutches.T_world_clutch[:, :3, :3], clutches.T_world_clutch[:, :3, 3]
        stud, hole = clutches.bodies.T
        apart = self._bodies.velocity(twists, hole, origins) - self._bodies.velocity(twists, stud, origins)
        turned = twists[hole, 3:] - twists[stud, 3:]
        return np.concatenate([np.einsum("kji,kj->ki", axes, apart), np.einsum("kji,kj->ki", axes, turned)], axis=1)


def _summing(maps: Array, pairs: Ints, count: int) -> csr_array:
    """(6·count, k·c) the wrenches on bodies that k interfaces make up from c numbers each, by maps (k, 2, 6, c)."""
    from scipy.sparse import csr_array

    interfaces, numbers = len(maps), maps.shape[3]
    rows = (6 * pairs[:, :, None] + np.arange(6))[..., None]
    columns = np.arange(interfaces * numbers).reshape(interfaces, 1, 1, numbers)
    used = np.nonzero(maps)
    places = (np.broadcast_to(rows, maps.shape)[used], np.broadcast_to(columns, maps.shape)[used])
    return csr_array((maps[used], places), shape=(6 * count, interfaces * numbers))
