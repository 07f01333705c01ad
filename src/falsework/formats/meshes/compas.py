"""COMPAS assembly JSON: a graph whose nodes carry blocks, meshes of flat polygons in world coordinates.

A node's key is the part's name. Nodes marked `is_support` are fixed.
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
    parts = [_part(node, scale) for _, node in members]
    fixed = frozenset(name for name, node in members if _is_support(node, support_by_default))
    return Content(parts, fixed=fixed)


def _is_support(attributes: Node | None, otherwise: bool) -> bool:
    flag = attributes.get("is_support") if attributes else None
    return otherwise if flag is None else flag.flag()


def _part(node: Node, scale: float) -> Part:
    block = node["block"]["data"]
    vertices, number = _vertices(block["vertex"])
    faces = tuple(_loop(face, number) for _, face in block["face"].members())
    with node.blamed():
        shape = Polyhedron(vertices * scale, _outward(vertices, faces))
        return make_part(node.key_name(), shape, np.eye(4))


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
