"""How near two surfaces are to each other, one placed in the frame of the other."""

from __future__ import annotations

import numpy as np

from falsework.geometry.distance import plain
from falsework.geometry.distance.surface import Surface, compiles
from falsework.geometry.distance.trees import Gap, NearPairs
from falsework.model.arrays import Array


def least_distance(
    one: Surface,
    other: Surface,
    T_one_other: Array,
    band: float = np.inf,
    start: tuple[int, int] = (-1, -1),
) -> Gap:
    """The least distance of two surfaces, m, if it is less than a band; 0 where they meet.

    `T_one_other` (4, 4) leads from the frame of the other to that of the one, in which points are given. `start`: a
    pair of faces that may be near, from an earlier answer. A solid inside another is as far as their surfaces are.

    >>> from falsework.geometry.distance.surface import surface_of
    >>> from falsework.model.shapes import box
    >>> cube, aside = surface_of(box((2, 2, 2))), np.eye(4)
    >>> aside[0, 3] = 2.5
    >>> least_distance(cube, cube, aside).distance_m
    0.5
    """
    turn, shift = _placing(T_one_other)
    if not compiles():
        return plain.least(one.corners, other.corners @ turn.T + shift, band)
    from falsework.geometry.distance.pairs import least

    k, m = start
    known = k >= 0 and m >= 0
    found = least(
        one.tree,
        other.tree,
        turn,
        shift,
        band,
        one.triangle_of_face[k] if known else -1,
        other.triangle_of_face[m] if known else -1,
    )
    i, j = found.faces
    if i < 0:
        return found
    return found._replace(faces=(int(one.tree.face[i]), int(other.tree.face[j])))


def near_pairs(one: Surface, other: Surface, T_one_other: Array, band: float) -> NearPairs:
    """All pairs of triangles of two surfaces no further apart than a band, m; places as in `least_distance`."""
    turn, shift = _placing(T_one_other)
    if not compiles():
        return plain.closer_than(one.corners, other.corners @ turn.T + shift, band)
    from falsework.geometry.distance.pairs import closer_than

    found = closer_than(one.tree, other.tree, turn, shift, band)
    faces = np.stack([one.tree.face[found.faces[:, 0]], other.tree.face[found.faces[:, 1]]], axis=1)
    return found._replace(faces=faces)


def _placing(T: Array) -> tuple[Array, Array]:
    pose = np.asarray(T, dtype=np.float64)
    return pose[:3, :3].copy(), pose[:3, 3].copy()
