"""Writes seed 004's product YAML: Duplo bricks by name, type, colour, position and rotation."""

from __future__ import annotations

from typing import Any

from falsework.formats.basics.grid import GridBrick, on_grid
from falsework.formats.basics.losses import BASEPLATE, lost
from falsework.formats.bricks.bricktext_writing import layer_of
from falsework.formats.bricks.product import FORMAT, LAYER_M
from falsework.formats.native.writing import plain_yaml
from falsework.model.assembly import Assembly

_DIGITS = 9  # after the point, of a metre


def losses(assembly: Assembly) -> list[str]:
    return lost(assembly, ground=BASEPLATE, colors=True)


def dumps(assembly: Assembly) -> str:
    """An assembly of Duplo bricks as YAML."""
    blocks = [_block(brick) for brick in on_grid(assembly, "duplo", FORMAT)]
    return plain_yaml({"blocks": blocks})


def _block(brick: GridBrick) -> dict[str, Any]:
    length, width = brick.sides
    pitch = brick.kind.measures.pitch_m
    centre = ((brick.x + length / 2) * pitch, (brick.y + width / 2) * pitch)
    block: dict[str, Any] = {"name": brick.part.name, "type": f"brick_{brick.kind.length}x{brick.kind.width}"}
    if brick.part.color is not None:
        block["color"] = brick.part.color
    z = layer_of(brick, FORMAT) * LAYER_M
    block["pos"] = [round(value, _DIGITS) for value in (*centre, z)]
    block["rotation"] = [0, 0, 90 * brick.turns]
    return block
