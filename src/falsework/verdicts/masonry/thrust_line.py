"""The line of thrust: where the resultant crosses each joint of a plane assembly.

An assembly is plane if one axis is square to all contact normals and to all loads. The resultant of a joint crosses it
at the mean of its contact points, weighted by their pressure. Where it comes to the very end of the joint, the parts
turn about that end: a hinge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces

PLANE = 1e-9  # what normals and loads may have along the axis, of their length
AT_THE_END = 1e-3  # of half the thickness: nearer to the end it is a hinge
UNPRESSED = 1e-9  # of the greatest pressure of a joint: nothing crosses it


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """Where the thrust crosses the joint of two parts, in world axes."""

    parts: tuple[str, str]
    point_m: Array  # (3,)
    force_n: Array  # (3,) the resultant, on the second part
    eccentricity: float  # from −1 to 1: how far toward either end of the joint
    is_hinge: bool


@dataclass(frozen=True, slots=True, eq=False)
class ThrustLine:
    """All joints that are pressed, in the order of the assembly's interfaces."""

    axis: Array  # (3,) unit, square to the plane
    crossings: tuple[Crossing, ...]

    @property
    def hinges(self) -> tuple[Crossing, ...]:
        return tuple(one for one in self.crossings if one.is_hinge)


def plane_axis(assembly: Assembly, joints: Interfaces, state: State) -> Array | None:
    """(3,) the axis that is square to all contact normals and loads; None where there is none.

    Where all of them lie in one line, as in a pier or a plank on posts, it is the one along which its joints reach
    least: of two elevations, the wider.
    """
    given = [state.gravity_of(assembly), *(load.force_n for load in state.loads_of(assembly))]
    pulls = np.reshape([pull / np.linalg.norm(pull) for pull in given if pull.any()], (-1, 3))
    lines = np.concatenate([joints.patches.normals, pulls])
    if not len(lines):
        return None
    _, sizes, ways = np.linalg.svd(lines, full_matrices=True)
    if not len(joints.patches):
        return None
    axis: Array = ways[2]
    if len(sizes) < 2 or sizes[1] <= PLANE * sizes[0]:
        level = ways[1:]
        reach = np.ptp(joints.patches.points @ level.T, axis=0)
        if np.abs(ways[0, 2]) > 1 - PLANE:  # upright: seen along x or y
            level = np.eye(3)[:2]
            reach = np.ptp(joints.patches.points[:, :2], axis=0)
        axis = level[0] if reach[0] < (1 - PLANE) * reach[1] else level[1]
    return axis if np.abs(lines @ axis).max() <= PLANE else None


def thrust_line(assembly: Assembly, joints: Interfaces, state: State, forces: Forces) -> ThrustLine | None:
    """Of forces that balance a state; None where the assembly is not plane."""
    axis = plane_axis(assembly, joints, state)
    if axis is None:
        return None
    patches = joints.patches
    owner = patches.owner
    pressure = np.maximum((forces.patch_forces * patches.normals[owner]).sum(axis=1), 0.0)
    greatest = float(pressure.max(initial=0.0))
    crossings = []
    for pair in dict.fromkeys(map(tuple, patches.bodies.tolist())):
        rows = (patches.bodies[owner] == pair).all(axis=1)
        pressed = pressure[rows]
        if pressed.sum() <= UNPRESSED * greatest:
            continue
        crossings.append(_crossing(assembly, pair, axis, patches.points[rows], pressed, forces.patch_forces[rows]))
    return ThrustLine(axis, tuple(crossings))


def _crossing(
    assembly: Assembly, pair: tuple[int, int], axis: Array, points: Array, pressure: Array, given: Array
) -> Crossing:
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    flat = points - np.outer((points - middle) @ axis, axis)
    where = pressure @ flat / pressure.sum()
    spread = flat - flat.mean(axis=0)
    along = np.linalg.svd(spread, full_matrices=True)[2][0]
    ends = (flat @ along).min(), (flat @ along).max()
    half = (ends[1] - ends[0]) / 2
    share = 0.0 if half <= 0.0 else float((where @ along - sum(ends) / 2) / half)
    names = assembly.bodies[pair[0]].name, assembly.bodies[pair[1]].name
    return Crossing(names, where, given.sum(axis=0), share, half > 0.0 and abs(share) >= 1.0 - AT_THE_END)
