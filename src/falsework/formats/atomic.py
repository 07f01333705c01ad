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
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except OSError as why:
        raise BadFile(target, "", f"cannot be written: {why.strerror or why}") from why
    finally:
        with contextlib.suppress(OSError):  # where the folder cannot be, neither can the file
            temporary.unlink(missing_ok=True)
