"""Answers on disk: lines of JSON, appended to files that are never changed afterwards.

A run begins files of its own. What a crash cut off is the end of a file's last line, which readers leave out and the
next run removes; the job that it was about is done again.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from falsework.model.errors import BadFile

FOLDER = "shards"
ROWS, TIMINGS = "rows", "timings"
MOST_BYTES = 128 * 2**20  # of one file
SYNC_S = 2.0  # seconds after which what was written is on disk for certain, not only with the system


class Appender:
    """Whole lines at the end of a run's own files."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._folder, self._stem = folder / FOLDER, stem
        self._number = max((_number(path) for path in shards(folder, stem)), default=0)
        self._descriptor: int | None = None
        self._path = self._folder
        self._size, self._synced_s = 0, time.monotonic()

    def append(self, line: bytes) -> None:
        """A line, whole or not at all; where there is no room for it, BadFile."""
        try:
            if self._descriptor is None or self._size > MOST_BYTES:
                self._begin()
            assert self._descriptor is not None
            left = memoryview(line + b"\n")
            while left:
                left = left[os.write(self._descriptor, left) :]
            self._size += len(line) + 1
            if time.monotonic() - self._synced_s > SYNC_S:
                os.fsync(self._descriptor)
                self._synced_s = time.monotonic()
        except OSError as why:
            self._cut()
            raise BadFile(self._path, "", f"cannot be written: {why.strerror}; what was done is kept") from why

    def close(self) -> None:
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        try:
            os.fsync(descriptor)
        except OSError as why:
            raise BadFile(self._path, "", f"cannot be written: {why.strerror}") from why
        finally:
            os.close(descriptor)

    def _begin(self) -> None:
        self.close()
        self._number += 1
        self._path = self._folder / f"{self._stem}-{self._number:05}.jsonl"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        self._size = 0

    def _cut(self) -> None:
        """Without the line that did not fit."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, self._size)


def shards(folder: Path, stem: str) -> list[Path]:
    """The files of a kind, oldest first."""
    return sorted((folder / FOLDER).glob(f"{stem}-*.jsonl"), key=_number)


def _number(path: Path) -> int:
    found = re.fullmatch(r"\w+-(\d+)\.jsonl", path.name)
    return int(found[1]) if found else 0


def lines(folder: Path, stem: str) -> Iterator[bytes]:
    """Every whole line, without its end, in the order in which they were written."""
    for path in shards(folder, stem):
        try:
            with path.open("rb") as stream:
                yield from (line[:-1] for line in stream if line.endswith(b"\n"))
        except OSError as why:
            raise BadFile(path, "", f"cannot be read: {why.strerror}") from why


def objects(folder: Path, stem: str) -> Iterator[dict[str, Any]]:
    """The same, parsed."""
    for number, line in enumerate(lines(folder, stem), start=1):
        try:
            value = json.loads(line)
        except ValueError as why:
            raise BadFile(folder / FOLDER, f"line {number} of {stem}", "is not JSON; somebody has changed it") from why
        yield value


def mend(folder: Path) -> None:
    """Remove what a crash left of a last line."""
    for stem in (ROWS, TIMINGS):
        for path in shards(folder, stem):
            _mend(path)


def _mend(path: Path) -> None:
    size = path.stat().st_size
    with path.open("rb+") as stream:
        end = size
        while end > 0:
            start = max(end - 2**16, 0)
            stream.seek(start)
            block = stream.read(end - start)
            if (found := block.rfind(b"\n")) >= 0:
                end = start + found + 1
                break
            end = start
        if end < size:
            stream.truncate(end)
