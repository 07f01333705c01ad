"""Our own format, `falsework-assembly/1`, in YAML or JSON. Written by `formats.native.writing`.

    format: falsework-assembly/1
    units: mm                        # of every length below: m (default), cm, mm, in, ft
    friction: 0.55                   # of contacts
    gravity: [0, 0, -9.81]           # m/s²
    ground: table                    # baseplate, table, table:0.4 or none (default);
                                     # or {kind: table, friction: 0.4}
    allow_overlap: 0                 # interpenetration to accept
    gap: 0.0002                      # up to which distance parts touch, if not 1e-4 of the smaller one's size
    materials: {oak: {density: 700}}            # kg/m³
    parts:                           # each has a name and one shape, and stands where it says
    - {name: a, brick: brick_2x4, studs: [3, 0, 6], turn: 90}   # studs, studs, plates of the footprint's corner
    - {name: b, box: [200, 100, 60], at: [0, 0, 60]}            # minimum corner at the part's origin
    - {name: c, polyhedron: {vertices: [[x, y, z], …], faces: [[0, 3, 2, 1], …]}}   # outward, counter-clockwise
    - {name: d, pieces: [{vertices: …, faces: …}, …]}           # convex pieces that touch
    - {name: e, mesh: {vertices: …, triangles: …}}              # closed, outward; `surfaces`: see native/surfaces.py
    - {name: f, mesh: parts/f.stl}                              # a file below this one's folder; mended if open
    - {name: g, mesh: {file: g.obj, units: cm}}
    - {name: h, polygon: [[x, z], …], depth: 1}                 # in the x–z plane, extruded about y = 0
    fixed: [a]                       # or `fixed: true` in the part
    loads:
    - {part: b, force: [0, 0, -5], at: [100, 50, 120]}          # N, world; default at the centre of mass
    hinges:
    - {parts: [h, b], at: [0, 0, 0], axis: [0, 1, 0]}           # default axis: y

Where a part stands: `at` and one of `turn` (degrees about z; a polygon's: counter-clockwise in its plane) or
`quaternion` (w, x, y, z); or `pose`, three or four rows of its matrix; or, for bricks, `studs`.
What it weighs: `material`, a name from `materials` or {name, density}, or `density`; or `mass` (kg). `com`, and
`inertia` about it (3x3, kg·m²), replace those of a uniform solid. `color` is any text. What is kept of LDraw models
besides (`moulds`, `steps`, `partial`) is told in `formats/native/moulds.py`.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import cast

import numpy as np

from falsework.formats.basics.brick_parts import BrickMaker
from falsework.formats.basics.content import Content
from falsework.formats.basics.mender import Mender
from falsework.formats.basics.node import Node
from falsework.formats.native.moulds import read_moulds, read_partial, read_steps
from falsework.formats.native.poses import POSE_KEYS, read_pose
from falsework.formats.native.shapes import SHAPE_KEYS, read_shape, unit_of
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import DEFAULT_FRICTION, STANDARD_GRAVITY, Ground, GroundKind, Hinge, Load
from falsework.model.errors import did_you_mean, shown
from falsework.model.mould import Mould
from falsework.model.part import Material, Part
from falsework.model.shapes import BrickShape

FORMAT = "falsework-assembly/1"

_TOP_KEYS = (
    "format", "units", "friction", "gravity", "ground", "allow_overlap", "gap", "materials", "parts", "fixed", "loads",
    "hinges", "moulds", "as_drawn", "steps", "partial",
)  # fmt: skip
_PART_KEYS = (
    "name", "material", "density", "mass", "com", "inertia", "color", "fixed", "depth", "mould",
    *POSE_KEYS, *SHAPE_KEYS,
)  # fmt: skip
_UNIT_AXIS = 1e-12  # a written axis this close to unit length is taken as it stands
_MAX_FRICTION = 1e3


@dataclass(frozen=True, slots=True)
class _Reader:
    """What the parts of one file share."""

    unit_m: float
    materials: dict[str, Material]
    maker: BrickMaker
    mender: Mender
    moulds: dict[str, Mould]


def looks_like(root: Node) -> bool:
    """Whether a mapping calls itself ours, of whatever version."""
    return isinstance(root.value, dict) and str(root.value.get("format")).startswith("falsework-assembly")


def read(root: Node) -> Content:
    """The assembly as the file has it."""
    if root["format"].value != FORMAT:
        raise root["format"].expected(repr(FORMAT))
    root.only(_TOP_KEYS)
    unit_m = unit_of(root)
    moulds = read_moulds(root.get("moulds"), unit_m)
    reader = _Reader(unit_m, _materials(root.get("materials")), BrickMaker(), Mender(root.path), moulds)
    nodes = root["parts"].elements()
    parts = [_part(node, reader) for node in nodes]
    fixed = {part.name for part, node in zip(parts, nodes, strict=True) if _flagged(node)}
    fixed |= {name.name() for name in _listed(root, "fixed")}
    friction, gravity, overlap, gap = (root.get(key) for key in ("friction", "gravity", "allow_overlap", "gap"))
    return Content(
        parts,
        fixed=frozenset(fixed),
        ground=_ground(root.get("ground")),
        friction=DEFAULT_FRICTION if friction is None else friction.number(0, _MAX_FRICTION),
        gravity=np.array(STANDARD_GRAVITY if gravity is None else gravity.numbers(3)),
        loads=tuple(_load(node, unit_m) for node in _listed(root, "loads")),
        hinges=tuple(_hinge(node, unit_m) for node in _listed(root, "hinges")),
        allow_overlap_m=0.0 if overlap is None else overlap.number(0) * unit_m,
        gap_m=None if gap is None else gap.positive() * unit_m,
        as_drawn=(drawn := root.get("as_drawn")) is not None and drawn.flag(),
        steps=read_steps(_listed(root, "steps")),
        partial=read_partial(_listed(root, "partial")),
        notes=reader.mender.notes,
    )


def _listed(root: Node, key: str) -> list[Node]:
    node = root.get(key)
    return [] if node is None else node.elements()


def _flagged(node: Node) -> bool:
    fixed = node.get("fixed")
    return fixed is not None and fixed.flag()


def _part(node: Node, reader: _Reader) -> Part:
    node.only(_PART_KEYS)
    name = node["name"].name()
    with node.blamed():
        shape = read_shape(node, name, reader.unit_m, reader.mender)
        pose = read_pose(node, shape, reader.unit_m)
        mass = node.get("mass")
        mass_kg = None if mass is None else mass.positive()
        color = node.get("color")
        hue = None if color is None else color.text()
        material = _material(node, reader.materials)
        if isinstance(shape, BrickShape) and material == Material():
            part = reader.maker.part(name, shape.kind, pose, mass_kg=mass_kg, color=hue)
        else:
            part = make_part(name, shape, pose, mass_kg=mass_kg, material=material, color=hue)
        part = _balanced(part, node, reader.unit_m)
        mould = node.get("mould")
        return part if mould is None else dataclasses.replace(part, mould=_mould(mould, reader.moulds))


def _mould(node: Node, moulds: dict[str, Mould]) -> Mould:
    if node.name() not in moulds:
        hint = did_you_mean(node.value, moulds) if moulds else "add it to moulds"
        raise node.wrong(f"there is no mould {shown(node.value)}; {hint}")
    return moulds[node.name()]


def _balanced(part: Part, node: Node, unit_m: float) -> Part:
    """The part with the centre of mass and inertia that the file states."""
    com, inertia = node.get("com"), node.get("inertia")
    if com is not None:
        part = dataclasses.replace(part, com_part_m=np.array(com.numbers(3)) * unit_m)
    if inertia is not None:
        part = dataclasses.replace(part, inertia_part_kgm2=_inertia(inertia))
    return part


def _inertia(node: Node) -> Array:
    rows = node.table(3)
    if rows.shape != (3, 3) or not np.allclose(rows, rows.T) or np.linalg.eigvalsh(rows)[0] <= 0:
        raise node.wrong("expected a symmetric, positive definite 3x3 matrix in kg·m²")
    return rows


def _materials(table: Node | None) -> dict[str, Material]:
    if table is None:
        return {}
    for _, node in table.members():
        node.only(["density"])
    return {name: Material(node.key_name(), node["density"].positive()) for name, node in table.members()}


def _material(node: Node, materials: dict[str, Material]) -> Material:
    named, density = node.get("material"), node.get("density")
    if named is not None and density is not None:
        raise node.wrong("found both material and density, expected one of them")
    if density is not None:
        return Material(density_kg_m3=density.positive())
    if named is None:
        return Material()
    if isinstance(named.value, dict):
        named.only(["name", "density"])
        return Material(named["name"].name(), named["density"].positive())
    if named.name() not in materials:
        hint = did_you_mean(named.value, materials) if materials else "add it to materials"
        raise named.wrong(f"there is no material {shown(named.value)}; {hint}")
    return materials[named.name()]


def _ground(node: Node | None) -> Ground:
    if node is None:
        return Ground()
    if isinstance(node.value, dict):
        node.only(["kind", "friction"])
        kind, friction = node["kind"], node.get("friction")
        own = None if friction is None else friction.number(0, _MAX_FRICTION)
        with kind.blamed():
            return Ground(cast(GroundKind, kind.text()), own)
    with node.blamed():
        ground = Ground.parsed(node.text())
    if ground.friction is not None and ground.friction > _MAX_FRICTION:
        raise node.expected(f"a friction from 0 to {_MAX_FRICTION:g}")
    return ground


def _load(node: Node, unit_m: float) -> Load:
    node.only(["part", "force", "at"])
    at = node.get("at")
    point = None if at is None else np.array(at.numbers(3)) * unit_m
    return Load(node["part"].name(), np.array(node["force"].numbers(3)), point)


def _hinge(node: Node, unit_m: float) -> Hinge:
    node.only(["parts", "at", "axis"])
    joined = node["parts"].elements()
    if len(joined) != 2:
        raise node["parts"].expected("two part names")
    axis = node.get("axis")
    direction = np.array([0.0, 1.0, 0.0] if axis is None else axis.numbers(3))
    length = math.sqrt(float(direction @ direction))
    if length == 0:
        raise node["axis"].wrong("found a vector of length 0, expected a direction")
    if abs(length - 1.0) > _UNIT_AXIS:
        direction = direction / length
    return Hinge(joined[0].name(), joined[1].name(), np.array(node["at"].numbers(3)) * unit_m, direction)
