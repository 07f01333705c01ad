"""Structures whose stability is known in closed form."""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.shapes import Polyhedron, box

HEXAHEDRON = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))


def block(name: str, low: tuple[float, float, float], size: tuple[float, float, float]) -> Part:
    pose = np.eye(4)
    pose[:3, 3] = low
    return make_part(name, box(size), pose)


def incline(angle: float, friction: float) -> Assembly:
    """A cube on a slab, both turned about y: it slides down +x as the angle grows."""
    turned = np.eye(4)
    turned[:3, :3] = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    slab = make_part("slab", box((4, 4, 1)), turned)
    placed = np.eye(4)
    placed[:3, 3] = (1.5, 1.5, 1)
    cube = make_part("cube", box((1, 1, 1)), turned @ placed)
    return Assembly((slab, cube), fixed=frozenset({"slab"}), friction=friction)


def stack(offsets: list[float], height: float = 0.3) -> Assembly:
    """Bricks 1 long, each shifted by an offset against the one below; the lowest is fixed."""
    places = np.concatenate([[0.0], np.cumsum(offsets)])
    parts = [block(f"{n}", (float(x), 0.0, n * height), (1.0, 0.5, height)) for n, x in enumerate(places)]
    return Assembly(tuple(parts), fixed=frozenset({"0"}))


def harmonic(bricks: int, factor: float) -> Assembly:
    """`bricks` on a table's edge, the overhang of each 1/(2k) of its length times a factor."""
    return stack([factor / (2 * k) for k in range(bricks, 0, -1)])


def diamond(middle: int) -> Assembly:
    """Seed 003's tower: rows 1, 2, …, m, …, 2, 1, each shifted by half a brick, on one fixed brick."""
    rows = [*range(1, middle + 1), *range(middle - 1, 0, -1)]
    parts = [block("base", (-0.5, 0.0, -0.5), (1.0, 0.5, 0.5))]
    for level, count in enumerate(rows):
        places = [(f"{level}-{column}", (column - count / 2, 0.0, 0.5 * level)) for column in range(count)]
        parts += [block(name, place, (1.0, 0.5, 0.5)) for name, place in places]
    return Assembly(tuple(parts), fixed=frozenset({"base"}), friction=0.0)


def arch(voussoirs: int, thickness: float, friction: float) -> Assembly:
    """A semicircular arch of centre-line radius 1 on two fixed springers below the ends."""
    radii = (1 - thickness / 2, 1 + thickness / 2)
    parts = [_voussoir(f"{n}", radii, np.pi * n / voussoirs, np.pi * (n + 1) / voussoirs) for n in range(voussoirs)]
    left = block("left", (-1 - thickness, 0.0, -0.1), (2 * thickness, 0.2, 0.1))
    right = block("right", (1 - thickness, 0.0, -0.1), (2 * thickness, 0.2, 0.1))
    return Assembly((*parts, left, right), fixed=frozenset({"left", "right"}), friction=friction)


def _voussoir(name: str, radii: tuple[float, float], start: float, end: float) -> Part:
    corners: list[Array] = []
    for y in (0.0, 0.2):
        for radius, angle in ((radii[0], start), (radii[0], end), (radii[1], end), (radii[1], start)):
            corners.append(np.array([radius * np.cos(angle), y, radius * np.sin(angle)]))
    return make_part(name, Polyhedron(np.array(corners), HEXAHEDRON), np.eye(4))


def four_brick_overhang(shift: float) -> Assembly:
    """Paterson and Zwick's best four bricks, 1-2-1, overhang (15 − 4√2)/8, moved by `shift` past the table's edge.

    The lowest brick reaches `a` past the edge and carries two: the outer one reaches `a + u`, the inner one is a
    counterweight; the last lies on the near ends of both and presses the outer one down with f = √2 − 1.
    """
    u, f = 1 - np.sqrt(2) / 4, np.sqrt(2) - 1
    a = (2.5 - f) / 4
    inner = a - 1 - 0.5 * (1 - f) / (2 - f)  # centre of the counterweight: its load acts on the lowest's far end
    top = f * (a + u - 1) + (1 - f) * (inner + 0.5)
    ends = {"lowest": (a, 0), "outer": (a + u, 1), "inner": (inner + 0.5, 1), "top": (top + 0.5, 2)}
    parts = [block(name, (end - 1 + shift, 0.0, 0.3 * row), (1.0, 0.5, 0.3)) for name, (end, row) in ends.items()]
    table = block("table", (-3.0, 0.0, -0.3), (3.0, 0.5, 0.3))
    return Assembly((*parts, table), fixed=frozenset({"table"}))


def columns(count: int) -> Assembly:
    """Pairs of blocks floating side by side, each pair one on the other, above a fixed slab that they do not touch."""
    parts = [block("slab", (0.0, 0.0, 0.0), (2.0 * count, 1.0, 0.1))]
    for n in range(count):
        parts += [block(f"low-{n}", (2.0 * n, 0.0, 1.0), (1.0, 1.0, 0.5))]
        parts += [block(f"high-{n}", (2.0 * n, 0.0, 1.5), (1.0, 1.0, 0.5))]
    return Assembly(tuple(parts), fixed=frozenset({"slab"}))
