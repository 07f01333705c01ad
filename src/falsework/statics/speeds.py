"""How fast parts move: one number a part."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly


def part_radii(assembly: Assembly) -> Array:
    """(bodies,) how far each reaches from its centre of mass."""
    return np.array([body.radius_m for body in assembly.bodies])


def part_speeds(twists: Array, radii: Array) -> Array:
    """(bodies,) speed of the centre of mass, or angular speed times the part's radius, whichever is larger."""
    linear, angular = np.linalg.norm(twists[:, :3], axis=1), np.linalg.norm(twists[:, 3:], axis=1)
    speeds: Array = np.maximum(linear, angular * radii)
    return speeds
