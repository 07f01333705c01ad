"""What touches what in the engine, and with what force, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from falsework.model.arrays import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Touches:
    """Contacts of one moment. Forces are those on the second body of a pair.

    Bodies are numbered by whoever asked, lower numbers first; −1 is everything that has no number.
    """

    bodies: Ints  # (k, 2)
    points: Array  # (k, 3) world
    forces: Array  # (k, 3) N, world
    normals: Array  # (k, 3) world, unit, from the first body into the second

    def __len__(self) -> int:
        return len(self.bodies)

    def by_pair(self) -> dict[tuple[int, int], Array]:
        """The whole force (3,) between each pair that touches, on the second body."""
        total: dict[tuple[int, int], Array] = {}
        for (first, second), force in zip(self.bodies.tolist(), self.forces, strict=True):
            total[first, second] = total.get((first, second), np.zeros(3)) + force
        return total


def touches(data: Any, number_of_geom: Ints) -> Touches:
    """The engine's contacts that act, with elliptic friction cones, as the last forward pass left them."""
    contact = data.contact
    acts = contact.efc_address >= 0
    first, size, frames = contact.efc_address[acts], contact.dim[acts], contact.frame[acts].reshape(-1, 3, 3)
    local = np.zeros((len(first), 3))
    for axis in range(3):
        used = size > axis
        local[used, axis] = data.efc_force[first[used] + axis]
    forces = np.einsum("kij,ki->kj", frames, local)
    bodies = number_of_geom[contact.geom[acts]]
    sign = np.where(bodies[:, 0] > bodies[:, 1], -1.0, 1.0)[:, None]
    return Touches(np.sort(bodies, axis=1), contact.pos[acts], sign * forces, sign * frames[:, 0])
