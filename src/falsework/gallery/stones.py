"""Blocks with flat faces, for builders of the gallery."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.part import Part
from falsework.model.shapes import Polygon, Polyhedron, box

Cell = tuple[int, int, int]

# The faces of a cuboid over corners (0,0,0), (1,0,0), (1,1,0), (0,1,0) and the same four above.
CUBOID = box((1.0, 1.0, 1.0)).faces


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    """A pose that only shifts."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def block(name: str, size: tuple[float, float, float], x: float, y: float, z: float) -> Part:
    """A cuboid with its minimum corner at a place."""
    return make_part(name, box(size), at(x, y, z))


def wedge(name: str, corners: npt.ArrayLike) -> Part:
    """A block with six flat faces over eight corners in the order of `CUBOID`, in world coordinates."""
    return make_part(name, Polyhedron(np.asarray(corners, dtype=float), CUBOID), np.eye(4))


def slab(name: str, outline: npt.ArrayLike, depth_m: float, y: float = 0.0) -> Part:
    """A figure (n, 2) of the x–z plane, counter-clockwise seen from −y, extruded about a place along y."""
    return make_part(name, Polygon(np.asarray(outline, dtype=float), depth_m), at(y=y))


def cubes(name: str, cells: Iterable[Cell], side_m: float) -> Part:
    """A union of cells of a cubic grid, as the squares on its outside."""
    inside = set(cells)
    numbers: dict[Cell, int] = {}
    faces = []
    for cell in sorted(inside):
        for outward, square in _SQUARES:
            if _moved(cell, outward) not in inside:
                corners = [_moved(cell, corner) for corner in square]
                faces.append(tuple(numbers.setdefault(corner, len(numbers)) for corner in corners))
    vertices = np.array(list(numbers), dtype=float) * side_m
    return make_part(name, Polyhedron(vertices, tuple(faces)), np.eye(4))


def _moved(cell: Cell, by: Cell) -> Cell:
    return cell[0] + by[0], cell[1] + by[1], cell[2] + by[2]


def _squares() -> list[tuple[Cell, tuple[Cell, ...]]]:
    """The faces of a unit cell: which neighbour is behind each, and its corners."""
    corners = [(int(x), int(y), int(z)) for x, y, z in box((1.0, 1.0, 1.0)).vertices]
    found = []
    for loop in CUBOID:
        square = tuple(corners[k] for k in loop)
        x, y, z = (sum(axis) // 2 - 1 for axis in zip(*square, strict=True))  # 4, 2 or 0 corners at 1
        found.append(((x, y, z), square))
    return found


_SQUARES = _squares()


def cuboid(low: Cell, high: Cell) -> set[Cell]:
    """All cells from `low` up to, not including, `high`."""
    return {(x, y, z) for x in range(low[0], high[0]) for y in range(low[1], high[1]) for z in range(low[2], high[2])}


def bond(count: int, shifted: bool) -> list[float]:
    """Where the joints of one course of a running bond are, ends included, in block lengths."""
    if not shifted:
        return [float(k) for k in range(count + 1)]
    return [0.0, *(k + 0.5 for k in range(count)), float(count)]
