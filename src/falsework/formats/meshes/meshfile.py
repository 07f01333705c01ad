"""One mesh file: OBJ, STL, PLY or GLB, told apart by content; all but OBJ and binary STL are read through trimesh.

Coordinates are taken as they stand: z is up, in GLB files too. Materials and textures are not read, and no
file beside this one is opened.
"""

from __future__ import annotations

import io
import logging
import struct
import zlib
from pathlib import Path
from typing import Any, Literal

import numpy as np

from falsework.formats.basics.limits import MAX_MESH_BYTES, MAX_TRIANGLES, within
from falsework.formats.basics.parsing import load_json
from falsework.formats.basics.surfaces import Surface
from falsework.formats.basics.text import decoded, read_bytes
from falsework.formats.meshes import wavefront
from falsework.model.errors import BadFile

MeshKind = Literal["obj", "stl", "ply", "glb"]
SUFFIXES = (".obj", ".stl", ".ply", ".glb")

_STL_HEADER = 84  # bytes before the first triangle of a binary STL; the last four count the triangles
_STL_TRIANGLE = 50
_STL_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_LOOK_AT = 64 * 2**10  # bytes at the start by which text formats are told apart
_GLB_JSON = b"JSON"

# What trimesh and the decoders below it raise on damaged files.
_DAMAGE = (
    ValueError, TypeError, KeyError, IndexError, AttributeError, NameError, ArithmeticError, AssertionError,
    NotImplementedError, EOFError, OSError, ImportError, MemoryError, RecursionError, struct.error, zlib.error,
)  # fmt: skip


def mesh_kind(data: bytes) -> MeshKind | None:
    """Which kind of mesh file these bytes are, None if none."""
    if data.startswith(b"glTF"):
        return "glb"
    if data[:4] in (b"ply\n", b"ply\r"):
        return "ply"
    start = data[:_LOOK_AT]
    if _is_binary_stl(data) or (start.split(maxsplit=1)[:1] == [b"solid"] and b"facet" in start):
        return "stl"
    return "obj" if _first_word(start) in wavefront.WORDS else None


def _first_word(text: bytes) -> bytes | None:
    """The first word that is not in a comment."""
    for line in text.split(b"\n"):
        words = line.split(maxsplit=1)
        if words and not words[0].startswith(b"#"):
            return words[0]
    return None


def read_surfaces(path: Path) -> list[Surface]:
    """The objects of a mesh file, placed in the file's frame."""
    data = read_bytes(path, MAX_MESH_BYTES)
    kind = mesh_kind(data)
    if kind is None:
        raise BadFile(path, "", "is not a mesh, expected OBJ, STL, PLY or GLB")
    if kind == "glb":
        _check_glb(path, data)
    surfaces = [surface for surface in _parsed(path, data, kind) if len(surface.triangles)]
    if not surfaces:
        raise BadFile(path, "", f"has no faces, expected a closed surface ({kind.upper()})")
    within(path, "", "triangles", sum(len(surface.triangles) for surface in surfaces), MAX_TRIANGLES)
    for surface in surfaces:
        _check(path, surface.name if len(surfaces) > 1 else "", surface)
    return surfaces


def _parsed(path: Path, data: bytes, kind: MeshKind) -> list[Surface]:
    if kind == "obj":
        return wavefront.read_obj(path, data)
    if _is_binary_stl(data):
        return [_binary_stl(data)]
    import trimesh  # a third of a second: only for those who read meshes

    quiet = logging.getLogger("trimesh")
    level = quiet.level
    quiet.setLevel(logging.CRITICAL)  # what it complains about is raised below, once
    try:
        scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, process=False)
        return [_placed(scene, node, kind) for node in scene.graph.nodes_geometry if _is_surface(scene, node)]
    except _DAMAGE as why:
        raise BadFile(path, "", f"is a damaged {kind.upper()} file: {why or type(why).__name__}") from why
    finally:
        quiet.setLevel(level)


def _is_surface(scene: Any, node: str) -> bool:
    return hasattr(scene.geometry[scene.graph[node][1]], "faces")


def _placed(scene: Any, node: str, kind: MeshKind) -> Surface:
    T_world_node, geometry = scene.graph[node]
    mesh = scene.geometry[geometry]
    vertices = np.asarray(mesh.vertices, dtype=np.float64)
    if not np.array_equal(T_world_node, np.eye(4)):
        vertices = vertices @ np.asarray(T_world_node)[:3, :3].T + np.asarray(T_world_node)[:3, 3]
    apart = kind == "stl"
    return Surface(str(node), vertices, np.asarray(mesh.faces, dtype=np.int64), apart=apart)


def _binary_stl(data: bytes) -> Surface:
    """Every triangle has three corners of its own; normals and attributes are passed over."""
    records = np.frombuffer(data, dtype=_STL_RECORD, offset=_STL_HEADER)
    vertices = records["corners"].reshape(-1, 3).astype(np.float64)
    return Surface("", vertices, np.arange(len(vertices), dtype=np.int64).reshape(-1, 3), apart=True)


def _check(path: Path, place: str, surface: Surface) -> None:
    if surface.vertices.shape[1:] != (3,) or surface.triangles.shape[1:] != (3,):
        raise BadFile(path, place, f"found vertices of {surface.vertices.shape[-1]} coordinates, expected 3")
    if not np.isfinite(surface.vertices).all():
        raise BadFile(path, place, "found a vertex that is NaN or infinite, expected finite coordinates")
    last = len(surface.vertices) - 1
    if surface.triangles.min() < 0 or surface.triangles.max() > last:
        raise BadFile(path, place, f"found a face over a vertex that is not there, expected 0 to {last}")


def _is_binary_stl(data: bytes) -> bool:
    if len(data) < _STL_HEADER:
        return False
    (count,) = struct.unpack_from("<I", data, _STL_HEADER - 4)
    return len(data) == _STL_HEADER + _STL_TRIANGLE * int(count)


def _check_glb(path: Path, data: bytes) -> None:
    """A GLB can ask for arrays that it does not contain: look at the sizes before anything is allocated."""
    if len(data) < 20 or data[16:20] != _GLB_JSON:
        raise BadFile(path, "", "is a damaged GLB file: it has no JSON chunk")
    (length,) = struct.unpack_from("<I", data, 12)
    root = load_json(path, decoded(path, data[20 : 20 + length].rstrip(b"\0")))
    accessors = root.get("accessors")
    for accessor in accessors.elements() if accessors else []:
        accessor["count"].whole(0, 3 * MAX_TRIANGLES)
