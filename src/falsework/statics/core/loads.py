"""What pulls on the parts of a state: weight, and the forces that were asked for."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.state import State


def load_wrenches(assembly: Assembly, state: State) -> Array:
    """(bodies, 6) force and torque about the centre of mass, world axes; zero for bodies that are not there."""
    wrenches = np.zeros((len(assembly.bodies), 6))
    wrenches[:, :3] = assembly.masses_kg[:, None] * state.gravity_of(assembly)
    for load in state.loads_of(assembly):
        body = assembly.index[load.part]
        wrenches[body, :3] += load.force_n
        if load.point_m is not None:
            wrenches[body, 3:] += np.cross(load.point_m - assembly.coms_m[body], load.force_n)
    wrenches[~flags(state.installed, len(wrenches))] = 0.0
    return wrenches


def load_scale(assembly: Assembly, state: State) -> float:
    """What residuals are measured against, N: the weight of the free parts plus the forces applied to them."""
    bits = state.free(assembly)
    weight = float(assembly.masses_kg[flags(bits, len(assembly.bodies))].sum())
    pushes = [load.force_n for load in state.loads_of(assembly) if bits & assembly.mask([load.part])]
    applied = sum(float(np.linalg.norm(push)) for push in pushes)
    return weight * float(np.linalg.norm(state.gravity_of(assembly))) + applied or 1.0


def both(there: Bools, pairs: Ints) -> Bools:
    """(k,) whether both bodies of each pair are there."""
    present: Bools = there[pairs[:, 0]] & there[pairs[:, 1]]
    return present


def reach(assembly: Assembly) -> float:
    """Half the size of the assembly, as seen from its centres of mass; a length to scale by."""
    centres = assembly.coms_m[: len(assembly.parts)]
    radius = max(part.radius_m for part in assembly.parts)
    return float(np.ptp(centres, axis=0).max()) / 2 + radius
