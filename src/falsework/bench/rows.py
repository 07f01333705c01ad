"""What a benchmark prints: our time, that of a named reference in the same run, and the ratio."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement; times in milliseconds, `reference` None where there is nobody to compare with.

    >>> Row("an arch", ours=2.0, reference=10.0).ratio
    5.0
    """

    case: str
    ours: float
    reference: float | None = None
    against: str = ""
    notes: dict[str, Any] = field(default_factory=dict)
    target: str = ""  # what was asked for, in words
    figure: str = ""  # what came out, in the same words; without it, the time

    @property
    def ratio(self) -> float | None:
        """How many times faster than the reference."""
        return None if self.reference is None else self.reference / self.ours

    def as_dict(self) -> dict[str, Any]:
        values = {"ours": self.ours, "reference": self.reference, "ratio": self.ratio}
        aim = {"figure": self.figure or f"{self.ours / 1e3:.2f} s", "target": self.target} if self.target else {}
        return {"case": self.case, **values, "against": self.against, **aim, **self.notes}


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was not measured, and why."""

    case: str
    why: str

    def as_dict(self) -> dict[str, Any]:
        return {"case": self.case, "ours": None, "reference": None, "ratio": None, "skipped": self.why}


def best_ms(work: Callable[[], object], repeats: int = 3) -> float:
    """The quickest of several runs, in milliseconds: what the work costs when the machine is not busy elsewhere."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def resident_mb() -> float:
    """Memory of this process now; from the kernel's own page count."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def peak_mb() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
