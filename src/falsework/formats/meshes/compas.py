"""COMPAS assembly JSON: a graph whose nodes carry blocks, meshes of flat polygons in world coordinates.

A part is named as its block is, or, where names are missing or not unique, by its node's key. Nodes marked `is_support`
are fixed.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from falsework.formats.basics.content import Content
from falsework.formats.basics.limits import MAX_PARTS, within
from falsework.formats.basics.node import Node
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.errors import shown
from falsework.model.part import Part
from falsework.model.shapes import Polyhedron

FORMAT = "compas-assembly"


def looks_like(root: Node) -> bool:
    """Whether a JSON object calls itself an assembly of COMPAS."""
    value = root.value
    return isinstance(value, dict) and isinstance(value.get("dtype"), str) and value["dtype"].startswith("compas")


def read(root: Node, scale: float) -> Content:
    """The blocks of an assembly; `scale` is metres per unit of the file."""
    if not str(root.value["dtype"]).endswith("/Assembly"):
        raise root["dtype"].expected("compas_assembly.datastructures/Assembly")
    graph = root["data"]["graph"]["data"]
    members = graph["node"].members()
    within(root.path, graph["node"].place, "parts", len(members), MAX_PARTS)
    support_by_default = _is_support(graph.get("default_node_attributes"), False)
    names = _names(members)
    parts = [_part(node, name, scale) for (_, node), name in zip(members, names, strict=True)]
    marked = [_is_support(node, support_by_default) for _, node in members]
    return Content(parts, fixed=frozenset(name for name, mark in zip(names, marked, strict=True) if mark))


def _names(members: list[tuple[str, Node]]) -> list[str]:
    """Those of the blocks, where all have one of their own; else the nodes' keys."""
    own = [node["block"]["data"].get("attributes") for _, node in members]
    given = [None if attributes is None else attributes.value.get("name") for attributes in own]
    if all(isinstance(name, str) and name.strip() for name in given) and len({*given}) == len(given):
        return [attributes["name"].name() for attributes in own if attributes is not None]
    return [node.key_name() for _, node in members]


def _is_support(attributes: Node | None, otherwise: bool) -> bool:
    flag = attributes.get("is_support") if attributes else None
    return otherwise if flag is None else flag.flag()


def _part(node: Node, name: str, scale: float) -> Part:
    with node.blamed():
        return make_part(name, block_shape(node["block"]["data"], scale), np.eye(4))


def block_shape(block: Node, scale: float, T: Array | None = None) -> Polyhedron:
    """A COMPAS mesh as a solid, in metres; `T` (4, 4) places it in the file's own unit."""
    vertices, number = _vertices(block["vertex"])
    faces = tuple(_loop(face, number) for _, face in block["face"].members())
    placed = vertices if T is None else vertices @ T[:3, :3].T + T[:3, 3]
    return Polyhedron(placed * scale, _outward(placed, faces))


def _vertices(table: Node) -> tuple[Array, dict[str, int]]:
    """World coordinates, and the row of each vertex key."""
    members = table.members()
    points = [[vertex[axis].number() if axis in vertex.mapping() else 0.0 for axis in "xyz"] for _, vertex in members]
    return np.array(points, dtype=np.float64).reshape(-1, 3), {key: row for row, (key, _) in enumerate(members)}


def _loop(face: Node, number: dict[str, int]) -> tuple[int, ...]:
    keys = [str(corner.value) for corner in face.elements()]
    for key in keys:
        if key not in number:
            raise face.wrong(f"found vertex {shown(key)}, which the block does not have")
    return tuple(number[key] for key in keys)


def _outward(vertices: Array, faces: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """The faces, turned over if they enclose a negative volume."""
    triangles = np.array([(loop[0], b, c) for loop in faces for b, c in pairwise(loop[1:])])
    if len(triangles) == 0:
        return faces
    a, b, c = (vertices[triangles[:, corner]] - vertices.mean(axis=0) for corner in range(3))
    volume = float(np.einsum("ij,ij->", a, np.cross(b, c)))
    return tuple(loop[::-1] for loop in faces) if volume < 0 else faces
