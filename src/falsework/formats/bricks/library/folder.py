"""An LDraw parts library on disk: a folder, or a zip of one, as ldraw.org gives them out.

Parts are in `parts`, their pieces in `parts/s`, primitives in `p`, finer and coarser ones in `p/48` and `p/8`; parts
that are not official yet in a folder `unofficial` of the same kind. Names do not mind case.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath

from falsework.formats.bricks.library.lines import Drawing, drawing, plain
from falsework.model.errors import BadFile

VARIABLE = "LDRAWDIR"
PLACES = ("parts/", "p/", "unofficial/parts/", "unofficial/p/")
MAX_BYTES = 16 * 2**20  # of one part
MOST_FILES = 500_000


class Library:
    """Files by the names that references use."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._drawings: dict[str, Drawing | None] = {}

    def drawing(self, name: str) -> Drawing | None:
        """What the file of this name draws, None where there is no such file."""
        if name not in self._drawings:
            found = next((place for place in (place + name for place in PLACES) if place in self._files), None)
            self._drawings[name] = None if found is None else drawing(self._text(found))
        return self._drawings[name]

    def has_part(self, name: str) -> bool:
        """Whether a part, not a primitive, has this name."""
        return any(place + name in self._files for place in PLACES if place.endswith("parts/"))

    def is_primitive(self, name: str) -> bool:
        return not self.has_part(name) and any(place + name in self._files for place in PLACES if place.endswith("p/"))

    def _text(self, place: str) -> str:
        return self._read(self._files[place])[:MAX_BYTES].decode("utf-8", errors="replace")

    @cached_property
    def _files(self) -> dict[str, str]:
        """Where each file is, by its path below the library's root in lower case."""
        listed = self._listed()
        found: dict[str, str] = {}
        for path in listed:
            below = plain(path)
            for place in PLACES:
                at = 0 if below.startswith(place) else below.find(f"/{place}") + 1
                if below.startswith(place) or at > 0:
                    found.setdefault(below[at:], path)
        if not any(path.startswith("parts/") for path in found):
            raise BadFile(self.root, "", "is no LDraw parts library, expected a folder or zip with parts/ and p/ in it")
        return found

    def _listed(self) -> Iterable[str]:
        if self._zip is not None:
            return self._zip.namelist()[:MOST_FILES]
        below = []
        for place in ("parts", "parts/s", "p", "p/48", "p/8"):
            for head in ("", "unofficial/", "ldraw/", "ldraw/unofficial/"):
                folder = self._folder(f"{head}{place}")
                below += [] if folder is None else [f"{folder}/{name}" for name in _names(self.root / folder)]
        return below

    def _folder(self, name: str) -> str | None:
        """A folder below the root, whatever the case of its name."""
        at = PurePosixPath()
        for word in name.split("/"):
            same = next((entry for entry in _names(self.root / at) if entry.lower() == word), None)
            if same is None or not (self.root / at / same).is_dir():
                return None
            at = at / same
        return str(at)

    @cached_property
    def _zip(self) -> zipfile.ZipFile | None:
        if self.root.is_dir():
            return None
        try:
            return zipfile.ZipFile(self.root)
        except (OSError, ValueError, zipfile.BadZipFile) as why:
            there = "there is no such folder or zip" if not self.root.exists() else "is neither a folder nor a zip"
            raise BadFile(self.root, "", f"{there}; expected an LDraw parts library") from why

    @cached_property
    def _read(self) -> Callable[[str], bytes]:
        opened = self._zip
        if opened is not None:
            return lambda path: opened.read(path)
        return lambda path: (self.root / path).read_bytes()


def _names(folder: Path) -> list[str]:
    """What is in a folder; nothing where there is none."""
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except (OSError, ValueError):
        return []


def library_at(place: str | os.PathLike[str] | None) -> Library | None:
    """The library at a path, else the one that the variable LDRAWDIR names, else none."""
    chosen = place if place is not None else os.environ.get(VARIABLE) or None
    return None if chosen is None else _opened(os.fspath(chosen))


@lru_cache(maxsize=4)
def _opened(place: str) -> Library:
    return Library(Path(place))
