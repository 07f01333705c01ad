"""The published block models that plans are measured on, where they are at hand."""

from __future__ import annotations

from pathlib import Path

from falsework.bench.reference_data import DATA
from falsework.formats import load
from falsework.model.assembly import Assembly

FOLDERS = {  # folder and fixed parts
    "Bottle-12": ("tetris-1", "0"),
    "Tetris-17": ("tetris-2", "0"),
    "Tetris-14": ("tetris-3", "0"),
    "Arch-7": ("arch", "0,8"),
    "Dome-37": ("rulin", "0"),
    "Dome-72": ("dome", "72"),
}


def at_hand() -> tuple[str, ...]:
    """The names of the models that are there."""
    return tuple(name for name in FOLDERS if folder_of(name) is not None)


def folder_of(name: str) -> Path | None:
    return DATA.find(f"blocks/{FOLDERS[name][0]}")


def published(name: str) -> Assembly:
    folder = folder_of(name)
    assert folder is not None, "ask at_hand() first"
    return load(folder, fixed=FOLDERS[name][1].split(","))
