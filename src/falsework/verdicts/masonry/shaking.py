"""Pseudo-static earthquakes: the horizontal acceleration, of g, at which a state first fails.

All parts are pulled sideways by a share of their weight. The shares that a state bears are convex, so one program
proposes the greatest, and the referee certifies both sides of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.loads import load_scale
from falsework.verdicts.limits.bracket import Bracket
from falsework.verdicts.limits.greatest_load import greatest_push


@dataclass(frozen=True, slots=True, eq=False)
class Shaking:
    """How hard the ground may be accelerated against a direction: parts are then pulled along it."""

    direction: Array  # (3,) unit, world, level
    share_of_g: Bracket  # falls None: no bound was found


def greatest_shaking(equilibrium: Equilibrium, state: State, direction: Array) -> Shaking:
    """The greatest share of their weight by which all parts can be pulled along a level direction."""
    gravity = state.gravity_of(equilibrium.assembly)
    strength = float(np.linalg.norm(gravity))
    if not strength:
        raise BadInput("shaking is measured by gravity, and there is none")
    down = gravity / strength
    level = np.asarray(direction, dtype=float) - (direction @ down) * down
    if not np.linalg.norm(level) > 1e-9 * np.linalg.norm(direction):
        raise BadInput(f"found direction {direction.tolist()}, expected one that is not along gravity")
    level /= np.linalg.norm(level)
    unit = load_scale(equilibrium.assembly, state)

    def pulled(newtons: float) -> State:
        return replace(state, gravity=tuple((gravity + newtons / unit * strength * level).tolist()))

    limit = greatest_push(equilibrium, state, pulled)
    ends = (None if end is None else end / unit for end in (limit.stands, limit.falls))
    return Shaking(level, Bracket(*ends))
