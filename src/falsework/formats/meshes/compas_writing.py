"""Writes COMPAS JSON: an assembly of blocks (`compas_assembly`) or a block model (`compas_dem`).

Blocks are meshes of flat polygons in world coordinates, metres. Nodes are numbered, and blocks carry the parts' names.
Identifiers are made from what they identify: the same assembly gives the same file.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

import numpy as np

from falsework.formats.basics.losses import NO_GROUND, lost
from falsework.geometry.shapes.solids import surface
from falsework.model.assembly import Assembly
from falsework.model.part import Material, Part
from falsework.model.shapes import BrickShape, Polyhedron

_OURS = uuid.UUID("7b3f1c52-8a54-5f0e-9f0a-2f6a1f0d6c11")  # any constant: names below it are ours


def losses(assembly: Assembly, *, densities: bool) -> list[str]:
    """What reading back would not give; `densities`: whether the format keeps those."""
    plain = densities and not any(isinstance(part.shape, BrickShape) for part in assembly.parts)
    found = lost(assembly, ground=NO_GROUND, fixed=assembly.fixed, masses=plain and _uniform(assembly))
    if any(isinstance(part.shape, BrickShape) for part in assembly.parts):
        found.insert(0, "studs and holes")
    return found


def assembly_text(assembly: Assembly) -> str:
    """For `compas_assembly`."""
    nodes = {
        str(number): {"block": _block(part), "is_support": part.name in assembly.fixed}
        for number, part in enumerate(assembly.parts)
    }
    defaults = {"block": None, "is_support": False}
    graph = {"dtype": "compas.datastructures/Graph", "data": _graph(nodes, defaults, {"interfaces": None})}
    data = {"attributes": {"name": "Assembly"}, "graph": graph}
    return json.dumps({"dtype": "compas_assembly.datastructures/Assembly", "data": data}) + "\n"


def model_text(assembly: Assembly) -> str:
    """For `compas_dem`."""
    guids = [_guid("element", part.name) for part in assembly.parts]
    materials = {part.material.name: part.material for part in assembly.parts if part.material != Material()}
    elements = {guid: _element(part, guid, assembly) for guid, part in zip(guids, assembly.parts, strict=True)}
    nodes = {str(number): {"element": guid} for number, guid in enumerate(guids)}
    defaults = {"x": 0.0, "y": 0.0, "z": 0.0, "element": None}
    data = {
        "transformation": None,
        "elements": elements,
        "materials": {_guid("material", name): _material(one) for name, one in materials.items()},
        "tree": {
            "attributes": {},
            "root": {"name": "root", "children": [{"name": "ElementNode", "element": guid} for guid in guids]},
        },
        "graph": _graph(nodes, defaults, {"modifiers": None, "contacts": None}),
    }
    return json.dumps({"dtype": "compas_dem.models/BlockModel", "data": data, "name": "BlockModel"}) + "\n"


def _uniform(assembly: Assembly) -> bool:
    """Whether every mass is density times volume, by the material of the part."""
    from falsework.geometry.shapes.solids import make_part

    made = [make_part(part.name, part.shape, np.eye(4), material=part.material) for part in assembly.parts]
    return all(np.isclose(one.mass_kg, part.mass_kg, rtol=1e-9) for one, part in zip(made, assembly.parts, strict=True))


def _graph(nodes: dict[str, Any], node_defaults: dict[str, Any], edge_defaults: dict[str, Any]) -> dict[str, Any]:
    return {
        "attributes": {},
        "default_node_attributes": node_defaults,
        "default_edge_attributes": edge_defaults,
        "node": nodes,
        "edge": {key: {} for key in nodes},
        "max_node": len(nodes) - 1,
    }


def _element(part: Part, guid: str, assembly: Assembly) -> dict[str, Any]:
    material = None if part.material == Material() else _guid("material", part.material.name)
    data: dict[str, Any] = {
        "transformation": None,
        "features": [],
        "name": part.name,
        "material": material,
        "geometry": {"dtype": "compas.datastructures/Mesh", "data": _mesh(part), "name": part.name},
        "is_support": part.name in assembly.fixed,
    }
    return {"dtype": "compas_dem.elements/Block", "data": data, "guid": guid, "name": part.name}


def _material(material: Material) -> dict[str, Any]:
    data = {"name": material.name, "density": material.density_kg_m3}
    return {"dtype": "compas_model.materials/Material", "data": data, "guid": _guid("material", material.name)}


def _block(part: Part) -> dict[str, Any]:
    return {"dtype": "compas_assembly.datastructures/Block", "data": _mesh(part, name=part.name)}


def _mesh(part: Part, **attributes: str) -> dict[str, Any]:
    shape = part.shape
    if isinstance(shape, Polyhedron):
        vertices, faces = shape.vertices, [list(loop) for loop in shape.faces]
    else:
        mesh = surface(shape)
        vertices, faces = mesh.vertices, mesh.triangles.tolist()
    placed = vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    return {
        "attributes": attributes,
        "default_vertex_attributes": {"x": 0.0, "y": 0.0, "z": 0.0},
        "default_edge_attributes": {},
        "default_face_attributes": {},
        "vertex": {str(row): dict(zip("xyz", point, strict=True)) for row, point in enumerate(placed.tolist())},
        "face": {str(row): loop for row, loop in enumerate(faces)},
        "facedata": {},
        "edgedata": {},
        "max_vertex": len(placed) - 1,
        "max_face": len(faces) - 1,
    }


def _guid(kind: str, name: str) -> str:
    return str(uuid.uuid5(_OURS, f"{kind}/{name}"))
