"""Which format a file is in, told by its content, never by its name."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from falsework.formats.basics.lenient import decoded_leniently
from falsework.formats.basics.limits import MAX_MESH_BYTES, MAX_TEXT_BYTES, within
from falsework.formats.basics.node import Node
from falsework.formats.basics.parsing import load_json, load_yaml
from falsework.formats.basics.text import decoded, read_bytes
from falsework.formats.bricks import bricksim, bricktext, ldraw, product, stablelego
from falsework.formats.cad import step
from falsework.formats.meshes import assemblies as meshes
from falsework.formats.meshes import compas, compas_dem, voxelfile
from falsework.formats.meshes.meshfile import mesh_kind
from falsework.formats.native import reading as native
from falsework.model.errors import BadFile

FORMATS = (
    native.FORMAT,
    product.FORMAT,
    bricktext.FORMAT,
    stablelego.FORMAT,
    bricksim.FORMAT,
    ldraw.FORMAT,
    compas.FORMAT,
    compas_dem.FORMAT,
    meshes.FILE_FORMAT,
    meshes.FOLDER_FORMAT,
    step.FORMAT,
)
LOOKED_AT = 65536  # bytes, by which LDraw is told
# What JSON and YAML files hold, by marks that no two formats share.
_TREES = (
    (native.looks_like, native.FORMAT),
    (bricksim.looks_like, bricksim.FORMAT),
    (compas_dem.looks_like, compas_dem.FORMAT),
    (compas.looks_like, compas.FORMAT),
    (product.looks_like, product.FORMAT),
    (stablelego.looks_like, stablelego.FORMAT),
    (bricktext.is_collection, bricktext.FORMAT),
)


@dataclass(frozen=True, slots=True)
class Recognised:
    """A file, its format, and what was read of it on the way: text, or the root of a tree, or neither."""

    path: Path
    format: str
    text: str | None = None
    root: Node | None = None

    def tree(self) -> Node:
        """The root of a JSON or YAML file."""
        assert self.root is not None, "only JSON and YAML files are trees"
        return self.root


def detect(path: str | Path) -> str:
    """The name of the format that a file or folder is in.

    >>> detect("examples/bridge.txt")
    'brick-text'
    """
    return recognise(Path(path)).format


def recognise(path: Path) -> Recognised:
    """The format of a file or folder, found by looking inside."""
    if _is_folder(path):
        if not meshes.is_mesh_folder(path):
            raise BadFile(
                path, "", "is a directory without meshes, expected a file, or OBJ, STL, PLY, GLB, STEP files in it"
            )
        return Recognised(path, meshes.FOLDER_FORMAT)
    data = read_bytes(path, MAX_MESH_BYTES)
    if mesh_kind(data) is not None:
        return Recognised(path, meshes.FILE_FORMAT)
    if step.looks_like(data):
        return Recognised(path, step.FORMAT)
    if data.startswith(voxelfile.MAGIC):
        raise BadFile(path, "", "is an array of voxels, not an assembly; convert it with --bricks")
    if data.startswith(ldraw.ZIP):
        return Recognised(path, ldraw.FORMAT, text=ldraw.studio_text(path, data))
    within(path, "", "bytes", len(data), MAX_TEXT_BYTES)
    loosely = decoded_leniently(data[:LOOKED_AT])
    is_text = b"\0" not in data or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if is_text and ldraw.STARTS_LIKE_LDRAW.match(loosely) and not bricktext.STARTS_LIKE_BRICK.match(loosely):
        return Recognised(path, ldraw.FORMAT, text=decoded_leniently(data))
    text = decoded(path, data)
    if bricktext.STARTS_LIKE_BRICK.match(text):
        return Recognised(path, bricktext.FORMAT, text=text)
    root = load_json(path, text) if text.lstrip()[:1] in ("{", "[") else load_yaml(path, text)
    return Recognised(path, _tree_format(root), root=root)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # read_bytes says what is wrong with it
        return False


def _tree_format(root: Node) -> str:
    if root.value is None:
        raise BadFile(root.path, "", "holds no data, expected an assembly")
    for looks_like, name in _TREES:
        if looks_like(root):
            return name
    if str(isinstance(root.value, dict) and root.value.get("format")).startswith("falsework-cell"):
        raise BadFile(root.path, "", "is a cell of robots, not an assembly; ask: falsework cell FILE")
    raise BadFile(root.path, "", f"is in no known format, expected one of: {', '.join(FORMATS)}")
