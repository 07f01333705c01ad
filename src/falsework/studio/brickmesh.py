"""What catalogue bricks look like: hollow bodies with studs on top and tubes inside.

The solids of `geometry` are what bricks do (plain boxes without studs); these are only looked at. Walls, tubes and
the play between neighbours are the usual proportions of such bricks, in studs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from falsework.geometry.shapes.solids import joined, surface
from falsework.model.arrays import Array, Ints
from falsework.model.catalogue import BrickType, brick_type
from falsework.model.mould import Mould
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, Mesh, Shape, box

Detail = Literal["fine", "full", "studs", "body"]
PLAY = 0.0125  # studs: half the gap between neighbours
WALL = 0.16  # studs
ROOF = 0.13  # studs
SIDES: dict[Detail, int] = {"fine": 24, "full": 12, "studs": 8}  # of a stud
MAX_STUDS_DRAWN = 4096  # of one part: baseplates may have 10¹² of them


@lru_cache(maxsize=1024)
def brick_mesh(kind: BrickType, detail: Detail) -> Mesh:
    """The surface of a brick as it is drawn, in its own frame."""
    if detail == "body" or kind.length * kind.width > MAX_STUDS_DRAWN:
        return surface(BrickShape(kind))
    hollow = detail != "studs" and kind.has_holes and kind.family != "slope"
    pieces = [_hollow(kind) if hollow else _closed(kind)]
    if kind.has_studs:
        pieces.append(_studs(kind, SIDES[detail]))
    if hollow and not kind.narrow:
        pieces.append(_tubes(kind, SIDES[detail] * 2 // 3))
    return joined(pieces)


@lru_cache(maxsize=4096)
def mould_mesh(shape: Shape, mould: Mould) -> Mesh:
    """The surface of a part that is no catalogue brick: as it is drawn, else its solid with studs."""
    if mould.looks is not None:
        return mould.looks
    stud = _stud_at_origin()
    pieces = [surface(shape)]
    for row in mould.studs:
        n = row[3:]
        u = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
        u /= np.linalg.norm(u)
        turn = np.column_stack([u, np.cross(n, u), n])
        pieces.append(Mesh(stud.vertices @ turn.T + row[:3], stud.triangles))
    return joined(pieces)


def part_mesh(part: Part, detail: Detail) -> Mesh:
    """The surface of a part as it is drawn, in its own frame."""
    if isinstance(part.shape, BrickShape):
        return brick_mesh(part.shape.kind, detail)
    return surface(part.shape) if part.mould is None else mould_mesh(part.shape, part.mould)


def _stud_at_origin() -> Mesh:
    kind = brick_type("plate_1x1")
    stud = _studs(kind, SIDES["full"])
    return Mesh(
        stud.vertices - (0.5 * kind.measures.pitch_m, 0.5 * kind.measures.pitch_m, kind.size_m[2]), stud.triangles
    )


def triangle_count(kind: BrickType, detail: Detail) -> int:
    """How many triangles that takes."""
    return len(brick_mesh(kind, detail).triangles)


def _closed(kind: BrickType) -> Mesh:
    """The body, a little smaller all round so that the seams show."""
    body = surface(BrickShape(kind))
    size = np.array(kind.size_m)
    play = np.array([1.0, 1.0, 0.0]) * PLAY * kind.measures.pitch_m
    return Mesh(play + body.vertices * (size - 2 * play) / size, body.triangles)


def _hollow(kind: BrickType) -> Mesh:
    """A box open below: outside, rim and inside."""
    pitch = kind.measures.pitch_m
    x, y, z = kind.size_m
    play, wall = PLAY * pitch, WALL * pitch
    top = z - min(ROOF * pitch, 0.4 * z)
    outer = np.array([play, play, 0]) + box((x - 2 * play, y - 2 * play, z)).vertices
    inner = np.array([wall, wall, 0]) + box((x - 2 * wall, y - 2 * wall, top)).vertices
    quads = [(4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]  # all of a box but its bottom
    faces = quads + [tuple(8 + corner for corner in reversed(quad)) for quad in quads]
    faces += [(a, 8 + a, 8 + b, b) for a, b in ((0, 1), (1, 2), (2, 3), (3, 0))]
    return Mesh(np.concatenate([outer, inner]), _split(faces))


def _studs(kind: BrickType, sides: int) -> Mesh:
    measures = kind.measures
    columns, rows = np.meshgrid(np.arange(kind.flat), np.arange(kind.width), indexing="ij")
    centres = measures.pitch_m * (np.column_stack([columns.ravel(), rows.ravel()]) + 0.5).astype(np.float64)
    angles = 2 * np.pi * np.arange(sides) / sides
    ring = measures.stud_radius_m * np.column_stack([np.cos(angles), np.sin(angles)])
    low, high = kind.size_m[2], kind.size_m[2] + measures.stud_height_m
    one = np.concatenate([np.column_stack([ring, np.full(sides, height)]) for height in (low, high)])
    around = [(i, (i + 1) % sides, (i + 1) % sides + sides, i + sides) for i in range(sides)]
    return _repeated(one, _split([*around, tuple(range(sides, 2 * sides))]), centres)


def _tubes(kind: BrickType, sides: int) -> Mesh:
    """Between every four studs, as wide as fits, open below."""
    measures = kind.measures
    outer = measures.pitch_m / np.sqrt(2) - measures.stud_radius_m
    columns, rows = np.meshgrid(np.arange(1, kind.length), np.arange(1, kind.width), indexing="ij")
    centres = measures.pitch_m * np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64)
    angles = 2 * np.pi * np.arange(sides) / sides
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    top = kind.size_m[2] - 0.5 * min(ROOF * measures.pitch_m, 0.4 * kind.size_m[2])
    rings = [(outer, 0.0), (outer, top), (0.75 * outer, top), (0.75 * outer, 0.0)]
    one = np.concatenate([np.column_stack([radius * circle, np.full(sides, z)]) for radius, z in rings])
    faces = []
    for ring in range(4):  # outside up, across the top, inside down, across the rim
        here, there = ring * sides, (ring + 1) % 4 * sides
        faces += [(here + i, here + (i + 1) % sides, there + (i + 1) % sides, there + i) for i in range(sides)]
    return _repeated(one, _split(faces), centres)


def _repeated(vertices: Array, triangles: Ints, centres: Array) -> Mesh:
    """One piece at each of the centres (k, 2)."""
    shifts = np.column_stack([centres, np.zeros(len(centres))])
    count = np.arange(len(centres)) * len(vertices)
    return Mesh((shifts[:, None] + vertices).reshape(-1, 3), (count[:, None, None] + triangles).reshape(-1, 3))


def _split(faces: Sequence[tuple[int, ...]]) -> Ints:
    """Convex polygons as fans of triangles."""
    return np.array([(face[0], face[i], face[i + 1]) for face in faces for i in range(1, len(face) - 1)])
