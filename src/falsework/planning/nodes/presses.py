"""Pressing a brick home: where, which way and how hard (seed 004, 4.2).

A brick snaps in when a force of F_asm goes through one of its joints, and then closes all of them (seed 000, V). On
several others it shares out what presses on it (`press_sharing`), so the hand must press harder; it may do so over the
middle of all joints, or over any one. A brick that comes from above is pressed down onto the studs below it, one from
below up into the holes above it.

What is there must bear the press twice: while the brick still lies on the studs, when it pushes on those below it and
holds nothing together; and once it is in, with its weight. A brick that ties two others together helps only then.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly, Load
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Press
from falsework.model.state import State
from falsework.planning.nodes.press_sharing import shared

PRESS_N = 1.25  # on the joint that closes: seed 000's F_asm, 1 N, and a quarter for what does not go through it
SAME = 1e-6  # of a press: rounding
PLUMB = 0.999  # cosine of the angle to the vertical at which a press is downward
CORNERS = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)])


@dataclass(frozen=True, slots=True, eq=False)
class Pressing:
    """One way to press a brick home: the load on it, and what that puts on those it enters while none has closed."""

    load: Load
    below: tuple[Load, ...]

    def states(self, assembly: Assembly, earlier: State, came: int) -> tuple[State, State]:
        """What must stand: with the brick on the studs of `earlier`, and in.

        `came`: the brick, and all parts that come as one with it and are joined to it already. No hand is on it that
        could help: the press goes through it.
        """
        own = earlier.loads_of(assembly)
        lying = State(earlier.installed, earlier.held, earlier.gravity, (*own, *self.below))
        home = State(earlier.installed | came, earlier.held, earlier.gravity, (*own, self.load))
        return lying, home


def pressings(assembly: Assembly, joints: Interfaces, part: int, installed: int, force_n: float) -> list[Pressing]:
    """The ways to press a part home on the installed rest (a mask), the evenest first; none if no joint closes."""
    rows, way = entered(joints, part, installed)
    if not len(rows):
        return []
    middles = joints.clutches.T_world_clutch[rows, :3, 3]
    places = [middles.mean(axis=0), *middles] if len(rows) > 1 else middles
    return [_over(assembly, joints, part, rows, place, way * force_n) for place in places]


def pressing_as_told(
    assembly: Assembly, joints: Interfaces, part: int, installed: int, force_n: float, told: Press
) -> Pressing | None:
    """The press that a plan tells; None where it does not seat the part: too soft, askew, or beside all joints."""
    rows, way = entered(joints, part, installed)
    if not len(rows):
        return None
    least = _over(assembly, joints, part, rows, told.point_m, way * force_n)
    size = float(np.linalg.norm(least.load.force_n))
    harder = float(told.force_n @ least.load.force_n) / size**2
    askew = np.linalg.norm(told.force_n - harder * least.load.force_n)
    off = sum(np.cross(one.point_m - told.point_m, one.force_n) for one in least.below if one.point_m is not None)
    reach = float(np.ptp(joints.clutches.T_world_clutch[rows, :3, 3], axis=0).max()) + SAME
    if harder < 1 - SAME or askew > SAME * size or np.linalg.norm(off) > SAME * size * reach:
        return None
    below = tuple(Load(one.part, harder * one.force_n, one.point_m) for one in least.below)
    return Pressing(Load(least.load.part, told.force_n, told.point_m), below)


def _over(assembly: Assembly, joints: Interfaces, part: int, rows: Ints, place: Array, force_n: float) -> Pressing:
    """A press at a place, such that the joint that gets the most of it gets this force; upward if that is negative."""
    clutches = joints.clutches
    frames = clutches.T_world_clutch[rows]
    axes = frames[0, :3, :2]
    corners = np.array([_corners(joints, row) for row in rows])  # (joints, 4, 3)
    shares = shared(corners.reshape(-1, 3) @ axes, place @ axes).reshape(-1, 4)
    of_joint = shares.sum(axis=1)
    down: Array = -force_n / of_joint.max() * frames[0, :3, 2]
    supports = clutches.bodies[rows, 0 if force_n > 0 else 1]
    names = [body.name for body in assembly.bodies]
    below = tuple(
        Load(names[support], share * down, weights @ where / share)
        for support, share, weights, where in zip(supports, of_joint, shares, corners, strict=True)
        if share > 0
    )
    return Pressing(Load(names[part], down, place), below)


def _corners(joints: Interfaces, row: int) -> Array:
    """(4, 3) of the rectangle in which the bricks of a joint press on each other."""
    T = joints.clutches.T_world_clutch[row]
    corners: Array = T[:3, 3] + CORNERS * joints.clutches.kinds[joints.clutches.kind[row]].half @ T[:3, :2].T
    return corners


def is_downward(force_n: Array, up: Array) -> bool:
    """Whether a press is plumb, seen by who has `up` above."""
    return float(force_n @ up) < -PLUMB * float(np.linalg.norm(force_n))


def entered(joints: Interfaces, part: int, installed: int) -> tuple[Ints, int]:
    """The clutches that close when a part is placed, and whether it comes from above (1) or from below (−1)."""
    bodies = joints.clutches.bodies
    there = np.array([installed >> body & 1 for body in range(int(bodies.max(initial=0)) + 1)], dtype=bool)
    below = np.flatnonzero((bodies[:, 1] == part) & there[bodies[:, 0]])
    above = np.flatnonzero((bodies[:, 0] == part) & there[bodies[:, 1]])
    return (below, 1) if len(below) else (above, -1)
