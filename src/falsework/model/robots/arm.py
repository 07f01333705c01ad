"""An arm: joints in a row from its base to its flange, their limits, and capsules around its links.

Link 0 is the base, link k the one behind joint k; the frame of a link is the frame of its joint. The flange is where
tools are screwed on, its z axis pointing out of the arm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from falsework.model.arrays import Array, freeze
from falsework.model.errors import BadInput, shown
from falsework.model.poses import is_rigid
from falsework.model.travel import MadeAnew

JointKind = Literal["revolute", "prismatic"]
JOINT_KINDS: tuple[JointKind, ...] = ("revolute", "prismatic")
UNIT = 1e-9  # how exactly an axis has length 1
MOST_JOINTS = 32  # of one arm


@dataclass(frozen=True, slots=True, eq=False)
class Joint(MadeAnew):
    """One joint: where it sits on the link before it, what it turns about or slides along, and how far and fast.

    Positions are rad, or m where it slides; `None` where nobody has said how fast it may go.

    >>> Joint("elbow", np.eye(4), [0, 1, 0], -1.0, 2.0).span
    3.0
    """

    name: str
    T_parent_joint: Array  # (4, 4) its frame in that of the link before, at position 0
    axis: Array  # (3,) unit, in its own frame
    lower: float
    upper: float
    speed: float | None = None  # the most, rad/s or m/s
    acceleration: float | None = None  # rad/s² or m/s²
    jerk: float | None = None  # rad/s³ or m/s³
    kind: JointKind = "revolute"

    def __post_init__(self) -> None:
        freeze(self, T_parent_joint=(4, 4), axis=(3,))
        where = f"joint {shown(self.name)}"
        if not is_rigid(self.T_parent_joint):
            raise BadInput(f"{where}: its frame is not a rotation and a translation")
        if not abs(float(np.linalg.norm(self.axis)) - 1.0) <= UNIT:  # rejects NaN too
            raise BadInput(f"{where}: found the axis {self.axis.tolist()}, expected one of length 1")
        if self.kind not in JOINT_KINDS:
            raise BadInput(f"{where}: found the kind {shown(self.kind)}, expected one of: {', '.join(JOINT_KINDS)}")
        if not (math.isfinite(self.lower) and math.isfinite(self.upper) and self.lower < self.upper):
            raise BadInput(f"{where}: found limits {self.lower} to {self.upper}, expected a finite range")
        for limit in ("speed", "acceleration", "jerk"):
            value = getattr(self, limit)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise BadInput(f"{where}: found the {limit} {value}, expected a number above 0")

    @property
    def span(self) -> float:
        """From one end to the other."""
        return self.upper - self.lower


@dataclass(frozen=True, slots=True, eq=False)
class Capsule(MadeAnew):
    """All points within `radius_m` of a straight line between two points of a link's frame.

    >>> Capsule(1, [0, 0, 0], [0, 0, 0.3], 0.06).link
    1
    """

    link: int
    start_m: Array  # (3,)
    end_m: Array  # (3,)
    radius_m: float

    def __post_init__(self) -> None:
        freeze(self, start_m=(3,), end_m=(3,))
        if not (math.isfinite(self.radius_m) and self.radius_m > 0):
            raise BadInput(f"a capsule of link {self.link}: found the radius {self.radius_m}, expected one above 0")
        if not (np.isfinite(self.start_m).all() and np.isfinite(self.end_m).all()):
            raise BadInput(f"a capsule of link {self.link}: a number that is not finite")


@dataclass(frozen=True, slots=True, eq=False)
class Arm(MadeAnew):
    """An arm as its maker describes it.

    `sources` says of each group of numbers where it is from, `unverified` which groups nobody has checked.

    >>> from falsework import arm_named
    >>> panda = arm_named("panda")
    >>> len(panda.joints), panda.payload_kg
    (7, 3.0)
    """

    name: str
    joints: tuple[Joint, ...]
    T_last_flange: Array  # (4, 4) the flange in the frame of the last link
    capsules: tuple[Capsule, ...] = ()
    payload_kg: float | None = None  # None: nobody has said
    reach_m: float | None = None  # as the maker states it
    home: Array = field(
        default_factory=lambda: np.zeros(0)
    )  # (n,) where it waits; the middle of its limits unless told
    touching: tuple[tuple[int, int], ...] | None = ()  # links not compared, beside neighbours; None: nobody has said
    sources: tuple[tuple[str, str], ...] = ()  # group of numbers, where it is from
    unverified: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", tuple(self.joints))
        object.__setattr__(self, "capsules", tuple(self.capsules))
        if not 1 <= len(self.joints) <= MOST_JOINTS:
            raise BadInput(f"arm {shown(self.name)}: found {len(self.joints)} joints, expected 1 to {MOST_JOINTS}")
        names = [joint.name for joint in self.joints]
        if len(set(names)) < len(names):
            raise BadInput(f"arm {shown(self.name)}: two joints have one name")
        if np.size(self.home) == 0:
            object.__setattr__(self, "home", 0.5 * (self.lower + self.upper))
        freeze(self, T_last_flange=(4, 4), home=(len(self.joints),))
        if not is_rigid(self.T_last_flange):
            raise BadInput(f"arm {shown(self.name)}: the flange's frame is not a rotation and a translation")
        for capsule in self.capsules:
            if not 0 <= capsule.link <= len(self.joints):
                raise BadInput(f"arm {shown(self.name)}: there is no link {capsule.link} to put a capsule on")
        if self.payload_kg is not None and not (math.isfinite(self.payload_kg) and self.payload_kg > 0):
            raise BadInput(f"arm {shown(self.name)}: found the payload {self.payload_kg}, expected one above 0 kg")
        self.refuse_outside(self.home, "home")

    @property
    def lower(self) -> Array:
        """(n,) the least positions."""
        return np.array([joint.lower for joint in self.joints])

    @property
    def upper(self) -> Array:
        """(n,) the greatest positions."""
        return np.array([joint.upper for joint in self.joints])

    def refuse_outside(self, positions: Array, what: str) -> None:
        """BadInput with the first joint whose position is beyond its limits."""
        for joint, position in zip(self.joints, positions.tolist(), strict=True):
            if not joint.lower <= position <= joint.upper:  # rejects NaN too
                raise BadInput(
                    f"{what}: joint {shown(joint.name)}: found {position:.6g}, "
                    f"expected {joint.lower:.6g} to {joint.upper:.6g}"
                )
