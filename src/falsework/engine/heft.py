"""The heft of a hand: what pushes a gram with newtons is heavier than a gram.

A bare force of 10 N would accelerate a brick to 10 m/s within one step of the engine. Whoever can push so hard has a
mass of their own, and moves it along: a push accelerates what it pushes by at most SWIFT_M_S2, as if the hand weighed
F/SWIFT_M_S2. What accelerates less under the bare force does not notice, and what cannot move feels all of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from falsework.model.arrays import Array, Ints

SWIFT_M_S2 = 100.0  # ten times what falls; fingers reach about that
SPREAD = 0.1  # of a hand's mass times the square of the body's radius: a hand is no point, and turns along too


class Heft:
    """Of the hands on the free bodies of one model, whose free joints come last in its arrays."""

    def __init__(self, model: Any, bodies: Ints, masses_kg: Array, inertias_kgm2: Array, radii_m: Array) -> None:
        self._model, self._bodies = model, bodies
        self._dofs = model.nv - 6 * len(bodies) + np.arange(6 * len(bodies)).reshape(-1, 6)
        self._mass, self._radii = masses_kg, radii_m
        self._moments = np.linalg.eigvalsh(inertias_kgm2) if len(bodies) else np.zeros((0, 3))
        self._inert = model.dof_M0[self._dofs].copy()
        self._light = model.body_invweight0[bodies].copy(), model.dof_invweight0[self._dofs].copy()
        self.added = np.zeros((len(bodies), 2))  # kg, kg·m²
        self.acceleration_m_s2 = np.zeros(len(bodies))  # at most, of any point, by the pushes alone

    def take(self, wrenches: Array | None) -> None:
        """The pushes (bodies, 6) of the next steps, about the centres of mass; None if there are none."""
        if wrenches is None:
            if self.acceleration_m_s2.any():
                self._carry(np.zeros_like(self.added))
                self.acceleration_m_s2 = np.zeros(len(self._bodies))
            return
        force, torque = (sizes(wrenches[:, half]) for half in (slice(3), slice(3, 6)))
        mass = np.maximum(force / SWIFT_M_S2 - self._mass, 0.0)
        spread = SPREAD * mass * self._radii**2
        inertia = np.maximum(torque * self._radii / SWIFT_M_S2 - self._moments[:, 0], spread)
        added = np.stack([mass, inertia], axis=1)
        if not np.array_equal(added, self.added):
            self._carry(added)
        turned = torque * self._radii / (self._moments[:, 0] + inertia)
        self.acceleration_m_s2 = force / (self._mass + mass) + turned

    def _carry(self, added: Array) -> None:
        """Write it into the model: inertia along and about all axes that weighs nothing."""
        model, self.added = self._model, added
        armature = np.repeat(added, 3, axis=1)
        model.dof_armature[self._dofs] = armature
        model.dof_M0[self._dofs] = self._inert + armature
        body, dof = (one.copy() for one in self._light)
        there = added.any(axis=1)
        body[there, 0] = 1.0 / (self._mass + added[:, 0])[there]
        body[there, 1] = (1.0 / (self._moments + added[:, 1:])).mean(axis=1)[there]
        dof[there] = np.repeat(body[there], 3, axis=1)
        model.body_invweight0[self._bodies], model.dof_invweight0[self._dofs] = body, dof

    def reaction(self, row: int, data: Any) -> Array | None:
        """(6,) force and torque in world axes that the hand itself took for moving along in the last step."""
        if not self.added[row].any():
            return None
        acceleration = data.qacc[self._dofs[row]]
        mass, inertia = self.added[row].tolist()
        turn = data.xmat[self._bodies[row]].reshape(3, 3)
        return np.concatenate([-mass * acceleration[:3], -inertia * (turn @ acceleration[3:])])


def sizes(vectors: Array) -> Array:
    """(n,) lengths of vectors (n, 3), also of those whose squares are too large for a number."""
    largest = np.abs(vectors).max(axis=1)
    scale = np.where(largest > 0.0, largest, 1.0)
    found: Array = scale * np.linalg.norm(vectors / scale[:, None], axis=1)
    return found
