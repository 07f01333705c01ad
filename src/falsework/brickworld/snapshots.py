"""The whole state of a world, to go back to bit by bit.

What is warm in the solvers is left out: verdicts are proofs, so they do not depend on it.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from falsework.brickworld.grouping import Grouping
from falsework.brickworld.loads import Records
from falsework.brickworld.monitor import Pressed
from falsework.brickworld.pushes import Push
from falsework.formats.atomic import write_whole
from falsework.model.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Of one world; it, or another world of the same assembly and settings, can go back to it."""

    frames: int
    time_s: float
    grouping: Grouping
    engine: Array  # the engine's own state
    records: Records
    pressed: Pressed
    engaged: frozenset[tuple[int, int]]
    pushes: tuple[Push, ...]
    poses: Array  # (bodies, 4, 4) T_world_part
    velocities: Array  # (bodies, 6)


def write_snapshot(path: str | Path, taken: Snapshot) -> None:
    """Where everything was and how it moved, what held what, and the engine's state; readable by numpy alone."""
    bodies = taken.grouping.assembly.bodies
    joined = [one for _, one in sorted(taken.grouping.topology.connections.items())]
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        allow_pickle=False,
        time=taken.time_s,
        frames=taken.frames,
        names=np.array([body.name for body in bodies], dtype=np.str_),
        T_world_part=taken.poses,
        velocities=taken.velocities,
        connections=np.array([(one.stud, one.hole, *one.offset, one.turns) for one in joined]).reshape(-1, 5),
        component=taken.grouping.topology.component_of,
        engine=taken.engine,
    )
    write_whole(path, buffer.getvalue())
