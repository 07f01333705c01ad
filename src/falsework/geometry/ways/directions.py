"""Directions worth trying: an even sphere, and the exact ones that contacts suggest.

What slides in a slot leaves along the line where the planes of its walls meet; no even sphere has that line.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from falsework.geometry.shapes.planes import cross, unit
from falsework.geometry.shapes.runs import successors
from falsework.model.arrays import Array, Ints, frozen
from falsework.model.interfaces import Interfaces

SPHERE = 1024  # directions, half of them opposite to the other half
MOST_NORMALS = 24  # of one body or group, the largest patches first, whose planes are crossed with each other
DIGITS = 9  # to which two directions agree
INTO = 1e-9  # n·d above this moves into a contact


@cache
def even_sphere(count: int = SPHERE) -> Array:
    """(count, 3) unit directions spread evenly: a golden spiral over half of the sphere, and its opposite."""
    half = count // 2
    steps = np.arange(half) + 0.5
    z = 1.0 - steps / half
    angle = np.pi * (1 + 5**0.5) * steps
    flat = np.sqrt(1 - z * z)
    above = np.column_stack([flat * np.cos(angle), flat * np.sin(angle), z])
    sphere: Array = frozen(np.concatenate([above, -above]))
    return sphere


def common_directions(axes: Array) -> Array:
    """(m, 3) the axes (3, 3) both ways, then the sphere; direction k and k ^ 1 are opposite."""
    half = len(even_sphere()) // 2
    paired = np.stack([np.concatenate([axes, even_sphere()[:half]])] * 2, axis=1)
    paired[:, 1] *= -1
    return paired.reshape(-1, 3)


def contact_normals(joints: Interfaces, moved: int) -> tuple[Array, Ints]:
    """Outward normals (k, 3) of patches and clutches between the moved bodies and others, and which patches (p,).

    Outward: from the moved body into the one it touches; it cannot leave along n·d > 0.
    """
    patches = joints.patches
    inside = _members(patches.bodies, moved)
    rows = np.flatnonzero(inside[:, 0] != inside[:, 1])
    normals = patches.normals[rows] * np.where(inside[rows, 0], 1.0, -1.0)[:, None]
    clutches = joints.clutches
    inside = _members(clutches.bodies, moved)
    parted = np.flatnonzero(inside[:, 0] != inside[:, 1])
    up = clutches.T_world_clutch[parted, :3, 2] * np.where(inside[parted, 0], 1.0, -1.0)[:, None]
    return np.concatenate([normals, up]), rows


def exact_directions(joints: Interfaces, moved: int) -> Array:
    """(m, 3) directions that the contacts of a group with the rest suggest, distinct.

    Their normals, the edges of their patches, the lines in which their planes meet, and the middle of the cone that
    all contacts together leave open (the sum of its extreme rays, which are such lines).
    """
    outward, rows = contact_normals(joints, moved)
    if not len(outward):
        return np.zeros((0, 3))
    distinct = _distinct(outward)
    some = distinct[:MOST_NORMALS]
    i, j = np.triu_indices(len(some), 1)
    crossed = cross(some[i], some[j])
    lines = np.concatenate([unit(crossed[(crossed * crossed).sum(axis=1) > 1e-6]), _patch_edges(joints, rows)])
    rays = np.concatenate([distinct, lines])
    rays = _distinct(np.concatenate([rays, -rays]))
    return _distinct(np.concatenate([_middle(rays, distinct), rays]))


def _middle(rays: Array, outward: Array) -> Array:
    """(≤ 1, 3) the middle of the open cone: the sum of those rays that enter no contact."""
    open_rays = rays[(rays @ outward.T <= INTO).all(axis=1)]
    total = open_rays.sum(axis=0)
    return unit(total)[None] if float(total @ total) > 1e-6 else np.zeros((0, 3))


def _patch_edges(joints: Interfaces, rows: Ints) -> Array:
    patches = joints.patches
    starts = patches.starts
    edges = unit(patches.points[successors(starts)] - patches.points)
    chosen = np.isin(patches.owner, rows) & (np.abs(edges).max(axis=1, initial=0.0) > 0.5)
    touching: Array = edges[chosen]
    return touching


def _members(bodies: Ints, mask: int) -> Array:
    """(k, 2) which of the bodies are in a mask."""
    highest = int(bodies.max(initial=0)) + 1
    table = np.array([mask >> body & 1 for body in range(highest)], dtype=bool)
    members: Array = table[bodies]
    return members


def _distinct(directions: Array) -> Array:
    """Directions (n, 3), the first of those that agree."""
    _, first = np.unique(np.round(directions, DIGITS) + 0.0, axis=0, return_index=True)
    return directions[np.sort(first)]
