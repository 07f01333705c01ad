"""The whole state of a world, to go back to bit for bit.

What is warm in the solvers is left out: proofs do not depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from falsework.brickworld.breakage import OpenQuestion
from falsework.brickworld.grouping import Grouping
from falsework.brickworld.guiding import Rail
from falsework.brickworld.loads import Records
from falsework.brickworld.monitor import Watched
from falsework.brickworld.pushes import Push
from falsework.engine.groups import EngineState
from falsework.engine.hand_welds import HandWeld
from falsework.model.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Of one world; it, or another world of the same assembly and settings, can go back to it.

    >>> import falsework
    >>> world = falsework.World(falsework.load("examples/bridge.txt"))
    >>> before = world.snapshot()
    >>> _ = world.step()
    >>> world.restore(before)
    >>> world.frames
    0
    """

    frames: int
    time_s: float
    grouping: Grouping
    engine: EngineState
    records: Records
    questions: tuple[OpenQuestion, ...]  # whether clutches hold: what was not settled yet
    watched: Watched
    pushes: tuple[Push, ...]
    rails: tuple[Rail, ...]
    welds: tuple[HandWeld, ...]
    poses: Array  # (bodies, 4, 4) T_world_part
    velocities: Array  # (bodies, 6)
