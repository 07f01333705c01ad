"""One arm told what to do: its way in time, and how its fingers move and press.

Arms are followed by feed-forward on stiff joints, fingers by a force that is never more than was asked for: they stop
where they meet something and go on pressing.
"""

from __future__ import annotations

import numpy as np

from falsework.engine.arm_drive import ArmDrive
from falsework.model.arrays import Array
from falsework.model.poses import inverse
from falsework.model.robots.cell import CellArm
from falsework.robots.brickcell.paths import Timed, resting
from falsework.robots.kinematics.kinematics import Kinematics

FINGER_N_M, FINGER_NS_M = 4000.0, 30.0  # of the fingers' own servo
TOUCH_M_S, TOUCHED = 0.004, 0.1  # until a tenth of a press is felt; faster, it would be a blow
MOST_M_S = 0.008  # at which a press that nothing resists goes on
GROWS_S = 0.15  # in which a press reaches its force
GENTLY_M_S, GENTLY_S = 1e-3, 1.0  # of a press that must not begin with a blow: until it touches, and as it grows
OPENS_N = 20.0  # with which fingers open, or hold where they are


class Guard:
    """Looks at what a tool feels before every step of the engine."""

    def __init__(self, tare_n: float, stop_n: float) -> None:
        self._tare, self._stop = tare_n, stop_n
        self.stopped = False
        self._since: list[float] = []

    def look(self, push_n: float, whole_n: float) -> float:
        """How hard it is pushed back against the way it points, and by any force at all; the first without the tare."""
        self._since.append(push_n - self._tare)
        self.stopped = self.stopped or whole_n > self._stop
        return push_n - self._tare

    def mean_n(self) -> float:
        """Of all pushes since this was asked before."""
        mean = sum(self._since) / len(self._since) if self._since else 0.0
        self._since.clear()
        return mean


class Press:
    """A tool that pushes with a force along a straight way, and gives way in no other direction.

    Stiff joints that are sent straight down against something push it aside too: how far a tool yields, and where to,
    depends on how the arm stands. So each joint is asked for what the force needs of it, from where the tool is on the
    straight way now: Δq = K⁻¹·Jᵀ·f. Until it touches something it goes slowly by position.
    """

    def __init__(
        self,
        arm: ArmControl,
        way: Array,
        length_m: float,
        force_n: float,
        now_s: float,
        guard: Guard,
        speed_m_s: float = TOUCH_M_S,
        grows_s: float = GROWS_S,
    ) -> None:
        self._arm, self._way, self._length = arm, way, length_m
        start = arm.kinematics.forward(way[0])
        self._start, self._line = start[:3, 3], start[:3, 2]
        self._marks = np.linspace(0.0, length_m, len(way))
        self._force, self._begins_s, self.guard = force_n, now_s, guard
        self._speed, self._grows = speed_m_s, grows_s
        self.depth_m = self._led_m = 0.0
        self._touched_s: float | None = None

    def along(self, depth_m: float) -> Array:
        """(n,) joints on the straight way, so far along it."""
        marks, way = self._marks, self._way
        row = min(int(np.searchsorted(marks, depth_m, side="right")), len(marks) - 1) - 1
        slope = (way[row + 1] - way[row]) / (marks[row + 1] - marks[row])
        q: Array = slope * (depth_m - marks[row]) + way[row] if depth_m < marks[-1] else way[-1]
        return q

    def wanted(self, now_s: float) -> Array:
        """(n,) what the joints are asked for now."""
        arm = self._arm
        T = arm.kinematics.forward(arm.drive.q)
        force = arm.drive.felt()[1].sum(axis=0)
        push = self.guard.look(
            float(-force @ (arm.placed.T_world_base[:3, :3] @ T[:3, 2])), float(np.linalg.norm(force))
        )
        self.depth_m = float(np.clip((T[:3, 3] - self._start) @ self._line, 0.0, self._length))
        if self._touched_s is None:
            self._led_m = min(self._length, self._speed * (now_s - self._begins_s))
            if push > TOUCHED * self._force:
                self._touched_s = now_s
            return self.along(self._led_m)
        q = self.along(self.depth_m)
        rates = arm.kinematics.jacobian(q)[:3]
        speed = float(self._line @ (rates @ arm.drive.qd))
        share = min(1.0, (now_s - self._touched_s) / self._grows) - min(1.0, max(-1.0, speed / MOST_M_S))
        efforts = rates.T @ (share * self._force * self._line)
        asked: Array = q + efforts / arm.drive.stiffness
        return asked


class ArmControl:
    """What one arm of a cell is asked for now, as a function of time."""

    def __init__(self, placed: CellArm, drive: ArmDrive, step_s: float) -> None:
        self.placed, self.drive, self.step_s = placed, drive, step_s
        self.kinematics = Kinematics(placed.arm, placed.tool)
        self._back = inverse(placed.T_world_base)
        self.share = _shares(placed)
        self._shares: list[float] = self.share.tolist()
        self.plan = resting(np.array(placed.home), step_s)
        self.begins_s = 0.0
        self.opening_from, self.opening_to = placed.tool.opening_m[1], placed.tool.opening_m[1]
        self.opening_begins_s, self.opening_speed = 0.0, 0.1
        self.grip_n = OPENS_N
        self.press: Press | None = None

    def follow(self, way: Timed, now_s: float) -> None:
        self.plan, self.begins_s = way, now_s

    def stop(self, now_s: float) -> None:
        """Where it should be now."""
        q, _, _ = self.plan.at(now_s - self.begins_s)
        self.follow(resting(q, self.step_s), now_s)

    def wanted(self, now_s: float) -> Array:
        """(n,) where the joints should be now."""
        return self.plan.at(now_s - self.begins_s)[0]

    def left_s(self, now_s: float) -> float:
        """How long the way still takes."""
        return max(0.0, self.begins_s + self.plan.seconds - now_s)

    def rests_s(self, now_s: float) -> float:
        """For how long it has been where it was sent; 0 while it presses."""
        return 0.0 if self.press is not None else max(0.0, now_s - self.begins_s - self.plan.seconds)

    def open_to(self, opening_m: float, speed_m_s: float, force_n: float, now_s: float) -> None:
        """Fingers from where they should be now to an opening, evenly; they press with no more than the force."""
        self.opening_from, self.opening_to = self.opening_wanted(now_s), opening_m
        self.opening_begins_s, self.opening_speed, self.grip_n = now_s, speed_m_s, force_n

    def fingers_left_s(self, now_s: float) -> float:
        whole = abs(self.opening_to - self.opening_from) / self.opening_speed
        return max(0.0, self.opening_begins_s + whole - now_s)

    @property
    def opening_m(self) -> float:
        """As it is."""
        return float((self.drive.fingers / self.share).mean()) if len(self.share) else 0.0

    def act(self, now_s: float) -> None:
        """Before a step of the engine."""
        if self.press is not None:
            still = np.zeros(len(self.placed.home))
            self.drive.command(self.press.wanted(now_s), still, still)
        elif self.left_s(now_s) > 0.0:
            self.drive.command(*self.plan.at(now_s - self.begins_s))
        else:
            self.drive.stay(self.plan.q[-1])
        if len(self.share):
            opening = self.opening_wanted(now_s)
            places, speeds = self.drive.fingers.tolist(), self.drive.finger_speeds.tolist()
            self.drive.push_fingers(
                [
                    min(max(FINGER_N_M * (share * opening - place) - FINGER_NS_M * speed, -self.grip_n), self.grip_n)
                    for share, place, speed in zip(self._shares, places, speeds, strict=True)
                ]
            )

    def opening_wanted(self, now_s: float) -> float:
        gone = self.opening_speed * max(0.0, now_s - self.opening_begins_s)
        way = self.opening_to - self.opening_from
        return self.opening_from + max(-gone, min(way, gone))

    def T_world_tool(self, q: Array | None = None) -> Array:
        """(4, 4) the tool's point, for joints or as it is now."""
        T: Array = self.placed.T_world_base @ self.kinematics.forward(self.drive.q if q is None else q)
        return T

    def in_base(self, T_world: Array) -> Array:
        """(4, 4) a pose of the world as the arm's base sees it."""
        T: Array = self._back @ T_world
        return T


def _shares(placed: CellArm) -> Array:
    """(k,) how far each finger slides for each metre of opening; see `cell_mjcf`."""
    ways = dict.fromkeys(tuple(body.travel.tolist()) for body in placed.tool.bodies)
    return np.array([float(np.linalg.norm(way)) for way in ways if any(way)])
