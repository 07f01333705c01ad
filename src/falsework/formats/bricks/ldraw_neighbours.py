"""Submodels that an LDraw file leaves to files beside it, or in folders below: `Wing.ldr`, `cab\\Door.ldr`, `own.dat`.

Names are compared as LDraw does, without case. Parts that are known anyhow are not looked for.
"""

from __future__ import annotations

from pathlib import Path

from falsework.formats.basics.lenient import decoded_leniently
from falsework.formats.basics.limits import MAX_TEXT_BYTES
from falsework.formats.bricks.ldraw_lookup import number_of
from falsework.formats.bricks.ldraw_models import ModelFile, parsed
from falsework.formats.bricks.ldraw_parts import known_parts
from falsework.formats.bricks.library.folder import Library
from falsework.model.errors import BadFile

ENDINGS = (".ldr", ".mpd", ".dat")
MOST_FILES = 1000
MOST_ENTRIES = 20_000  # of a folder that is searched


def add_neighbours(file: ModelFile, library: Library | None) -> None:
    """Models of the files beside this one that it, or one of them, asks for."""
    if not file.path.suffix or not file.path.is_file():
        return
    folders: dict[Path, dict[str, Path]] = {}
    waiting = [reference.file for model in file.models.values() for reference in model.references]
    looked_for = set(file.models)
    while waiting:
        name = waiting.pop()
        if name in looked_for or not name.endswith(ENDINGS) or len(file.models) > MOST_FILES:
            continue
        looked_for.add(name)
        if name.endswith(".dat") and (number_of(name) in known_parts() or _has(library, name)):
            continue
        there = _found(file.path.parent, name, folders)
        if there is None or there == file.path or there.stat().st_size > MAX_TEXT_BYTES:
            continue
        try:
            models = list(parsed(there, decoded_leniently(there.read_bytes())).models.items())
        except (BadFile, OSError):
            continue  # it stays unknown, and is listed
        file.models[name] = models[0][1]
        for other, model in models[1:]:
            file.models.setdefault(other, model)
        waiting += [reference.file for _, model in models for reference in model.references]


def _has(library: Library | None, name: str) -> bool:
    return library is not None and library.drawing(name) is not None


def _found(folder: Path, name: str, folders: dict[Path, dict[str, Path]]) -> Path | None:
    """The file of this name in a folder or below it, whatever its case; never outside."""
    at = folder
    for word in name.split("/"):
        if word in ("", ".", "..") or ":" in word:
            return None
        if at not in folders:
            folders[at] = _entries(at)
        there = folders[at].get(word)
        if there is None:
            return None
        at = there
    return at if at.is_file() else None


def _entries(folder: Path) -> dict[str, Path]:
    try:
        entries = sorted(folder.iterdir())[:MOST_ENTRIES]
    except (OSError, ValueError):
        return {}
    return {entry.name.lower(): entry for entry in entries}
