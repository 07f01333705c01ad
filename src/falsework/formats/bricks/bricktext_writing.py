"""Writes brick text: one brick per line, `hxw (x,y,z)`."""

from __future__ import annotations

from falsework.formats.basics.grid import GridBrick, on_grid
from falsework.formats.basics.losses import BASEPLATE, lost
from falsework.formats.bricks.bricktext import FORMAT
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown


def losses(assembly: Assembly) -> list[str]:
    numbers = tuple(str(number) for number in range(1, len(assembly.parts) + 1))
    return lost(assembly, ground=BASEPLATE, names=numbers)


def dumps(assembly: Assembly) -> str:
    """An assembly of full-height bricks as text."""
    return "".join(_line(brick) for brick in on_grid(assembly, "system", FORMAT))


def _line(brick: GridBrick) -> str:
    layer = layer_of(brick, FORMAT)
    length, width = brick.sides
    return f"{length}x{width} ({brick.x},{brick.y},{layer})\n"


def layer_of(brick: GridBrick, name: str) -> int:
    """Which layer a full-height brick is in; anything else is bad input, named by the format."""
    layer, rest = divmod(brick.plates, brick.kind.measures.plates_per_brick)
    if brick.kind.family != "brick" or brick.kind.plates != brick.kind.measures.plates_per_brick or rest:
        found = f"part {shown(brick.part.name)} is a {brick.kind} at plate {brick.plates}"
        raise BadInput(f"{name} holds bricks of full height in whole layers only; {found}")
    return layer
