"""What a bench measured, kept as lines of JSON in a file: a run of hours can be interrupted and goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from falsework.version import __version__


class Kept:
    """Entries of an earlier run of this version, and those of now, which are added to the file; without one, none.

    >>> kept = Kept(None)
    >>> kept.add({"seed": 3})
    >>> kept.before
    []
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        text = file.read_text(encoding="utf-8") if file is not None and file.exists() else ""
        self._is_cut = bool(text) and not text.endswith("\n")
        found = [_entry(line) for line in text.splitlines()]
        self.before: list[dict[str, Any]] = [one for one in found if one.pop("version", None) == __version__]

    def add(self, entry: dict[str, Any]) -> None:
        """Written at once: who is killed loses what was not finished, no more."""
        if self._file is None:
            return
        with self._file.open("a", encoding="utf-8") as stream:
            if self._is_cut:
                stream.write("\n")
            stream.write(json.dumps({"version": __version__, **entry}, ensure_ascii=False) + "\n")
        self._is_cut = False


def _entry(line: str) -> dict[str, Any]:
    """Of a line; nothing of one that was cut off."""
    try:
        entry = json.loads(line)
    except json.JSONDecodeError:
        return {}
    return entry if isinstance(entry, dict) else {}
