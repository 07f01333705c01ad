"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import uuid
from pathlib import Path

from falsework.model.errors import BadFile


def write_whole(path: str | Path, content: bytes | str) -> None:
    """Write beside the target, then rename: a reader sees the old file or the new one, never half of one."""
    target = Path(path)
    data = content.encode() if isinstance(content, str) else content
    temporary = beside(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except (OSError, ValueError) as why:  # ValueError: a NUL in the path itself
        raise BadFile(target, "", f"cannot be written: {getattr(why, 'strerror', None) or why}") from why
    finally:
        with contextlib.suppress(OSError, ValueError):  # where the folder cannot be, neither can the file
            temporary.unlink(missing_ok=True)


def beside(target: Path) -> Path:
    """A new name in the same folder, for what is not whole yet."""
    if not target.name:
        raise BadFile(target, "", "cannot be written: it names no file")
    return target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.part")
