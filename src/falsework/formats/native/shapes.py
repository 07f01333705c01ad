"""Shapes in our own format: exactly one of `SHAPE_KEYS` per part."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from falsework.formats.basics.limits import MAX_TRIANGLES
from falsework.formats.basics.mender import Mender
from falsework.formats.basics.node import Node
from falsework.formats.basics.surfaces import merged
from falsework.formats.meshes.meshfile import read_surfaces
from falsework.formats.native.surfaces import read_surface
from falsework.model.catalogue import brick_type
from falsework.model.errors import did_you_mean, shown
from falsework.model.shapes import BrickShape, ConvexPieces, Mesh, Polygon, Polyhedron, Shape, box

SHAPE_KEYS = ("brick", "box", "polyhedron", "pieces", "mesh", "polygon")
UNITS_M = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
_LARGEST_INDEX = 3 * MAX_TRIANGLES


def unit_of(node: Node, otherwise: float = 1.0) -> float:
    """Metres per unit of length that a mapping states under `units`."""
    units = node.get("units")
    if units is None:
        return otherwise
    if units.text() not in UNITS_M:
        raise units.wrong(f"unknown unit {shown(units.value)}; {did_you_mean(units.value, UNITS_M)}")
    return UNITS_M[units.text()]


def read_shape(part: Node, name: str, unit_m: float, mender: Mender) -> Shape:
    """The one shape of a part."""
    found = [key for key in SHAPE_KEYS if part.get(key) is not None]
    if len(found) != 1:
        raise part.wrong(f"found {' and '.join(found) or 'no shape'}, expected exactly one of: {', '.join(SHAPE_KEYS)}")
    if part.get("depth") is not None and found != ["polygon"]:
        raise part["depth"].wrong("only a polygon has a depth")
    node = part[found[0]]
    with node.blamed():
        match found[0]:
            case "brick":
                return BrickShape(brick_type(node.text()))
            case "box":
                return _box(node, unit_m)
            case "polyhedron":
                return _polyhedron(node, unit_m)
            case "pieces":
                return ConvexPieces(tuple(_polyhedron(piece, unit_m) for piece in node.elements()))
            case "polygon":
                depth = part.get("depth")
                return Polygon(node.table(2) * unit_m, 1.0 if depth is None else depth.positive() * unit_m)
        return _mesh(node, name, unit_m, mender)


def _box(node: Node, unit_m: float) -> Polyhedron:
    sides = node.numbers(3)
    if min(sides) <= 0:
        raise node.wrong(f"found sides {sides}, expected three numbers above 0")
    return box((sides[0] * unit_m, sides[1] * unit_m, sides[2] * unit_m))


def _polyhedron(node: Node, unit_m: float) -> Polyhedron:
    node.only(["vertices", "faces"])
    loops = node["faces"].elements(MAX_TRIANGLES)
    faces = tuple(tuple(corner.whole(0, _LARGEST_INDEX) for corner in loop.elements()) for loop in loops)
    return Polyhedron(node["vertices"].table(3) * unit_m, faces)


def _mesh(node: Node, name: str, unit_m: float, mender: Mender) -> Mesh:
    if isinstance(node.value, str):
        return _mesh_file(node, name, unit_m, mender)
    if "file" in node.mapping():
        node.only(["file", "units"])
        return _mesh_file(node["file"], name, unit_of(node, unit_m), mender)
    node.only(["vertices", "triangles", "surfaces"])
    triangles = node["triangles"].table(3, _LARGEST_INDEX)
    if (triangles != np.floor(triangles)).any():
        raise node["triangles"].wrong("found a fraction, expected whole numbers of vertices")
    told = node.get("surfaces")
    surfaces = [read_surface(one, len(triangles), unit_m) for one in told.elements()] if told else []
    return Mesh(node["vertices"].table(3) * unit_m, triangles.astype(np.int64), tuple(surfaces))


def _mesh_file(node: Node, name: str, unit_m: float, mender: Mender) -> Mesh:
    file = _below(node)
    return mender.mesh(file, replace(merged(read_surfaces(file)), name=name), unit_m)


def _below(node: Node) -> Path:
    """The mesh file that a relative path names; nothing outside the assembly's own folder is opened."""
    folder = node.path.parent
    written = Path(node.text())
    try:
        inside = (folder / written).resolve().is_relative_to(folder.resolve())
        there = (folder / written).is_file()
    except (OSError, ValueError, RuntimeError) as why:  # a loop of links, a NUL
        raise node.expected("the path of a mesh file") from why
    if written.is_absolute() or not inside:
        raise node.wrong(f"found {shown(node.value)}, which leaves this file's folder; expected a path below it")
    if not there:
        raise node.wrong(f"there is no mesh file {shown(node.value)} beside {node.path.name}")
    return folder / written
