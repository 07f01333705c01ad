"""Paths where no file is, or not one that may be read."""

from __future__ import annotations

import os
from pathlib import Path

TEXT_LIMIT = 64 * 2**20


def made(folder: Path) -> list[tuple[str, Path]]:
    """Odd things in the file system, made below `folder`."""
    home = folder / "places"
    home.mkdir(parents=True)
    (home / "directory.yaml").mkdir()
    (home / "dangling.yaml").symlink_to(home / "nowhere.yaml")
    (home / "circle.yaml").symlink_to(home / "circle.yaml")
    with (home / "huge.yaml").open("wb") as stream:
        stream.truncate(TEXT_LIMIT + 1)  # takes no room on disk
    with (home / "enormous.yaml").open("wb") as stream:
        stream.truncate(2**40)
    os.mkfifo(home / "pipe.yaml")
    (home / "stray").mkdir()
    (home / "stray" / "readme.txt").write_text("no meshes here\n")
    single = home / "single.txt"
    single.write_text("2x4 (0,0,0)\n")
    return [
        ("directory instead of a file", home / "directory.yaml"),
        ("no such file", home / "missing.yaml"),
        ("no such folder", home / "missing" / "deeper.yaml"),
        ("file used as a folder", single / "inside.yaml"),
        ("link to nowhere", home / "dangling.yaml"),
        ("link to itself", home / "circle.yaml"),
        ("more bytes than text may have", home / "huge.yaml"),
        ("more bytes than anything may have", home / "enormous.yaml"),
        ("named pipe", home / "pipe.yaml"),
        ("folder without meshes", home / "stray"),
        ("key of a file with one structure", home / "single.txt#first"),
        ("file name too long", home / ("a" * 300)),
        ("nul in the path", Path(f"{home}/a\0b")),
    ]
