"""Two fingers: pairs of points where the surface faces both pads, within friction, and ways to turn the hand there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.robots.grasps.skin import Skin

TURNS = 12  # ways to turn the hand about the line between its fingers
DRAWN_BACK = (0.0, 0.25, 0.48)  # of the pads' length: how far the hand stays back, so that only its tips grip
HANDS = TURNS * len(DRAWN_BACK)
ROUNDS = 2  # times that a pair is turned to face both pads alike
NEAR = 0.02  # of the part's size: pairs nearer than this are one


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Places for two fingers on a part, in its frame."""

    middles: Array  # (k, 3)
    axes: Array  # (k, 3) unit, from one pad to the other
    widths_m: Array  # (k,)
    tapers: Array  # (k,) rad, by which the worse of the two faces is tilted from its pad


def antipodal_pairs(skin: Skin, friction: float, *, level: bool = False) -> Pairs:
    """Pairs of points that two pads can press upon without slipping, those between large facets first.

    A ray goes in from each start, against the normal there. Where it comes out, the line between both points is turned
    until it meets both faces alike: on a wedge that is its bisector. Pairs that friction does not hold are left out.
    `level`: so are those one above the other, as a brick has studs there, and holes.

    >>> from falsework import box
    >>> from falsework.robots.grasps.skin import skin_of
    >>> pairs = antipodal_pairs(skin_of(box((0.1, 0.04, 0.02))), 0.5)
    >>> sorted(set(pairs.widths_m.round(6).tolist())), float(pairs.tapers.max())
    ([0.02, 0.04, 0.1], 0.0)
    """
    points, outward = skin.starts
    distance, through = skin.hits(points, -outward)
    there = through >= 0
    middles = points[there] - 0.5 * distance[there, None] * outward[there]
    facing = skin.normals[through[there]] - outward[there]
    for _ in range(ROUNDS):
        middles, axes, widths, ends = _across(skin, middles, facing)
        facing = skin.normals[ends[:, 0]] - skin.normals[ends[:, 1]]
    cosines = np.minimum(
        np.einsum("kc,kc->k", skin.normals[ends[:, 0]], axes), -np.einsum("kc,kc->k", skin.normals[ends[:, 1]], axes)
    )
    tapers = np.where(cosines > 1 - 1e-12, 0.0, np.arccos(np.clip(cosines, -1.0, 1.0)))
    kept = np.flatnonzero((tapers < math.atan(friction)) & ~(level & (np.abs(axes[:, 2]) > 0.5)))
    kept = kept[_apart(middles[kept], axes[kept], NEAR * skin.size_m)]
    return Pairs(middles[kept], axes[kept], widths[kept], tapers[kept])


def _across(skin: Skin, inside: Array, along: Array) -> tuple[Array, Array, Array, Ints]:
    """Lines through points inside: their middles, axes, lengths, and the triangles at both ends; where they have both.

    Directions that vanish (a face met by its own back) are left out.
    """
    length = np.linalg.norm(along, axis=1)
    real = length > 1e-6
    inside, axes = inside[real], along[real] / length[real, None]
    ahead, first = skin.hits(inside, axes)
    behind, second = skin.hits(inside, -axes)
    both = (first >= 0) & (second >= 0)
    middles = inside[both] + 0.5 * (ahead[both] - behind[both])[:, None] * axes[both]
    return middles, axes[both], ahead[both] + behind[both], np.column_stack([first[both], second[both]])


def _apart(middles: Array, axes: Array, near_m: float) -> Ints:
    """Which of the pairs differ from all before them."""
    kept: list[int] = []
    for k in range(len(middles)):
        same = np.abs(axes[kept] @ axes[k]) > 0.999
        if not (same & (np.linalg.norm(middles[kept] - middles[k], axis=1) < near_m)).any():
            kept.append(k)
    return np.array(kept, np.int64)


def hands_at(middle: Array, axis: Array, pad_m: float) -> Array:
    """(HANDS, 4, 4) hands whose fingers close along an axis upon a point, turned about it; z is the way they come.

    First all whose pads, so long along z, are about the point, then all that stay back by a share of their length.
    """
    other = np.array([1.0, 0.0, 0.0]) if abs(axis[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    z = np.cross(axis, other)
    z /= np.linalg.norm(z)
    x = np.cross(axis, z)
    angles = 2 * np.pi * np.arange(TURNS) / TURNS
    found = np.zeros((TURNS, 4, 4))
    came = np.cos(angles)[:, None] * z + np.sin(angles)[:, None] * x
    found[:, :3, 2], found[:, :3, 1] = came, axis
    found[:, :3, 0] = np.cross(axis, came)
    found[:, :3, 3], found[:, 3, 3] = middle, 1.0
    every = np.concatenate([found] * len(DRAWN_BACK))
    every[:, :3, 3] -= np.repeat(DRAWN_BACK, TURNS)[:, None] * pad_m * every[:, :3, 2]
    return every
