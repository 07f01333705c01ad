"""The turntable as arms leave it, action by action: what stands on it, at which angle, and how it turns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import Undecided
from falsework.model.part import Part
from falsework.model.poses import inverse
from falsework.model.robots.cell import Rotary
from falsework.model.robots.limits import JointLimits
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.motions.actions import Action
from falsework.robots.motions.retiming import retimed
from falsework.robots.motions.rounding import Curve
from falsework.robots.motions.transits import Standing, Ways

GENTLY_M_S2 = 0.2  # the most that what stands on it is accelerated, a fiftieth of its weight
MARGIN_M = 0.001


class Turntable:
    """A cell's turntable with the parts that stand on it, by name."""

    def __init__(self, rotary: Rotary) -> None:
        self._rotary, self._placed = rotary, rotary.as_arm
        self.angle = 0.0
        self.on: set[str] = set()
        self.first: frozenset[str] = frozenset()

    def begin_with(self, names: Iterable[str]) -> None:
        """What stands on it before anything is done."""
        self.on.update(names)
        self.first = frozenset(self.on)

    def turn(self, task: int, to: float, parts: Mapping[str, Part], at: dict[str, Array], standing: Standing) -> Action:
        """The action of turning to an angle; the poses `at` of what stands on it are changed.

        `standing` is what it must not meet. Undecided where it would.
        """
        before = self.frame_at(self.angle)
        load = [(parts[name].shape, inverse(before) @ at[name]) for name in sorted(self.on)]
        bodies = ArmBodies(self._placed, carried=load)
        corners = np.array([[self.angle], [to]])
        ways = Ways(bodies, standing, MARGIN_M)
        if not ways.free(corners):
            met = {name for q in np.linspace(self.angle, to, 37) for name in ways.in_the_way_at(np.array([q]))}
            told = f": {', '.join(sorted(met)[:3])} in the way" if met else ""
            raise Undecided(f"the turntable cannot turn to {math.degrees(to):.0f} degrees{told}")
        timed = retimed([Curve(corners, np.zeros(2))], self._limits(bodies))
        self.angle = to
        moved = self.frame_at(self.angle) @ inverse(before)
        for name in self.on:
            at[name] = moved @ at[name]
        return Action(self._placed.name, task, "turn", f"{math.degrees(to):.0f} degrees", timed, bodies, 0.0)

    def _limits(self, bodies: ArmBodies) -> JointLimits:
        """So that what is farthest out is accelerated gently, along its circle and towards the middle."""
        limits = JointLimits.of(self._placed.arm)
        far = float(np.linalg.norm(bodies.bodies.points[:, :2], axis=1).max(initial=1e-3))
        half = GENTLY_M_S2 / math.sqrt(2.0) / far
        return replace(
            limits,
            speed=np.minimum(limits.speed, math.sqrt(half)),
            acceleration=np.minimum(limits.acceleration, half),
        )

    def frame_at(self, angle: float) -> Array:
        """(4, 4) its own frame in the world, turned by an angle."""
        pose: Array = self._rotary.turned(angle) @ self._placed.T_world_base
        return pose
