"""Many states, each solved and then judged in machine code: no Python between them, and none of its lock."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.kernels.atomics import added, replaced, seen
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Bits, Bools, Ints
from falsework.statics.cones.one_state import solve_state
from falsework.statics.cones.room import Cones, Room
from falsework.statics.proofs.compiled_referee import Case, judge_state, workspace

PUT, TAKEN, DONE = 0, 8, 16  # a line of memory each: threads write to one while others look at the next
COUNTS = 24


class Waiting(NamedTuple):
    """States that wait in a ring, and what is found of them; threads share it."""

    counts: Ints  # (COUNTS,) how many have been PUT there, TAKEN and DONE so far: state k has row k mod m
    installed: Bits  # (m, n / 8) bodies as bits
    free: Bits
    acting: Ints  # (m,) the row of the loads that acts on each
    stands: Bools  # (m,) found
    moving: Bits  # (m, n / 8) found: the bodies whose motion proves a fall


@compiled
def prove_waiting(
    cones: Cones,
    order: Ints,
    room: Room,
    lengths: float,
    masses: float,
    loads: Array,
    case: Case,
    waiting: Waiting,
    leave: int,
    patience: int,
) -> None:
    """`solve_state`, then `judge_state`, for one state after the other until `leave` wait or fewer.

    Of `loads` (l, n, 6), and of the referee's own, each state names its row. Goes when it has looked `patience` times
    for another state in vain: a thread that is sent to sleep comes back late, perhaps to a core that is taken.
    """
    count, stop = len(cones.masses), np.zeros(1, np.int64)
    forces = np.empty(cones.points.shape)
    twists, balance, fallen = np.empty((count, 6)), np.empty((count, 6)), workspace(count)
    there, frees, moves = np.empty(count, np.bool_), np.empty(count, np.bool_), np.empty(count, np.bool_)
    idle = 0
    while idle <= patience:
        k = _next(waiting.counts, leave)
        if k < 0:
            idle += 1
            continue
        idle, k = 0, k % len(waiting.acting)
        _unpack(waiting.installed[k], there)
        _unpack(waiting.free[k], frees)
        forces[:], twists[:], moves[:] = 0.0, 0.0, False
        acting = waiting.acting[k]
        solve_state(
            *(cones, order, room, there, frees, loads[acting], lengths, masses, False, stop),
            *(forces, twists),
        )
        waiting.stands[k] = judge_state(case, acting, forces, twists, there, frees, balance, fallen, moves)
        _pack(moves, waiting.moving[k])
        added(waiting.counts, DONE, 1)


@compiled
def all_done(counts: Ints, patience: int) -> bool:
    """Whether all that were put there are done, by the time that one has looked `patience` times."""
    while patience > 0 and seen(counts, DONE) < seen(counts, PUT):
        patience -= 1
    return patience > 0


@inner
def _next(counts: Ints, leave: int) -> int:
    """The state that this thread takes, or −1."""
    while True:
        taken = seen(counts, TAKEN)
        if taken + leave >= seen(counts, PUT):
            return -1
        if replaced(counts, TAKEN, taken, taken + 1):
            return taken


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
