"""Moulds from drawings: solid, studs, holes, pins, bores, mass and looks of a part by its number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.formats.bricks.library.lines import Drawing
from falsework.formats.bricks.library.mouths import mouths
from falsework.formats.bricks.library.shapes import Drawn, Find, drawn
from falsework.formats.bricks.library.solids import solid
from falsework.geometry.shapes.solids import bulk, surface
from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.model.mould import Mould
from falsework.model.shapes import ConvexPieces, Mesh, Polyhedron

LDU_M = 0.0004
# LDraw's axes x, y, z as x, −z, y of ours: y down becomes z up.
UPRIGHT: Array = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
PLASTIC_KG_M3 = 1050.0  # ABS
USUAL_FILL = 0.55  # of the solid that is plastic, where the drawing does not tell: bricks 0.43, plates 0.7
LEAST_FILL, MOST_FILL = 0.15, 1.1  # beyond these a drawing's volume is none
FINE = 1e-3  # of LDraw's unit: corners nearer than this are one


@dataclass(frozen=True, slots=True, eq=False)
class Moulded:
    """A mould with its solid and mass; the part's frame is LDraw's, z up."""

    mould: Mould
    solid: ConvexPieces
    mass_kg: float


def moulded(number: str, find: Find, part: Drawing) -> Moulded | None:
    """What a drawing comes to; None where it draws nothing solid."""
    found = drawn(find, part)
    looks = found.triangles("looks")
    holes = mouths(looks)
    body = solid(found.triangles("solid"), holes[:, 3:])
    if body is None:
        body = solid(looks, holes[:, 3:])
    if body is None:
        return None
    upright = _upright_pieces(body)
    mould = Mould(
        number,
        part.title,
        studs=upright_rows(found.studs),
        holes=upright_rows(_not_bores(holes, found)),
        pins=upright_rows(found.pins),
        bores=upright_rows(found.bores),
        rods=_axles(found.rods),
        looks=_mesh(looks),
    )
    return Moulded(mould, upright, _mass_kg(looks, found.certified and not found.missing, upright))


def _not_bores(holes: Array, found: Drawn) -> list[Array]:
    """Holes without those that are bores, which take studs as well."""
    bores = np.array(found.bores).reshape(-1, 6)[:, :3]
    return [row for row in holes if not (np.linalg.norm(bores - row[:3], axis=1) < 3).any()]


def upright_rows(rows: list[Array] | Array) -> Array:
    """Fittings in LDraw's axes and unit as ours: (n, 6)."""
    table = np.array(rows, dtype=float).reshape(-1, 6)
    _, first = np.unique(np.round(table, 2), axis=0, return_index=True)
    table = table[np.sort(first)]
    return np.column_stack([table[:, :3] @ UPRIGHT.T * LDU_M, table[:, 3:] @ UPRIGHT.T])


def _axles(rods: list[Array]) -> Array:
    """One rod for all pieces of an axle that lie on one line."""
    lines: list[tuple[Array, Array, float, float]] = []  # a point, the axis, from, to
    for rod in rods:
        half = float(np.linalg.norm(rod[3:]))
        if half < FINE:
            continue
        axis = rod[3:] / half
        for k, (point, along, low, high) in enumerate(lines):
            apart = rod[:3] - point
            at = float(apart @ along)
            if abs(axis @ along) > 0.999 and np.linalg.norm(apart - at * along) < 0.5:
                lines[k] = point, along, min(low, at - half), max(high, at + half)
                break
        else:
            lines.append((rod[:3], axis, -half, half))
    rows = [np.concatenate([p + a * (low + high) / 2, a * (high - low) / 2]) for p, a, low, high in lines]
    table = np.array(rows).reshape(-1, 6)
    return np.column_stack([table[:, :3] @ UPRIGHT.T, table[:, 3:] @ UPRIGHT.T]) * LDU_M


def _upright_pieces(pieces: ConvexPieces) -> ConvexPieces:
    return ConvexPieces(tuple(Polyhedron(piece.vertices @ UPRIGHT.T * LDU_M, piece.faces) for piece in pieces.pieces))


def _mesh(triangles: Array) -> Mesh | None:
    if not len(triangles):
        return None
    corners, which = np.unique(np.round(triangles.reshape(-1, 3) / FINE).astype(np.int64), axis=0, return_inverse=True)
    numbers = which.reshape(-1, 3)
    real = (numbers[:, 0] != numbers[:, 1]) & (numbers[:, 1] != numbers[:, 2]) & (numbers[:, 2] != numbers[:, 0])
    return Mesh(corners * FINE @ UPRIGHT.T * LDU_M, numbers[real]) if real.any() else None


def _mass_kg(looks: Array, certified: bool, body: ConvexPieces) -> float:
    """Of the plastic that the drawing encloses, where it says what is outside; else of a usual share of the solid."""
    filled = bulk(surface(body)).volume_m3
    if not filled > 0:
        raise BadInput("a part without volume")
    if certified:
        a, b, c = (looks[:, k] - looks.mean(axis=(0, 1)) for k in range(3))
        plastic = abs(float((a * np.cross(b, c)).sum())) / 6 * LDU_M**3
        if LEAST_FILL < plastic / filled < MOST_FILL:
            return PLASTIC_KG_M3 * plastic
    return PLASTIC_KG_M3 * USUAL_FILL * filled
