"""Mass, centre, inertia and momentum of parts that move as one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Masses:
    """Of every part, in the frame of the group it is in."""

    mass_kg: Array  # (n,)
    com_m: Array  # (n, 3)
    inertia_kgm2: Array  # (n, 3, 3) about the part's centre

    def of(self, members: Ints) -> tuple[float, Array, Array]:
        """Mass, centre (3,) and inertia (3, 3) about the centre of some parts together."""
        mass = self.mass_kg[members]
        total = float(mass.sum())
        centre = mass @ self.com_m[members] / total
        return total, centre, (self.inertia_kgm2[members] + about(mass, self.com_m[members] - centre)).sum(axis=0)


def about(mass: Array, arm: Array) -> Array:
    """(n, 3, 3) inertia of point masses (n,) at arms (n, 3)."""
    square = (arm * arm).sum(axis=1)
    found: Array = mass[:, None, None] * (square[:, None, None] * np.eye(3) - arm[:, :, None] * arm[:, None, :])
    return found


def momentum(mass_kg: float, com_m: Array, inertia_kgm2: Array, twist: Array, T_world_group: Array) -> Array:
    """(6,) linear momentum, and angular momentum about the world's origin, of a rigid body.

    Centre and inertia are in the body's frame; the twist is the centre's velocity and the spin, in world axes.
    """
    turn = T_world_group[:3, :3]
    centre = turn @ com_m + T_world_group[:3, 3]
    linear = mass_kg * twist[:3]
    spin: Array = turn @ inertia_kgm2 @ turn.T @ twist[3:]
    return np.concatenate([linear, np.cross(centre, linear) + spin])


def twist_with(total: Array, mass_kg: float, com_m: Array, inertia_kgm2: Array, T_world_group: Array) -> Array:
    """(6,) the twist of a body that has the momentum `total` (6,): what things that stick together move with."""
    turn = T_world_group[:3, :3]
    centre = turn @ com_m + T_world_group[:3, 3]
    spin = total[3:] - np.cross(centre, total[:3])
    return np.concatenate([total[:3] / mass_kg, turn @ np.linalg.solve(inertia_kgm2, turn.T @ spin)])


def carried(twist: Array, arm: Array) -> Array:
    """(6,) the twist of a point that a body carries along, `arm` (3,) from its centre in world axes."""
    return np.concatenate([twist[:3] + np.cross(twist[3:], arm), twist[3:]])
