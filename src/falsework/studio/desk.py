"""What a live page may look at: one file, or the models of one folder; read again when they change on disk."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from falsework.formats.loading import split_source
from falsework.formats.meshes.assemblies import is_mesh_folder
from falsework.model.assembly import Assembly
from falsework.model.errors import BadFile, FalseworkError, one_line
from falsework.model.plan import PLAN_FORMAT
from falsework.studio.live import LiveCheck, LiveModel, LivePlan

SUFFIXES = frozenset([".yaml", ".yml", ".json", ".txt", ".ldr", ".mpd", ".obj", ".stl", ".ply", ".glb"])
MOST_FILES = 500
SETTLED_S = 0.08  # a file that changed less than that ago may still be being written

Signature = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A model as it was read, and how often it has been."""

    model: LiveModel
    version: int
    signature: Signature
    trouble: str = ""  # why the file as it is now could not be read; the model is the one before


class Desk:
    """The models by name; `load` reads a source."""

    def __init__(self, source: str, load: Callable[[str], Assembly]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._sheets: dict[str, Sheet] = {}
        path, _ = split_source(source)
        if path.is_dir() and not is_mesh_folder(path):
            self._sources = _within(path)
            if not self._sources:
                endings = " ".join(sorted(SUFFIXES))
                raise BadFile(path, "", f"holds nothing to look at; expected files ending in {endings}")
        else:
            self._sources = {path.name or str(path): source}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._sources)

    def sheet(self, name: str) -> Sheet:
        """The model as its file is now; KeyError for a name that is not on the desk."""
        source = self._sources[name]
        with self._lock:
            known = self._sheets.get(name)
            now = signature(source)
            if known is not None and (now == known.signature or _is_fresh(now)):
                return known
            self._sheets[name] = sheet = self._read(name, source, now, known)
            return sheet

    def _read(self, name: str, source: str, now: Signature, known: Sheet | None) -> Sheet:
        try:
            return Sheet(self._model(name, source), 1 if known is None else known.version + 1, now)
        except FalseworkError as why:
            if known is None:
                raise
            return Sheet(known.model, known.version, now, one_line(why))

    def _model(self, name: str, source: str) -> LiveModel:
        if _is_plan(Path(source)):
            return LivePlan(source, name)
        return LiveCheck(self._load(source), name)


def signature(source: str) -> Signature:
    """Name, time and size of a file, or of everything in a folder; changes when they do."""
    path, _ = split_source(source)
    found = []
    try:
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            state = file.stat()
            found.append((file.name, state.st_mtime_ns, state.st_size))
    except OSError:
        return ()
    return tuple(found)


def _is_plan(path: Path) -> bool:
    """A plan file says so at its beginning."""
    try:
        with path.open("rb") as stream:
            return PLAN_FORMAT.encode() in stream.read(200)
    except OSError:
        return False


def _is_fresh(now: Signature) -> bool:
    return any(0 <= time.time() - changed / 1e9 < SETTLED_S for _, changed, _ in now)


def _within(folder: Path) -> dict[str, str]:
    """Models of a folder by name: files by ending, folders by holding meshes. Links that lead out do not count."""
    root = folder.resolve()
    found: dict[str, str] = {}
    for path in sorted(root.iterdir(), key=lambda one: one.name):
        inside = path.resolve().is_relative_to(root)
        if inside and os.access(path, os.R_OK) and (is_mesh_folder(path) if path.is_dir() else _by_ending(path)):
            found[path.name] = str(path)
        if len(found) == MOST_FILES:
            break
    return found


def _by_ending(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() in SUFFIXES and not path.name.startswith(".")
