"""The hash of an input: what plans, reports and journals mean when they say which file they were made from."""

from __future__ import annotations

import os
from hashlib import sha256

from falsework.formats.basics.limits import MAX_MESH_BYTES
from falsework.formats.basics.text import read_bytes
from falsework.formats.loading import split_source
from falsework.formats.meshes.assemblies import folder_files


def input_sha256(source: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file's bytes; of a folder, of its meshes' names and bytes in the order of their names."""
    path, _ = split_source(source)
    if not path.is_dir():
        return sha256(read_bytes(path, MAX_MESH_BYTES)).hexdigest()
    total = sha256()
    for file in sorted(folder_files(path), key=lambda file: file.name):
        total.update(file.name.encode())
        total.update(read_bytes(file, MAX_MESH_BYTES))
    return total.hexdigest()
