"""A hand that keeps what it carries from tipping, turning and sliding, and leaves it free along one line.

A loose brick weighs a gram and is pressed with newtons: unguided, it is flung millimetres within one step of the engine
as soon as a corner of it loses touch. Fingers that hold a brick do not let it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.brickworld.pushes import cross
from falsework.engine.composites import Composites
from falsework.model.arrays import Array, freeze


@dataclass(frozen=True, slots=True, eq=False)
class Rail:
    """Where the body of a part may be: turned as it was, with a point of it on a line. The hand takes what that needs.

    The point is where the hand presses. How far the body moves is told there: a step of the engine turns it a little,
    and what turns about the press does not get any nearer.
    """

    part: int
    line: Array  # (3,) unit vector
    turn: Array  # (3, 3) of its body
    centre_m: Array  # (3,) of mass of its body
    arm_m: Array  # (3,) from there to the point

    def __post_init__(self) -> None:
        freeze(self, line=(3,), turn=(3, 3), centre_m=(3,), arm_m=(3,))

    @staticmethod
    def along(scene: Composites, part: int, line: Array, point_m: Array) -> Rail:
        """Through a point of the world that belongs to the body of a part as it is now."""
        turn, centre, _ = scene.motion(int(scene.group_of[part]))
        return Rail(part, line / np.linalg.norm(line), turn, centre, point_m - centre)

    def take(self, scene: Composites) -> None:
        """Keep the body from jamming between others, from now on; again whenever the scene was partitioned."""
        scene.slip(int(scene.group_of[self.part]))

    def keep(self, scene: Composites) -> None:
        """Put the body back on the line, as far along and as fast along it as the point is."""
        group = int(scene.group_of[self.part])
        turn, centre, twist = scene.motion(group)
        arm = turn @ self.turn.T @ self.arm_m
        moved = float(self.line @ (centre + arm - self.centre_m - self.arm_m))
        speed = float(self.line @ (twist[:3] + cross(twist[3:], arm)))
        began, room, step_s = scene.room(group, self.line)
        farthest = float(self.line @ (began - self.centre_m)) + room
        if moved > farthest:  # turned back it would be inside of what it leaned on
            moved, speed = farthest, min(speed, room / step_s)
        scene.guide(group, self.turn, self.centre_m + moved * self.line, speed * self.line)
