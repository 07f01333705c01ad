"""Moulds that are known without a library: `built_in.toml`, and the rows of Technic bricks, beams and axles."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from falsework.formats.bricks.library.moulds import (
    LDU_M,
    PLASTIC_KG_M3,
    UPRIGHT,
    USUAL_FILL,
    Moulded,
    upright_rows,
)
from falsework.geometry.shapes.solids import bulk, surface
from falsework.model.arrays import Array
from falsework.model.mould import Mould
from falsework.model.shapes import ConvexPieces, Polyhedron, box

_WAYS = {
    "-x": (-1, 0, 0), "+x": (1, 0, 0), "-y": (0, -1, 0), "+y": (0, 1, 0), "-z": (0, 0, -1), "+z": (0, 0, 1),
}  # fmt: skip
_SIDES = 16  # of a round part
# Number: studs along x; one bore between each two of them.
_TECHNIC_BRICKS = {"3701": 4, "3894": 6, "3702": 8, "2730": 10, "3895": 12, "32018": 14, "3703": 16}
# Number: bores along z.
_BEAMS = {
    "43857": 2, "32523": 3, "32316": 5, "32524": 7, "40490": 9, "32525": 11, "41239": 13, "32278": 15,
}  # fmt: skip
# Number: length in studs along x.
_AXLES = {
    "32062": 2, "4519": 3, "3705": 4, "32073": 5, "3706": 6, "44294": 7, "3707": 8, "60485": 9, "3737": 10, "3708": 12,
}  # fmt: skip


@cache
def built_in() -> dict[str, Moulded]:
    """Moulds by LDraw's numbers."""
    text = resources.files("falsework.formats.bricks.library").joinpath("built_in.toml").read_text(encoding="utf-8")
    specs: dict[str, dict[str, Any]] = {**tomllib.loads(text), **_technic()}
    return {number: _made(number, specs) for number in specs}


def _technic() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for number, studs in _TECHNIC_BRICKS.items():
        places = [20 * k - 10 * (studs - 2) for k in range(studs - 1)]
        found[number] = {
            "title": f"Technic Brick 1 x {studs} with Holes",
            "box": [20 * studs, 24, 20],
            "top": f"{studs}x1",
            "bottom": f"{studs}x1",
            "bores": [[x, 10, side, way] for x in places for side, way in ((-10, "-z"), (10, "+z"))],
        }
    for number, bores in _BEAMS.items():
        places = [20 * k - 10 * (bores - 1) for k in range(bores)]
        found[number] = {
            "title": f"Technic Beam {bores}",
            "boxes": [[-9, -10, places[0] - 9, 9, 10, places[-1] + 9]],
            "bores": [[0, side, z, way] for z in places for side, way in ((-10, "-y"), (10, "+y"))],
        }
    for number, length in _AXLES.items():
        found[number] = {
            "title": f"Technic Axle {length}",
            "boxes": [[-10 * length, -5, -5, 10 * length, 5, 5]],
            "rods": [[-10 * length, 10 * length]],
        }
    return found


def _made(number: str, specs: dict[str, dict[str, Any]]) -> Moulded:
    spec = specs[number]
    if "like" in spec:
        spec = {**specs[spec["like"]], **spec}
    pieces, bottom = _pieces(spec)
    rows = {sort: [_row(one) for one in spec.get(sort, ())] for sort in ("studs", "holes", "pins", "bores")}
    rows["studs"] = _grid(spec.get("top"), 0.0, "-y") + rows["studs"]
    rows["holes"] = _grid(spec.get("bottom"), bottom, "+y") + rows["holes"]
    rods = [(LDU_M * (low + high) / 2, 0, 0, LDU_M * (high - low) / 2, 0, 0) for low, high in spec.get("rods", ())]
    solid = ConvexPieces(tuple(Polyhedron(one.vertices @ UPRIGHT.T * LDU_M, one.faces) for one in pieces))
    mould = Mould(
        number,
        spec["title"],
        studs=upright_rows(rows["studs"]),
        holes=upright_rows(rows["holes"]),
        pins=upright_rows(rows["pins"]),
        bores=upright_rows(rows["bores"]),
        rods=np.array(rods, dtype=float).reshape(-1, 6),
    )
    return Moulded(mould, solid, PLASTIC_KG_M3 * USUAL_FILL * bulk(surface(solid)).volume_m3)


def _pieces(spec: dict[str, Any]) -> tuple[list[Polyhedron], float]:
    """Convex pieces in LDraw's axes, and how low they reach."""
    if "round" in spec:
        radius, height = spec["round"]
        turn = 2 * np.pi * np.arange(_SIDES) / _SIDES
        ring = radius * np.column_stack([np.cos(turn), np.sin(turn)])
        return [_prism(ring, (0.0, float(height)), (0, 2, 1))], float(height)
    if "profile" in spec:
        outline = np.array(spec["profile"], dtype=float)
        half = spec["wide"] / 2
        return [_prism(outline, (-half, half), (2, 1, 0))], float(outline[:, 1].max())
    if "box" in spec:
        w, h, d = spec["box"]
        spec = {"boxes": [[-w / 2, 0, -d / 2, w / 2, h, d / 2]]}
    unit = box((1.0, 1.0, 1.0))
    corners = np.array(spec["boxes"], dtype=float)
    made = [
        Polyhedron(low + unit.vertices * (high - low), unit.faces)
        for low, high in zip(corners[:, :3], corners[:, 3:], strict=True)
    ]
    return made, float(corners[:, 4].max())


def _prism(outline: Array, ends: tuple[float, float], axes: tuple[int, int, int]) -> Polyhedron:
    """A convex outline (n, 2) along two axes, drawn out along the third; faces outward."""
    count = len(outline)
    vertices = np.zeros((2 * count, 3))
    for k, end in enumerate(ends):
        rows = slice(k * count, (k + 1) * count)
        vertices[rows, axes[0]], vertices[rows, axes[1]], vertices[rows, axes[2]] = *outline.T, end
    faces = [tuple(range(count)), tuple(range(2 * count - 1, count - 1, -1))]
    faces += [((k + 1) % count, k, k + count, (k + 1) % count + count) for k in range(count)]
    a, b, c = (vertices[list(faces[0][:3])][k] for k in range(3))
    inward = np.cross(b - a, c - a) @ (vertices.mean(axis=0) - a) > 0
    return Polyhedron(vertices, tuple(face[::-1] for face in faces) if inward else tuple(faces))


def _row(spelled: list[Any]) -> Array:
    x, y, z, way = spelled
    return np.array([x, y, z, *_WAYS[way]], dtype=float)


def _grid(spelled: str | None, y: float, way: str) -> list[Array]:
    if spelled is None:
        return []
    along_x, along_z = (int(word) for word in spelled.split("x"))
    return [
        np.array([20 * i - 10 * (along_x - 1), y, 20 * j - 10 * (along_z - 1), *_WAYS[way]], dtype=float)
        for i in range(along_x)
        for j in range(along_z)
    ]
