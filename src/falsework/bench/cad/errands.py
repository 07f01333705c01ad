"""Work that may take too long, in a process of its own that is ended when its time is up.

So a row that today's methods do not reach costs its patience and no more, and says so.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from falsework.kernels.keeping import VARIABLE

START_S = 60.0  # for the process to import what it needs


@dataclass(frozen=True, slots=True)
class Errand:
    """How it ended: what it told, or why there is nothing to tell."""

    told: dict[str, Any] | None
    why: str = ""


def sent(
    work: Callable[..., dict[str, Any]], *arguments: str | int | float, patience_s: float, known: str | None = None
) -> Errand:
    """Call a function of a module by its name, in another process, for so many seconds of its own.

    `known` is the folder of what was made before and need not be made again: a new one makes it a first time.
    """
    code = "import sys; from falsework.bench.cad.errands import answer; answer(*sys.argv[1:])"
    words = [work.__module__, work.__qualname__, json.dumps(arguments), str(patience_s)]
    command = [sys.executable, "-c", code, *words]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=20 * patience_s + START_S,
            check=False,
            env=os.environ | ({} if known is None else {VARIABLE: known}),
        )
    except subprocess.TimeoutExpired:
        return Errand(None, f"not done in {patience_s:g} s")
    if done.returncode == OVERDUE:
        return Errand(None, f"not done in {patience_s:g} s of computing")
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        return Errand(None, f"failed: {lines[-1][:200]}")
    return Errand(json.loads(done.stdout.splitlines()[-1]))


OVERDUE = 87


def answer(module: str, name: str, arguments: str, patience: str) -> None:
    """What the other process does: the work, under a limit on its CPU time; its answer is the last line it prints."""
    import resource
    import signal

    def overdue(*_: object) -> None:
        os._exit(OVERDUE)

    signal.signal(signal.SIGXCPU, overdue)
    work = getattr(importlib.import_module(module), name)
    spent = int(time.process_time())
    limit = spent + max(1, round(float(patience)))
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 30))
    told = work(*json.loads(arguments))
    sys.stdout.write(json.dumps(told) + "\n")
