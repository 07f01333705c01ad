"""What a long run has found, kept line by line, so that it can be stopped, looked at and taken up again at any time."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")

EVERY = 30.0  # seconds between signs of life
INTERRUPTED = 130  # the exit code of what was stopped from the keyboard


class OtherSeed(Exception):
    """The folder holds cases of another seed."""


class Kept:
    """A folder with a file of lines for each kind, all of one seed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        note = folder / "seed"
        if not note.exists():
            note.write_text(f"{seed}\n", encoding="utf-8")
        if note.read_text(encoding="utf-8").strip() != str(seed):
            raise OtherSeed(f"{folder} holds cases of seed {note.read_text(encoding='utf-8').strip()}, not of {seed}")

    def rows(self, kind: str) -> list[dict[str, Any]]:
        """What is known; half a line, where a run was cut off, is forgotten."""
        file = self._file(kind)
        if not file.exists():
            return []
        text = file.read_text(encoding="utf-8")
        if not text.endswith("\n"):
            text = text[: text.rfind("\n") + 1]
            file.write_text(text, encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def add(self, kind: str, lines: Iterable[str]) -> None:
        """Lines of JSON, on the disk when this returns."""
        with self._file(kind).open("a", encoding="utf-8") as stream:
            stream.write("".join(f"{line}\n" for line in lines))

    def missing(self, kind: str, count: int) -> list[int]:
        """Numbers below a count of which nothing is known."""
        known = {row["number"] for row in self.rows(kind)}
        return [number for number in range(count) if number not in known]

    def _file(self, kind: str) -> Path:
        return self.folder / f"{kind}.jsonl"


def spread(work: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[Result]:
    """Results of tasks as they come, from several processes."""
    if jobs == 1:
        for task in tasks:
            yield work(*task)
        return
    with ProcessPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, *task) for task in tasks]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def told(steps: Iterator[str], every: float = EVERY) -> bool:
    """Goes through the steps of a run and says now and then how far it is; False if it was stopped."""
    start = last = time.perf_counter()
    try:
        for step in steps:
            now = time.perf_counter()
            if now - last >= every:
                sys.stdout.write(f"{step}, {now - start:.0f} s\n")
                sys.stdout.flush()
                last = now
    except KeyboardInterrupt:
        sys.stdout.write("stopped; the same command goes on from here\n")
        return False
    return True
