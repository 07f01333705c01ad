"""How fast parts move, one number per part, and which of them fall."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import STANDARD_GRAVITY, Assembly
from falsework.model.state import State

FALLING = 1e-3  # of g: parts that accelerate more than this are said to fall (seed 002, eq. 14)


def part_radii(assembly: Assembly) -> Array:
    """(bodies,) how far each reaches from its centre of mass."""
    return np.array([body.radius_m for body in assembly.bodies])


def part_speeds(twists: Array, radii: Array) -> Array:
    """(bodies,) speed of the centre of mass, or angular speed times the part's radius, whichever is larger."""
    linear, angular = np.linalg.norm(twists[:, :3], axis=1), np.linalg.norm(twists[:, 3:], axis=1)
    speeds: Array = np.maximum(linear, angular * radii)
    return speeds


def falling(assembly: Assembly, state: State, accelerations: Array) -> tuple[str, ...]:
    """Parts that accelerate by more than FALLING g: linear, or angular times the part's radius."""
    g = float(np.linalg.norm(state.gravity_of(assembly))) or float(np.linalg.norm(STANDARD_GRAVITY))
    moving = part_speeds(accelerations, part_radii(assembly)) > FALLING * g
    return tuple(part.name for part, moves in zip(assembly.parts, moving, strict=False) if moves)
