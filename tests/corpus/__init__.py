"""Bad files of every kind we could think of. Each must be refused with one line that names the file.

`bad_files` are refused by `load`; `bad_geometry` load, and are refused when contacts and clutches are looked for.
"""

from __future__ import annotations

from pathlib import Path

from tests.corpus import bricks, documents, ldraw, meshes, native, places

__all__ = ["bad_files", "bad_geometry"]


def bad_files(folder: Path) -> list[tuple[str, Path]]:
    """(kind, path) of files written below `folder`, none of which is an assembly."""
    texts = {**documents.TEXTS, **native.TEXTS, **bricks.TEXTS, **ldraw.TEXTS}
    written = [(kind, _written(folder, kind, name, text)) for kind, (name, text) in texts.items()]
    binaries = {**documents.BINARIES, **meshes.BINARIES}
    written += [(kind, _written(folder, kind, name, data)) for kind, (name, data) in binaries.items()]
    return written + places.made(folder) + meshes.made(folder)


def bad_geometry(folder: Path) -> list[tuple[str, Path]]:
    """(kind, path) of files that are well formed but whose parts share space."""
    return [(kind, _written(folder, kind, name, text)) for kind, (name, text) in bricks.OVERLAPS.items()]


def _written(folder: Path, kind: str, name: str, content: str | bytes) -> Path:
    home = folder / kind.replace(" ", "_")
    home.mkdir(parents=True)
    path = home / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
