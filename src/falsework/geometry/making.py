"""Assemblies from what Python has at hand: boxes as arrays, meshes of trimesh."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import DEFAULT_FRICTION, Assembly, Ground, as_ground
from falsework.model.errors import BadInput, BadPart, did_you_mean, shown
from falsework.model.given import Names
from falsework.model.given import names as named
from falsework.model.part import Material, Part
from falsework.model.shapes import Mesh, box

WATER_KG_M3 = 1000.0  # as files that name no material
Masses = float | Sequence[float] | Mapping[str, float] | None

log = logging.getLogger(__name__)


def from_boxes(
    sizes_m: Any,
    centres_m: npt.ArrayLike | None = None,
    *,
    names: Names | None = None,
    masses_kg: Masses = None,
    density_kg_m3: float = WATER_KG_M3,
    fixed: Names = (),
    ground: str | Ground = "none",
    mu: float = DEFAULT_FRICTION,
) -> Assembly:
    """See `Assembly.from_boxes`."""
    if isinstance(sizes_m, Mapping):
        if centres_m is not None or names is not None:
            raise BadInput('boxes by name bring their centres: {"base": (size, centre), …}, and nothing beside')
        names = tuple(sizes_m)
        sizes_m, centres_m = _sizes_and_centres(sizes_m)
    if centres_m is None:
        raise BadInput("from_boxes needs a centre for every box: from_boxes(sizes_m, centres_m), both n x 3 in metres")
    sizes, centres = _rows(sizes_m, "sizes_m"), _rows(centres_m, "centres_m")
    if len(sizes) == 1:
        sizes = np.repeat(sizes, len(centres), axis=0)
    if len(sizes) != len(centres):
        raise BadInput(f"from_boxes: found {len(sizes)} sizes and {len(centres)} centres, expected as many")
    if not (sizes > 0).all():
        raise BadInput(f"sizes_m: found {shown(sizes.min())}, expected lengths above 0")
    known = _numbered("box", len(centres)) if names is None else named(names)
    weights = _weights(masses_kg, known, len(centres))
    material = Material(density_kg_m3=density_kg_m3)
    parts = []
    for name, size, centre, weight in zip(known, sizes, centres, weights, strict=True):
        T_world_part = np.eye(4)
        T_world_part[:3, 3] = centre - size / 2
        parts.append(make_part(name, box(tuple(size.tolist())), T_world_part, mass_kg=weight, material=material))
    return _assembled(parts, fixed, ground, mu)


def from_trimesh(
    meshes: Any,
    *,
    names: Names | None = None,
    masses_kg: Masses = None,
    density_kg_m3: float = WATER_KG_M3,
    fixed: Names = (),
    ground: str | Ground = "none",
    mu: float = DEFAULT_FRICTION,
    scale: float = 1.0,
) -> Assembly:
    """See `Assembly.from_trimesh`."""
    if not 0 < scale < np.inf:  # rejects NaN too
        raise BadInput(f"scale: found {shown(scale)}, expected metres per unit of the meshes, above 0")
    found = _placed(meshes)
    known = tuple(name for name, _, _ in found) if names is None else named(names)
    weights = _weights(masses_kg, known, len(found))
    material = Material(density_kg_m3=density_kg_m3)
    parts = [
        make_part(name, _closed(name, mesh, pose, scale), np.eye(4), mass_kg=weight, material=material)
        for name, (_, mesh, pose), weight in zip(known, found, weights, strict=True)
    ]
    return _assembled(parts, fixed, ground, mu)


def _assembled(parts: list[Part], fixed: Names, ground: str | Ground, mu: float) -> Assembly:
    return grounded(Assembly(tuple(parts), fixed=frozenset(named(fixed)), friction=mu), as_ground(ground))


def _sizes_and_centres(boxes: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    for name, given in boxes.items():
        if np.shape(given) != (2, 3):
            raise BadInput(f"box {shown(name)}: found {shown(given)}, expected (size, centre), each three numbers in m")
    return [size for size, _ in boxes.values()], [centre for _, centre in boxes.values()]


def _rows(given: npt.ArrayLike, what: str) -> Array:
    try:
        rows = np.atleast_2d(np.array(given, dtype=float))
    except (TypeError, ValueError):
        rows = np.full((0, 0), np.nan)
    if rows.ndim != 2 or rows.shape[1] != 3 or not len(rows) or not np.isfinite(rows).all():
        raise BadInput(f"{what}: found {shown(given)}, expected n x 3 finite numbers, in metres")
    return rows


def _numbered(word: str, count: int) -> tuple[str, ...]:
    return tuple(f"{word}-{number}" for number in range(1, count + 1))


def _weights(given: Masses, known: tuple[str, ...], count: int) -> list[float | None]:
    """A mass for every part, None where its density says it."""
    if len(known) != count:
        raise BadInput(f"names: found {len(known)} names for {count} parts, expected as many")
    if given is None:
        return [None] * count
    if isinstance(given, Mapping):
        for name in given:
            if name not in known:
                raise BadInput(f"masses_kg: there is no part {shown(name)}; {did_you_mean(name, known)}")
        return [given.get(name) for name in known]
    weights = np.ravel(np.asarray(given, dtype=float)).tolist()
    if len(weights) not in (1, count):
        raise BadInput(f"masses_kg: found {len(weights)} masses for {count} parts, expected one, or one each")
    return weights * count if len(weights) == 1 else weights


def _placed(meshes: Any) -> list[tuple[str, Any, Array]]:
    """Name, mesh and pose (T_world_mesh) of everything in a scene, a mapping, a list or a single mesh."""
    if hasattr(meshes, "graph") and hasattr(meshes, "geometry"):
        poses = [(node, *meshes.graph.get(node)) for node in meshes.graph.nodes_geometry]
        return [(str(node), meshes.geometry[shape], np.asarray(pose)) for node, pose, shape in poses]
    if hasattr(meshes, "vertices"):
        meshes = [meshes]
    if isinstance(meshes, Mapping):
        return [(name, mesh, np.eye(4)) for name, mesh in meshes.items()]
    if not isinstance(meshes, Iterable) or isinstance(meshes, str | bytes):
        hint = "falsework.load reads files" if isinstance(meshes, str) else "a mesh has vertices and faces"
        raise BadInput(f"from_trimesh: found {shown(meshes)}, expected meshes, a scene, or meshes by name; {hint}")
    listed = list(meshes)
    usual = _numbered("mesh", len(listed))
    return [(_own_name(mesh) or name, mesh, np.eye(4)) for name, mesh in zip(usual, listed, strict=True)]


def _own_name(mesh: Any) -> str | None:
    metadata = getattr(mesh, "metadata", None)
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    return name if isinstance(name, str) and name else None


def _closed(name: str, mesh: Any, T_world_mesh: Array, scale: float) -> Mesh:
    """The surface of a mesh, closed, in metres and in world axes."""
    from falsework.geometry.mending.repair import closed  # brings scipy: only for those who have meshes

    try:
        vertices = np.asarray(mesh.vertices, dtype=float)
        triangles = np.asarray(mesh.faces, dtype=np.int64)
    except (AttributeError, TypeError, ValueError) as why:
        raise BadPart(name, "mesh", mesh, "something with vertices (n x 3) and faces (m x 3)") from why
    try:
        whole, repairs = closed(scale * (vertices @ T_world_mesh[:3, :3].T + T_world_mesh[:3, 3]), triangles)
    except ValueError as why:
        raise BadInput(f"part {shown(name)} has no defined volume: {why}") from why
    for repair in repairs:
        log.warning("part %s: %s", shown(name), repair)
    return whole
