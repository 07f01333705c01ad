"""Writes one GLB for looking at: every part a node in its pose, bricks with studs, colours as materials.

Coordinates are metres in our axes, z up, as our reader takes them. Equal shapes of one colour share a mesh.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from falsework.formats.basics.colors import rgb
from falsework.formats.basics.stud_looks import looks
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, Mesh

FORMAT = "glb"
_FLOAT, _UINT32 = 5126, 5125
_VERTICES, _INDICES = 34962, 34963  # buffer view targets
_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942


def dumps(assembly: Assembly) -> bytes:
    """The assembly, its ground included, as the bytes of a GLB file."""
    scene = _Scene()
    for body in assembly.bodies:
        scene.add(body)
    return scene.glb()


class _Scene:
    """glTF tables that grow with every part."""

    def __init__(self) -> None:
        self.binary = bytearray()
        self.tables: dict[str, list[Any]] = {
            name: [] for name in ("nodes", "meshes", "materials", "accessors", "bufferViews")
        }
        self._meshes: dict[object, int] = {}
        self._materials: dict[str | None, int] = {}

    def add(self, part: Part) -> None:
        shape = part.shape.kind if isinstance(part.shape, BrickShape) else part.shape
        key = (shape, part.color)
        if key not in self._meshes:
            self._meshes[key] = self._mesh(looks(part.shape), part.color)
        node = {"name": part.name, "mesh": self._meshes[key], "matrix": part.T_world_part.T.ravel().tolist()}
        self.tables["nodes"].append(node)

    def _mesh(self, mesh: Mesh, color: str | None) -> int:
        points = mesh.vertices.astype("<f4")
        bounds = {"min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()}
        vertices = self._accessor(points.tobytes(), _VERTICES, _FLOAT, len(points), "VEC3", bounds)
        triangles = mesh.triangles.astype("<u4")
        indices = self._accessor(triangles.tobytes(), _INDICES, _UINT32, triangles.size, "SCALAR", {})
        primitive = {"attributes": {"POSITION": vertices}, "indices": indices, "material": self._material(color)}
        self.tables["meshes"].append({"primitives": [primitive]})
        return len(self.tables["meshes"]) - 1

    def _accessor(self, data: bytes, target: int, kind: int, count: int, shape: str, bounds: dict[str, Any]) -> int:
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data), "target": target}
        self.binary += data  # four-byte numbers only: always aligned
        self.tables["bufferViews"].append(view)
        accessor = {"bufferView": len(self.tables["bufferViews"]) - 1, "componentType": kind, "count": count}
        self.tables["accessors"].append({**accessor, "type": shape, **bounds})
        return len(self.tables["accessors"]) - 1

    def _material(self, color: str | None) -> int:
        if color not in self._materials:
            look = {"baseColorFactor": [*_linear(color), 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.6}
            self._materials[color] = len(self.tables["materials"])
            self.tables["materials"].append({"name": color or "plain", "pbrMetallicRoughness": look})
        return self._materials[color]

    def glb(self) -> bytes:
        document = {
            "asset": {"version": "2.0", "generator": "falsework"},
            "scene": 0,
            "scenes": [{"nodes": list(range(len(self.tables["nodes"])))}],
            "buffers": [{"byteLength": len(self.binary)}],
            **self.tables,
        }
        text = json.dumps(document, allow_nan=False, separators=(",", ":")).encode()
        chunks = _chunk(_JSON_CHUNK, text, b" ") + _chunk(_BINARY_CHUNK, bytes(self.binary), b"\0")
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def _chunk(kind: int, data: bytes, padding: bytes) -> bytes:
    padded = data + padding * (-len(data) % 4)
    return struct.pack("<II", len(padded), kind) + padded


def _linear(color: str | None) -> list[float]:
    """glTF wants colours without the screen's gamma."""
    return [float(np.round(channel**2.2, 4)) for channel in rgb(color)]
