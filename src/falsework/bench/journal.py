"""A file of what was measured, a line of JSON for each: a long measurement goes on where it was cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from falsework.formats.basics.atomic import write_whole
from falsework.model.errors import BadFile
from falsework.version import __version__


class Journal:
    """Entries that this version of the code has made; without a file none is kept.

    A line that was cut off as it was written, by whoever ended the run, counts as not written.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        text = file.read_text(encoding="utf-8") if file is not None and file.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        self.entries = [
            entry for n, line in enumerate(whole.splitlines(), 1) if (entry := self._read(n, line)) is not None
        ]
        if file is not None and whole != text:
            write_whole(file, whole)

    def add(self, **entry: Any) -> None:
        """Keep one more, at once."""
        told = {"version": __version__, **entry}
        self.entries.append(told)
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(told) + "\n")

    def _read(self, number: int, line: str) -> dict[str, Any] | None:
        try:
            entry = json.loads(line)
            return entry if entry["version"] == __version__ else None
        except (ValueError, TypeError, KeyError) as why:
            raise BadFile(self._file, f"line {number}", "expected an entry of an earlier run, as JSON") from why
