"""Regions of one pair of bodies that lie in one plane.

Within a pair, the largest region takes all that lie in its plane, then the largest that is left, and so on. Taking
from the largest, instead of linking neighbours, keeps a slowly turning row of facets from becoming one contact.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.flat.clip import Regions
from falsework.geometry.shapes.tolerances import LEAN
from falsework.model.arrays import Array, Bools, Ints

ROUNDS = 32  # planes a pair has before its regions are looked at one by one


def coplanar(touching: Regions, nears_m: Array) -> Ints:
    """(r,) the patch of each region, numbered from 0; `nears_m` (r,) is how far from a plane still is in it."""
    label = np.full(len(touching.pair), -1)
    left = np.lexsort((-touching.areas, touching.pair))
    count = 0
    for _ in range(ROUNDS):
        if not len(left):
            return label
        pair = touching.pair[left]
        begins = np.concatenate([[True], pair[1:] != pair[:-1]])
        group = np.cumsum(begins) - 1
        seed = left[np.flatnonzero(begins)][group]
        taken = _in_plane(touching, seed, left, nears_m)
        label[left[taken]] = count + group[taken]
        count += int(group[-1]) + 1
        left = left[~taken]
    cuts = np.flatnonzero(np.diff(touching.pair[left])) + 1
    for members in np.split(left, cuts):
        count = _one_by_one(touching, members, nears_m, label, count)
    return label


def _one_by_one(touching: Regions, members: Ints, nears_m: Array, label: Ints, count: int) -> int:
    """The same for what is left of a pair with very many planes: a tree finds the normals near each seed's."""
    from scipy.spatial import cKDTree  # a third of a second that only bodies with very many planes are worth

    tree = cKDTree(touching.normals[members])
    for seed in members:
        if label[seed] < 0:
            near = members[tree.query_ball_point(touching.normals[seed], LEAN)]
            near = near[label[near] < 0]
            label[near[_in_plane(touching, np.full(len(near), seed), near, nears_m)]] = count
            count += 1
    return count


def _in_plane(touching: Regions, seed: Ints, others: Ints, nears_m: Array) -> Bools:
    """Whether regions lie in the planes of their seeds, seen from either; a seed always does."""
    arm = touching.centres[others] - touching.centres[seed]
    there = np.abs((arm * touching.normals[seed]).sum(axis=1)) <= nears_m[others]
    back = np.abs((arm * touching.normals[others]).sum(axis=1)) <= nears_m[others]
    aligned = (touching.normals[others] * touching.normals[seed]).sum(axis=1) > np.cos(LEAN)
    level: Bools = (aligned & there & back) | (others == seed)
    return level
