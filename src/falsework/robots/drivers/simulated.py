"""An arm that does at once, and exactly, what it is told: for tests, and to try a motion before a real arm does."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.model.robots.cell import CellArm
from falsework.model.robots.driving import ArmState, Pressed
from falsework.model.robots.motion import Track
from falsework.robots.kinematics.kinematics import Kinematics

NEAR = 1e-3  # rad or m: how far from a track's first row an arm may be
STEP_M = 1e-4  # of a press


class SimulatedDriver:
    """A driver without an arm. `width_m` is what is between its fingers, `floor_m` how high a springy floor is.

    Its clock goes on by what motions take, and nobody waits for it. The floor pushes back with `stiffness` N/m.

    >>> from falsework import new_cell
    >>> driver = SimulatedDriver(new_cell("panda").arms[0], width_m=0.04)
    >>> driver.grip(0.0, 30.0)
    0.04
    """

    def __init__(
        self, placed: CellArm, width_m: float = 0.0, floor_m: float | None = None, stiffness: float = 2000.0
    ) -> None:
        self._placed, self._kinematics = placed, Kinematics(placed.arm, placed.tool)
        self._q, self._opening, self._time = np.array(placed.home), placed.tool.opening_m[1], 0.0
        self._width, self._floor, self._stiffness = width_m, floor_m, stiffness

    def state(self) -> ArmState:
        return ArmState(self._time, self._q, self._opening, self._force(self._q))

    def move(self, track: Track) -> None:
        if track.q.shape[1] != len(self._q):
            raise BadInput(f"found a track of {track.q.shape[1]} joints, expected {len(self._q)}")
        if np.abs(track.q[0] - self._q).max() > NEAR:
            raise BadInput(f"the arm is {np.abs(track.q[0] - self._q).max():.3g} from where its track begins")
        self._placed.arm.refuse_outside(track.q[-1], "the end of its track")
        self._q = np.array(track.q[-1])
        self._time += float(track.times_s[-1] - track.times_s[0])

    def grip(self, opening_m: float, force_n: float) -> float:
        self._placed.tool.refuse_opening(opening_m)
        if not 0 <= force_n <= self._placed.tool.force_n[1]:
            raise BadInput(f"found the force {force_n} N, expected 0 to {self._placed.tool.force_n[1]}")
        self._opening = max(opening_m, min(self._width, self._opening))
        return self._opening

    def press_until(self, until_n: float, stop_n: float, most_m: float, speed_m_s: float) -> Pressed:
        if not (0 < until_n < stop_n and most_m > 0 and speed_m_s > 0):
            raise BadInput(f"found {until_n} and {stop_n} N over {most_m} m at {speed_m_s} m/s, expected rising forces")
        start, moved = self._kinematics.forward(self._q), 0.0
        force = self._force(self._q)
        while moved < most_m:
            if force >= stop_n:
                return Pressed("stopped", force, moved)
            if force >= until_n:
                return Pressed("pressed", force, moved)
            T = start.copy()
            T[:3, 3] += (moved + STEP_M) * start[:3, 2]
            q = self._kinematics.solve(T, self._q)
            if q is None:
                raise BadInput(f"the arm cannot press any further than {moved:.4f} m")
            self._q, moved = q, moved + STEP_M
            self._time += STEP_M / speed_m_s
            force = self._force(self._q)
        return Pressed("nothing", force, moved)

    def stop(self) -> None:
        """It never moves by itself."""

    def _force(self, q: Array) -> float:
        if self._floor is None:
            return 0.0
        height = float((self._placed.T_world_base @ self._kinematics.forward(q))[2, 3])
        return max(0.0, self._stiffness * (self._floor - height))
