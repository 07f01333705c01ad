"""Contacts that are or may come about within a step, with their places and gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.collapse.gaps import contact_places, gaps
from falsework.collapse.memory import Keys, keys_of
from falsework.collapse.movable import Bodies, World
from falsework.collapse.placing import near_pieces, place
from falsework.collapse.plane import flattened, front
from falsework.collapse.touching import Features, touching
from falsework.model.arrays import Array, Ints

MARGIN = 0.02  # of the smallest piece: how far ahead contacts are looked for, whatever the speed


@dataclass(frozen=True, slots=True, eq=False)
class Nearby:
    """Features of near pieces, where bodies are now."""

    features: Features
    keys: Keys  # (k,)
    points: Array  # (k, 2, 3) on both bodies
    normals: Array  # (k, 3) from the first into the second
    signs: Array  # (k,) see `gaps`
    gap_m: Array  # (k,)
    within_s: float  # how far ahead it was looked


def nearby(world: World, bodies: Bodies, turns: Array, centres: Array, v: Array, h: float) -> Nearby:
    """What bodies at these places, the free ones moving by v (n, 6), may touch within h seconds."""
    hulls = world.hulls
    free: Ints = np.flatnonzero(bodies.free)
    placed = place(hulls, turns, centres)
    speeds = np.zeros(len(bodies.free))
    speeds[free] = np.linalg.norm(v[:, :3], axis=1) + np.linalg.norm(v[:, 3:], axis=1) * world.radii_m[free]
    gap_m = world.assembly.gap_m or 0.0  # what was asked to touch, however far apart, is looked for
    margins = MARGIN * hulls.sizes_m.min() + 0.5 * gap_m + 2.0 * h * speeds[hulls.body]
    pairs = near_pieces(hulls, placed, bodies.there, bodies.free, world.apart, margins)
    features = touching(hulls, placed, pairs, margins, world.assembly.gravity)
    if world.plane_y is not None:
        features = flattened(features, front(features, placed.corners, world.plane_y))
    count = len(features.kind)
    points, normals, signs, gap = np.empty((count, 2, 3)), np.empty((count, 3)), np.empty(count), np.empty(count)
    contact_places(features, placed, points, normals, signs)
    if world.plane_y is not None:
        points[:, :, 1], normals[:, 1] = world.plane_y, 0.0
    gaps(features, placed, signs, gap)
    return Nearby(features, keys_of(features), points, normals, signs, gap, h)
