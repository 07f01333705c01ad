"""How fast the joints of an arm may go, with what is taken where its maker says nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, freeze
from falsework.model.robots.arm import Arm
from falsework.model.travel import MadeAnew

SPEED = 1.0  # rad/s or m/s, where nobody has said
RAMP_S = 0.5  # to full speed, where nobody has said how an arm accelerates


@dataclass(frozen=True, slots=True, eq=False)
class JointLimits(MadeAnew):
    """Limits of n joints; `assumed` names those that nobody has published.

    >>> from falsework import arm_named
    >>> JointLimits.of(arm_named("panda")).assumed
    ()
    >>> JointLimits.of(arm_named("irb2600")).assumed
    ('acceleration',)
    """

    lower: Array  # (n,) rad, or m where a joint slides
    upper: Array
    speed: Array
    acceleration: Array
    jerk: Array  # infinite where none is given
    assumed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.lower)
        freeze(self, lower=(n,), upper=(n,), speed=(n,), acceleration=(n,), jerk=(n,))

    @staticmethod
    def of(arm: Arm) -> JointLimits:
        """As the arm has them. Where no speed is known it is 1 rad/s or m/s; full speed takes half a second."""
        speed = np.array([joint.speed or SPEED for joint in arm.joints])
        known = [joint.acceleration for joint in arm.joints]
        acceleration = np.array([one or top / RAMP_S for one, top in zip(known, speed.tolist(), strict=True)])
        jerk = np.array([joint.jerk or np.inf for joint in arm.joints])
        assumed = [] if all(joint.speed for joint in arm.joints) else ["speed"]
        assumed += [] if all(known) else ["acceleration"]
        return JointLimits(arm.lower, arm.upper, speed, acceleration, jerk, tuple(assumed))
