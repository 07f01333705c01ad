"""What happens to connections: breaks and joins."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from falsework.formats.basics.atomic import write_whole
from falsework.model.arrays import Array
from falsework.model.errors import BadInput


@dataclass(frozen=True, slots=True, eq=False)
class Overloaded:
    """Everything that led to a break, for study without the world: all in the group's frame."""

    names: tuple[str, ...]  # of the group's parts
    T_group_part: Array  # (m, 4, 4)
    loads: Array  # (m, 6) N, N·m about the centres of mass
    twists: Array  # (m, 6) the motion that proves the overload
    dissipation_w: float
    held: tuple[str, ...]
    T_world_group: Array  # (4, 4)


@dataclass(frozen=True, slots=True, eq=False)
class Break:
    """Connections that came apart together.

    Times in s, forces in N.

    >>> Break(0.17, (("10", "11"),), 1.98, 4.1, None).as_dict()["connections"]
    [['10', '11']]
    """

    time_s: float
    connections: tuple[tuple[str, str], ...]  # stud brick, hole brick
    utilization: float | None  # the least factor on all capacities that would have held; None if none would
    force_n: float | None  # applied at that time if somebody pushes, else what went through the cut
    cause: Overloaded | None  # None in schemes that know no clutches
    late_s: float = 0.0  # how long after the loads the proof was there, and the connections came apart

    def as_dict(self) -> dict[str, Any]:
        pairs = [list(pair) for pair in self.connections]
        values = {"utilization": self.utilization, "force_n": self.force_n, "late_s": self.late_s}
        return {"time_s": self.time_s, "connections": pairs, **values}

    def dump(self, path: str | Path) -> None:
        """As an .npz that numpy reads without pickles."""
        cause, buffer = self.cause, io.BytesIO()
        if cause is None:
            raise BadInput("what led to a break is known in the scheme with clutches only")
        np.savez_compressed(
            buffer,
            allow_pickle=False,
            time_s=self.time_s,
            connections=np.array(self.connections, dtype=np.str_).reshape(-1, 2),
            utilization=np.nan if self.utilization is None else self.utilization,
            force_n=np.nan if self.force_n is None else self.force_n,
            names=np.array(cause.names, dtype=np.str_),
            held=np.array(cause.held, dtype=np.str_),
            T_group_part=cause.T_group_part,
            T_world_group=cause.T_world_group,
            loads=cause.loads,
            twists=cause.twists,
            dissipation_w=cause.dissipation_w,
        )
        write_whole(path, buffer.getvalue())


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """Connections that closed together: the one that was pressed, and all that came with it.

    Times in s, forces in N.

    >>> Join(0.5, (("1", "2"),), 1.3).as_dict()["force_n"]
    1.3
    """

    time_s: float
    connections: tuple[tuple[str, str], ...]
    force_n: float  # mean along the studs of the pair that was pressed

    def as_dict(self) -> dict[str, Any]:
        return {
            "time_s": self.time_s,
            "connections": [list(pair) for pair in self.connections],
            "force_n": self.force_n,
        }
