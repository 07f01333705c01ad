"""Where every part was, when: what `collapse` and `simulate` give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, freeze
from falsework.model.travel import MadeAnew


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory(MadeAnew):
    """Poses of the parts at growing times, the first of them the start.

    `T_world_part` maps part coordinates to the world's, m.

    >>> import numpy as np
    >>> Trajectory([0.0, 0.1], ("a",), np.tile(np.eye(4), (2, 1, 1, 1))).T_world_part.shape
    (2, 1, 4, 4)
    """

    time_s: Array  # (T,)
    names: tuple[str, ...]  # (n,) parts, in the assembly's order
    T_world_part: Array  # (T, n, 4, 4)

    def __post_init__(self) -> None:
        freeze(self, time_s=(None,), T_world_part=(None, None, 4, 4))
        if self.T_world_part.shape[:2] != (len(self.time_s), len(self.names)):
            raise ValueError(
                f"{len(self.time_s)} times and {len(self.names)} names for poses of {self.T_world_part.shape}"
            )
        if len(self.time_s) == 0 or not (np.diff(self.time_s) > 0).all():
            raise ValueError("expected one time or more, growing")
