"""Names of temporary folders: they say for which process they are, so that whoever ends it can remove them."""

from __future__ import annotations

import os


def scratch_prefix(process: int | None = None) -> str:
    """Of folders that a process makes in the system's place for them; of this one, unless told."""
    return f"falsework-{os.getpid() if process is None else process}-"
