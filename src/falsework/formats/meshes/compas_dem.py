"""COMPAS block models (`compas_dem`): elements with meshes, placed by the tree that they hang in.

An element is named as the file names it, or by its number where names are missing or not unique. `is_support` is fixed.
Where an element has a material with a density, its mass follows from that; friction belongs to analyses, not to models.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from falsework.formats.basics.content import Content
from falsework.formats.basics.limits import MAX_PARTS, within
from falsework.formats.basics.node import Node
from falsework.formats.meshes.compas import block_shape
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.part import Material, Part

FORMAT = "compas-dem"


def looks_like(root: Node) -> bool:
    """Whether a JSON object calls itself a model of COMPAS blocks."""
    value = root.value
    return isinstance(value, dict) and isinstance(value.get("dtype"), str) and value["dtype"].endswith("/BlockModel")


def read(root: Node, scale: float) -> Content:
    """The blocks of a model; `scale` is metres per unit of the file."""
    model = root["data"]
    elements = dict(model["elements"].members())
    within(root.path, model["elements"].place, "parts", len(elements), MAX_PARTS)
    densities = _densities(model)
    placed = [
        (guid, elements[guid]["data"], T)
        for guid, T in _hanging(model["tree"]["root"], _transformation(model), elements)
        if elements[guid].get("data") is not None and _has_geometry(elements[guid]["data"])
    ]
    given = [_named(data) for _, data, _ in placed]
    unique = len({*given}) == len(given) and all(given)
    names = given if unique else [str(number) for number in range(len(placed))]
    parts = [_part(data, name, T, densities, scale) for (_, data, T), name in zip(placed, names, strict=True)]
    fixed = frozenset(name for (_, data, _), name in zip(placed, names, strict=True) if _is_support(data))
    return Content(parts, fixed=fixed)


def _hanging(node: Node, T: Array, elements: dict[str, Node]) -> Iterator[tuple[str, Array]]:
    """The elements of a tree from its root on, each with all transformations above it and its own."""
    children = node.get("children")
    for child in children.elements() if children is not None and children.value is not None else []:
        below, guid = T, child.get("element")
        if guid is not None and guid.value is not None:
            key = guid.text()
            if key not in elements:
                raise guid.wrong("is an element that the model does not have")
            below = T @ _transformation(elements[key]["data"])
            yield key, below
        yield from _hanging(child, below, elements)


def _transformation(data: Node) -> Array:
    given = data.get("transformation")
    if given is None or given.value is None:
        return np.eye(4)
    return np.array([row.numbers(4) for row in given["data"]["matrix"].elements()], dtype=np.float64).reshape(4, 4)


def _has_geometry(data: Node) -> bool:
    """Groups hang in the tree too, and have none."""
    geometry = data.get("geometry")
    return geometry is not None and geometry.value is not None


def _named(data: Node) -> str:
    name = data.get("name")
    return name.name() if name is not None and isinstance(name.value, str) and name.value.strip() else ""


def _is_support(data: Node) -> bool:
    flag = data.get("is_support")
    return flag is not None and flag.value is not None and flag.flag()


def _densities(model: Node) -> dict[str, float]:
    """kg/m³ of each material that says one."""
    materials = model.get("materials")
    found = {}
    for guid, material in materials.members() if materials is not None and materials.value else []:
        density = material["data"].get("density")
        if density is not None and density.value is not None:
            found[guid] = density.positive()
    return found


def _part(data: Node, name: str, T: Array, densities: dict[str, float], scale: float) -> Part:
    geometry = data["geometry"]
    if not str(geometry["dtype"].value).endswith("/Mesh"):
        raise geometry["dtype"].expected("compas.datastructures/Mesh")
    material = data.get("material")
    density = None if material is None else densities.get(str(material.value))
    with geometry.blamed():
        shape = block_shape(geometry["data"], scale, T)
        used = Material() if density is None else Material(density_kg_m3=density)
        return make_part(name, shape, np.eye(4), material=used)
