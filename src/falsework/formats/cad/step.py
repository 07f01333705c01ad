"""STEP files (ISO 10303-21), read through the CAD kernel of the library cascadio (extra `cad`).

Parts are the products of the file's tree of assemblies, named by their place in it (`names`), in the colour of most of
their faces. Lengths are in the unit that the file declares, z is up, and the density is the file's where it tells one.
Nothing is fixed and there is no ground.

Faces become triangles that lie no further from them than 2.5e-3 of the length of their edges, with normals that turn by
no more than 0.2 rad: 63 facets around a circle, whose chords lie 1.2e-3 of the radius inside it. So a shaft weighs
0.2 % less than its drawing says. Which plane, cylinder, cone, sphere or torus a triangle stands for is kept
(`Mesh.primitives`).
"""

from __future__ import annotations

import importlib.util
import logging
import struct
from pathlib import Path

import numpy as np

from falsework.formats.basics.content import Content
from falsework.formats.basics.limits import MAX_MESH_BYTES, MAX_PARTS, within
from falsework.formats.basics.mender import Mender
from falsework.formats.basics.surfaces import Surface
from falsework.formats.basics.text import read_bytes
from falsework.formats.cad.faces import with_faces
from falsework.formats.cad.gltf import Gltf
from falsework.formats.cad.names import Leaf, leaves
from falsework.formats.cad.tessellating import tessellated
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.errors import BadFile, BadInput, MissingExtra, shown
from falsework.model.extras import EXTRA_OF
from falsework.model.part import Material, Part
from falsework.model.scratch import scratch_prefix
from falsework.model.shapes import Mesh

FORMAT = "step"
SUFFIXES = (".step", ".stp")
LIBRARY = "cascadio"
G_CM3 = 1000.0  # kg/m³, the kernel's unit of density
DENSITIES = (1.0, 30_000.0)  # kg/m³: what is outside is not believed
STYLED, PLAIN = b"STYLED_ITEM(", b"STYLED_ITEX("  # what says a colour, and what nobody knows
RIGID = 1e-5  # how far a pose of the kernel's may be from a rotation: it has single precision

_log = logging.getLogger(__name__)


def looks_like(data: bytes) -> bool:
    """Whether these are the bytes of a STEP file."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"ISO-10303-21")


def read(path: Path) -> Content:
    """What is in a STEP file."""
    mender = Mender(path)
    parts = read_parts(path, mender)
    return Content(parts, notes=mender.notes)


def read_parts(path: Path, mender: Mender) -> list[Part]:
    """The parts of a STEP file, in the order of its tree."""
    data = read_bytes(path, MAX_MESH_BYTES)
    if importlib.util.find_spec(LIBRARY) is None:
        raise MissingExtra(LIBRARY, EXTRA_OF[LIBRARY])
    made = _made(path, data)
    try:
        found = leaves(made, data.decode("latin-1"), path.stem)
    except ValueError as why:
        raise BadFile(path, "", str(why)) from why
    if not found:
        raise BadFile(path, "", "holds no solids, expected parts with faces")
    within(path, "", "parts", len(found), MAX_PARTS)
    reader = _Reader(path, made, _with_surfaces(data, made), mender)
    return [reader.part(leaf) for leaf in found]


def _made(path: Path, data: bytes) -> Gltf:
    try:
        return Gltf(tessellated(data, scratch_prefix()))
    except (ValueError, KeyError, IndexError, TypeError, struct.error) as why:
        raise BadFile(path, "", f"is a damaged STEP file: {why}") from why


def _with_surfaces(data: bytes, made: Gltf) -> Gltf:
    """The same with all surfaces. Faces of a part in several colours are several pieces; the kernel tells of one only.

    So it is asked again about the file without its colours.
    """
    if all(made.pieces(mesh) == 1 for mesh in range(made.meshes)):
        return made
    try:
        plain = Gltf(tessellated(data.replace(STYLED, PLAIN), scratch_prefix()))
    except ValueError:  # then some surfaces stay unknown
        return made
    names = [[one.mesh_name(mesh) for mesh in range(one.meshes)] for one in (made, plain)]
    return plain if names[0] == names[1] else made


class _Reader:
    """Parts from what the kernel made; instances of one product share their shape."""

    def __init__(self, path: Path, colored: Gltf, made: Gltf, mender: Mender) -> None:
        self.path, self.colored, self.made, self.mender = path, colored, made, mender
        self._shapes: dict[object, Mesh] = {}

    def part(self, leaf: Leaf) -> Part:
        pose, rest = _rigid(leaf.T_world_mesh)
        shape = self._shape(leaf, rest)
        try:
            color, material = self.colored.color(leaf.mesh), self._material(leaf)
            return make_part(leaf.name, shape, pose, material=material, color=color)
        except BadInput as why:
            raise BadFile(self.path, "", str(why)) from why

    def _shape(self, leaf: Leaf, rest: Array | None) -> Mesh:
        key = (self.made.key(leaf.mesh), None if rest is None else rest.tobytes())
        if key not in self._shapes:
            vertices, triangles, primitives = self.made.triangles(leaf.mesh)
            moved = vertices if rest is None else vertices @ rest.T
            known = primitives if rest is None else ()
            closed = self.mender.mesh(self.path, Surface(leaf.name, moved, triangles, known, apart=True))
            self._shapes[key] = with_faces(closed)
        return self._shapes[key]

    def _material(self, leaf: Leaf) -> Material:
        for material in self.colored.materials(leaf.mesh):
            name, density = str(material.get("name") or "unspecified"), material.get("density")
            if isinstance(density, float | int) and DENSITIES[0] <= density * G_CM3 <= DENSITIES[1]:
                return Material(name, density * G_CM3)
            if density:
                _log.warning(
                    "%s: part %s: found a density of %s g/cm³, taken for 1", self.path, leaf.name, shown(density)
                )
            return Material(name)
        return Material()


def _rigid(T: Array) -> tuple[Array, Array | None]:
    """A pose, and what it does beside turning and shifting (3, 3): None where that is nothing."""
    left, stretch, right = np.linalg.svd(T[:3, :3])
    pose = T.copy()
    pose[:3, :3] = left @ right
    if np.linalg.det(pose[:3, :3]) > 0 and np.abs(stretch - 1).max() < RIGID:
        return pose, None
    pose[:3, :3] = np.eye(3)
    return pose, T[:3, :3]
