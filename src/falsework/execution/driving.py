"""A real cell behind the façade: drivers of arms and cameras, whoever made them, trusted as little as possible.

Every call of a driver or a camera is made on a thread of its own and waited for with patience that ends: one that
hangs, raises, sends nothing or says what cannot be ends the build with a sentence, and the arms are told to stop.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from falsework.execution.facade import Stopped
from falsework.model.arrays import Array
from falsework.model.errors import BadInput, FalseworkError, did_you_mean, one_line, shown
from falsework.model.perception.frames import Frame
from falsework.model.ports import Camera, Driver
from falsework.model.robots.cell import Cell
from falsework.model.robots.driving import ArmState
from falsework.model.robots.motion import Track
from falsework.model.robots.safety import Safety
from falsework.model.robots.tool import Tool
from falsework.robots.brickcell.arm_control import GENTLY_M_S, TOUCH_M_S
from falsework.robots.brickcell.cell_world import EASE_M, ENOUGH, HELD_M, ArmReading, PressDone
from falsework.robots.brickcell.paths import PEAK, timed
from falsework.robots.kinematics.kinematics import Kinematics

STEP_S = 0.01  # between rows of a track
JOIN_RAD = 0.05  # a way may begin so far from where the arm is; it is led there
LEFT_RAD = 0.02  # farther from where it was left than this an arm was moved, or does not tell the truth
MOST_PRESS = 10.0  # times the force that is asked for, at which a press ends at once
FELT_ROWS = 4  # of a way that is felt along, after which what is felt is asked
POLL_S = 0.02

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Patience:
    """For how long answers are waited for, in seconds of the wall's clock."""

    answer_s: float = 2.0  # of a state, and beyond the time that a motion takes
    picture_s: float = 5.0
    grip_s: float = 10.0
    stop_s: float = 0.5  # of a driver that is told to stop, before nobody waits for it any more


class DrivenCell:
    """A `Facade` made of drivers and cameras, by the names that arms and cameras have in the cell's file.

    A press that feels `most_n` ends at once. `clock` and `wait` are the wall's unless told, as for a dry run, which
    waits for nothing.
    """

    def __init__(
        self,
        cell: Cell,
        drivers: Mapping[str, Driver],
        cameras: Mapping[str, Camera],
        *,
        patience: Patience | None = None,
        most_n: float | None = None,
        clock: Callable[[], float] | None = None,
        wait: Callable[[float], None] | None = None,
    ) -> None:
        _refuse_unknown("arm", drivers, [one.name for one in cell.arms])
        _refuse_unknown("camera", cameras, [one.name for one in cell.cameras])
        still = [one.name for one in cell.arms if one.name not in drivers]
        if still:
            raise BadInput(f"cell {cell.name}: arm {shown(still[0])} is in it, and no driver is given for it")
        blind = [one.name for one in cell.cameras if one.name not in cameras]
        if blind:
            raise BadInput(f"cell {cell.name}: camera {shown(blind[0])} is in it, and none is given for it")
        self._told, self._drivers, self._cameras = cell, dict(drivers), dict(cameras)
        self._patience, self._most_n = patience or Patience(), Safety().force_n if most_n is None else most_n
        begun = time.monotonic()
        self._clock = clock or (lambda: time.monotonic() - begun)
        self._wait = wait
        self._kinematics = {one.name: Kinematics(one.arm, one.tool) for one in cell.arms}
        self._left: dict[str, Array] = {}  # (n,) where each arm was left
        self._gripped: dict[str, float] = {}  # N
        self._stopped = ""
        self.meanwhile: list[Callable[[], object]] = []

    @property
    def cell(self) -> Cell:
        return self._told

    @property
    def time_s(self) -> float:
        return self._clock()

    def look(self, camera: str) -> Frame:
        if camera not in self._cameras:
            raise BadInput(f"there is no camera {shown(camera)}; {did_you_mean(camera, self._cameras)}")
        frame = self._ask(f"camera {shown(camera)}", self._cameras[camera].look, self._patience.picture_s)
        if not isinstance(frame, Frame):
            raise Stopped(f"camera {shown(camera)} sent no frame but {shown(frame)}")
        return frame

    def state(self, arm: str) -> ArmReading:
        told = self._told_state(arm)
        (placed,) = (one for one in self._told.arms if one.name == arm)
        T: Array = placed.T_world_base @ self._kinematics[arm].forward(told.q)
        wrench = np.append(-told.force_n * T[:3, 2], np.zeros(3))
        grip = self._gripped.get(arm, 0.0)
        return ArmReading(self.time_s, told.q, np.zeros_like(told.q), told.opening_m, T, wrench, grip)

    def follow(
        self, arm: str, way: Array, share: float, speed_m_s: float | None = None, stop_n: float = np.inf
    ) -> float:
        (placed,) = (one for one in self._told.arms if one.name == arm)
        way = self._from_where_it_is(arm, np.asarray(way, dtype=np.float64))
        least = most_n = 0.0
        if speed_m_s is not None:
            tips = self._kinematics[arm].forward(way)[:, :3, 3]
            least = PEAK * float(np.linalg.norm(np.diff(tips, axis=0), axis=1).sum()) / speed_m_s
        legs = [way] if speed_m_s is not None else [way[k : k + 2] for k in range(len(way) - 1)]
        if speed_m_s is not None and stop_n < self._most_n:  # drivers tell what is felt when they have come to the end
            legs = [way[k : k + FELT_ROWS + 1] for k in range(0, len(way) - 1, FELT_ROWS)]
            least /= len(legs)
        for leg in legs:
            rows = timed(placed.arm, leg, STEP_S, share, least)
            if len(rows.q) < 2:
                continue
            times = np.arange(len(rows.q), dtype=np.float64) * STEP_S
            move = partial(self._drivers[arm].move, Track(arm, times, rows.q, rows.qd, rows.qdd))
            self._ask(f"arm {shown(arm)}", move, rows.seconds + self._patience.answer_s)
            told = self._told_state(arm)
            self._left[arm], most_n = told.q, max(most_n, abs(told.force_n))
            if most_n > stop_n:
                break
        return most_n

    def open(self, arm: str, opening_m: float) -> None:
        self._finger(arm, opening_m, None)

    def close(self, arm: str) -> None:
        self._finger(arm, self._tool(arm).opening_m[0], None)

    def grip(self, arm: str, width_m: float, force_n: float) -> bool:
        reached = self._finger(arm, self._tool(arm).opening_m[0], force_n)
        held = abs(reached - width_m) < HELD_M
        self._gripped[arm] = force_n if held else 0.0
        return held

    def holds(self, arm: str, width_m: float) -> bool:
        return abs(self._told_state(arm).opening_m - width_m) < HELD_M and self._gripped.get(arm, 0.0) > 0

    def hold_with(self, arm: str, force_n: float) -> None:
        self._finger(arm, self._tool(arm).opening_m[0], force_n)
        self._gripped[arm] = force_n

    def ease(self, arm: str) -> None:
        wide = min(self._told_state(arm).opening_m + EASE_M, self._tool(arm).opening_m[1])
        self._finger(arm, wide, None)

    def press(self, arm: str, force_n: float, limit_m: float, gently: bool = False) -> PressDone:
        self._still_there(arm)
        speed = GENTLY_M_S if gently else TOUCH_M_S
        limit = limit_m / speed + self._patience.grip_s
        press = self._drivers[arm].press_until
        most = min(MOST_PRESS * force_n, self._most_n)
        call = partial(press, ENOUGH * force_n, most, limit_m, speed)
        done = self._ask(f"arm {shown(arm)}", call, limit)
        self._left[arm] = self._told_state(arm).q
        return PressDone(done.end == "pressed", done.force_n, done.moved_m)

    def pause(self, seconds: float) -> None:
        if self._wait is not None:
            self._watched()
            self._wait(seconds)
            return
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._watched()
            time.sleep(min(POLL_S, max(0.0, end - time.monotonic())))

    def stop(self, why: str) -> Stopped:
        """Tell every driver at once, also where its last call has not returned; nobody waits for long."""
        first, self._stopped = not self._stopped, self._stopped or why
        if first:
            drivers = self._drivers.values()
            threads = [threading.Thread(target=_quietly, args=(one.stop,), daemon=True) for one in drivers]
            for thread in threads:
                thread.start()
            end = time.monotonic() + self._patience.stop_s
            for thread in threads:
                thread.join(max(0.0, end - time.monotonic()))
        return Stopped(self._stopped)

    # What drivers say, and whether it can be

    def _told_state(self, arm: str) -> ArmState:
        if arm not in self._drivers:
            raise BadInput(f"there is no driver for arm {shown(arm)}; {did_you_mean(arm, self._drivers)}")
        told = self._ask(f"arm {shown(arm)}", self._drivers[arm].state, self._patience.answer_s)
        numbers = np.append(told.q, [told.opening_m, told.force_n])
        joints = len(self._kinematics[arm].arm.joints)
        if len(told.q) != joints or not np.isfinite(numbers).all():
            raise Stopped(
                f"arm {shown(arm)} says that its joints are {shown(told.q.tolist())}, expected {joints} numbers"
            )
        return told

    def _still_there(self, arm: str) -> Array:
        """(n,) where an arm is; it must be where it was left."""
        q = self._told_state(arm).q
        off = float(np.abs(q - self._left.get(arm, q)).max())
        if off > LEFT_RAD:
            raise Stopped(
                f"arm {shown(arm)} says that a joint is {np.rad2deg(off):.1f}° from where it was left: it was moved, "
                "or it does not tell the truth"
            )
        return q

    def _from_where_it_is(self, arm: str, way: Array) -> Array:
        """(k, n) the way, from where the arm is to its beginning first."""
        q = self._still_there(arm)
        off = float(np.abs(q - way[0]).max())
        if off > JOIN_RAD:
            raise Stopped(f"arm {shown(arm)} is {np.rad2deg(off):.1f}° from where its way begins")
        return np.concatenate([q[None], way[1:] if len(way) > 1 else way])

    def _tool(self, arm: str) -> Tool:
        (placed,) = (one for one in self._told.arms if one.name == arm)
        return placed.tool

    def _finger(self, arm: str, opening_m: float, force_n: float | None) -> float:
        """Fingers to an opening; to open is done with the least force that the tool has."""
        force = self._tool(arm).force_n[0] if force_n is None else force_n
        if force_n is None:
            self._gripped[arm] = 0.0
        reached = self._ask(
            f"arm {shown(arm)}", lambda: self._drivers[arm].grip(opening_m, force), self._patience.grip_s
        )
        if not np.isfinite(reached):
            raise Stopped(f"arm {shown(arm)} says that its fingers are {reached} m apart, expected a number")
        return float(reached)

    # Waiting

    def _watched(self) -> None:
        if self._stopped:
            raise Stopped(self._stopped)
        for one in self.meanwhile:
            one()

    def _ask(self, who: str, call: Callable[[], Answer], limit_s: float) -> Answer:
        """What a call gives; Stopped where it takes too long, raises, or somebody stops the cell meanwhile."""
        self._watched()
        answers: list[Answer] = []
        troubles: list[BaseException] = []
        done = threading.Event()

        def ask() -> None:
            try:
                answers.append(call())
            except BaseException as why:  # noqa: BLE001 - whatever a maker's library raises
                troubles.append(why)
            done.set()

        threading.Thread(target=ask, daemon=True).start()
        end = time.monotonic() + limit_s
        while not done.wait(POLL_S):
            self._watched()
            if time.monotonic() > end:
                raise Stopped(f"{who} did not answer within {limit_s:.1f} s")
        if troubles:
            told = one_line(troubles[0]) if isinstance(troubles[0], FalseworkError) else repr(troubles[0])
            raise Stopped(f"{who}: {told}") from troubles[0]
        return answers[0]


def _quietly(call: Callable[[], object]) -> None:
    with contextlib.suppress(Exception):  # a driver that fails to stop is asked nothing any more
        call()


def _refuse_unknown(what: str, given: Mapping[str, object], known: list[str]) -> None:
    for name in given:
        if name not in known:
            raise BadInput(f"there is no {what} {shown(name)} in the cell; {did_you_mean(name, known)}")
