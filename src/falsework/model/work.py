"""What pools of workers are told and what they tell: how long a job may take, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from falsework.model.errors import BadInput, shown

LEAST_MEMORY = 16 * 2**20  # bytes: with less a worker cannot even begin


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one job may take; what takes more costs its worker, and is tried again on a fresh one.

    >>> Limits(timeout_s=10.0).tries
    2
    """

    timeout_s: float | None = None  # wall time; None: as long as it takes
    memory_bytes: int | None = None  # beyond what a worker has before it begins; None: what the machine has
    tries: int = 2  # of a job whose worker died of it

    def __post_init__(self) -> None:
        if self.timeout_s is not None and not 0 < self.timeout_s < 1e9:  # rejects NaN too
            raise BadInput(f"timeout_s: found {shown(self.timeout_s)}, expected a number above 0")
        if self.memory_bytes is not None and not self.memory_bytes >= LEAST_MEMORY:
            found, least = shown(self.memory_bytes), LEAST_MEMORY // 2**20
            raise BadInput(f"memory_bytes: found {found}, expected at least {least} MB")
        if self.tries < 1:
            raise BadInput(f"tries: found {shown(self.tries)}, expected 1 or more")


UNLIMITED = Limits()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one job.

    >>> Outcome(3, "an answer").lost
    ''
    """

    number: int  # of the task, in the order in which tasks were given
    value: Any = None  # what the work returned
    lost: str = ""  # why there is no value: what the worker died of, or what the work raised
    tries: int = 1  # how many workers had it
    took_s: float = 0.0  # wall time of the last try
    cpu_s: float = 0.0  # … and processor time
    worker: str = ""  # who did it: host and process
