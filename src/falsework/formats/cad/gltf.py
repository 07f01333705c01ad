"""The binary glTF that the CAD kernel makes: its tree of nodes, its triangles, and the surfaces they stand for."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array, Ints
from falsework.model.surfaces import Primitive

_KINDS: dict[int, Any] = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
_WIDTHS = {"SCALAR": 1, "VEC3": 3}
_UP = np.array([0.0, 0.0, 1.0])
_FACES = "TM_brep_faces"
_LINEAR, _STEEP, _OFFSET, _POWER = 0.0031308, 12.92, 0.055, 2.4  # of sRGB, IEC 61966-2-1


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the tree: with triangles, or with nodes below it."""

    name: str
    T_parent_node: Array  # (4, 4)
    mesh: int | None
    children: tuple[Node, ...]


class Gltf:
    """What the kernel made of a file."""

    def __init__(self, data: bytes) -> None:
        (length,) = struct.unpack_from("<I", data, 12)
        self._root = json.loads(data[20 : 20 + length])
        self._binary = data[20 + length + 8 :]

    @property
    def roots(self) -> tuple[Node, ...]:
        scenes = self._root.get("scenes", [])
        return tuple(self._node(number) for scene in scenes for number in scene.get("nodes", []))

    @property
    def meshes(self) -> int:
        return len(self._root.get("meshes", []))

    def mesh_name(self, mesh: int) -> str:
        return str(self._root["meshes"][mesh].get("name", ""))

    def pieces(self, mesh: int) -> int:
        """Of how many pieces a mesh is made: one for each colour."""
        return len(self._pieces(mesh))

    def key(self, mesh: int) -> tuple[Any, ...]:
        """Equal for meshes that are the same triangles."""
        return tuple((piece["attributes"]["POSITION"], piece["indices"]) for piece in self._pieces(mesh))

    def triangles(self, mesh: int) -> tuple[Array, Ints, tuple[Primitive, ...]]:
        """Vertices in metres, triangles, and their surfaces, of which no side is out yet; nothing is welded."""
        vertices: list[Array] = []
        triangles: list[Ints] = []
        surfaces: list[Primitive] = []
        for piece in self._pieces(mesh):
            before, known = sum(map(len, vertices)), sum(map(len, triangles))
            vertices.append(_decimal(self._accessor(piece["attributes"]["POSITION"])))
            triangles.append(self._accessor(piece["indices"]).astype(np.int64).reshape(-1, 3) + before)
            surfaces += self._surfaces(piece, known)
        return np.concatenate(vertices), np.concatenate(triangles), tuple(surfaces)

    def color(self, mesh: int) -> str | None:
        """The colour of most of its triangles, as #rrggbb."""
        pieces = [piece for piece in self._pieces(mesh) if "material" in piece]
        if not pieces:
            return None
        most = max(pieces, key=lambda piece: int(self._root["accessors"][piece["indices"]]["count"]))
        linear = self._root["materials"][most["material"]].get("pbrMetallicRoughness", {}).get("baseColorFactor")
        return None if linear is None else "#" + "".join(f"{_srgb(value):02x}" for value in linear[:3])

    def materials(self, mesh: int) -> list[dict[str, Any]]:
        """What the file says that it is made of."""
        said = [piece.get("extensions", {}).get(_FACES, {}).get("materials", []) for piece in self._pieces(mesh)]
        return [material for materials in said for material in materials if isinstance(material, dict)]

    def _pieces(self, mesh: int) -> list[Any]:
        return [piece for piece in self._root["meshes"][mesh]["primitives"] if piece.get("mode", 4) == 4]

    def _node(self, number: int) -> Node:
        node = self._root["nodes"][number]
        pose = np.reshape(node["matrix"], (4, 4)).T if "matrix" in node else np.eye(4)
        children = tuple(self._node(child) for child in node.get("children", []))
        pose = np.array(pose, dtype=np.float64)
        pose[:3, 3] = _decimal(pose[:3, 3].astype(np.float32))
        return Node(str(node.get("name", "")), pose, node.get("mesh"), children)

    def _accessor(self, number: int) -> Any:
        accessor = self._root["accessors"][number]
        view = self._root["bufferViews"][accessor["bufferView"]]
        kind, width = np.dtype(_KINDS[accessor["componentType"]]), _WIDTHS[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride, count = view.get("byteStride", kind.itemsize * width), accessor["count"]
        shape, strides = ((count, width), (stride, kind.itemsize)) if width > 1 else ((count,), (stride,))
        return np.ndarray(shape, kind, self._binary, start, strides)

    def _surfaces(self, piece: Any, before: int) -> list[Primitive]:
        """The surfaces of one piece; `before` it there are so many triangles."""
        said = piece.get("extensions", {}).get(_FACES)
        if not said or "faceIndices" not in said:
            return []
        face = self._accessor(said["faceIndices"]).astype(np.int64)
        order = np.argsort(face, kind="stable")
        found = []
        for entry in said.get("faces", []):
            begin, end = np.searchsorted(face[order], [entry["face_index"], entry["face_index"] + 1])
            surface = _primitive(entry, before + order[begin:end]) if end > begin else None
            if surface is not None:
                found.append(surface)
        return found


def _primitive(entry: dict[str, Any], triangles: Ints) -> Primitive | None:
    """The surface that an entry of the kernel's describes; None where it is none that can be."""
    try:
        match entry["type"]:
            case "plane":
                return Primitive("plane", entry["origin"], _unit(entry["normal"]), triangles)
            case "cylinder":
                return Primitive("cylinder", entry["origin"], _unit(entry["axis"]), triangles, entry["radius"])
            case "cone":
                axis, angle = _unit(entry["axis"]), entry["semi_angle"]
                return Primitive("cone", entry["apex"], axis, triangles, half_angle_rad=angle)
            case "sphere":
                return Primitive("sphere", entry["center"], _UP, triangles, entry["radius"])
            case "torus":
                axis, tube, ring = _unit(entry["axis"]), entry["minor_radius"], entry["major_radius"]
                return Primitive("torus", entry["center"], axis, triangles, tube, ring_m=ring)
    except (KeyError, TypeError, ValueError):
        return None
    return None


def _decimal(written: npt.NDArray[np.float32]) -> Array:
    """Numbers that were rounded to single precision, as the decimals of seven digits that round to the same.

    Drawings have round numbers: 0.02 is meant where 0.0199999996 arrives, and faces meet where they should.
    """
    exact = written.astype(np.float64)
    digits = 6 - np.floor(np.log10(np.maximum(np.abs(exact), 1e-30))).astype(np.int64)
    shift = 10.0 ** np.abs(digits)
    decimal = np.where(digits >= 0, np.rint(exact * shift) / shift, np.rint(exact / shift) * shift)
    return np.where(decimal.astype(np.float32) == written, decimal, exact)


def _unit(given: Any) -> Array:
    vector = np.asarray(given, dtype=np.float64)
    scaled: Array = vector / np.linalg.norm(vector)
    return scaled


def _srgb(linear: float) -> int:
    """A share of light as one of 256 steps of a screen."""
    value = _STEEP * linear if linear <= _LINEAR else (1 + _OFFSET) * linear ** (1 / _POWER) - _OFFSET
    return round(255 * min(max(value, 0.0), 1.0))
