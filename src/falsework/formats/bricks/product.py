"""Seed 004's product YAML: Duplo bricks by name, type, colour, position and rotation.

    blocks:
    - {name: a, type: brick_4x2, color: red, pos: [0.016, 0.116, 0.0191], rotation: [0, 0, 90]}

`pos` is the centre in x and y and the bottom in z, in metres; `rotation` is in degrees. The file's layers are
0.0191 m high and its lattice has a phase of its own: layers are counted, the phase is fitted, and the bricks
are put on the catalogue's lattice.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass

from falsework.formats.basics.brick_parts import BrickMaker, footprint, grid_pose
from falsework.formats.basics.content import Content
from falsework.formats.basics.node import Node
from falsework.model.assembly import Ground
from falsework.model.catalogue import BrickType, brick_type, systems

FORMAT = "product-yaml"
LAYER_M = 0.0191  # as the files have it; the catalogue's layers are 19.2 mm
RESIDUAL_M = 1e-3  # how far a brick may stand off the lattice
_ANGLE_DEG = 1e-6  # rounding of a written angle

_BLOCK_KEYS = ("name", "type", "color", "pos", "rotation")


@dataclass(frozen=True, slots=True)
class _Block:
    """A block as the file has it; `corner_m` is the footprint's minimum corner."""

    node: Node
    name: str
    kind: BrickType
    turns: int
    corner_m: tuple[float, float]
    layer: int
    color: str | None


def looks_like(root: Node) -> bool:
    """Whether a YAML or JSON mapping lists blocks."""
    return isinstance(root.value, dict) and "blocks" in root.value


def read(root: Node) -> Content:
    """The bricks of a product on their lattice."""
    root.only(["blocks"])
    blocks = [_block(node) for node in root["blocks"].elements()]
    xs, ys = _snapped(blocks, 0), _snapped(blocks, 1)
    maker = BrickMaker()
    parts = []
    for block, x, y in zip(blocks, xs, ys, strict=True):
        pose = grid_pose(block.kind, (x, y, block.layer * block.kind.measures.brick_m), block.turns)
        parts.append(maker.part(block.name, block.kind, pose, color=block.color))
    return Content(parts, ground=Ground("baseplate"))


def _block(node: Node) -> _Block:
    node.only(_BLOCK_KEYS)
    name = node["name"].name()
    with node["type"].blamed():
        kind = brick_type(f"duplo:{node['type'].text()}")
    x, y, z = node["pos"].numbers(3)
    rotation = node.get("rotation")
    turns = 0 if rotation is None else _turns(rotation)
    along_x, along_y = (studs * kind.measures.pitch_m for studs in footprint(kind, turns))
    layer = round(z / LAYER_M)
    if abs(z - layer * LAYER_M) > RESIDUAL_M:
        raise node["pos"].wrong(
            f"z = {z:g} is {abs(z - layer * LAYER_M) * 1e3:.1f} mm from the nearest layer of {LAYER_M} m, allowed 1 mm"
        )
    color = node.get("color")
    corner = (x - along_x / 2, y - along_y / 2)
    return _Block(node, name, kind, turns, corner, layer, None if color is None else color.text())


def _turns(rotation: Node) -> int:
    """Quarter turns about z, from one angle or three."""
    tilt_x, tilt_y, about_z = rotation.numbers(3) if isinstance(rotation.value, list) else (0, 0, rotation.number())
    if tilt_x % 360 or tilt_y % 360:
        raise rotation.wrong(f"found {rotation.value}, expected [0, 0, angle about z]; bricks stand upright")
    turns = round(about_z / 90)
    if abs(about_z - 90 * turns) > _ANGLE_DEG:
        raise rotation.wrong(f"{about_z:g} is not a multiple of 90 degrees; bricks sit on the stud grid")
    return turns % 4


def _snapped(blocks: list[_Block], axis: int) -> list[float]:
    """Every block's place along one axis of the lattice that fits them best, in metres."""
    corners = [block.corner_m[axis] for block in blocks]
    pitch = systems()["duplo"].pitch_m
    phase = _phase(corners, pitch)
    places = [phase + round((corner - phase) / pitch) * pitch for corner in corners]
    residuals = [abs(corner - place) for corner, place in zip(corners, places, strict=True)]
    if residuals and max(residuals) > RESIDUAL_M:
        worst = residuals.index(max(residuals))
        raise (
            blocks[worst]
            .node["pos"]
            .wrong(
                f"{'xy'[axis]} is {max(residuals) * 1e3:.1f} mm off the lattice that fits all blocks best, allowed 1 mm"
            )
        )
    return places


def _phase(corners: list[float], pitch: float) -> float:
    """Where the lattice starts along one axis: the circular mean of all corners within one stud."""
    mean = sum(cmath.exp(2j * math.pi * corner / pitch) for corner in corners)
    return cmath.phase(mean) / (2 * math.pi) * pitch
