"""Many states, each solved and then judged in machine code: no Python between them, and none of its lock."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Bits, Bools, Ints
from falsework.statics.cones.one_state import solve_state
from falsework.statics.cones.room import Cones, Room
from falsework.statics.proofs.compiled_referee import Case, judge_state, workspace


class Batch(NamedTuple):
    """States, and what is found of them."""

    installed: Bits  # (m, n / 8) bodies as bits
    free: Bits
    acting: Ints  # (m,) the row of the loads that acts on each
    stands: Bools  # (m,) found
    moving: Bits  # (m, n / 8) found: the bodies whose motion proves a fall


@compiled
def prove_batch(
    cones: Cones,
    order: Ints,
    room: Room,
    lengths: float,
    masses: float,
    loads: Array,
    case: Case,
    batch: Batch,
) -> None:
    """`solve_state`, then `judge_state`, for one state after the other.

    Of `loads` (l, n, 6), and of the referee's own, each state names its row.
    """
    count, stop = len(cones.masses), np.zeros(1, np.int64)
    forces = np.empty(cones.points.shape)
    twists, balance, fallen = np.empty((count, 6)), np.empty((count, 6)), workspace(count)
    there, frees, moves = np.empty(count, np.bool_), np.empty(count, np.bool_), np.empty(count, np.bool_)
    for k in range(len(batch.acting)):
        _unpack(batch.installed[k], there)
        _unpack(batch.free[k], frees)
        forces[:], twists[:], moves[:] = 0.0, 0.0, False
        acting = batch.acting[k]
        solve_state(
            *(cones, order, room, there, frees, loads[acting], lengths, masses, False, stop),
            *(forces, twists),
        )
        batch.stands[k] = judge_state(case, acting, forces, twists, there, frees, balance, fallen, moves)
        _pack(moves, batch.moving[k])


@inner
def _unpack(bits: Bits, flags: Bools) -> None:
    for body in range(len(flags)):
        flags[body] = bits[body >> 3] >> (body & 7) & 1


@inner
def _pack(flags: Bools, bits: Bits) -> None:
    bits[:] = 0
    for body in range(len(flags)):
        if flags[body]:
            bits[body >> 3] |= 1 << (body & 7)
