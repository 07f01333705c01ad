"""Ways to lie of a structure whose fixed parts are bolted to a plate that tilts, each with its own oracle.

Nothing is below it but the plate: gravity alone changes. What stands upright, and tilted by 90 degrees or less, stands
at every angle between: gravity there is a sum of both with factors that are not negative, and so are forces that bear
it, since the forces of contacts are a cone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.planning.nodes.journal import Journal, Journals
from falsework.verdicts.searching import SearchOracle

MakeOracle = Callable[[Assembly, Interfaces, Journal], SearchOracle]


class Tilted:
    """The ways to lie of one assembly, by number; 0: as the file has it."""

    def __init__(
        self, assembly: Assembly, joints: Interfaces, make: MakeOracle, journals: Journals, lies: Sequence[Array]
    ) -> None:
        """`lies` (4, 4) each: T_world_assembly, by number."""
        self._assembly, self._joints, self._make, self._journals = assembly, joints, make, journals
        self._lies = tuple(lies)
        self._oracles: dict[int, SearchOracle] = {}

    @property
    def poses(self) -> range:
        return range(len(self._lies))

    def turn(self, pose: int) -> Array:
        """T_world_assembly."""
        return self._lies[pose]

    def between(self, pose: int, other: int) -> tuple[int, ...]:
        """The poses in which it must stand to get from one to another: the plate is upright before it is turned."""
        return tuple(dict.fromkeys((pose, 0, other)))

    def oracle(self, pose: int) -> SearchOracle:
        """The oracle for the assembly as it lies."""
        if pose not in self._oracles:
            pull = np.array(self._lies[pose][:3, :3].T @ self._assembly.gravity)
            lying = self._assembly.changed(gravity=pull)
            self._oracles[pose] = self._make(lying, self._joints, self._journals.setdefault(pose, {}))
        return self._oracles[pose]
