"""Mesh assemblies: a folder with one part per file, or one file with one part per object.

Parts are named by file stem, in natural order (2 before 10), or by object. Files hold the assembled pose,
unless ASAP's `config.json` lies beside them: then each mesh is in a frame of its own and `final_state`, x y z
and Euler angles about the fixed axes x, y, z in turn, in radians, puts it in place.
"""

from __future__ import annotations

import logging
import re
from itertools import pairwise
from pathlib import Path

import numpy as np

from falsework.formats.basics.content import Content
from falsework.formats.basics.limits import MAX_COORDINATE, MAX_PARTS, MAX_TRIANGLES, within
from falsework.formats.basics.node import Node
from falsework.formats.basics.parsing import load_json
from falsework.formats.basics.surfaces import Surface, merged
from falsework.formats.basics.text import read_text
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

_log = logging.getLogger(__name__)


class Mender:
    """Closes surfaces, and reports what had to be mended once a kind of problem, with the parts' names."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._triangles = 0
        self._mended: dict[str, list[str]] = {}

    def mesh(self, path: Path, name: str, surface: Surface, scale: float) -> Mesh:
        """The surface as a closed mesh in metres."""
        from falsework.geometry.mending.repair import closed  # brings scipy: only for those who read meshes

        self._triangles += len(surface.triangles)
        within(self.path, "", "triangles", self._triangles, MAX_TRIANGLES)
        vertices = surface.vertices * scale
        farthest = float(np.abs(vertices).max())
        if not farthest <= MAX_COORDINATE:
            raise BadFile(path, "", f"found a vertex {farthest:.3g} m away, the limit is {MAX_COORDINATE:g} m")
        try:
            mesh, repairs = closed(vertices, surface.triangles)
        except ValueError as why:
            raise BadFile(path, "", f"part {name!r} has no defined volume: {why}") from why
        for repair in repairs:
            self._mended.setdefault(repair, []).append(name)
        return mesh

    def report(self) -> None:
        for repair, names in self._mended.items():
            _log.warning("%s: %s: parts %s", self.path, repair, ", ".join(names))


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
    parts = []
    for file in files:
        surface = merged(read_surfaces(file))
        parts.append(_part(file, file.stem, mender.mesh(file, file.stem, surface, scale), poses.get(file.stem)))
    mender.report()
    return Content(parts)


def read_file(path: Path, scale: float) -> Content:
    """One part per object of the file; a file with one object gives a part named by the file's stem."""
    surfaces = read_surfaces(path)
    within(path, "", "parts", len(surfaces), MAX_PARTS)
    names = [path.stem] if len(surfaces) == 1 else [Node(path, surface.name).name() for surface in surfaces]
    mender = Mender(path)
    parts = [
        _part(path, name, mender.mesh(path, name, surface, scale), None)
        for name, surface in zip(names, surfaces, strict=True)
    ]
    mender.report()
    return Content(parts)


def natural_key(name: str) -> list[tuple[bool, int, str]]:
    """Sorts part2 before part10."""
    return [(bool(k % 2), int(piece) if k % 2 else 0, piece) for k, piece in enumerate(re.split(r"([0-9]+)", name))]


def folder_files(folder: Path) -> list[Path]:
    """The meshes in a folder, in natural order."""
    try:
        files = [file for file in folder.iterdir() if file.suffix.lower() in SUFFIXES]
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
