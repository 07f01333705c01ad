"""Many states in one compiled call: no Python between them, and none of its lock."""

from __future__ import annotations

from falsework.model.arrays import Array, Bools, Ints
from falsework.statics.compiled import compiled, inner
from falsework.statics.cone_newton import STABLE
from falsework.statics.cone_room import LANES, Cones, Room
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
    forces: Array,
    twists: Array,
) -> None:
    """`solve_state` for every row of `installed` and `free` (m, n) and `loads` (m, n, 6).

    Fills forces at the points (m, p, 3) where a state is stable, twists (m, n, 6) where it is not; `weights` of the
    cones' edges (p, groups * LANES) are those of one state at a time.
    """
    for k in range(installed.shape[0]):
        weights[:] = 0.0
        status, _ = solve_state(
            *(cones, order, room, installed[k], free[k], loads[k], lengths, masses, False, stop),
            *(weights, twists[k]),
        )
        if status == STABLE:
            _summed_edges(cones, weights, forces[k])


@inner
def _summed_edges(cones: Cones, weights: Array, forces: Array) -> None:
    for p in range(len(forces)):
        for group in range(cones.generators.shape[1]):
            for lane in range(LANES):
                weight = weights[p, group * LANES + lane]
                for i in range(3):
                    forces[p, i] += weight * cones.generators[p, group, i, lane]
