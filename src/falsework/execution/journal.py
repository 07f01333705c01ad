"""The log of a build: one line of JSON for everything that happened, in simulated time, the same for the same seed.

A line is written whole and at once, so that whoever is killed leaves lines, never pieces of one. Wall times do not
belong in here: they differ from run to run, and the log does not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from falsework.formats.basics.atomic import write_whole
from falsework.model.errors import BadInput, shown

FORMAT = "falsework-build-log/1"
DIGITS = 9  # to which lengths, angles and forces are written: far below what matters, above what rounding moves


class Journal:
    """Lines of a log, in memory and, where there is a file, on disk.

    >>> journal = Journal()
    >>> journal.tell(0.5, "state", state="GRASP", brick="3")
    >>> journal.lines[-1]["state"]
    'GRASP'
    """

    def __init__(self, path: Path | None = None, lines: list[dict[str, Any]] | None = None) -> None:
        """`lines`: those of a build that goes on."""
        self.path = path
        self.lines: list[dict[str, Any]] = list(lines or ())
        self.listeners: list[Callable[[dict[str, Any]], None]] = []  # are told every line, once it is written
        if path is not None:
            write_whole(path, "".join(_written(line) for line in self.lines).encode())

    def tell(self, time_s: float, event: str, **more: Any) -> None:
        """One thing that happened."""
        line = {"t": plain(time_s), "event": event, **{name: plain(value) for name, value in more.items()}}
        self.lines.append(line)
        if self.path is not None:
            text = _written(line)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                os.write(descriptor, text.encode())  # one call: a line is there or it is not
            finally:
                os.close(descriptor)
        for listener in self.listeners:
            listener(line)

    def of(self, event: str) -> Iterator[dict[str, Any]]:
        """All lines of one kind."""
        return (line for line in self.lines if line["event"] == event)


def _written(line: dict[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"


def plain(value: Any) -> Any:
    """As JSON has it: numbers to so many digits, arrays as lists."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, float | np.floating):
        return float(f"{float(value):.{DIGITS}g}") if np.isfinite(value) else None
    if isinstance(value, np.integer | np.bool_):
        return value.item()
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in (sorted(value) if isinstance(value, set | frozenset) else value)]
    return value


@dataclass(frozen=True, slots=True)
class ReadJournal:
    """A log from disk: its lines, and where the last whole one ends."""

    lines: list[dict[str, Any]]
    size: int


def read_journal(path: Path) -> ReadJournal:
    """The whole lines of a log; a last one that was cut off by a crash of the machine is left out."""
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    lines = []
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            lines.append(json.loads(line))
        except ValueError:
            raise BadInput(
                f"{shown(str(path))}, line {number}: expected a line of JSON, as {FORMAT} has them"
            ) from None
    return ReadJournal(lines, len(whole))
