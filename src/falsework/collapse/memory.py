"""What is remembered of a contact from step to step, by the pieces, faces, corners and edges that make it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from falsework.collapse.touching import Features
from falsework.model.arrays import Array, Ints

Keys = npt.NDArray[np.uint64]
_MIX = np.uint64(0x9E3779B97F4A7C15)


def keys_of(features: Features) -> Keys:
    """(k,) one number for each contact, the same whenever the same places touch."""
    columns = np.column_stack([features.pieces, features.kind, features.places])
    keys = np.zeros(len(columns), np.uint64)
    for column in columns.astype(np.uint64).T:
        keys = (keys ^ (column + _MIX + (keys << np.uint64(6)) + (keys >> np.uint64(2)))) * _MIX
    return keys


def looked_up(known: Keys, wanted: Keys) -> tuple[Ints, Ints]:
    """Rows of `wanted` that are in `known`, sorted, and where."""
    if not len(known):
        none = np.zeros(0, np.int64)
        return none, none
    place = np.searchsorted(known, wanted).clip(max=len(known) - 1)
    rows = np.flatnonzero(known[place] == wanted)
    return rows, place[rows]


@dataclass(slots=True)
class Memory:
    """Of the last step: forces, and how far the gaps bent away from their linear prediction."""

    keys: Keys = field(default_factory=lambda: np.zeros(0, np.uint64))
    forces_n: Array = field(default_factory=lambda: np.zeros((0, 3)))  # world
    bends: Array = field(default_factory=lambda: np.zeros(0))  # m/s²: twice the bend over the squared step

    def recall(self, keys: Keys) -> tuple[Array, Array]:
        """Forces and bends of these contacts, zero for new ones."""
        forces, bends = np.zeros((len(keys), 3)), np.zeros(len(keys))
        rows, place = looked_up(self.keys, keys)
        forces[rows], bends[rows] = self.forces_n[place], self.bends[place]
        return forces, bends

    def keep(self, keys: Keys, forces_n: Array, bends: Array) -> None:
        order = np.argsort(keys)
        self.keys, self.forces_n, self.bends = keys[order], forces_n[order], bends[order]


@dataclass(frozen=True, slots=True)
class RestOffsets:
    """Gaps and overlaps of contacts that touch at the start: kept as they are, so that nothing settles or springs."""

    keys: Keys
    gaps_m: Array
    pairs: Ints  # (m,) pairs of pieces that touch at the start, sorted
    deepest_m: Array  # (m,) the deepest overlap of each, at most 0: what new contacts of the pair may have

    @staticmethod
    def of(features: Features, keys: Keys, gaps_m: Array, touch_m: Array, pieces: int) -> RestOffsets:
        """From the contacts at the start whose gap is at most `touch_m` (k,), or that overlap."""
        close = gaps_m <= touch_m
        order = np.flatnonzero(close)[np.argsort(keys[close])]
        pair = features.pieces[:, 0] * pieces + features.pieces[:, 1]
        pairs, owner = np.unique(pair[close], return_inverse=True)
        deepest = np.zeros(len(pairs))
        np.minimum.at(deepest, owner, gaps_m[close])
        return RestOffsets(keys[order], gaps_m[order], pairs, deepest)

    def at(self, features: Features, keys: Keys, pieces: int) -> Array:
        """(k,) what each gap is measured from."""
        offsets = np.zeros(len(keys))
        if len(self.pairs):
            pair = features.pieces[:, 0] * pieces + features.pieces[:, 1]
            place = np.searchsorted(self.pairs, pair).clip(max=len(self.pairs) - 1)
            offsets = np.where(self.pairs[place] == pair, self.deepest_m[place], 0.0)
        rows, place = looked_up(self.keys, keys)
        offsets[rows] = self.gaps_m[place]
        return offsets
