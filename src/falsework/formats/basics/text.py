"""Bytes and text from disk, with every way that can fail turned into a message."""

from __future__ import annotations

import codecs
import stat
from pathlib import Path

from falsework.formats.basics.limits import MAX_TEXT_BYTES, within
from falsework.model.errors import BadFile


def read_bytes(path: Path, limit: int = MAX_TEXT_BYTES) -> bytes:
    """All of a regular file that is no larger than `limit` bytes and not empty."""
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
        raise BadFile(path, "", _reason(why)) from why
    within(path, "", "bytes", len(data), limit)
    if not data.strip():
        raise BadFile(path, "", "is empty, expected an assembly")
    return data


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


def _reason(why: OSError | ValueError) -> str:
    if isinstance(why, FileNotFoundError):
        return "there is no such file"
    if isinstance(why, PermissionError):
        return "may not be read: permission denied"
    return f"cannot be read: {getattr(why, 'strerror', None) or why}"
