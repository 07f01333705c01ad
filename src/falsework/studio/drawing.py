"""From an assembly to drawn parts: one mesh per look, as much detail as the page can carry."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Bools
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, box
from falsework.studio.brickmesh import Detail, part_mesh, triangle_count
from falsework.studio.colors import GROUND_COLOR, part_color
from falsework.studio.scene import Parts, Role, SceneMesh

DRAWN_TRIANGLES: dict[Detail, int] = {"fine": 30_000, "full": 30_000, "studs": 250_000}  # over all bricks; else less
STORED_TRIANGLES = 400_000  # over all meshes; shapes beyond it are drawn as their boxes
STORED_MESHES = 4_000  # distinct ones that are not boxes
TABLE_THICKNESS = 0.03  # of the assembly's size: a table is drawn thinner than it is


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """The parts of an assembly as they are drawn, and what was left out."""

    meshes: tuple[SceneMesh, ...]
    parts: Parts
    notes: tuple[str, ...]


def drawing(
    assembly: Assembly,
    held: frozenset[str] = frozenset(),
    absent: frozenset[str] = frozenset(),
    falling: frozenset[str] = frozenset(),
) -> Drawing:
    """All bodies of an assembly; `held`, `absent` and `falling` are names."""
    bodies = assembly.bodies
    looks = [_Look.of(body) for body in bodies]
    places: dict[_Look, int] = {}
    mesh = np.array([places.setdefault(look, len(places)) for look in looks])
    detail = _detail(bodies)
    meshes, boxed = _meshes(list(places), detail)
    if assembly.ground_part is not None and assembly.ground.kind == "table":
        meshes.append(_table_top(assembly))
        mesh[-1] = len(meshes) - 1
    notes = []
    if boxed:
        notes.append(f"{boxed:,} detailed shapes are drawn as their bounding boxes to keep this page small.")
    parts = Parts(
        names=tuple(body.name for body in bodies),
        labels=tuple(map(_label, bodies)),
        mesh=mesh,
        T_world_part=assembly.poses,
        com_world_m=assembly.coms_m,
        mass_kg=assembly.masses_kg,
        color=_colors(assembly),
        role=tuple(_role(assembly, body, held, absent) for body in bodies),
        falling=_flags(assembly, falling),
    )
    return Drawing(tuple(meshes), parts, tuple(notes))


def redrawn(
    drawn: Drawing, assembly: Assembly, held: frozenset[str], absent: frozenset[str], falling: frozenset[str]
) -> Drawing:
    """The same parts in other states."""
    role = tuple(_role(assembly, body, held, absent) for body in assembly.bodies)
    return replace(drawn, parts=replace(drawn.parts, role=role, falling=_flags(assembly, falling)))


class _Look:
    """Shapes that look the same are equal: catalogue parts by type, others by being the same object."""

    __slots__ = ("key", "part")

    def __init__(self, key: object, part: Part) -> None:
        self.key, self.part = key, part

    @staticmethod
    def of(part: Part) -> _Look:
        return _Look(part.shape.kind if isinstance(part.shape, BrickShape) else id(part.shape), part)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Look) and self.key == other.key


def _detail(bodies: tuple[Part, ...]) -> Detail:
    """The richest look of the bricks that stays within DRAWN_TRIANGLES: pages must turn without a graphics card."""
    bricks = Counter(body.shape.kind for body in bodies if isinstance(body.shape, BrickShape))
    for detail, most in DRAWN_TRIANGLES.items():
        if sum(count * triangle_count(kind, detail) for kind, count in bricks.items()) <= most:
            return detail
    return "body"


def _meshes(looks: list[_Look], detail: Detail) -> tuple[list[SceneMesh], int]:
    """A mesh for every look, and how many of them had to become boxes; small meshes are kept first."""
    found = [part_mesh(look.part, detail) for look in looks]
    counts = np.array([len(mesh.triangles) for mesh in found])
    is_box = np.array([_is_box(mesh.vertices) for mesh in found])
    order = np.argsort(np.where(is_box, 0, counts), kind="stable")
    stored = np.cumsum(np.where(is_box, 0, counts)[order])
    kept = np.zeros(len(found), dtype=bool)
    kept[order] = (stored <= STORED_TRIANGLES) & (np.cumsum(~is_box[order]) <= STORED_MESHES)
    meshes = [
        SceneMesh(mesh.vertices, mesh.triangles) if keep else _bounding_box(mesh.vertices)
        for mesh, keep in zip(found, kept, strict=True)
    ]
    return meshes, int((~kept).sum())


def _is_box(vertices: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bool:
    """Eight vertices, each at a corner of their bounding box: all such share one stored mesh."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return len(vertices) == 8 and bool(((vertices == low) | (vertices == high)).all())


def _bounding_box(vertices: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> SceneMesh:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    mesh = surface(box(tuple(np.maximum(high - low, 1e-12).tolist())))
    return SceneMesh(mesh.vertices + low, mesh.triangles)


def _table_top(assembly: Assembly) -> SceneMesh:
    """The upper part of the table's slab."""
    assert assembly.ground_part is not None
    mesh = surface(assembly.ground_part.shape)
    top = mesh.vertices[:, 2].max()
    thickness = TABLE_THICKNESS * float(np.ptp(mesh.vertices, axis=0).max())
    vertices = mesh.vertices.copy()
    vertices[:, 2] = np.maximum(vertices[:, 2], top - thickness)
    return SceneMesh(vertices, mesh.triangles)


def _label(part: Part) -> str:
    if part.mould is not None:
        return part.mould.title or part.mould.number
    return str(part.shape.kind) if isinstance(part.shape, BrickShape) else type(part.shape).__name__.lower()


def _colors(assembly: Assembly) -> tuple[str, ...]:
    """Bricks of one type share a colour, stones take turns; a file's own colours come first."""
    kinds: dict[object, int] = {}
    colors = []
    for number, body in enumerate(assembly.bodies):
        place = number
        if isinstance(body.shape, BrickShape):
            place = kinds.setdefault(body.shape.kind, len(kinds))
        colors.append(GROUND_COLOR if body is assembly.ground_part else part_color(body, place))
    return tuple(colors)


def _role(assembly: Assembly, body: Part, held: frozenset[str], absent: frozenset[str]) -> Role:
    if body is assembly.ground_part:
        return "ground"
    if body.name in absent:
        return "absent"
    if body.name in assembly.fixed:
        return "fixed"
    return "held" if body.name in held else "free"


def _flags(assembly: Assembly, names: frozenset[str]) -> Bools:
    return np.array([body.name in names for body in assembly.bodies], dtype=bool)
