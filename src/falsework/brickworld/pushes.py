"""Forces that somebody puts on bricks while the world runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from falsework.brickworld.grouping import Grouping
from falsework.brickworld.loads import Applied
from falsework.engine.composites import Composites
from falsework.engine.hand_welds import wrenches
from falsework.engine.heft import sizes
from falsework.model.arrays import Array
from falsework.model.errors import BadInput, shown
from falsework.model.part import Part

MOST = 1e6  # N, N·m: a brick feels the difference between a push and what the hand itself takes of it


class Push(Protocol):
    """A force on one part, at a point that moves with it."""

    @property
    def part(self) -> int: ...

    @property
    def point_part(self) -> Array:
        """(3,) in the part's frame."""
        ...

    def wrench(self, time_s: float, point: Array, velocity: Array) -> Array:
        """(6,) force and torque in world axes; the point and its velocity are given in the world."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Steady:
    """Always the same."""

    part: int
    point_part: Array  # (3,)
    force_n: Array  # (3,) world
    torque_nm: Array  # (3,) world

    def __post_init__(self) -> None:
        _check(self, "point_part", "force_n", "torque_nm")

    def wrench(self, time_s: float, point: Array, velocity: Array) -> Array:
        return np.concatenate([self.force_n, self.torque_nm])


@dataclass(frozen=True, slots=True, eq=False)
class Ramp:
    """Grows evenly from nothing at `start_s` to everything `seconds` later, then stays.

    `until_off`: a hand that lets go when the part comes off, for grams under newtons would be gone in a frame.
    """

    part: int
    point_part: Array  # (3,)
    force_n: Array  # (3,) world, at the end
    torque_nm: Array  # (3,) world, at the end
    seconds: float
    start_s: float = 0.0
    until_off: bool = False

    def __post_init__(self) -> None:
        _check(self, "point_part", "force_n", "torque_nm")
        if not 0 < self.seconds < math.inf:
            raise BadInput(f"seconds: found {shown(self.seconds)}, expected a positive number")

    def wrench(self, time_s: float, point: Array, velocity: Array) -> Array:
        share = min(1.0, max(0.0, (time_s - self.start_s) / self.seconds))
        return share * np.concatenate([self.force_n, self.torque_nm])


@dataclass(frozen=True, slots=True, eq=False)
class Spring:
    """A damped spring from the point to a target in the world: what a mouse drags with."""

    part: int
    point_part: Array  # (3,)
    target_m: Array  # (3,) world
    stiffness_n_m: float
    damping_ns_m: float

    def __post_init__(self) -> None:
        _check(self, "point_part", "target_m")
        for name in ("stiffness_n_m", "damping_ns_m"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadInput(f"{name}: found {shown(getattr(self, name))}, expected 0 or more")

    def bearable(self, body: Part, step_s: float) -> Spring:
        """As stiff and as damped as steps of this length allow on its part alone."""
        arm, light = self.point_part - body.com_part_m, float(np.linalg.eigvalsh(body.inertia_part_kgm2)[0])
        felt_kg = 1.0 / (1.0 / body.mass_kg + float(arm @ arm) / light)
        stiff, damped = min(self.stiffness_n_m, felt_kg / step_s**2), min(self.damping_ns_m, felt_kg / step_s)
        return replace(self, stiffness_n_m=stiff, damping_ns_m=damped)

    def wrench(self, time_s: float, point: Array, velocity: Array) -> Array:
        force = self.stiffness_n_m * (self.target_m - point) - self.damping_ns_m * velocity
        return np.concatenate([force, np.zeros(3)])


def vector(values: npt.ArrayLike, name: str) -> Array:
    """(3,) read-only; a NaN would go on through every later load."""
    array = np.array(values, dtype=np.float64)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise BadInput(f"{name}: found {shown(array.tolist())}, expected three finite numbers")
    array.setflags(write=False)
    return array


def _check(push: object, *names: str) -> None:
    for name in names:
        found = vector(getattr(push, name), name)
        if name in ("force_n", "torque_nm") and float(np.abs(found).max()) > MOST:
            raise BadInput(
                f"{name}: found {shown(found.tolist())}, expected at most {MOST:g}: beyond that, rounding takes over"
            )
        object.__setattr__(push, name, found)


def acting(pushes: Sequence[Push], time_s: float, scene: Composites, grouping: Grouping) -> tuple[Applied, Array]:
    """The forces of this moment, on the parts, and (groups, 6) on the groups about their centres of mass."""
    total = np.zeros((len(scene.groups), 6))
    forces, points, torques = (np.empty((len(pushes), 3)) for _ in range(3))
    parts = np.array([push.part for push in pushes], dtype=np.int64)
    for row, push in enumerate(pushes):
        group = int(grouping.group_of[push.part])
        turn, centre, twist = scene.motion(group)
        local = grouping.local[push.part]
        arm = turn @ (local[:3, :3] @ push.point_part + local[:3, 3] - scene.groups[group].com_m)
        points[row] = centre + arm
        wrench = push.wrench(time_s, points[row], twist[:3] + cross(twist[3:], arm))
        forces[row], torques[row] = wrench[:3], wrench[3:]
        total[group, :3] += forces[row]
        total[group, 3:] += torques[row] + cross(arm, forces[row])
    return Applied(parts, forces, points, torques), total


def felt(applied: Applied, scene: Composites, grouping: Grouping) -> Applied:
    """What the parts felt of forces in the last step: all of them but for what the hands took to move themselves.

    Of several hands on one body each takes its part by its force.
    """
    if not scene.heft.added.any():
        return applied
    strengths, groups = sizes(applied.forces), grouping.group_of[applied.parts]
    rows: list[tuple[int, Array, Array, Array]] = []
    for group in np.unique(groups).tolist():
        there = np.flatnonzero(groups == group)
        kept = scene.kept_by_hands(group)
        if kept is None:
            continue
        wrench, centre = kept
        own = strengths[there] if strengths[there].any() else np.ones(len(there))
        rows += [
            (int(applied.parts[row]), share * wrench[:3], centre, share * wrench[3:])
            for row, share in zip(there.tolist(), (own / own.sum()).tolist(), strict=True)
        ]
    parts, forces, points, torques = (np.array(each) for each in zip(*rows, strict=True))
    return Applied(
        np.concatenate([applied.parts, parts]),
        np.concatenate([applied.forces, forces]),
        np.concatenate([applied.points, points]),
        np.concatenate([applied.torques, torques]),
    )


def with_welds(applied: Applied, scene: Composites) -> Applied:
    """Together with what hands passed on by welds in the last step."""
    if not scene.welds:
        return applied
    found = wrenches(scene.model, scene.data, scene.welds)
    passed = np.array([wrench for _, wrench, _ in found])
    return Applied(
        np.concatenate([applied.parts, [weld.part for weld, _, _ in found]]).astype(np.int64),
        np.concatenate([applied.forces, passed[:, :3]]),
        np.concatenate([applied.points, [point for _, _, point in found]]),
        np.concatenate([applied.torques, passed[:, 3:]]),
    )


def cross(first: Array, second: Array) -> Array:
    """(3,) of two vectors; numpy's takes many times as long."""
    a, b, c = first.tolist()
    x, y, z = second.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])
