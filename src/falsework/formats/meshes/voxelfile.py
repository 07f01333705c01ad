"""Cells of a grid, as NumPy writes them: an .npy file with x, y and z up, anything but 0 is full."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from falsework.formats.basics.limits import MAX_MESH_BYTES, MAX_VOXELS, within
from falsework.formats.basics.text import read_bytes
from falsework.model.arrays import Bools
from falsework.model.errors import BadFile

MAGIC = b"\x93NUMPY"


def is_voxel_file(path: Path) -> bool:
    """Whether a file starts as NumPy's do; one that cannot be read is none."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def read_voxels(path: Path) -> Bools:
    """(nx, ny, nz) which cells are full.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/cube.npy", np.ones((2, 2, 2), dtype=bool))
    ...     read_voxels(Path(folder) / "cube.npy").sum()
    np.int64(8)
    """
    data = read_bytes(path, MAX_MESH_BYTES)
    if not data.startswith(MAGIC):
        raise BadFile(path, "", "is not an .npy file, expected one with an array of cells")
    shape, dtype = _header(path, data)
    if len(shape) != 3 or dtype.kind not in "biu":
        found = f"an array of {dtype} with shape {shape}"
        raise BadFile(path, "", f"found {found}, expected booleans or whole numbers with shape (x, y, z)")
    within(path, "", "cells", float(np.prod([float(side) for side in shape])), MAX_VOXELS)
    try:
        cells: Bools = np.load(io.BytesIO(data), allow_pickle=False) != 0
    except (ValueError, EOFError, OSError) as why:
        raise BadFile(path, "", f"is a damaged .npy file: {why}") from why
    return cells


def _header(path: Path, data: bytes) -> tuple[tuple[int, ...], np.dtype[np.generic]]:
    """Shape and type, before anything of that size is made."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(stream)
    except (ValueError, EOFError, SyntaxError, TypeError, RecursionError, MemoryError) as why:
        raise BadFile(path, "", f"is a damaged .npy file: {why}") from why
    return shape, dtype
