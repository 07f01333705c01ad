"""From a file or folder of any known format to an assembly."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from falsework.formats.basics.content import Content
from falsework.formats.basics.limits import MAX_COORDINATE, MAX_PARTS, within
from falsework.formats.basics.text import STANDARD_INPUT
from falsework.formats.bricks import bricksim, bricktext, product, stablelego
from falsework.formats.bricks import ldraw as ldraw_format
from falsework.formats.bricks.library.folder import library_at
from falsework.formats.cad import step
from falsework.formats.detection import Recognised, recognise
from falsework.formats.keeping import kept_content
from falsework.formats.likely_units import doubt_about_units
from falsework.formats.meshes import assemblies as meshes
from falsework.formats.meshes import compas, compas_dem
from falsework.formats.native import reading as native
from falsework.geometry.contacts.ground import grounded
from falsework.model.assembly import Assembly, Ground, as_ground
from falsework.model.errors import BadFile, BadInput, shown
from falsework.model.given import Names, names
from falsework.model.verbs import verb

KEPT = (meshes.FOLDER_FORMAT, meshes.FILE_FORMAT, step.FORMAT)  # what takes long to read
_log = logging.getLogger(__name__)
SCALABLE = (
    meshes.FOLDER_FORMAT,
    meshes.FILE_FORMAT,
    compas.FORMAT,
    compas_dem.FORMAT,
)  # files that do not say their unit


@verb()
def load(
    source: str | os.PathLike[str],
    *,
    fixed: Names | None = None,
    ground: str | Ground | None = None,
    mu: float | None = None,
    scale: float = 1.0,
    allow_overlap_m: float | None = None,
    gap: float | None = None,
    ldraw: str | os.PathLike[str] | None = None,
) -> Assembly:
    """The assembly in a file or folder, of any format that is known; `FILE#key` is one structure of several.

    fixed            names of parts that never move, one or several; replaces what the file says
    ground           "baseplate", "table", "table:0.4" (with its friction) or "none"
    mu               friction of contacts
    scale            metres per unit of a mesh or COMPAS file, which do not say theirs
    allow_overlap_m  parts may share space up to this depth
    gap              up to which distance parts touch, m (after scaling); 1e-4 of the smaller one's size
    ldraw            LDraw's parts library, a folder or a zip; else the one that the variable LDRAWDIR names

    What is not given is what the file says, else the default of its format. Lengths become metres, masses kg, and z is
    up. A file that makes no sense is a `BadFile`, whose message names the place in it.

    >>> load("examples/arch.yaml")
    Assembly of 13 parts, 221.9 kg, 2 fixed
    >>> load("examples/arch.yaml", fixed="stone-1", mu=0.4).friction
    0.4
    """
    path, key = split_source(source)
    return assembled(
        recognise(path),
        key,
        fixed=fixed,
        ground=ground,
        mu=mu,
        scale=scale,
        allow_overlap_m=allow_overlap_m,
        gap=gap,
        ldraw=ldraw,
    )


def assembled(
    found: Recognised,
    key: str | None,
    *,
    fixed: Names | None = None,
    ground: str | Ground | None = None,
    mu: float | None = None,
    scale: float = 1.0,
    allow_overlap_m: float | None = None,
    gap: float | None = None,
    ldraw: str | os.PathLike[str] | None = None,
) -> Assembly:
    """The assembly in what was recognised already, with the options of `load`."""
    path = found.path
    if not 0 < scale < MAX_COORDINATE:  # rejects NaN too
        raise BadInput(f"scale: found {shown(scale)}, expected a number above 0")
    if scale != 1.0 and found.format not in SCALABLE:
        raise BadFile(path, "", f"found scale {scale:g}, but {found.format} has its own unit; scale is for meshes")
    if key is not None and not _holds_several(found):
        raise BadFile(path, "", f"holds one structure, so there is nothing for {shown('#' + key)} to pick")
    content = _content(found, key, scale, ldraw)
    for note in content.notes:
        _log.warning("%s: %s", path, note)
    within(path, "", "parts", len(content.parts), MAX_PARTS)
    try:
        assembly = Assembly(
            tuple(content.parts),
            fixed=content.fixed if fixed is None else frozenset(names(fixed)),
            friction=content.friction if mu is None else mu,
            gravity=content.gravity,
            loads=content.loads,
            hinges=content.hinges,
            source=found.format,
            allow_overlap_m=content.allow_overlap_m if allow_overlap_m is None else allow_overlap_m,
            gap_m=content.gap_m if gap is None else gap,
            as_drawn=content.as_drawn,
            steps=content.steps,
            partial=content.partial,
        )
        assembly = grounded(assembly, content.ground if ground is None else as_ground(ground))
    except BadInput as why:
        raise BadFile(path, "", str(why)) from why
    if found.format in SCALABLE and (doubt := doubt_about_units(assembly, scale)):
        _log.warning("%s: %s", path, doubt)
    return assembly


def split_source(source: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """The file and the key of `FILE#key`; a file whose own name has a # is itself."""
    text = os.fspath(source)
    file, mark, key = text.rpartition("#")
    if not mark or not file or _exists(text):
        return Path(text), None
    return Path(file), key


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # a name too long, a NUL
        return False


def _holds_several(found: Recognised) -> bool:
    return found.format == bricktext.FORMAT and found.text is None


def _content(found: Recognised, key: str | None, scale: float, library: str | os.PathLike[str] | None) -> Content:
    if found.format in KEPT and found.path != STANDARD_INPUT:
        return kept_content(found.path, found.format, scale, lambda: _read(found, key, scale, library))
    return _read(found, key, scale, library)


def _read(found: Recognised, key: str | None, scale: float, library: str | os.PathLike[str] | None) -> Content:
    match found.format:
        case meshes.FOLDER_FORMAT:
            return meshes.read_folder(found.path, scale)
        case meshes.FILE_FORMAT:
            return meshes.read_file(found.path, scale)
        case step.FORMAT:
            return step.read(found.path)
        case bricktext.FORMAT if found.text is not None:
            return bricktext.read(found.path, found.text)
        case ldraw_format.FORMAT if found.text is not None:
            return ldraw_format.read(found.path, found.text, library_at(library))
    root = found.tree()
    match found.format:
        case bricktext.FORMAT:
            return bricktext.read_collection(root, key)
        case stablelego.FORMAT:
            return stablelego.read(root)
        case bricksim.FORMAT:
            return bricksim.read(root)
        case compas_dem.FORMAT:
            return compas_dem.read(root, scale)
        case compas.FORMAT:
            return compas.read(root, scale)
        case product.FORMAT:
            return product.read(root)
    return native.read(root)
