"""Where a frame's time went."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class FrameTime:
    """Where one frame's wall time went, ms."""

    physics: float = 0.0
    mechanics: float = 0.0
    topology: float = 0.0

    @property
    def total(self) -> float:
        return self.physics + self.mechanics + self.topology

    @contextmanager
    def spent_on(self, what: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        setattr(self, what, getattr(self, what) + 1e3 * (time.perf_counter() - start))
