"""Writes a mesh folder: one OBJ per part, in the assembled pose, to the last digit of every coordinate."""

from __future__ import annotations

from falsework.formats.basics.losses import NO_GROUND, lost
from falsework.formats.meshes.assemblies import FOLDER_FORMAT, natural_key
from falsework.geometry.shapes.solids import surface
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.part import Part
from falsework.model.shapes import BrickShape

MAX_NAME = 100  # bytes of a file's stem


def losses(assembly: Assembly) -> list[str]:
    found = lost(assembly, ground=NO_GROUND)
    if any(isinstance(part.shape, BrickShape) for part in assembly.parts):
        found.insert(0, "studs, holes and the masses of bricks")
    if list(assembly.names) != sorted(assembly.names, key=natural_key):
        found.append("the order of the parts")
    return found


def files(assembly: Assembly) -> dict[str, str]:
    """File names and texts of the folder."""
    return {f"{_stem(part.name)}.obj": wavefront(part) for part in assembly.parts}


def wavefront(part: Part) -> str:
    """A part's surface in world coordinates as OBJ text."""
    mesh = surface(part.shape)
    vertices = mesh.vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    lines = [f"o {part.name}"]
    lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (mesh.triangles + 1).tolist()]
    return "\n".join(lines) + "\n"


def _stem(name: str) -> str:
    plain = not any(character in '/\\:*?"<>|' for character in name) and not name.startswith((".", " "))
    if not plain or not name.isprintable() or len(name.encode()) > MAX_NAME or name.endswith((".", " ")):
        raise BadInput(f"{FOLDER_FORMAT}: part {shown(name)} cannot be the name of a file")
    return name
