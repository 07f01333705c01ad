"""Ways out along threads that are known: where two bodies touch by their threads, those tell the screw.

A search finds it too, by sliding (`slippage`), but a nut that rattles in its play goes astray on the first turns. So
the screw is tried first: from where, along the axis, the group has the most room.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from falsework.geometry.distance.two_surfaces import least_distance
from falsework.geometry.shapes.planes import cross
from falsework.geometry.surfaces.recognition import primitives_of
from falsework.geometry.ways.surfaces.pushing import screwed_out, until_clear
from falsework.geometry.ways.surfaces.scenes import Scene, placing
from falsework.geometry.ways.surfaces.screws import in_own_axes
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces

ONE_AXIS, ONE_PITCH = 0.02, 0.05  # rad between axes, and share of a pitch, by which threads that fit may differ
PLAY = 1 / 16  # of a pitch: no nut has more, up or down
LOOKS, CLOSER = 9, 3  # places along the play; times that the best of them is looked around


class Screw(NamedTuple):
    """A screw motion, in the world."""

    point: Array  # (3,) on its axis
    axis: Array  # (3,) unit
    pitch_m: float  # along the axis a turn; negative: left-hand
    triangles: int  # that the thread has: the more, the better it is known


def screws_of(assembly: Assembly, joints: Interfaces, moved: int, rest: int) -> list[Screw]:
    """The screws of threads by which moved bodies touch others of the rest, one a pair; masks over the bodies."""
    pairs = {tuple(sorted(one.bodies)) for one in joints.curved if one.kinds == ("thread", "thread")}
    found = []
    for pair in sorted(pairs):
        if sum(moved >> body & 1 for body in pair) == 1 and sum(rest >> body & 1 for body in pair) == 1:
            first, second = (_threads(assembly, body) for body in pair)
            fitting = [max(two, key=lambda one: one.triangles) for two in product(first, second) if _fit(*two)]
            found += [max(fitting, key=lambda one: one.triangles)] if fitting else []
    return found


def _threads(assembly: Assembly, body: int) -> list[Screw]:
    pose, shape = assembly.poses[body], assembly.bodies[body].shape
    return [
        Screw(pose[:3, :3] @ one.point + pose[:3, 3], pose[:3, :3] @ one.axis, one.pitch_m, len(one.triangles))
        for one in primitives_of(shape)
        if one.kind == "thread"
    ]


def _fit(one: Screw, other: Screw) -> bool:
    """Whether two threads have the same axis and pitch, or nearly."""
    beside = float(np.linalg.norm(cross(other.point - one.point, one.axis)))
    leans = float(np.linalg.norm(cross(one.axis, other.axis)))
    alike = abs(one.pitch_m - other.pitch_m) < ONE_PITCH * abs(one.pitch_m)
    return alike and leans < ONE_AXIS and beside < abs(one.pitch_m)


def unscrewed(scene: Scene, screw: Screw, clear_m: float) -> Iterator[list[Array]]:
    """Places along a screw as far as it is proved free: the way that is clear sooner first."""
    start = _with_room(scene, screw)
    twists = [_unit_twist(scene, start, screw, sign) for sign in (1.0, -1.0)]
    lengths = [until_clear(scene, start, twist, clear_m) for twist in twists]
    for length, twist in sorted(zip(lengths, twists, strict=True), key=lambda one: one[0] or np.inf):
        if length is not None:
            places = screwed_out(scene, start, twist, length, length, clear_m)
            if places:
                yield places if np.array_equal(start, scene.final) else [start, *places]


def _unit_twist(scene: Scene, pose: Array, screw: Screw, sign: float) -> Array:
    """(6,) as in `moved_by`."""
    arm = pose[:3, :3] @ scene.middle + pose[:3, 3] - screw.point
    shift = screw.pitch_m / (2 * np.pi) * screw.axis + cross(screw.axis, arm)
    twist = in_own_axes(pose, np.concatenate([shift, scene.reach_m * screw.axis]))
    unit: Array = sign * twist / np.linalg.norm(twist)
    return unit


def _with_room(scene: Scene, screw: Screw) -> Array:
    """Where along its play a group has the most room; where it has none, as it stands."""
    play = PLAY * abs(screw.pitch_m)
    best, width = 0.0, play
    for _ in range(CLOSER):
        shifts = best + width * np.linspace(-1.0, 1.0, LOOKS)
        rooms = [_room(scene, _shifted(scene, shift * screw.axis), play) for shift in shifts]
        if not max(rooms) > 0:
            break
        best, width = float(shifts[int(np.argmax(rooms))]), 2 * width / (LOOKS - 1)
    return _shifted(scene, best * screw.axis)


def _shifted(scene: Scene, shift: Array) -> Array:
    pose = scene.final.copy()
    pose[:3, 3] += shift
    return pose


def _room(scene: Scene, pose: Array, most_m: float) -> float:
    """The least distance to anything around, up to so much."""
    around = scene.near(pose, most_m)
    rooms = [least_distance(one.surface, other.surface, placing(one, other, pose), most_m) for one, _, other in around]
    return min((min(room.distance_m, most_m) for room in rooms), default=most_m)
