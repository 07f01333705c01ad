"""`trajectory.npz`: time (T,), names (n,), T_world_part (T, n, 4, 4)."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from falsework.formats.basics.atomic import write_whole
from falsework.model.trajectory import Trajectory


def write_trajectory(path: str | Path, motion: Trajectory) -> None:
    """Readable by numpy alone, without pickles."""
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        allow_pickle=False,
        time=motion.time_s,
        names=np.array(motion.names, dtype=np.str_),
        T_world_part=motion.T_world_part,
    )
    write_whole(path, buffer.getvalue())
