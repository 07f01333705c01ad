"""Plane problems among the solid ones: prisms along y between the same two planes, pulled and hinged in their own.

Such an assembly is its own image in the plane midway, so its motion stays in that plane and what happens at the front
happens at the back: one of the two is enough, taken midway. Then nothing turns out of the plane, not even by rounding.
"""

from __future__ import annotations

import numpy as np

from falsework.collapse.hulls import Hulls
from falsework.collapse.touching import EDGES, Features
from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Hinges

FLAT = 1e-9  # of a part's depth, or of a unit vector


def mid_plane(assembly: Assembly, hulls: Hulls, hinges: Hinges) -> float | None:
    """The y of the plane in which everything happens, None if it is not a plane problem."""
    y = float(assembly.coms_m[0, 1])
    turns, body = assembly.poses[:, :3, :3], hulls.corner_body
    heights = np.einsum("vj,vj->v", turns[body, 1], hulls.corners)  # of the corners above their centre of mass, along y
    depth = float(np.abs(heights).max(initial=0.0))
    prisms = np.abs(np.abs(heights) - depth) <= FLAT * depth
    normals = np.einsum("fj,fj->f", turns[hulls.face_body, 1], hulls.normals)
    upright = (np.abs(normals) <= FLAT) | (np.abs(normals) >= 1 - FLAT)
    movable = len(assembly.parts)
    centred = np.abs(assembly.coms_m[:movable, 1] - y) <= FLAT * depth
    level = np.abs(turns[:movable, 1] - [0, 1, 0]).max() <= FLAT
    pulls = [assembly.gravity, *(load.force_n for load in assembly.loads)]
    arms = [load.point_m[1] - y for load in assembly.loads if load.point_m is not None]
    in_plane = all(abs(pull[1]) <= FLAT * np.abs(pull).max(initial=1.0) for pull in pulls)
    in_plane &= all(abs(arm) <= FLAT * depth for arm in arms)
    in_plane &= bool((np.abs(hinges.axes[:, 1]) >= 1 - FLAT).all())
    return y if prisms.all() and upright.all() and centred.all() and level and in_plane else None


def front(features: Features, corners: Array, y: float) -> Bools:
    """(k,) which contacts lie before the plane; edges along y meet others only where corners do already."""
    chosen: Bools = (features.kind != EDGES) & (corners[features.places[:, 1], 1] < y)
    return chosen


def flattened(features: Features, chosen: Bools) -> Features:
    return Features(features.pieces[chosen], features.kind[chosen], features.places[chosen], features.axes[chosen])
