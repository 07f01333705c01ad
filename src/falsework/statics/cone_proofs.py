"""Many states in one compiled call, each solved and then judged: no Python between them, and none of its lock."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bits, Bools, Ints
from falsework.statics.compiled import compiled, inner
from falsework.statics.compiled_referee import Case, judge_state
from falsework.statics.cone_newton import STABLE
from falsework.statics.cone_room import LANES, Cones, Room
from falsework.statics.cone_state import solve_state


@compiled
def prove_states(
    cones: Cones,
    order: Ints,
    room: Room,
    lengths: float,
    masses: float,
    loads: Array,
    case: Case,
    installed: Bits,
    free: Bits,
    acting: Ints,
    stands: Bools,
    moving: Bits,
) -> None:
    """`solve_state`, then `judge_state`, for every row of `installed` and `free`: (m, n / 8), bodies as bits.

    `acting` (m,) names the row of `loads` (l, n, 6), and of the referee's, that acts on each. Fills `stands` (m,) and
    `moving` (m, n / 8), the bodies whose motion proves a fall.
    """
    count, stop = len(cones.masses), np.zeros(1, np.int64)
    weights, forces = np.empty(cones.padding.shape), np.empty(cones.points.shape)
    twists, balance = np.empty((count, 6)), np.empty((count, 6))
    there, frees, moves = np.empty(count, np.bool_), np.empty(count, np.bool_), np.empty(count, np.bool_)
    for k in range(len(installed)):
        _unpack(installed[k], there)
        _unpack(free[k], frees)
        weights[:], forces[:], twists[:], moves[:] = 0.0, 0.0, 0.0, False
        status, _ = solve_state(
            *(cones, order, room, there, frees, loads[acting[k]], lengths, masses, False, stop),
            *(weights, twists),
        )
        if status == STABLE:
            _sum_edges(cones, weights, forces)
        stands[k] = judge_state(case, acting[k], forces, twists, there, frees, balance, moves)
        _pack(moves, moving[k])


@inner
def _sum_edges(cones: Cones, weights: Array, forces: Array) -> None:
    for p in range(len(forces)):
        for group in range(cones.generators.shape[1]):
            for lane in range(LANES):
                weight = weights[p, group * LANES + lane]
                for i in range(3):
                    forces[p, i] += weight * cones.generators[p, group, i, lane]


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
