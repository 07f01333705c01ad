"""A façade before a façade: it keeps the limits of safety, whatever the controller asks for, and obeys the controls.

The same stands before a simulated cell and before a real one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

import numpy as np

from falsework.execution.controls import Controls
from falsework.execution.facade import Facade, Pressing, Sensed, Stopped
from falsework.model.arrays import Array
from falsework.model.errors import FalseworkError, one_line, shown
from falsework.model.perception.frames import Frame
from falsework.model.robots.cell import Cell
from falsework.model.robots.safety import Safety
from falsework.robots.brickcell.paths import timed
from falsework.robots.kinematics.kinematics import Kinematics

TRANSIENT = 2.0  # a blow, at which the arm stops, may be twice as much as what lasts (ISO/TS 15066)
CLOSE_RAD = 0.05  # between positions of a way at which the hand is asked to be in its box
CLOSE_S = 0.01  # between instants at which its speed is
SLOWER, SLOWEST = 0.8, 1e-3  # of a share, until the tool is slow enough


class GuardedCell:
    """A `Facade` whose every command is within limits, and waits or stops as a person says.

    `thought_s` is the wall time between commands, in which whoever gives them looks, plans and finds ways. It differs
    from run to run, so no command and no line of the log may depend on it.
    """

    def __init__(self, inner: Facade, safety: Safety | None = None, controls: Controls | None = None) -> None:
        self._inner, self.controls = inner, controls or Controls()
        self._safety = safety or inner.cell.safety or Safety()
        self._arms = {one.name: (one, Kinematics(one.arm, one.tool)) for one in inner.cell.arms}
        inner.meanwhile.append(self.controls.meanwhile)
        self.thought_s, self._idle_since = 0.0, perf_counter()

    @property
    def cell(self) -> Cell:
        return self._inner.cell

    @property
    def time_s(self) -> float:
        return self._inner.time_s

    @property
    def meanwhile(self) -> list[Callable[[], object]]:
        return self._inner.meanwhile

    def look(self, camera: str) -> Frame:
        with self._commanding():
            return self._inner.look(camera)

    def state(self, arm: str) -> Sensed:
        return self._inner.state(arm)

    def follow(
        self, arm: str, way: Array, share: float, speed_m_s: float | None = None, stop_n: float = np.inf
    ) -> float:
        with self._commanding():
            self._refuse_outside(arm, way)
            share = min(share, self._safety.share)
            most = self._safety.speed_m_s
            if speed_m_s is not None:
                speed_m_s = speed_m_s if most is None else min(speed_m_s, most)
            elif most is not None:
                share = self._slow_enough(arm, way, share, most)
            felt = self._inner.follow(arm, way, share, speed_m_s, min(stop_n, self._safety.force_n))
            self._watch(arm)
            self._refuse_force(arm, felt, TRANSIENT)
            return felt

    def open(self, arm: str, opening_m: float) -> None:
        with self._commanding():
            self._inner.open(arm, opening_m)

    def close(self, arm: str) -> None:
        with self._commanding():
            self._inner.close(arm)

    def grip(self, arm: str, width_m: float, force_n: float) -> bool:
        with self._commanding():
            return self._inner.grip(arm, width_m, force_n)

    def holds(self, arm: str, width_m: float) -> bool:
        with self._commanding():
            return self._inner.holds(arm, width_m)

    def hold_with(self, arm: str, force_n: float) -> None:
        with self._commanding():
            self._inner.hold_with(arm, force_n)

    def ease(self, arm: str) -> None:
        with self._commanding():
            self._inner.ease(arm)

    def press(self, arm: str, force_n: float, limit_m: float, gently: bool = False) -> Pressing:
        with self._commanding():
            if not force_n <= self._safety.force_n:
                raise Stopped(f"a press of {force_n:.0f} N was asked for, {self._safety.force_n:.0f} N are allowed")
            self._refuse_outside(arm, self._ahead(arm, limit_m))
            done = self._inner.press(arm, force_n, limit_m, gently)
            self._watch(arm)
            return done

    def pause(self, seconds: float) -> None:
        with self._commanding():
            self._inner.pause(seconds)

    def stop(self, why: str) -> Stopped:
        self.controls.stop(why)
        return self._inner.stop(why)

    @contextmanager
    def _commanding(self) -> Iterator[None]:
        """Before, within and after a command: whatever stops it, nothing moves any more."""
        self.thought_s += perf_counter() - self._idle_since
        try:
            self.controls.before_command()
            yield
        except Stopped as why:
            raise self.stop(str(why)) from None
        except FalseworkError as why:  # what a cell or a driver cannot do
            raise self.stop(one_line(why)) from why
        except BaseException as why:
            self.stop(f"{type(why).__name__} {why}".strip())
            raise
        finally:
            self._idle_since = perf_counter()

    def _refuse_outside(self, arm: str, way: Array) -> None:
        """Joints that are no numbers, or that bring the hand out of its box, also between two of them."""
        way = np.atleast_2d(np.asarray(way, dtype=np.float64))
        if not np.isfinite(way).all():
            raise Stopped(f"arm {shown(arm)} was sent to joints that are no numbers")
        placed, kinematics = self._arms[arm]
        tips = (placed.T_world_base @ kinematics.forward(_close(way)))[:, :3, 3]
        if (tips < self._safety.low_m).any() or (tips > self._safety.high_m).any():
            raise Stopped(f"arm {shown(arm)} was sent out of its workspace")

    def _ahead(self, arm: str, limit_m: float) -> Array:
        """(1, n) joints about where a press ends at the latest; where the arm is now, if there are none."""
        _placed, kinematics = self._arms[arm]
        now = self._inner.state(arm).q
        T = kinematics.forward(now)
        T[:3, 3] += limit_m * T[:3, 2]
        found = kinematics.solve(T, now)
        return np.atleast_2d(now if found is None else found)

    def _slow_enough(self, arm: str, way: Array, share: float, most_m_s: float) -> float:
        """A share of the arm's limits with which the tool's point is nowhere faster than that."""
        placed, kinematics = self._arms[arm]
        for a, b in itertools.pairwise(way):
            while share > SLOWEST:
                rows = timed(placed.arm, np.stack([a, b]), CLOSE_S, share).q
                tips = kinematics.forward(rows)[:, :3, 3]
                if len(tips) < 2 or np.linalg.norm(np.diff(tips, axis=0), axis=1).max() <= most_m_s * CLOSE_S:
                    break
                share *= SLOWER
        return share

    def _watch(self, arm: str) -> None:
        """Once a command is done: what the hand feels, and whether it says that it is in its box."""
        state = self._inner.state(arm)
        tip = state.T_world_tool[:3, 3]
        if (tip < self._safety.low_m).any() or (tip > self._safety.high_m).any():
            raise Stopped(f"arm {shown(arm)} says that its hand is at {tip.round(3).tolist()} m, out of its workspace")
        self._refuse_force(arm, float(np.linalg.norm(state.wrench[:3])))

    def _refuse_force(self, arm: str, force_n: float, times: float = 1.0) -> None:
        most_n = times * self._safety.force_n
        if not force_n <= most_n:
            raise Stopped(f"arm {shown(arm)} felt {force_n:.0f} N, {most_n:.0f} N are allowed")


def _close(way: Array) -> Array:
    """(k, n) the same way with positions close together."""
    rows = [way[:1]]
    for a, b in itertools.pairwise(way):
        count = max(1, int(np.ceil(np.abs(b - a).max() / CLOSE_RAD)))
        rows.append(a + (b - a) * (np.arange(1, count + 1) / count)[:, None])
    return np.concatenate(rows)
