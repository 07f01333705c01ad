"""What was made with effort from large files is kept on disk, and found again by what it was made from.

An entry's name is the hash of the content it was made from, of the sources of this package and of the versions of the
libraries that made it: after any edit it is simply not found. Entries that were not used for longest make room for new
ones. Where nothing can be written, nothing is kept; an entry that is damaged is made anew.

`FALSEWORK_CACHE` is the folder, or `off`; else it is `falsework` in `XDG_CACHE_HOME`, else `~/.cache/falsework`.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import logging
import os
import pickle
import time
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

VARIABLE = "FALSEWORK_CACHE"
OFF = "off"
MOST_BYTES = 2**30  # of all entries together
WORTH_S = 0.1  # of processor time: what is made sooner is not kept
ENDING = ".kept"
ROOMS = ("model", "kernels", "geometry", "formats")  # whose sources entries depend on
LIBRARIES = ("numpy", "scipy", "shapely", "manifold3d", "trimesh", "cascadio")

Made = TypeVar("Made")
_log = logging.getLogger(__name__)


def folder() -> Path | None:
    """Where entries lie; None where nothing is to be kept."""
    asked = os.environ.get(VARIABLE)
    if asked is not None:
        return None if asked.strip().lower() in ("", OFF) else Path(asked)
    home = os.environ.get("XDG_CACHE_HOME") or (Path.home() / ".cache" if os.environ.get("HOME") else None)
    return None if home is None else Path(home) / "falsework"


def kept(what: str, content: Iterable[bytes], make: Callable[[], Made]) -> Made:
    """What `make` makes of the content, made now or earlier. It must depend on nothing else, and be fit to pickle."""
    place = folder()
    if place is None:
        return make()
    total = sha256(f"{what}\0{_makers()}\0".encode())
    for piece in content:
        total.update(len(piece).to_bytes(8, "little"))
        total.update(piece)
    entry = place / f"{what.replace(' ', '-')}-{total.hexdigest()[:40]}{ENDING}"
    known = _read(entry)
    if known is not None:
        return known[0]  # type: ignore[return-value]
    begun = time.process_time()
    made = make()
    if time.process_time() - begun > WORTH_S:
        _write(entry, made)
    return made


@cache
def _makers() -> str:
    """The sources of this package and the versions of the libraries, as a hash."""
    house = Path(__file__).parents[1]
    total = sha256()
    for room in ROOMS:
        for source in sorted((house / room).rglob("*.py")):
            status = source.stat()
            total.update(f"{source.relative_to(house)} {status.st_size} {status.st_mtime_ns}\n".encode())
    for library in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            total.update(f"{library} {importlib.metadata.version(library)}\n".encode())
    return total.hexdigest()


def _read(entry: Path) -> tuple[object] | None:
    """What an entry holds, in a tuple; None where there is none, or none of ours, or it is damaged."""
    try:
        if hasattr(os, "getuid") and entry.stat().st_uid != os.getuid():
            return None  # a pickle is read from nobody else
        data = entry.read_bytes()
        if zlib.crc32(data[4:]) != int.from_bytes(data[:4], "little"):
            return None
        found = pickle.loads(data[4:])
        os.utime(entry)  # used just now
    except (OSError, ValueError, EOFError, pickle.UnpicklingError, AttributeError, ImportError, IndexError, TypeError):
        return None
    return (found,)


def _write(entry: Path, made: object) -> None:
    """Keep an entry; it appears whole or not at all."""
    try:
        data = pickle.dumps(made, protocol=5)
        if len(data) > MOST_BYTES // 4:
            return
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = entry.with_suffix(f".{os.getpid()}.part")
        part.write_bytes(zlib.crc32(data).to_bytes(4, "little") + data)
        part.replace(entry)
        _make_room(entry.parent)
    except OSError as why:
        _log.debug("nothing is kept in %s: %s", entry.parent, why)


def _make_room(place: Path) -> None:
    """Remove entries that were not used for longest until the others are no more than allowed."""
    entries = []
    for entry in place.iterdir():
        with contextlib.suppress(OSError):  # another process may have removed it
            status = entry.stat()
            entries.append((status.st_mtime_ns, status.st_size, entry))
    total = sum(size for _, size, _ in entries)
    for _, size, entry in sorted(entries):
        if total <= MOST_BYTES:
            break
        with contextlib.suppress(OSError):
            entry.unlink()
        total -= size
