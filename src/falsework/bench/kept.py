"""What a bench measured, kept as lines of JSON in a file: a run of hours can be interrupted and goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from falsework.formats.basics.atomic import write_whole
from falsework.formats.basics.text import decoded
from falsework.model.errors import BadFile
from falsework.version import __version__


class Kept:
    """Entries of an earlier run of this version, and those of now, which are added to the file; without one, none.

    A line that was cut off as it was written, by whoever ended the run, counts as not written.

    >>> kept = Kept()
    >>> kept.add({"seed": 3})
    >>> kept.before
    []
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        text = "" if file is None else _opened(file)
        whole = text[: text.rfind("\n") + 1]
        found = [self._entry(number, line) for number, line in enumerate(whole.splitlines(), 1)]
        self.before: list[dict[str, Any]] = [one for one in found if one.pop("version") == __version__]
        if file is not None and whole != text:
            write_whole(file, whole)

    def add(self, entry: dict[str, Any]) -> None:
        """Written at once: who is killed loses what was not finished, no more."""
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"version": __version__, **entry}, ensure_ascii=False) + "\n")

    def _entry(self, number: int, line: str) -> dict[str, Any]:
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if not isinstance(entry, dict) or "version" not in entry:
            raise BadFile(self._file, f"line {number}", "expected an entry of an earlier run, as JSON")
        return entry


def _opened(file: Path) -> str:
    """What is in it, nothing of one that was not there: who cannot write to it hears so before hours of work."""
    try:
        with file.open("a", encoding="utf-8"):
            pass
    except OSError as why:
        raise BadFile(file, "", f"cannot be written: {why.strerror or why}") from why
    return decoded(file, file.read_bytes())
