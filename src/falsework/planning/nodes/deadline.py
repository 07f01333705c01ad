"""When planning has to end: whatever takes long looks at the clock at every checkpoint, from the first contact on."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Literal

from falsework.model.checkpoints import stoppable


class Stopped(Exception):
    """The work ran into a limit."""

    def __init__(self, limit: Literal["budget", "timeout"]) -> None:
        self.limit = limit
        super().__init__(limit)


class Deadline:
    """So many seconds from the start; without a number, only a clock that tells how long it has taken."""

    def __init__(
        self,
        timeout_s: float | None = None,
        started_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`started_s`: when the work began, by the clock, if that was before now."""
        self._timeout_s, self._clock = timeout_s, clock
        self._started_s = clock() if started_s is None else started_s

    @property
    def elapsed_s(self) -> float:
        return self._clock() - self._started_s

    @property
    def is_set(self) -> bool:
        """Whether there is one."""
        return self._timeout_s is not None

    @property
    def is_past(self) -> bool:
        """Whether the time is up: what makes a plan better, but does not have to be, is then left undone."""
        return self._timeout_s is not None and self.elapsed_s >= self._timeout_s

    def mind(self) -> None:
        """Stop if there is no time left."""
        if self.is_past:
            raise Stopped("timeout")

    def kept(self) -> AbstractContextManager[None]:
        """Inside, work stops at the first checkpoint after the time is up."""
        return nullcontext() if self._timeout_s is None else stoppable(self.mind)
