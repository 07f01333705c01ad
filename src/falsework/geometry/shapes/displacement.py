"""Which parts have left their place at the end of a motion, and how far they have gone."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.model.trajectory import Trajectory

LEFT = 0.01  # of the assembly's size: a part whose centre of mass is farther from where it was has left its place


def displacements(assembly: Assembly, trajectory: Trajectory) -> Array:
    """(n, 3) m: how far the centre of mass of every part of a motion is from where it was at the start."""
    parts = [assembly.bodies[assembly.index[name]] for name in trajectory.names]
    local = np.array([[*part.com_part_m, 1.0] for part in parts]).reshape(-1, 4)
    begun, ended = (np.einsum("nij,nj->ni", trajectory.T_world_part[k], local)[:, :3] for k in (0, -1))
    shift: Array = ended - begun
    return shift


def left_their_place(assembly: Assembly, trajectory: Trajectory) -> tuple[str, ...]:
    """The parts that are somewhere else at the end, in the order of the motion."""
    moved = has_left(assembly, displacements(assembly, trajectory))
    return tuple(name for name, gone in zip(trajectory.names, moved.tolist(), strict=True) if gone)


def has_left(assembly: Assembly, shifts_m: Array) -> Bools:
    """Of each displacement, whether it is more than settling."""
    centres = assembly.coms_m[: len(assembly.parts)]
    size = float(np.ptp(centres, axis=0).max()) + 2 * max(part.radius_m for part in assembly.parts)
    with np.errstate(over="ignore"):  # what is shot out of a simulation may be anywhere
        far: Bools = np.linalg.norm(shifts_m, axis=1) > LEFT * size
    return far
