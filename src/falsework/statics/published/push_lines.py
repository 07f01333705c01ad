"""Forces of unknown size along known lines between pairs of bodies, and the balance they have to keep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csc_array

from falsework.model.arrays import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Pushes:
    """Unit forces on the second body of each pair; the first feels their opposites."""

    points: Array  # (p, 3)
    directions: Array  # (p, 3)
    pairs: Ints  # (p, 2)

    @staticmethod
    def joined(several: list[Pushes]) -> Pushes:
        return Pushes(
            np.concatenate([one.points for one in several]),
            np.concatenate([one.directions for one in several]),
            np.concatenate([one.pairs for one in several]),
        )

    def wrenches(self, centres: Array) -> csc_array:
        """(6 × bodies, p) columns: force, and torque about the bodies' centres."""
        count = len(self.points)
        rows, columns, values = [], [], []
        for side, sign in ((1, 1.0), (0, -1.0)):
            arms = self.points - centres[self.pairs[:, side]]
            wrench = sign * np.concatenate([self.directions, np.cross(arms, self.directions)], axis=1)
            rows.append((6 * self.pairs[:, side : side + 1] + np.arange(6)).ravel())
            columns.append(np.repeat(np.arange(count), 6))
            values.append(wrench.ravel())
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return csc_array(coo_array(entries, shape=(6 * len(centres), count)))


def summed(points: Array, forces: Array, pairs: Ints, centres: Array) -> Array:
    """(bodies, 6) what forces at points add up to on every body: the plain sum, shared with no solver."""
    total = np.zeros((len(centres), 6))
    for side, sign in ((1, 1.0), (0, -1.0)):
        bodies = pairs[:, side]
        np.add.at(total[:, :3], bodies, sign * forces)
        np.add.at(total[:, 3:], bodies, sign * np.cross(points - centres[bodies], forces))
    return total
