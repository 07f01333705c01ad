"""Pressing a brick home: where, which way and how hard (seed 004, 4.2).

A joint closes under a force of its own (seed 000's F_asm), so a brick across three others takes three times as much.
A brick that is placed from above is pressed down onto the studs below it, one from below up into the holes above it.
The force acts through the middle of the studs that it enters, so that the brick itself is not tipped.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly, Load
from falsework.model.interfaces import Interfaces
from falsework.model.state import State

PRESS_N = 1.25  # on each joint that closes: seed 000's F_asm, 1 N, and a quarter for what does not go through it


def press_load(assembly: Assembly, found: Interfaces, part: int, installed: int, force_n: float) -> Load | None:
    """The load that seats a part on the installed rest (a mask), so much for each joint; None where none is closed."""
    rows, way = entered(found, part, installed)
    if not len(rows):
        return None
    frames = found.clutches.T_world_clutch[rows]
    studs = np.array([found.clutches.kinds[kind].studs for kind in found.clutches.kind[rows]], dtype=float)
    point: Array = studs @ frames[:, :3, 3] / studs.sum()
    return Load(assembly.bodies[part].name, -way * len(rows) * force_n * frames[0, :3, 2], point)


def entered(found: Interfaces, part: int, installed: int) -> tuple[Ints, int]:
    """The clutches that close when a part is placed, and whether it comes from above (1) or from below (−1)."""
    bodies = found.clutches.bodies
    there = np.array([installed >> body & 1 for body in range(int(bodies.max(initial=0)) + 1)], dtype=bool)
    below = np.flatnonzero((bodies[:, 1] == part) & there[bodies[:, 0]])
    above = np.flatnonzero((bodies[:, 0] == part) & there[bodies[:, 1]])
    return (below, 1) if len(below) else (above, -1)


def pressed(assembly: Assembly, state: State, load: Load) -> State:
    """The state with a press on it; the pressed part is not held, since the force is to go through it."""
    held = state.held & ~assembly.mask([load.part])
    return State(state.installed, held, state.gravity, (*state.loads_of(assembly), load))
