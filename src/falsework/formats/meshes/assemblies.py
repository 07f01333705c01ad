"""Mesh assemblies: a folder with one part per file, or one file with one part per object.

Parts are named by file stem, in natural order (2 before 10), or by object. STEP files in a folder are a part each too,
or several, named after both, where they hold an assembly. Files hold the assembled pose,
unless ASAP's `config.json` lies beside them: then each mesh is in a frame of its own and `final_state`, x y z
and Euler angles about the fixed axes x, y, z in turn, in radians, puts it in place.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from falsework.formats.basics.content import Content
from falsework.formats.basics.limits import MAX_PARTS, within
from falsework.formats.basics.mender import Mender
from falsework.formats.basics.node import Node
from falsework.formats.basics.parsing import load_json
from falsework.formats.basics.surfaces import merged
from falsework.formats.basics.text import read_text
from falsework.formats.cad import step
from falsework.formats.meshes.meshfile import SUFFIXES, read_surfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.errors import BadFile, BadInput
from falsework.model.part import Material, Part
from falsework.model.poses import fixed_axes_rotation
from falsework.model.shapes import Mesh

FOLDER_FORMAT = "mesh-folder"
FILE_FORMAT = "mesh-file"
CONFIG = "config.json"


def is_mesh_folder(folder: Path) -> bool:
    """Whether there is a mesh in the folder."""
    return bool(folder_files(folder))


def read_folder(folder: Path, scale: float) -> Content:
    """One part per mesh file."""
    files = folder_files(folder)
    within(folder, "", "parts", len(files), MAX_PARTS)
    for first, second in pairwise(files):
        if first.stem == second.stem:
            raise BadFile(folder, "", f"{first.name} and {second.name} give two parts one name, {first.stem!r}")
    poses = _poses(folder, files, scale)
    mender = Mender(folder)
    parts = [part for file in files for part in _parts_of(file, scale, poses.get(file.stem), mender)]
    return Content(parts, notes=mender.notes)


def _parts_of(file: Path, scale: float, pose: Array | None, mender: Mender) -> list[Part]:
    """The parts in one file of a folder: one, but for STEP files with an assembly in them."""
    if file.suffix.lower() not in step.SUFFIXES:
        surface = replace(merged(read_surfaces(file)), name=file.stem)
        return [_part(file, file.stem, mender.mesh(file, surface, scale), pose)]
    parts = step.read_parts(file, mender)
    return [
        replace(
            part,
            name=file.stem if len(parts) == 1 else f"{file.stem}/{part.name}",
            T_world_part=part.T_world_part if pose is None else pose @ part.T_world_part,
        )
        for part in parts
    ]


def read_file(path: Path, scale: float) -> Content:
    """One part per object of the file; a file with one object gives a part named by the file's stem."""
    surfaces = read_surfaces(path)
    within(path, "", "parts", len(surfaces), MAX_PARTS)
    names = [path.stem] if len(surfaces) == 1 else [Node(path, surface.name).name() for surface in surfaces]
    mender = Mender(path)
    parts = [
        _part(path, name, mender.mesh(path, replace(surface, name=name), scale), None)
        for name, surface in zip(names, surfaces, strict=True)
    ]
    return Content(parts, notes=mender.notes)


def natural_key(name: str) -> list[tuple[bool, int, str]]:
    """Sorts part2 before part10."""
    return [(bool(k % 2), int(piece) if k % 2 else 0, piece) for k, piece in enumerate(re.split(r"([0-9]+)", name))]


def folder_files(folder: Path) -> list[Path]:
    """The meshes in a folder, in natural order."""
    try:
        files = [file for file in folder.iterdir() if file.suffix.lower() in (*SUFFIXES, *step.SUFFIXES)]
    except OSError as why:
        raise BadFile(folder, "", f"cannot be read: {why.strerror}") from why
    return sorted(files, key=lambda file: (natural_key(file.stem), file.suffix))


def _part(path: Path, name: str, mesh: Mesh, pose: Array | None) -> Part:
    try:
        return make_part(name, mesh, np.eye(4) if pose is None else pose, material=Material())
    except BadInput as why:
        raise BadFile(path, "", str(why)) from why


def _poses(folder: Path, files: list[Path], scale: float) -> dict[str, Array]:
    """Assembled poses by part name, empty where the folder has no config."""
    config = folder / CONFIG
    if not config.is_file():
        return {}
    root = load_json(config, read_text(config))
    stems = {file.stem for file in files}
    root.only(stems)
    return {stem: _final_pose(root[stem], scale) for stem in sorted(stems, key=natural_key)}


def _final_pose(entry: Node, scale: float) -> Array:
    state = entry["final_state"]
    count = 3 if isinstance(state.value, list) and len(state.value) == 3 else 6
    numbers = state.numbers(count)
    pose = np.eye(4)
    pose[:3, :3] = fixed_axes_rotation(numbers[3:]) if count == 6 else np.eye(3)
    pose[:3, 3] = np.array(numbers[:3]) * scale
    return pose
