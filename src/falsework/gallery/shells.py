"""A shell of hexagons: cells of a sphere's cap, cut by planes through its centre, on a fixed rim."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from falsework.gallery.kind import Kind, Parameter, Truth
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.shapes import Polyhedron

RADIUS_M = 2.0


def hexagonal_shell(rings: int, angle: float, thickness: float) -> Assembly:
    """A hexagon at the crown and `rings` rings of hexagons around it; the outermost ring is fixed."""
    step = math.radians(angle) / rings
    cells = [cell for cell in _hexagons(rings + 1) if _ring(cell) <= rings]
    centres = {cell: _on_cap(cell, step) for cell in _hexagons(rings + 1)}
    inner, outer = RADIUS_M * (1 - thickness / 2), RADIUS_M * (1 + thickness / 2)
    parts, fixed = [], set()
    for number, cell in enumerate(cells):
        around = [centres[cell[0] + dq, cell[1] + dr] for dq, dr in _NEIGHBOURS]
        part = _stone(f"cell-{number}", centres[cell], around, inner, outer)
        parts.append(part)
        if _ring(cell) == rings:
            fixed.add(part.name)
    return Assembly(tuple(parts), fixed=frozenset(fixed))


# Six steps around a hexagon in axial coordinates, counter-clockwise seen from outside.
_NEIGHBOURS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


def _hexagons(rings: int) -> list[tuple[int, int]]:
    """Axial coordinates of a hexagon of hexagons, from the middle outwards."""
    cells = [(q, r) for q in range(-rings, rings + 1) for r in range(-rings, rings + 1)]
    return sorted((cell for cell in cells if _ring(cell) <= rings), key=lambda cell: (_ring(cell), cell))


def _ring(cell: tuple[int, int]) -> int:
    q, r = cell
    return max(abs(q), abs(r), abs(q + r))


def _on_cap(cell: tuple[int, int], step: float) -> Array:
    """Where a cell's centre is on the unit sphere: steps along great circles from the crown."""
    x, y = cell[0] + cell[1] / 2, cell[1] * math.sqrt(3) / 2
    away, azimuth = step * math.hypot(x, y), math.atan2(y, x)
    return np.array([math.sin(away) * math.cos(azimuth), math.sin(away) * math.sin(azimuth), math.cos(away)])


def _stone(name: str, centre: Array, around: list[Array], inner: float, outer: float) -> Part:
    """The cell nearer to its centre than to its neighbours, between two planes across its axis."""
    walls = [centre - other for other in around]  # inward normals of planes through the sphere's centre
    edges = [np.cross(one, other) for one, other in pairwise([*walls, walls[0]])]
    edges = [edge * math.copysign(1.0, float(edge @ centre)) for edge in edges]
    below = [inner * edge / float(edge @ centre) for edge in edges]
    above = [outer * edge / float(edge @ centre) for edge in edges]
    count = len(edges)
    sides = [(k, (k + 1) % count, (k + 1) % count + count, k + count) for k in range(count)]
    faces = (tuple(range(count - 1, -1, -1)), tuple(range(count, 2 * count)), *sides)
    return make_part(name, Polyhedron(np.array(below + above), faces), np.eye(4))


def _truth(rings: int, angle: float, thickness: float) -> Truth:
    del thickness
    why = "every stone is a wedge between its neighbours, and the rim does not give way"
    if rings <= 3 and angle >= 35.0:
        notch = "from the rim inwards, each stone comes into a notch whose sides lean under it"
        return Truth(True, why, hands=1, building=notch)
    return Truth(True, why, building="flat or large: not known beforehand")


KINDS = (
    Kind(
        "hexagonal-shell",
        "a shallow shell of hexagonal stones on a fixed rim",
        (
            Parameter("rings", 3, "", "rings of hexagons around the one at the crown", 1, 20),
            Parameter("angle", 35.0, "degrees", "from the crown to the rim, seen from the centre", 5.0, 60.0),
            Parameter("thickness", 0.1, "radii", "thickness of the shell", 0.02, 0.5),
        ),
        hexagonal_shell,
        _truth,
    ),
)
