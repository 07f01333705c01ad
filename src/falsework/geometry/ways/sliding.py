"""A group of parts among others that stand still: what it touches at a pose, and which small motions that leaves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from falsework.geometry.shapes.convex_pieces import Convex, pieces_in_world, pieces_of
from falsework.geometry.shapes.least_distance import pressing_rows
from falsework.geometry.shapes.planes import cross
from falsework.geometry.ways.nearness import apart, touches
from falsework.geometry.ways.removal import CLEAR, DEPTH, StraightRemovals
from falsework.geometry.ways.sweeping import resting_depth
from falsework.model.arrays import Array
from falsework.model.bits import bits, lowest
from falsework.model.poses import exponential


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """What is near a part: a small twist t keeps it out if rows · t ≥ −gaps."""

    rows: Array  # (k, 6)
    gaps: Array  # (k,)
    too_deep: bool  # somewhere it is already


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A group that moves, in the frame of its first part, what stands still, and how deep they may meet."""

    moving: tuple[Convex, ...]
    still: tuple[Convex, ...]
    allowed_m: Array  # (moving, still)
    reach_m: float  # of the group, from its middle
    middle: Array  # (3,) of the group, in its frame
    size_m: float  # of the assembly


def scene_of(straight: StraightRemovals, moved: int, rest: int) -> Scene:
    """The pieces of a group and of the bodies that stand still."""
    assembly = straight.assembly
    poses, first = assembly.poses, lowest(moved)
    moving: list[Convex] = []
    still: list[Convex] = []
    for body in bits(moved):
        placed = np.linalg.inv(poses[first]) @ poses[body]
        moving += [piece.moved(placed) for piece in pieces_of(assembly.bodies[body].shape).all]
    for body in bits(rest):
        still += pieces_in_world(assembly.bodies[body]).all
    allowed = np.full((len(moving), len(still)), DEPTH * straight.size_m)
    for i, j in near_pairs([one.moved(poses[first]) for one in moving], still, straight.size_m * CLEAR):
        allowed[i, j] = max(allowed[i, j], resting_depth(moving[i].moved(poses[first]), still[j]))
    corners = np.concatenate([one.vertices for one in moving])
    middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    reach = float(np.linalg.norm(corners - middle, axis=1).max())
    return Scene(tuple(moving), tuple(still), allowed, reach, middle, straight.size_m)


def limits(scene: Scene, pose: Array, margin_m: float) -> Limits:
    """What a group at a pose touches, or nearly does."""
    middle = pose[:3, :3] @ scene.middle + pose[:3, 3]
    placed = [one.moved(pose) for one in scene.moving]
    turned = [one.axes @ pose[:3, :3].T for one in scene.moving]
    rows, gaps, too_deep = [np.zeros((0, 6))], [np.zeros(0)], False
    for i, j in near_pairs(placed, scene.still, margin_m):
        gap, normal = apart(placed[i], scene.still[j], turned[i])
        if gap > margin_m:
            continue
        too_deep |= -gap > scene.allowed_m[i, j]
        found = touches(placed[i], scene.moving[i].edge_corners, scene.still[j], normal, margin_m)
        arms = (found.points - middle) / scene.reach_m
        rows.append(np.concatenate([found.normals, cross(arms, found.normals)], axis=1))
        gaps.append(found.gaps)
    return Limits(np.concatenate(rows), np.concatenate(gaps), too_deep)


def nearest(wanted: Array, rows: Array, least: Array) -> Array | None:
    """The twist nearest to the wanted one with rows · twist ≥ least; None where there is none."""
    missing = least - rows @ wanted
    if (missing <= 0).all():
        return wanted
    u = pressing_rows(rows, missing)
    left = 1.0 - float(missing @ u)
    if left < 1e-9:
        return None
    change: Array = (rows.T @ u) / left
    return wanted + change


def shifted(pose: Array, twist: Array, scene: Scene) -> Array:
    """The pose after a small twist about the group's middle, turns in units of its reach."""
    middle = pose[:3, :3] @ scene.middle + pose[:3, 3]
    motion = exponential(np.concatenate([np.zeros(3), twist[3:] / scene.reach_m]))
    moved = pose.copy()
    moved[:3, :3] = motion[:3, :3] @ pose[:3, :3]
    moved[:3, 3] = motion[:3, :3] @ (pose[:3, 3] - middle) + middle + twist[:3]
    return moved


def near_pairs(placed: Sequence[Convex], still: Sequence[Convex], margin_m: float) -> list[tuple[int, int]]:
    """Pieces whose boxes are nearer than a margin."""
    if not still:
        return []
    lows, highs = np.array([one.box[0] for one in still]), np.array([one.box[1] for one in still])
    pairs = []
    for i, piece in enumerate(placed):
        low, high = piece.box
        near = ((low <= highs + margin_m) & (lows <= high + margin_m)).all(axis=1)
        pairs += [(i, int(j)) for j in np.flatnonzero(near)]
    return pairs
