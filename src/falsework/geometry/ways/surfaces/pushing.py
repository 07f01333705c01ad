"""A push: a group goes along a twist that is constant in its own frame, and slides along whatever it touches.

Contacts take away as much of the twist as would press the group in, and no more (the least-distance problem of
`ways/sliding.py`). Steps are no longer than what was looked at around the group, so nothing is jumped over; they grow
where the group goes as it is pushed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from falsework.geometry.ways.sliding import nearest
from falsework.geometry.ways.surfaces.scenes import Scene
from falsework.geometry.ways.surfaces.screws import (
    QUICK,
    in_own_axes,
    in_world_axes,
    meets_on,
    moved_by,
    turn_between,
    twist_between,
)
from falsework.geometry.ways.surfaces.touching import Limits, crossing_edges, limits
from falsework.model.arrays import Array

STEP, LONGEST, SHORTEST = 0.04, 0.25, 0.005  # of the group's reach: a step at first, at most, at least
GLIDING, GLIDE = 0.1, 0.5  # of the reach: steps from which a group that goes as it is pushed glides on, and by how much
TURNING = 1.2  # of the reach: the longest glide of a group that turns in its place
APART = 2.4  # of the reach: places on a screw that is proved: two must tell which way it turns
FURTHEST = 300  # times that: screws that have not led out by then do not
LONGER, STRETCHES = 3.0, 16  # times the last stretch of a screw that is proved the next one is; how many
GLANCE = 0.02  # of the reach: how closely it is looked at then
AHEAD = 1.6  # steps: how far around the group is looked before it makes one
FULL_TURN = 2 * np.pi
COMES_BACK = 0.02  # of the reach: what is shifted less by a full turn is no screw
STUCK = 0.1  # of a step: what gets on less has come to rest
LOOK_BACK, RATTLE = 8, 0.02  # steps that together move it by less than this share of its reach only rattle in its play
ASTRAY = 1.6  # of a step: what moves more was not pushed but thrown
AMISS = 0.02  # of a unit twist: by how much a glide may have been wrong about it
LIKE = 0.998  # cosine between a push and what became of it, that are nearly the same
MOST_ASTRAY = 250  # steps of a push that go otherwise than pushed
AS_PUSHED = 0.1  # of a step: what deviates less goes as it is pushed
CORRECTED = 4  # attempts to bring a group that got too deep back out
DEEP = 0.4  # of the depth that is allowed: what samples may show
ROOMS = (4e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 0.0)  # of the reach, kept to everything around: the most that is there


@dataclass(slots=True, eq=False)
class Effort:
    """How many steps may still be made, and what was near on them."""

    steps: int

    @property
    def spent(self) -> bool:
        return self.steps <= 0


def push(scene: Scene, pose: Array, twist: Array, effort: Effort, most: int, clear_m: float) -> list[Array]:
    """Poses on the way of a push by a unit twist in the group's own axes: until it rests, is clear, or `most` steps.

    The twist gets to be what contacts make of it, as long as that is nearly the same: a thread tells its pitch.
    """
    poses: list[Array] = []
    urged, size, looked, astray, turned = twist, STEP * scene.reach_m, 0.0, 0, 0.0
    while len(poses) < most and astray < MOST_ASTRAY and not effort.spent:
        effort.steps -= 1
        if looked < AHEAD * size:
            looked = AHEAD * min(1.5 * size, LONGEST * scene.reach_m)
            near = limits(scene, pose, looked).few()
        stepped = _stepped(scene, pose, urged * size, near, AHEAD * size)
        if stepped is None:
            if size <= SHORTEST * scene.reach_m:
                break
            size *= 0.25
            continue
        went = twist_between(scene, pose, stepped[0])
        length = float(np.linalg.norm(went))
        as_pushed = np.linalg.norm(went - urged * size) <= AS_PUSHED * size
        if float(went @ twist) > LIKE * length:
            urged = (urged + went / length) / np.linalg.norm(urged + went / length)
        (pose, near), looked = stepped, AHEAD * size
        poses.append(pose)
        astray += not as_pushed
        if as_pushed and size >= GLIDING * scene.reach_m:
            glided, urged = _glide(scene, pose, urged, effort, most - len(poses), clear_m)
            if glided:
                turned += sum(turn_between(scene, *legs) for legs in pairwise([pose, *glided]))
                poses += glided
                pose, looked = poses[-1], 0.0
        turned += float(np.linalg.norm(went[3:])) / scene.reach_m
        if turned > FULL_TURN and _comes_back(urged):
            break
        if _rattles(scene, poses) or scene.left(pose, clear_m) <= 0:
            break
        size = min(1.5 * size, LONGEST * scene.reach_m) if as_pushed else max(0.7 * size, STEP * scene.reach_m)
    return poses


def _comes_back(twist: Array) -> bool:
    """Whether a full turn along a twist leads to where it began, or nearly."""
    turn = float(twist[3:] @ twist[3:])
    return turn > 0.1 and FULL_TURN * abs(float(twist[:3] @ twist[3:])) < COMES_BACK * turn


def _rattles(scene: Scene, poses: list[Array]) -> bool:
    """Whether the last steps together led nowhere."""
    if len(poses) <= LOOK_BACK:
        return False
    return bool(np.linalg.norm(twist_between(scene, poses[-LOOK_BACK], poses[-1])) < RATTLE * scene.reach_m)


def _glide(
    scene: Scene, pose: Array, twist: Array, effort: Effort, most: int, clear_m: float
) -> tuple[list[Array], Array]:
    """Poses along a twist that was learned, as long as nothing is in the way, and the twist as corrected in the end.

    Longer steps than a push makes, since the way is that of the contacts themselves; the proof of the path decides.
    """
    poses: list[Array] = []
    pose, turned, gone, length = centred(scene, pose), 0.0, 0.0, GLIDE
    while len(poses) < most and not effort.spent and (not poses or scene.left(poses[-1], clear_m) > 0):
        effort.steps -= 1
        ahead = moved_by(scene, poses[-1] if poses else pose, twist * (length * scene.reach_m))
        gone += length
        if limits(scene, ahead, GLANCE * scene.reach_m).deepest_m > DEEP * scene.depth_m:
            there = brought_out(scene, ahead, GLANCE * scene.reach_m, GLANCE * scene.reach_m)
            if there is None:
                break
            amiss = twist_between(scene, ahead, there[0]) / (gone * scene.reach_m)
            if np.linalg.norm(amiss) > AMISS:
                break
            twist = (twist + amiss) / np.linalg.norm(twist + amiss)
            ahead = there[0]
        poses.append(ahead)
        turned += length * float(np.linalg.norm(twist[3:]))
        if turned > FULL_TURN:
            if not _comes_back(twist):
                poses += screwed_out(scene, poses[-1], twist, FULL_TURN * scene.reach_m, gone * scene.reach_m, clear_m)
            break
        shift = float(np.linalg.norm(twist[:3]))  # what shifts as well might jump over something
        length = min(1.5 * length, TURNING, GLIDE / max(shift, 1e-9)) if shift < 1.0 else GLIDE
    return poses, twist


def screwed_out(scene: Scene, pose: Array, twist: Array, ahead: float, gone_m: float, clear_m: float) -> list[Array]:
    """Places along a unit twist from a pose, as far as it is proved free: until clear, or none where it leads nowhere.

    A screw is the same all along, so it is proved at once, and need not be followed turn by turn: `ahead`, m, at
    first. After each stretch the group is centred, and what it was off by, over so long a way (`gone_m` before), tells
    the screw better: the next is longer.
    """
    places: list[Array] = []
    for _ in range(STRETCHES):
        left = until_clear(scene, pose, twist, clear_m)
        if left is None or ahead < TURNING * scene.reach_m:
            break
        length = min(ahead, left)
        if meets_on(scene, pose, twist * length, QUICK) is not None:
            ahead = length / LONGER
            continue
        count = math.ceil(length / (APART * scene.reach_m))
        places += [moved_by(scene, pose, twist * (length * (k + 1) / count)) for k in range(count)]
        if length == left:
            break
        gone_m, ahead, pose = gone_m + length, LONGER * length, centred(scene, places[-1])
        twist = twist + twist_between(scene, places[-1], pose) / gone_m
        twist = twist / np.linalg.norm(twist)
        places.append(pose)
    return places


def until_clear(scene: Scene, pose: Array, twist: Array, clear_m: float) -> float | None:
    """How far along a unit twist, m, the group is clear; None where it is not before long."""
    step = TURNING * scene.reach_m
    for count in range(1, FURTHEST):
        if scene.left(moved_by(scene, pose, twist * (count * step)), clear_m) <= 0:
            return count * step
    return None


def _stepped(scene: Scene, pose: Array, wanted: Array, near: Limits, band_m: float) -> tuple[Array, Limits] | None:
    """The pose a step further, kept out of everything near, and what is near it there; None where it rests.

    Where bodies of few faces meet after all, edges have crossed that no point is on.
    """
    for crossed in (False, True):
        there = _slid(scene, pose, wanted, near, band_m)
        if there is None or not scene.is_coarse or not scene.meets(there[0]):
            return there
        if not crossed:
            near = near.joined(crossing_edges(scene, pose, band_m)).few()
    return None


def _slid(scene: Scene, pose: Array, wanted: Array, near: Limits, band_m: float) -> tuple[Array, Limits] | None:
    """The step with the most room to everything around that lets the group move on at all."""
    size = float(np.linalg.norm(wanted))
    for room in ROOMS:
        aim = in_world_axes(pose, wanted)
        twist = _permitted(aim, near, room * scene.reach_m)
        if twist is not None and float(twist @ aim) > STUCK * size**2 and np.linalg.norm(twist) < ASTRAY * size:
            there = brought_out(scene, moved_by(scene, pose, in_own_axes(pose, twist)), band_m, size)
            if there is not None:
                return there
    return None


def brought_out(scene: Scene, pose: Array, band_m: float, most_m: float) -> tuple[Array, Limits] | None:
    """A pose nearby, at most so far away, that is not too deep in anything, and what is near it."""
    for _ in range(CORRECTED):
        near = limits(scene, pose, band_m).few()
        if near.deepest_m <= DEEP * scene.depth_m:
            return pose, near
        back = _roomiest(scene, near, most_m)
        if back is None:
            return None
        pose = moved_by(scene, pose, in_own_axes(pose, back))
    return None


def _roomiest(scene: Scene, near: Limits, most_m: float) -> Array | None:
    """The shortest twist, up to a length, after which there is the most room to everything around."""
    for room in ROOMS:
        back = _permitted(np.zeros(6), near, room * scene.reach_m)
        if back is not None and np.linalg.norm(back) <= most_m:
            return back
    return None


def centred(scene: Scene, pose: Array) -> Array:
    """The pose moved to where, within its play, a group has the most room."""
    near = limits(scene, pose, GLANCE * scene.reach_m).few()
    back = _roomiest(scene, near, GLANCE * scene.reach_m)
    return pose if back is None else moved_by(scene, pose, in_own_axes(pose, back))


def _permitted(wanted: Array, near: Limits, room_m: float) -> Array | None:
    """The twist nearest to the wanted one that leaves room to everything near."""
    least = room_m - near.gaps
    scale = max(float(np.linalg.norm(wanted)), float(least.max(initial=0.0)), 1e-300)  # in units of what matters
    reached = nearest(wanted / scale, near.rows, least / scale)
    return None if reached is None else reached * scale
