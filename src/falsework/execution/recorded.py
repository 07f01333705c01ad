"""A driver that writes down whatever it is told, before it does it: one line of JSON a command, a CSV file a track."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from falsework.execution.journal import Journal
from falsework.formats.basics.atomic import write_whole
from falsework.model.ports import Driver
from falsework.model.robots.cell import CellArm
from falsework.model.robots.driving import ArmState, Pressed
from falsework.model.robots.motion import Track

COMMANDS, TRACKS = "commands.jsonl", "tracks"


class RecordedDriver:
    """A `Driver` before another one; `commands` is shared by all arms, so that their lines are in order."""

    def __init__(
        self, inner: Driver, placed: CellArm, commands: Journal, folder: Path, clock: Callable[[], float]
    ) -> None:
        self._inner, self._placed, self._commands = inner, placed, commands
        self._folder, self._clock = folder, clock

    def state(self) -> ArmState:
        return self._inner.state()

    def move(self, track: Track) -> None:
        name = f"{len(self._commands.lines):05d}-{_plain(track.arm)}.csv"
        write_whole(self._folder / TRACKS / name, track_csv(track, [joint.name for joint in self._placed.arm.joints]))
        seconds = float(track.times_s[-1] - track.times_s[0])
        self._tell("move", file=f"{TRACKS}/{name}", seconds=seconds, rows=len(track.q), to=track.q[-1])
        self._inner.move(track)

    def grip(self, opening_m: float, force_n: float) -> float:
        self._tell("grip", opening_m=opening_m, force_n=force_n)
        return self._inner.grip(opening_m, force_n)

    def press_until(self, until_n: float, stop_n: float, most_m: float, speed_m_s: float) -> Pressed:
        self._tell("press", until_n=until_n, stop_n=stop_n, most_m=most_m, speed_m_s=speed_m_s)
        return self._inner.press_until(until_n, stop_n, most_m, speed_m_s)

    def stop(self) -> None:
        self._inner.stop()
        self._tell("stop")

    def _tell(self, command: str, **more: Any) -> None:
        self._commands.tell(self._clock(), command, arm=self._placed.name, **more)


def track_csv(track: Track, joints: list[str]) -> str:
    """Times, then positions, speeds and accelerations of every joint, in s, rad (or m) and their derivatives.

    >>> track_csv(Track("arm", [0.0, 1.0], [[0.0], [0.5]], [[0.0], [0.0]], [[0.0], [0.0]]), ["j1"]).splitlines()[0]
    'time_s,q:j1,qd:j1,qdd:j1'
    """
    heads = [f"{what}:{joint}" for what in ("q", "qd", "qdd") for joint in joints]
    lines = [",".join(["time_s", *heads])]
    for time, *rows in zip(track.times_s, track.q, track.speed, track.acceleration, strict=True):
        lines.append(",".join(f"{value:.9g}" for value in (time, *(one for row in rows for one in row))))
    return "\n".join(lines) + "\n"


def _plain(name: str) -> str:
    """As a file may be called."""
    return "".join(letter if letter.isalnum() else "-" for letter in name)
