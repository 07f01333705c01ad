"""Meshes and CAD files that were read before are not read again: what they hold is kept (`kernels/keeping.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from falsework.formats.basics.content import Content
from falsework.formats.basics.limits import MAX_MESH_BYTES
from falsework.formats.basics.text import read_bytes
from falsework.formats.meshes.assemblies import CONFIG, folder_files
from falsework.kernels.keeping import folder, kept


def kept_content(path: Path, form: str, scale: float, read: Callable[[], Content]) -> Content:
    """What a mesh, a folder of them or a CAD file holds, read now, or before from the same bytes and names."""
    if folder() is None:
        return read()
    return kept("assembly", _bytes(path, form, scale), read)


def _bytes(path: Path, form: str, scale: float) -> Iterator[bytes]:
    """Everything that reading depends on."""
    yield f"{form} {scale!r} {path.stem}".encode("utf-8", "surrogateescape")
    if not path.is_dir():
        yield read_bytes(path, MAX_MESH_BYTES)
        return
    config = path / CONFIG
    for file in [*folder_files(path), *([config] if config.is_file() else [])]:
        yield file.name.encode("utf-8", "surrogateescape")
        yield read_bytes(file, MAX_MESH_BYTES)
