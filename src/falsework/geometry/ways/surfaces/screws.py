"""Twists of a group, and whether it keeps out of everything on a screw of any length, several turns too."""

from __future__ import annotations

import numpy as np

from falsework.geometry.distance.drawn_overlaps import PROVED
from falsework.geometry.distance.free_motion import free_screw
from falsework.geometry.shapes.planes import cross
from falsework.geometry.ways.surfaces.scenes import Scene
from falsework.model.arrays import Array
from falsework.model.poses import exponential, logarithm

WORK = 20_000_000  # pairs of nodes that the proof of one screw may take
QUICK = 4_000_000  # of them, for a long screw, before it is looked at any other way


def moved_by(scene: Scene, pose: Array, twist: Array) -> Array:
    """The pose after a twist (6,) about the group's middle, in its own axes; turns in units of its reach."""
    moved: Array = pose @ exponential(_of_first(scene, twist))
    return moved


def twist_between(scene: Scene, pose: Array, other: Array) -> Array:
    """(6,) the twist, as in `moved_by`, that leads from one pose to another."""
    centre = np.eye(4)
    centre[:3, 3] = scene.middle
    twist = logarithm(np.linalg.inv(pose @ centre) @ other @ centre)
    return np.concatenate([twist[:3], twist[3:] * scene.reach_m])


def in_own_axes(pose: Array, twist: Array) -> Array:
    """A twist in world axes as seen by the group."""
    return np.concatenate([pose[:3, :3].T @ twist[:3], pose[:3, :3].T @ twist[3:]])


def in_world_axes(pose: Array, twist: Array) -> Array:
    """And back."""
    return np.concatenate([pose[:3, :3] @ twist[:3], pose[:3, :3] @ twist[3:]])


def turn_between(scene: Scene, pose: Array, other: Array) -> float:
    """rad, from one pose to another, up to half a turn."""
    return float(np.linalg.norm(twist_between(scene, pose, other)[3:])) / scene.reach_m


def _of_first(scene: Scene, twist: Array) -> Array:
    """The same twist about the origin of the first body's frame, turns in rad."""
    turn = twist[3:] / scene.reach_m
    return np.concatenate([twist[:3] - cross(turn, scene.middle), turn])


def meets_on(scene: Scene, start: Array, twist: Array, work: int = WORK) -> float | None:
    """The share of a screw (6,), as in `moved_by`, up to which it is proved to keep out of everything; None: all."""
    own, share, whole = _of_first(scene, twist), 1.0, True
    for one in scene.moving:
        T = one.T_first_body
        turn = T[:3, :3].T @ own[3:]
        carried = np.concatenate([T[:3, :3].T @ (own[:3] + cross(own[3:], T[:3, 3])), turn])
        for k, other in enumerate(scene.still):
            begin = np.linalg.inv(other.T_world_body) @ start @ T
            found = free_screw(one.surface, other.surface, begin, share * carried, PROVED * one.depths_m[k], work)
            if found.answer != "free":
                share, whole = share * (found.shares[0] if np.isfinite(found.shares[0]) else 0.0), False
            if not share:
                return 0.0
    return None if whole else share
