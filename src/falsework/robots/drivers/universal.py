"""Universal Robots' arms through `ur_rtde`: `pip install 'falsework[ur]'`.

    from falsework.robots.drivers.universal import UniversalDriver
    driver = UniversalDriver(cell.arms[0], "192.168.0.10", grip=my_gripper.move)

The arm must be in remote control, its payload and tool centre point set on the teach pendant. Grippers are devices of
their own, so the caller gives a function (opening_m, force_n) -> opening that was reached. Tracks are streamed with
`servoJ` at 500 Hz; forces are those of the arm's own estimate, along the tool's z axis.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from falsework.model.errors import BadInput
from falsework.model.extras import library
from falsework.model.robots.cell import CellArm
from falsework.model.robots.driving import ArmState, Pressed
from falsework.model.robots.motion import Track

PERIOD_S = 0.002
LOOKAHEAD_S, GAIN = 0.05, 500
STOPS = 10.0  # m/s² or rad/s² with which it comes to rest
NEAR = 5e-3  # rad: how far from a track's first row an arm may be


class UniversalDriver:
    """One arm of Universal Robots. `control` and `receive` stand in for ur_rtde's interfaces, for tests."""

    def __init__(
        self,
        placed: CellArm,
        address: str,
        grip: Callable[[float, float], float],
        control: Any = None,
        receive: Any = None,
    ) -> None:
        self._placed, self._grip = placed, grip
        self._control = library("rtde_control").RTDEControlInterface(address) if control is None else control
        if receive is None:
            receive = importlib.import_module("rtde_receive").RTDEReceiveInterface(address)
        self._receive = receive
        self._opening = placed.tool.opening_m[1]
        self._halted = False

    def state(self) -> ArmState:
        q = np.array(self._receive.getActualQ(), dtype=np.float64)
        return ArmState(float(self._receive.getTimestamp()), q, self._opening, self._force())

    def move(self, track: Track) -> None:
        q = np.array(self._receive.getActualQ(), dtype=np.float64)
        if track.q.shape[1] != len(q):
            raise BadInput(f"found a track of {track.q.shape[1]} joints, expected {len(q)}")
        if np.abs(track.q[0] - q).max() > NEAR:
            raise BadInput(f"the arm is {np.abs(track.q[0] - q).max():.3g} rad from where its track begins")
        self._placed.arm.refuse_outside(track.q[-1], "the end of its track")
        times = np.append(np.arange(float(track.times_s[0]), float(track.times_s[-1]), PERIOD_S), track.times_s[-1])
        for row in track.many(times).tolist():
            self._refuse_halted()
            begun = self._control.initPeriod()
            self._control.servoJ(row, 0.0, 0.0, PERIOD_S, LOOKAHEAD_S, GAIN)
            self._control.waitPeriod(begun)
        self._control.servoStop()

    def grip(self, opening_m: float, force_n: float) -> float:
        self._placed.tool.refuse_opening(opening_m)
        if not 0 <= force_n <= self._placed.tool.force_n[1]:
            raise BadInput(f"found the force {force_n} N, expected 0 to {self._placed.tool.force_n[1]}")
        self._opening = self._grip(opening_m, force_n)
        return self._opening

    def press_until(self, until_n: float, stop_n: float, most_m: float, speed_m_s: float) -> Pressed:
        if not (0 < until_n < stop_n and most_m > 0 and speed_m_s > 0):
            raise BadInput(f"found {until_n} and {stop_n} N over {most_m} m at {speed_m_s} m/s, expected rising forces")
        start = np.array(self._receive.getActualTCPPose()[:3])
        axis = _rotation(self._receive.getActualTCPPose()[3:])[:, 2]
        velocity = [*(speed_m_s * axis).tolist(), 0.0, 0.0, 0.0]
        self._control.zeroFtSensor()
        try:
            while True:
                self._refuse_halted()
                force, moved = self._force(), float((np.array(self._receive.getActualTCPPose()[:3]) - start) @ axis)
                if force >= stop_n:
                    return Pressed("stopped", force, moved)
                if force >= until_n:
                    return Pressed("pressed", force, moved)
                if moved >= most_m:
                    return Pressed("nothing", force, moved)
                begun = self._control.initPeriod()
                self._control.speedL(velocity, 0.25, PERIOD_S)
                self._control.waitPeriod(begun)
        finally:
            self._control.speedStop(10.0)

    def stop(self) -> None:
        """Whatever streams to it is cut off too: the control script ends with this."""
        self._halted = True
        self._control.servoStop(STOPS)
        self._control.speedStop(STOPS)
        self._control.stopScript()

    def _refuse_halted(self) -> None:
        if self._halted:
            raise BadInput("the arm was stopped; connect anew to move it")

    def _force(self) -> float:
        pose, force = self._receive.getActualTCPPose(), np.array(self._receive.getActualTCPForce()[:3])
        return max(0.0, float(-force @ _rotation(pose[3:])[:, 2]))


def _rotation(vector: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """(3, 3) of a rotation vector."""
    from scipy.spatial.transform import Rotation

    matrix: np.ndarray[Any, np.dtype[np.float64]] = Rotation.from_rotvec(np.array(vector, dtype=np.float64)).as_matrix()
    return matrix
