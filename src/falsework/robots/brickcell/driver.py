"""The port `Driver` for one arm among bricks: whoever drives real arms can try it here, with contacts and breaks."""

from __future__ import annotations

import numpy as np

from falsework.model.errors import BadInput
from falsework.model.robots.driving import ArmState, Pressed
from falsework.model.robots.motion import Track
from falsework.robots.brickcell.cell_world import CLOSE_M_S, OPEN_M_S, CellWorld
from falsework.robots.brickcell.paths import Timed

NEAR = 2e-3  # rad: how far from a track's first row an arm may be
STILL_M_S = 1e-3  # of fingers: slower, they have come as far as they will
PATIENCE_S = 3.0  # for that


class BrickCellDriver:
    """Drives one arm of a `CellWorld`; its clock is the world's, and what happens in it happens to all.

    >>> from falsework import new, new_cell
    >>> driver = BrickCellDriver(CellWorld(new_cell("panda"), new("duplo-stack")), "arm")
    >>> round(driver.state().opening_m, 3)
    0.08
    """

    def __init__(self, cell: CellWorld, arm: str) -> None:
        self.cell, self._name = cell, arm
        self._arm = cell.arm(arm)

    def state(self) -> ArmState:
        now = self.cell.state(self._name)
        return ArmState(now.time_s, now.q, now.opening_m, now.push_n)

    def move(self, track: Track) -> None:
        arm = self._arm
        if track.q.shape[1] != len(arm.placed.home):
            raise BadInput(f"found a track of {track.q.shape[1]} joints, expected {len(arm.placed.home)}")
        off = float(np.abs(track.q[0] - arm.drive.q).max())
        if off > NEAR:
            raise BadInput(f"the arm is {off:.3g} from where its track begins")
        arm.placed.arm.refuse_outside(track.q[-1], "the end of its track")
        times = np.arange(track.times_s[0], track.times_s[-1] + 0.5 * arm.step_s, arm.step_s)
        rows = np.array(track.many(times))
        rows[-1] = track.q[-1]
        speeds = np.gradient(rows, arm.step_s, axis=0) if len(rows) > 1 else np.zeros_like(rows)
        rates = np.gradient(speeds, arm.step_s, axis=0) if len(rows) > 1 else np.zeros_like(rows)
        speeds[-1] = rates[-1] = 0.0
        arm.follow(Timed(arm.step_s, rows, speeds, rates), self.cell.time_s)
        self.cell.wait([self._name])

    def grip(self, opening_m: float, force_n: float) -> float:
        arm, tool = self._arm, self._arm.placed.tool
        tool.refuse_opening(opening_m)
        if not 0 <= force_n <= tool.force_n[1]:
            raise BadInput(f"found the force {force_n} N, expected 0 to {tool.force_n[1]}")
        closing = opening_m < arm.opening_m
        arm.open_to(opening_m, CLOSE_M_S if closing else OPEN_M_S, max(force_n, tool.force_n[0]), self.cell.time_s)
        end, frame = self.cell.time_s + PATIENCE_S, self.cell.world.settings.frame_s
        while self.cell.time_s < end:
            before = arm.opening_m
            self.cell.run(3 * frame)
            if abs(arm.opening_m - before) < 3 * frame * STILL_M_S:
                break
        return arm.opening_m

    def press_until(self, until_n: float, stop_n: float, most_m: float, speed_m_s: float) -> Pressed:
        if not (0 < until_n < stop_n and most_m > 0 and speed_m_s > 0):
            raise BadInput(f"found {until_n} and {stop_n} N over {most_m} m at {speed_m_s} m/s, expected rising forces")
        done = self.cell.press_until(self._name, until_n, most_m, stop_n=stop_n, speed_m_s=speed_m_s)
        end = "stopped" if done.most_n >= stop_n else "pressed" if done.reached else "nothing"
        return Pressed(end, done.most_n, done.travel_m)  # type: ignore[arg-type]
