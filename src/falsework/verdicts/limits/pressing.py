"""How far each joint of a state is toward its capacity when loads are shared out elastically."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array
from falsework.model.bits import flags
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.loads import both
from falsework.statics.core.program import Program
from falsework.verdicts.limits.strength import shares


def joint_shares(equilibrium: Equilibrium, state: State) -> Array | None:
    """(clutches,) shares in the energy-minimal distribution at full capacity, NaN for clutches that are not there.

    None where the state does not stand, or the distribution was not found.
    """
    clutches = equilibrium.joints.clutches
    present = np.flatnonzero(both(flags(state.installed, len(equilibrium.assembly.bodies)), clutches.bodies))
    if equilibrium.compiled_clutches is not None:
        forces = equilibrium.compiled_clutches.elastic(state, 1.0)
    else:
        rows = equilibrium.clutch_rows
        forces = Program(equilibrium.assembly, equilibrium.joints, state, rows).elastic(1.0, None)
    if forces is None:
        return None
    joints = np.full(len(clutches), np.nan)
    joints[present] = shares(equilibrium, present, -forces.clutch_wrenches[present])
    return joints
