"""M + Jᵀ S J on 6×6 blocks of the body graph, for one 3×3 matrix S at each contact, and where those blocks are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.collapse.contacts import Contacts
from falsework.kernels.compiled import inner
from falsework.model.arrays import Array, Ints


class Pattern(NamedTuple):
    """Where the blocks of a factor are, see `statics.block_cholesky.BlockPattern`."""

    order: Ints
    place: Ints
    starts: Ints
    rows: Ints
    row_starts: Ints
    row_columns: Ints
    row_slots: Ints
    slots: Ints  # (k,) where the block of each contact's two bodies is kept, −1 where one of them is not free
    turned: Ints  # (k,) 1 where the first of them is eliminated first


@inner
def start_blocks(pattern: Pattern, mass: Array, diagonal: Array, upper: Array, lower: Array) -> None:
    """M alone, in the order of the pattern."""
    for j in range(pattern.order.shape[0]):
        diagonal[j] = mass[pattern.order[j]]
    upper[:] = 0.0
    lower[:] = 0.0


@inner
def add_contact(
    contacts: Contacts, pattern: Pattern, k: int, bend: Array, stiffness: float, diagonal: Array, upper: Array,
    lower: Array, wide: Array,
) -> None:  # fmt: skip
    """Add ρ J_kᵀ S J_k for S = `bend` (3, 3) of the contact's frame.

    A block of two bodies is kept as (earlier, later) in `upper`, and as (later, earlier) in `lower` unless that has no
    length: symmetric factors need one of them. `wide` (2, 6, 3) is workspace.
    """
    frame, spread = contacts.frames[k], np.empty((3, 3))
    for i in range(3):  # Fᵀ S F, in world axes
        for j in range(3):
            value = 0.0
            for p in range(3):
                for q in range(3):
                    value += frame[p, i] * bend[p, q] * frame[q, j]
            spread[i, j] = stiffness * value
    for side in range(2):  # Wᵀ S with W = [1, −r×]
        r0, r1, r2 = contacts.arms[k, side, 0], contacts.arms[k, side, 1], contacts.arms[k, side, 2]
        for j in range(3):
            s0, s1, s2 = spread[0, j], spread[1, j], spread[2, j]
            wide[side, 0, j], wide[side, 1, j], wide[side, 2, j] = s0, s1, s2
            wide[side, 3, j] = r1 * s2 - r2 * s1
            wide[side, 4, j] = r2 * s0 - r0 * s2
            wide[side, 5, j] = r0 * s1 - r1 * s0
    a, b = contacts.bodies[k, 0], contacts.bodies[k, 1]
    if a >= 0:
        _add(diagonal[pattern.place[a]], wide[0], contacts.arms[k, 0], 1.0)
    if b >= 0:
        _add(diagonal[pattern.place[b]], wide[1], contacts.arms[k, 1], 1.0)
    if a >= 0 and b >= 0:
        first = 0 if pattern.turned[k] == 1 else 1
        slot = pattern.slots[k]
        _add(upper[slot], wide[first], contacts.arms[k, 1 - first], -1.0)
        if lower.shape[0] > 0:
            _add(lower[slot], wide[1 - first], contacts.arms[k, first], -1.0)


@inner
def _add(block: Array, wide: Array, arm: Array, sign: float) -> None:
    """block += sign · wide W with W = [1, −r×]."""
    r0, r1, r2 = arm[0], arm[1], arm[2]
    for i in range(6):
        a, b, c = sign * wide[i, 0], sign * wide[i, 1], sign * wide[i, 2]
        block[i, 0] += a
        block[i, 1] += b
        block[i, 2] += c
        block[i, 3] += r1 * c - r2 * b
        block[i, 4] += r2 * a - r0 * c
        block[i, 5] += r0 * b - r1 * a
