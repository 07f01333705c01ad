"""Which known patches cover a place: those of the same two bodies that reach it."""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.planes import TINY, cross
from falsework.geometry.shapes.runs import rows_of, starts_of, successors
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.interfaces import Patches

SAME_WAY = 1e-2  # rad: normals that differ less are of one plane


class CoveringPatches:
    """Patches, looked up by bodies."""

    def __init__(self, patches: Patches) -> None:
        self._patches = patches
        self._span = np.int64(patches.bodies.max(initial=0)) + 1
        keys = patches.bodies[:, 0] * self._span + patches.bodies[:, 1]
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def at(self, bodies: Ints, points: Array, beside_m: Array, level_m: Array) -> tuple[Ints, Ints]:
        """Places and patches: every place (k, 3) of two bodies (k, 2) with each patch of theirs that covers it, but for
        `beside_m` (k,) along the patch and twice `level_m` (k,) along its normal.
        """
        keys = np.where((bodies < self._span).all(axis=1), bodies[:, 0] * self._span + bodies[:, 1], -1)
        begins = np.searchsorted(self._keys, keys, side="left")
        counts = np.searchsorted(self._keys, keys, side="right") - begins
        place = np.repeat(np.arange(len(keys)), counts)
        row = np.arange(len(place)) - np.repeat(starts_of(counts)[:-1] - begins, counts)
        patch = self._order[row]
        reached = self._reach(patch, points[place], beside_m[place], level_m[place])
        return place[reached], patch[reached]

    def alike(self, bodies: Ints, points: Array, normals: Array, beside_m: Array, level_m: Array) -> Bools:
        """(k,) whether a patch of these bodies covers a place and has its normal (k, 3)."""
        place, patch = self.at(bodies, points, beside_m, level_m)
        same = (self._patches.normals[patch] * normals[place]).sum(axis=1) > np.cos(SAME_WAY)
        found = np.zeros(len(points), dtype=bool)
        found[place[same]] = True
        return found

    def _reach(self, patch: Ints, points: Array, beside_m: Array, level_m: Array) -> Bools:
        """(k,) whether points (k, 3) lie in patches (k,), or near them."""
        table = self._patches
        rows, which = rows_of(table.starts, patch)
        tails, heads = table.points[rows], table.points[successors(table.starts)[rows]]
        normals = table.normals[patch][which]
        arms, offsets = heads - tails, points[which] - tails
        height = (offsets * normals).sum(axis=1)
        offsets = offsets - height[:, None] * normals
        lengths = np.linalg.norm(arms, axis=1)
        share = np.clip((offsets * arms).sum(axis=1) / np.maximum(lengths**2, TINY), 0.0, 1.0)
        apart = np.linalg.norm(offsets - share[:, None] * arms, axis=1)
        into = (cross(normals, arms) * offsets).sum(axis=1) / np.maximum(lengths, TINY)
        least, highest = np.full(len(patch), np.inf), np.zeros(len(patch))
        inside = table.sizes[patch] > 2
        np.minimum.at(least, which, apart)
        np.maximum.at(highest, which, np.abs(height))
        np.logical_and.at(inside, which, into >= -beside_m[which])
        reached: Bools = (inside | (least <= beside_m)) & (highest <= 2 * level_m)
        return reached
