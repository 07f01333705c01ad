"""The turntable as arms leave it, action by action: what stands on it, in which stance, and how it turns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import Undecided
from falsework.model.part import Part
from falsework.model.poses import inverse
from falsework.model.robots.cell import Rotary
from falsework.model.robots.limits import JointLimits
from falsework.model.robots.tilting import UPRIGHT, Stance
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.surroundings import plate_corners
from falsework.robots.motions.actions import Action
from falsework.robots.motions.retiming import Timed, retimed
from falsework.robots.motions.rounding import Curve
from falsework.robots.motions.transits import Standing, Ways

GENTLY_M_S2 = 0.2  # the most that what stands on it is accelerated, a fiftieth of its weight
MARGIN_M = 0.001
CLAMP_S = 1.0  # in which clamps have closed or let go


class Turntable:
    """A cell's turntable with the parts that stand on it, by name."""

    def __init__(self, rotary: Rotary) -> None:
        self._rotary, self._placed = rotary, rotary.as_arm
        self.stance = UPRIGHT
        self.on: set[str] = set()
        self.first: frozenset[str] = frozenset()

    def begin_with(self, names: Iterable[str]) -> None:
        """What stands on it before anything is done."""
        self.on.update(names)
        self.first = frozenset(self.on)

    def turn(
        self, task: int, to: Stance, parts: Mapping[str, Part], at: dict[str, Array], standing: Standing
    ) -> Iterator[Action]:
        """The actions of turning and tilting to a stance; the poses `at` of what stands on it are changed.

        The plate is upright before it is turned. While it tilts, clamps are closed. `standing` is what it must not
        meet. Undecided where it would.
        """
        before = self.frame_at(self.stance)
        load = [(parts[name].shape, inverse(before) @ at[name]) for name in sorted(self.on)]
        bodies = ArmBodies(self._placed, carried=load)
        tilts = self.stance.tilt != 0.0 or to.tilt != 0.0
        ways, limits = Ways(bodies, standing, MARGIN_M), self._limits(bodies)
        if tilts:
            yield self._clamped(task, bodies, True)
        for stance in self._passed(to):
            corners = np.array([self._rotary.joints(self.stance), self._rotary.joints(stance)])
            if not ways.free(corners):
                met = {name for q in np.linspace(corners[0], corners[1], 37) for name in ways.in_the_way_at(q)}
                told = f": {', '.join(sorted(met)[:3])} in the way" if met else ""
                raise Undecided(f"the turntable cannot turn to {_told(to)}{told}")
            timed = retimed([Curve(corners, np.zeros(2))], limits)
            self.stance = stance
            yield Action(self._placed.name, task, "turn", _told(stance), timed, bodies, 0.0)
        if tilts:
            yield self._clamped(task, bodies, False)
        moved = self.frame_at(self.stance) @ inverse(before)
        for name in self.on:
            at[name] = moved @ at[name]

    def _passed(self, to: Stance) -> list[Stance]:
        """Where it stops on its way, the end included: upright, turned, tilted."""
        corners = [Stance(self.stance.turn, 0.0), Stance(to.turn, 0.0), to]
        found: list[Stance] = []
        for one in corners if self.stance.turn != to.turn else [to]:
            if one != (found[-1] if found else self.stance):
                found.append(one)
        return found

    def _clamped(self, task: int, bodies: ArmBodies, closes: bool) -> Action:
        """Clamps close on all parts, or let go of them."""
        q = self._rotary.joints(self.stance)
        still = np.zeros((2, len(q)))
        timed = Timed(np.array([0.0, CLAMP_S]), np.array([q, q]), still, still)
        force = self._rotary.tilt.clamp_n if closes and self._rotary.tilt is not None else 0.0
        told = "clamped" if closes else "let go"
        return Action(self._placed.name, task, "turn", told, timed, bodies, 0.0, clamps_n=force)

    def _limits(self, bodies: ArmBodies) -> JointLimits:
        """So that what is farthest out is accelerated gently, along its circle and towards the middle."""
        limits = JointLimits.of(self._placed.arm)
        points = bodies.bodies.points if self._rotary.tilt is not None else bodies.bodies.points[:, :2]
        far = float(np.linalg.norm(points, axis=1).max(initial=1e-3))
        half = GENTLY_M_S2 / math.sqrt(2.0) / far
        return replace(
            limits,
            speed=np.minimum(limits.speed, math.sqrt(half)),
            acceleration=np.minimum(limits.acceleration, half),
        )

    def frame_at(self, stance: Stance) -> Array:
        """(4, 4) its own frame in the world, where it stands so."""
        pose: Array = self._rotary.turned(*stance) @ self._placed.T_world_base
        return pose

    def frame_after(self, action: Action) -> Array:
        """(4, 4) the same once an action of it is done."""
        return self.frame_at(self._rotary.stance(action.timed.q[-1]))

    @property
    def plate(self) -> Array | None:
        """(k, 3) corners of the plate of a positioner as it stands."""
        return None if self._rotary.tilt is None else plate_corners(self._rotary, self.stance)


def _told(stance: Stance) -> str:
    tilted = f", tilted by {math.degrees(stance.tilt):.0f}" if stance.tilt else ""
    return f"{math.degrees(stance.turn):.0f} degrees{tilted}"
