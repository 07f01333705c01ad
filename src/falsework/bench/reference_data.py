"""Data of others that some rows measure on: in the folder that the setting names, and told where it is missing.

`falsework bench SUITE --data FOLDER`, or the environment variable `FALSEWORK_DATA`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

VARIABLE = "FALSEWORK_DATA"


@dataclass
class ReferenceData:
    """A folder, and what was asked of it in vain."""

    folder: Path | None = None
    missing: list[str] = field(default_factory=list)

    def find(self, place: str) -> Path | None:
        """The file or folder at a place in the data; None, and noted, where it is not there."""
        path = None if self.folder is None else self.folder / place
        if path is not None and path.exists():
            return path
        self.missing.append(place)
        return None

    def why_missing(self) -> str:
        if self.folder is None:
            return f"no reference data: name its folder with --data or {VARIABLE}"
        return f"not in {self.folder}"


def set_folder(folder: Path | None) -> None:
    """What the caller names, else what the environment does."""
    named = os.environ.get(VARIABLE)
    DATA.folder = folder if folder is not None else Path(named) if named else None
    DATA.missing.clear()


DATA = ReferenceData()
