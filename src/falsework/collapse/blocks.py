"""Free bodies of a problem by number, and where the blocks of its factor are."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from falsework.collapse.curvature import Pattern
from falsework.kernels.block_cholesky import BlockPattern
from falsework.model.arrays import Array, Ints


def pattern_of(count: int, bodies: Ints) -> Pattern:
    """The pattern of `count` free bodies and contacts (k, 2) between them, −1 for bodies that do not move."""
    both = (bodies >= 0).all(axis=1)
    low, high = bodies.min(axis=1), bodies.max(axis=1)
    pairs, place = np.unique(low[both] * count + high[both], return_inverse=True)
    found = _pattern(count, pairs.tobytes())
    slots = np.full(len(bodies), -1, np.int64)
    slots[both] = found.slots[place]
    turned = np.zeros(len(bodies), np.int64)
    turned[both] = (found.place[bodies[both, 0]] < found.place[bodies[both, 1]]).astype(np.int64)
    return Pattern(
        found.order,
        found.place,
        found.starts,
        found.rows,
        found.row_starts,
        found.row_columns,
        found.row_slots,
        slots,
        turned,
    )


@lru_cache(maxsize=8)
def _pattern(count: int, pairs: bytes) -> BlockPattern:
    """Contacts come and go, but the same graphs come back."""
    numbers = np.frombuffer(pairs, np.int64)
    return BlockPattern.of(count, np.stack([numbers // max(count, 1), numbers % max(count, 1)], axis=1))


def masses_of(mass_kg: Array, inertia_world: Array) -> Array:
    """(n, 6, 6) blocks from masses (n,) and inertias (n, 3, 3)."""
    blocks = np.zeros((len(mass_kg), 6, 6))
    blocks[:, 3:, 3:] = inertia_world
    for i in range(3):
        blocks[:, i, i] = mass_kg
    return blocks


def frames_about(normals: Array) -> Array:
    """(k, 3, 3) rows n, t₁, t₂; t₁ is across the axis that n leans on least, so that it turns with n."""
    least = np.argmin(np.abs(normals), axis=1)
    axis = np.eye(3)[least]
    first = np.cross(normals, axis)
    first /= np.linalg.norm(first, axis=1)[:, None]
    return np.stack([normals, first, np.cross(normals, first)], axis=1)
