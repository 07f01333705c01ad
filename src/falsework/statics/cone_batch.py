"""Many states in one compiled call: no Python between them, and none of its lock."""

from __future__ import annotations

from falsework.model.arrays import Array, Bools, Ints
from falsework.statics.compiled import compiled
from falsework.statics.cone_room import Cones, Room
from falsework.statics.cone_state import solve_state


@compiled
def solve_states(
    cones: Cones,
    order: Ints,
    room: Room,
    installed: Bools,
    free: Bools,
    loads: Array,
    lengths: float,
    masses: float,
    stop: Ints,
    weights: Array,
    twists: Array,
    status: Ints,
) -> None:
    """`solve_state` for every row of `installed` and `free` (m, n) and `loads` (m, n, 6); fills the last three."""
    for k in range(installed.shape[0]):
        found = solve_state(
            *(cones, order, room, installed[k], free[k], loads[k], lengths, masses, False, stop),
            *(weights[k], twists[k]),
        )
        status[k] = found[0]
