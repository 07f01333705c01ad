"""Works for errands: one that is done, one that never is, one that fails."""

from __future__ import annotations

import time
from typing import Any


def doubled(number: int) -> dict[str, Any]:
    return {"twice": 2 * number}


def for_ever() -> dict[str, Any]:
    while True:
        time.process_time()


def broken() -> dict[str, Any]:
    raise ValueError("a spanner in the works")
