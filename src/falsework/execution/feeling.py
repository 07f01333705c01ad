"""What the tool of a simulated arm feels on its way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from falsework.engine.arm_drive import ArmDrive


class Feeling:
    """Called again and again: the greatest force that acted on the tool from outside; at more than one it `stops`."""

    def __init__(self, drive: ArmDrive, stop_n: float, stops: Callable[[], object]) -> None:
        self._drive, self._stop_n, self._stops = drive, stop_n, stops
        self.most_n = 0.0

    def __call__(self) -> None:
        forces = self._drive.felt()[1]
        before, self.most_n = self.most_n, max(self.most_n, float(np.linalg.norm(forces.sum(axis=0))))
        if before <= self._stop_n < self.most_n:
            self._stops()


@contextmanager
def called(what: Callable[[], object], among: list[Callable[[], object]]) -> Iterator[None]:
    """While something lasts, one more that is called."""
    among.append(what)
    try:
        yield
    finally:
        among.remove(what)
