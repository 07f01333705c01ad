"""Pause, step and stop of a running build, from any thread: it waits between two commands, a stop waits for nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal

from falsework.execution.facade import Stopped

BY_HAND = "the emergency stop was pressed"


class Controls:
    """What a person does to a running build.

    >>> controls = Controls()
    >>> controls.pause()
    >>> controls.doing
    'paused'
    >>> controls.stop()
    >>> controls.before_command()
    Traceback (most recent call last):
    ...
    falsework.execution.facade.Stopped: the emergency stop was pressed
    """

    def __init__(self, paused: bool = False) -> None:
        self._changed = threading.Condition()
        self._paused, self._steps, self._why = paused, 0, ""
        self.on_stop: list[Callable[[str], None]] = []  # called at once, by whoever stops: what halts drivers

    @property
    def doing(self) -> Literal["running", "paused", "stopped"]:
        return "stopped" if self._why else "paused" if self._paused else "running"

    def pause(self) -> None:
        """From the next command on."""
        with self._changed:
            self._paused, self._steps = True, 0

    def go(self) -> None:
        with self._changed:
            self._paused = False
            self._changed.notify_all()

    def step(self) -> None:
        """One command, and pause again."""
        with self._changed:
            self._paused, self._steps = True, self._steps + 1
            self._changed.notify_all()

    def stop(self, why: str = BY_HAND) -> None:
        """Now, also in the midst of a command; what is stopped stays so."""
        with self._changed:
            first, self._why = not self._why, self._why or why
            self._changed.notify_all()
        for halt in self.on_stop if first else ():
            halt(self._why)

    def before_command(self) -> None:
        """Waits for as long as the build is paused; Stopped where it is stopped."""
        with self._changed:
            while self._paused and not self._steps and not self._why:
                self._changed.wait(0.2)  # so that Ctrl-C is heard
            self._steps = max(0, self._steps - 1)
        self.meanwhile()

    def meanwhile(self) -> None:
        """Asked again and again while a command is under way: Stopped where somebody has stopped it."""
        if self._why:
            raise Stopped(self._why)
