"""Writes `falsework-assembly/1`. Reading it back gives the same assembly, to the last bit of every number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import numpy as np
import yaml

from falsework.formats.basics.atomic import write_whole
from falsework.formats.basics.parsing import YAML_INT, YAML_NUMBER
from falsework.formats.native.moulds import mould_names, written_as_filed, written_mould
from falsework.formats.native.reading import FORMAT
from falsework.formats.native.surfaces import surface_dict
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Ground, Hinge, Load
from falsework.model.errors import BadInput, shown
from falsework.model.mould import Mould
from falsework.model.part import Material, Part
from falsework.model.shapes import BrickShape, ConvexPieces, Mesh, Polygon, Polyhedron, Shape, box

Notation = Literal["yaml", "json"]
NOTATIONS: dict[str, Notation] = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}


def write(assembly: Assembly, path: str | Path) -> None:
    """Write an assembly as YAML or JSON, by the file's ending; the file appears whole or not at all.

    >>> import tempfile
    >>> from falsework import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(load("examples/bridge.txt"), f"{folder}/bridge.yaml")
    """
    target = Path(path)
    if target.suffix.lower() not in NOTATIONS:
        raise BadInput(f"{target}: found the ending {shown(target.suffix)}, expected one of: {', '.join(NOTATIONS)}")
    text = dumps(assembly, NOTATIONS[target.suffix.lower()])
    write_whole(target, text)


def dumps(assembly: Assembly, notation: Notation = "yaml") -> str:
    """An assembly as text.

    >>> from falsework import load
    >>> dumps(load("examples/bridge.txt")).splitlines()[0]
    'format: falsework-assembly/1'
    """
    document = _document(assembly)
    if notation == "json":
        return _json(document)
    return plain_yaml(document)


def plain_yaml(document: dict[str, Any]) -> str:
    """YAML that our own reader takes back as it was."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Quotes what our reader would take for a number, and writes everything out."""

    def ignore_aliases(self, data: object) -> bool:
        return True


_Dumper.add_implicit_resolver("tag:yaml.org,2002:int", YAML_INT, list("-+0123456789"))
_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", YAML_NUMBER, list("-+.0123456789"))


def _json(document: dict[str, Any]) -> str:
    """JSON with one part per line."""
    lines = []
    for key, value in document.items():
        text = json.dumps(value, allow_nan=False)
        if key == "parts":
            text = "[\n  " + ",\n  ".join(json.dumps(part, allow_nan=False) for part in value) + "\n ]"
        lines.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _document(assembly: Assembly) -> dict[str, Any]:
    materials = _shared_materials(assembly)
    document: dict[str, Any] = {"format": FORMAT, "friction": float(assembly.friction)}
    document["gravity"] = assembly.gravity.tolist()
    document["ground"] = _ground(assembly.ground)
    if assembly.allow_overlap_m:
        document["allow_overlap"] = float(assembly.allow_overlap_m)
    if assembly.gap_m is not None:
        document["gap"] = float(assembly.gap_m)
    if materials:
        document["materials"] = {name: {"density": float(one.density_kg_m3)} for name, one in materials.items()}
    moulds = mould_names(assembly)
    if moulds:
        document["moulds"] = {name: written_mould(mould) for mould, name in moulds.items()}
    document["parts"] = [_part(part, materials, moulds) for part in assembly.parts]
    if assembly.fixed:
        document["fixed"] = [name for name in assembly.names if name in assembly.fixed]
    if assembly.loads:
        document["loads"] = [_load(load) for load in assembly.loads]
    if assembly.hinges:
        document["hinges"] = [_hinge(hinge) for hinge in assembly.hinges]
    document.update(written_as_filed(assembly))
    return document


def _shared_materials(assembly: Assembly) -> dict[str, Material]:
    """Materials whose name means one density throughout."""
    found: dict[str, set[Material]] = {}
    for part in assembly.parts:
        found.setdefault(part.material.name, set()).add(part.material)
    found.pop(Material().name, None)
    return {name: next(iter(variants)) for name, variants in found.items() if len(variants) == 1}


def _ground(ground: Ground) -> str | dict[str, Any]:
    return ground.kind if ground.friction is None else {"kind": ground.kind, "friction": float(ground.friction)}


def _part(part: Part, materials: dict[str, Material], moulds: dict[Mould, str]) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": part.name, **shape_document(part.shape), **_pose(part)}
    entry.update(_substance(part.material, materials))
    uniform = make_part(part.name, part.shape, part.T_world_part, material=part.material)
    if part.mass_kg != uniform.mass_kg:
        entry["mass"] = float(part.mass_kg)
        uniform = make_part(part.name, part.shape, part.T_world_part, mass_kg=part.mass_kg, material=part.material)
    if not np.array_equal(part.com_part_m, uniform.com_part_m):
        entry["com"] = part.com_part_m.tolist()
    if not np.array_equal(part.inertia_part_kgm2, uniform.inertia_part_kgm2):
        entry["inertia"] = part.inertia_part_kgm2.tolist()
    if part.color is not None:
        entry["color"] = part.color
    if part.mould is not None:
        entry["mould"] = moulds[part.mould]
    return entry


def _substance(material: Material, materials: dict[str, Material]) -> dict[str, Any]:
    if material == Material():
        return {}
    if material.name == Material().name:
        return {"density": float(material.density_kg_m3)}
    if materials.get(material.name) == material:
        return {"material": material.name}
    return {"material": {"name": material.name, "density": float(material.density_kg_m3)}}


def _pose(part: Part) -> dict[str, Any]:
    T = part.T_world_part
    if not np.array_equal(T[:3, :3], np.eye(3)):
        return {"pose": T[:3].tolist()}
    return {"at": T[:3, 3].tolist()} if T[:3, 3].any() else {}


def shape_document(shape: Shape) -> dict[str, Any]:
    """A shape as the format spells it."""
    match shape:
        case BrickShape():
            return {"brick": str(shape.kind)}
        case Polyhedron():
            sides = _box_sides(shape)
            return {"polyhedron": _solid(shape)} if sides is None else {"box": list(sides)}
        case ConvexPieces():
            return {"pieces": [_solid(piece) for piece in shape.pieces]}
        case Polygon():
            return {"polygon": shape.outline.tolist(), "depth": float(shape.depth_m)}
        case Mesh():
            told = {"surfaces": [surface_dict(one) for one in shape.primitives]} if shape.primitives else {}
            return {"mesh": {"vertices": shape.vertices.tolist(), "triangles": shape.triangles.tolist(), **told}}


def _solid(shape: Polyhedron) -> dict[str, Any]:
    return {"vertices": shape.vertices.tolist(), "faces": [list(face) for face in shape.faces]}


def _box_sides(shape: Polyhedron) -> tuple[float, float, float] | None:
    """Sides of a cuboid made by `box`, None for any other solid."""
    if shape.vertices.shape != (8, 3):
        return None
    x, y, z = shape.vertices[6].tolist()
    twin = box((x, y, z))
    same = shape.faces == twin.faces and np.array_equal(shape.vertices, twin.vertices)
    return (x, y, z) if same and min(x, y, z) > 0 else None


def _load(load: Load) -> dict[str, Any]:
    entry = {"part": load.part, "force": load.force_n.tolist()}
    return entry if load.point_m is None else {**entry, "at": load.point_m.tolist()}


def _hinge(hinge: Hinge) -> dict[str, Any]:
    return {"parts": [hinge.first, hinge.second], "at": hinge.point_m.tolist(), "axis": hinge.axis.tolist()}
