"""The published block models that plans are measured on, where they are at hand."""

from __future__ import annotations

from pathlib import Path

from falsework.formats import load
from falsework.model.assembly import Assembly

REFERENCE_DATA = Path("../shared/data/blocks")
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
    return tuple(name for name, (folder, _) in FOLDERS.items() if (REFERENCE_DATA / folder).is_dir())


def published(name: str) -> Assembly:
    folder, fixed = FOLDERS[name]
    return load(REFERENCE_DATA / folder, fixed=fixed.split(","))
