"""The folder of a batch: one run at a time, of one verb, and what earlier runs have done there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Set
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from falsework.batch.keys import Job, place_of
from falsework.batch.shards import ROWS, lines, mend, objects
from falsework.formats.basics.atomic import write_whole
from falsework.model.errors import BadFile
from falsework.version import __version__

FORMAT = "falsework-batch/1"
ABOUT, LOCK = "batch.json", ".lock"


@contextmanager
def opened_folder(folder: Path, verb: str, resume: bool) -> Iterator[None]:
    """The folder, ours alone; the lock is the system's and ends with this process, however that ends."""
    if folder.is_file():
        raise BadFile(folder, "", "is a file, expected a folder to write into, or none yet")
    about = folder / ABOUT
    if resume and not about.exists():
        raise BadFile(folder, "", "holds nothing to resume; leave --resume out to begin")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as why:
        raise BadFile(folder, "", f"cannot be written: {why.strerror}") from why
    try:
        _lock(descriptor, folder)
        _claim(about, verb)
        mend(folder)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # where the system has no such locks
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as why:
        owner = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
        told = f" (process {owner})" if owner.isdigit() else ""
        raise BadFile(folder, "", f"another batch is writing there{told}; wait for it, or name another folder") from why
    with suppress(OSError):  # a full disk need not keep anybody from reading what is done
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)


def _claim(about: Path, verb: str) -> None:
    """A folder holds the answers of one verb."""
    if not about.exists():
        write_whole(about, json.dumps({"format": FORMAT, "verb": verb, "version": __version__}) + "\n")
        return
    try:
        found = json.loads(about.read_bytes())
        theirs = found["verb"] if found["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError):
        theirs = None
    if theirs is None:
        raise BadFile(about, "", f"is not of the format {FORMAT}; name another folder")
    if theirs != verb:
        raise BadFile(about.parent, "", f"holds answers of {theirs}, not of {verb}; name another folder")


class Finished:
    """What earlier runs have done: of each job, the key of its last answer."""

    def __init__(self, folder: Path, retry: bool) -> None:
        """`retry`: what was given up counts as not done."""
        self._keys: dict[bytes, str] = {}
        for row in objects(folder, ROWS):
            self._keys[place_of(row["input"], row["options"])] = "" if retry and is_quarantined(row) else row["key"]

    def __contains__(self, job: Job) -> bool:
        """Whether a job is done; the answer to what its input held before does not count."""
        if not self._keys:
            return False
        known = self._keys.get(job.place())
        return known is not None and known == job.key()


def answers(folder: Path, places: Set[bytes]) -> Iterator[dict[str, Any]]:
    """The rows of these jobs: the last of each, where an input has changed or a job was tried again."""
    if sum(1 for _ in lines(folder, ROWS)) == len(places):
        yield from objects(folder, ROWS)
        return
    last = {place_of(row["input"], row["options"]): number for number, row in enumerate(objects(folder, ROWS))}
    for number, row in enumerate(objects(folder, ROWS)):
        place = place_of(row["input"], row["options"])
        if place in places and last[place] == number:
            yield row


def is_quarantined(row: dict[str, Any]) -> bool:
    """Whether a row says that its job was given up."""
    return bool("error" in row and row["error"]["kind"] == "quarantined")
