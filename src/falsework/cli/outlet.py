"""Where a verb prints: a reader who goes away, as `head` does, loses text but never the exit code."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO


class Outlet:
    """A text stream that is silent once nobody reads it, and prints what a terminal cannot show as a question mark."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._silence()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._silence()

    def _silence(self) -> None:
        """What is still in the stream's buffer goes nowhere, too."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def open_outlets() -> None:
    """Standard output and error, once a process."""
    if not isinstance(sys.stdout, Outlet):
        sys.stdout = Outlet(sys.stdout)
    if hasattr(sys.stderr, "reconfigure"):
        sys.stderr.reconfigure(errors="replace")
