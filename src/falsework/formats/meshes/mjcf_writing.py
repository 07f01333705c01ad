"""Writes the built model as MJCF for MuJoCo: one body per part, fixed parts and the ground in the world.

Bricks are boxes (MuJoCo knows no clutches: it is a pile of loose bricks there), other parts convex meshes.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

import numpy as np

from falsework.formats.basics.colors import rgb
from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.poses import to_quaternion
from falsework.model.shapes import BrickShape, ConvexPieces, Mesh, Shape

FORMAT = "mjcf"
CONVEX = 1e-6  # of a part's size: how far a corner may stand in front of a face of a convex part


def losses(assembly: Assembly) -> list[str]:
    found = []
    if sum(part.is_brick for part in assembly.parts) > 1:
        found.append("clutches")
    bent = [part.name for part in assembly.parts if not all(_is_convex(piece) for piece in _pieces(part.shape))]
    if bent:
        found.append(f"hollows of parts that are not convex ({', '.join(bent[:5])}{', …' if len(bent) > 5 else ''})")
    if assembly.hinges:
        found.append("hinges")
    if assembly.loads:
        found.append("loads")
    return found


def dumps(assembly: Assembly) -> str:
    """An assembly as the text of an MJCF file."""
    root = ET.Element("mujoco", model="falsework")
    ET.SubElement(root, "compiler", angle="radian")
    ET.SubElement(root, "option", gravity=_spelled(assembly.gravity))
    default = ET.SubElement(root, "default")
    ET.SubElement(default, "geom", friction=f"{assembly.friction:.9g} 0.005 0.0001", condim="4")
    asset = ET.SubElement(root, "asset")
    world = ET.SubElement(root, "worldbody")
    ET.SubElement(world, "light", pos="0 0 3", dir="0 0 -1", directional="true")
    for body in assembly.bodies:
        _add(body, body.name in assembly.fixed or body is assembly.ground_part, world, asset)
    if not len(asset):
        root.remove(asset)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def _add(part: Part, fixed: bool, world: ET.Element, asset: ET.Element) -> None:
    T = part.T_world_part
    body = ET.SubElement(world, "body", name=part.name, pos=_spelled(T[:3, 3]), quat=_spelled(to_quaternion(T[:3, :3])))
    if not fixed:
        ET.SubElement(body, "freejoint")
        moments = part.inertia_part_kgm2
        six = (*np.diag(moments), moments[0, 1], moments[0, 2], moments[1, 2])
        com = _spelled(part.com_part_m)
        ET.SubElement(body, "inertial", pos=com, mass=f"{part.mass_kg:.17g}", fullinertia=_spelled(six))
    look = _spelled((*rgb(part.color), 1.0), 4)
    if isinstance(part.shape, BrickShape) and part.shape.kind.family != "slope":
        half = np.array(part.shape.kind.size_m) / 2
        ET.SubElement(body, "geom", type="box", size=_spelled(half), pos=_spelled(half), rgba=look)
        return
    for number, piece in enumerate(_pieces(part.shape), start=1):
        name = f"{part.name}#{number}"
        faces = _spelled(piece.triangles.ravel(), 0)
        ET.SubElement(asset, "mesh", name=name, vertex=_spelled(piece.vertices.ravel()), face=faces)
        ET.SubElement(body, "geom", type="mesh", mesh=name, rgba=look)


def _pieces(shape: Shape) -> list[Mesh]:
    return [surface(piece) for piece in shape.pieces] if isinstance(shape, ConvexPieces) else [surface(shape)]


def _is_convex(mesh: Mesh) -> bool:
    corners = mesh.vertices[mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    ahead = np.einsum("ti,tvi->tv", normals, mesh.vertices[None] - corners[:, :1])
    size = float(np.ptp(mesh.vertices, axis=0).max())
    return bool((ahead <= CONVEX * size * lengths[:, None]).all())


def _spelled(numbers: Iterable[float] | Array, digits: int = 12) -> str:
    if digits == 0:
        return " ".join(str(int(number)) for number in numbers)
    return " ".join(f"{float(number):.{digits}g}" for number in numbers)
