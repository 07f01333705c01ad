"""What pools are given to do in the tests of their contract: it must be found by name in other processes."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np


def square(number: int) -> int:
    return number * number


def pause(number: int) -> int:
    time.sleep(0.02)
    return number


def forever(number: int) -> int:
    while number >= 0:
        time.sleep(0.05)
    return number


def node_of(number: int) -> str:
    """The node of a Ray cluster that this worker works for; several may share a machine."""
    time.sleep(0.05)
    return os.environ["RAY_RAYLET_PID"]


def hungry(megabytes: int) -> int:
    return int(np.ones(megabytes * 2**17).sum())


def rejected(number: int) -> int:
    if number % 3 == 1:
        raise ValueError(f"{number} is not to my taste")
    return number


def eigenvalues(seed: int) -> bytes:
    """Rounding and all: the same bytes whoever computes them."""
    matrix = np.random.default_rng(seed).normal(size=(60, 60))
    return np.linalg.eigvalsh(matrix @ matrix.T).tobytes()


@dataclass(frozen=True, slots=True)
class Deadly:
    """Kills the worker that has a number of `victims`: each time, or only the first, which a file remembers."""

    victims: frozenset[int]
    remembers: Path | None = None
    signal: int = signal.SIGKILL

    def __call__(self, number: int) -> int:
        if number in self.victims and self._strikes(number):
            os.kill(os.getpid(), self.signal)
        return number * number

    def _strikes(self, number: int) -> bool:
        if self.remembers is None:
            return True
        try:
            (self.remembers / str(number)).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Warmed:
    """Says whether it was warmed, and notes every worker that it was done by."""

    folder: Path

    def warm(self) -> None:
        os.environ["WARMED"] = "yes"

    def __call__(self, number: int) -> str:
        (self.folder / str(os.getpid())).touch()
        return os.environ.get("WARMED", "no")
