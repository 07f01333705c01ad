"""Bytes and text from disk, with every way that can fail turned into a message."""

from __future__ import annotations

import codecs
import functools
import stat
import sys
from itertools import islice
from pathlib import Path

from falsework.formats.basics.limits import MAX_MESH_BYTES, MAX_TEXT_BYTES, within
from falsework.model.errors import BadFile, nearest, shown

STANDARD_INPUT = Path("-")
LISTED = 2000  # names of a folder among which a misspelt one is looked for


def read_bytes(path: Path, limit: int = MAX_TEXT_BYTES) -> bytes:
    """All of a regular file that is no larger than `limit` bytes and not empty; `-` is standard input."""
    if path == STANDARD_INPUT:
        return _checked(path, _standard_input(), limit)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise BadFile(path, "", "is a directory, expected a file")
        if not stat.S_ISREG(status.st_mode):
            raise BadFile(path, "", "is a device or a pipe, expected a regular file")
        within(path, "", "bytes", status.st_size, limit)
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except (OSError, ValueError) as why:  # ValueError: a NUL in the path itself
        raise BadFile(path, "", _reason(path, why)) from why
    return _checked(path, data, limit)


def _checked(path: Path, data: bytes, limit: int) -> bytes:
    within(path, "", "bytes", len(data), limit)
    if not data.strip():
        raise BadFile(path, "", "is empty, expected an assembly")
    return data


@functools.cache
def _standard_input() -> bytes:
    """What comes by the pipe, which can be read but once although its readers come again."""
    return sys.stdin.buffer.read(MAX_MESH_BYTES + 1)


def read_text(path: Path) -> str:
    """A file's text, which must be UTF-8.

    >>> read_text(Path("examples/arch.yaml"))[:7]
    'format:'
    """
    return decoded(path, read_bytes(path))


def decoded(path: Path, data: bytes) -> str:
    """`data` as UTF-8 text; a byte order mark of UTF-8 is dropped."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BadFile(path, "", "is UTF-16 text, expected UTF-8; save it as UTF-8")
    if b"\0" in data:
        raise BadFile(path, f"byte {data.index(0)}", "found a NUL byte, expected UTF-8 text or a known mesh format")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as why:
        line = data.count(b"\n", 0, why.start) + 1
        raise BadFile(path, f"line {line}", f"found byte 0x{data[why.start]:02x}, which is not UTF-8 text") from why


def _reason(path: Path, why: OSError | ValueError) -> str:
    if isinstance(why, FileNotFoundError):
        meant = _nearby(path)
        return f"there is no such file{'' if meant is None else f'; did you mean {shown(str(meant))}?'}"
    if isinstance(why, PermissionError):
        return "may not be read: permission denied"
    return f"cannot be read: {getattr(why, 'strerror', None) or why}"


def _nearby(path: Path) -> Path | None:
    """A file or folder beside a place where there is none, whose name is nearly that."""
    try:
        names = [one.name for one in islice(path.parent.iterdir(), LISTED)]
    except (OSError, ValueError):
        return None
    same_stem = [name for name in names if Path(name).stem == path.stem]
    meant = same_stem[0] if len(same_stem) == 1 else nearest(path.name, sorted(names))
    return None if meant is None else path.parent / meant
