"""Writes StableLego JSON, with the brick ids of the library beside the file, else the published ones."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from falsework.formats.basics.grid import GridBrick, on_grid
from falsework.formats.basics.losses import BASEPLATE, lost
from falsework.formats.bricks.bricktext_writing import layer_of
from falsework.formats.bricks.stablelego import FORMAT, Entry, library_beside
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput


def losses(assembly: Assembly, path: Path) -> list[str]:
    library = library_beside(path)
    bricks = on_grid(assembly, "system", FORMAT)
    found = lost(assembly, ground=BASEPLATE, masses=True)
    if not all(_weighs_the_same(brick, library[_brick_id(brick, library)]) for brick in bricks):
        found.insert(0, "masses")
    if min(brick.plates for brick in bricks) != 0:
        found.append("how high the lowest layer is")
    return found


def dumps(assembly: Assembly, path: Path) -> str:
    """An assembly of full-height bricks as JSON, one brick per line."""
    library = library_beside(path)
    bricks = on_grid(assembly, "system", FORMAT)
    lines = [f" {json.dumps(brick.part.name)}: {json.dumps(_entry(brick, library))}" for brick in bricks]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _entry(brick: GridBrick, library: dict[str, Entry]) -> dict[str, Any]:
    key = _brick_id(brick, library)
    ori = 0 if brick.sides == (library[key].height, library[key].width) else 1
    layer = layer_of(brick, FORMAT)
    return {"x": brick.x, "y": brick.y, "z": layer, "ori": ori, "brick_id": int(key) if key.isdigit() else key}


def _brick_id(brick: GridBrick, library: dict[str, Entry]) -> str:
    """The library's brick of this size, of the same mass if there is one."""
    sides = sorted(brick.sides)
    fitting = [key for key, entry in library.items() if sorted((entry.height, entry.width)) == sides]
    if not fitting:
        raise BadInput(f"{FORMAT}: the brick library has no {sides[0]}x{sides[1]} (part {brick.part.name!r})")
    return min(fitting, key=lambda key: not _weighs_the_same(brick, library[key]))


def _weighs_the_same(brick: GridBrick, entry: Entry) -> bool:
    mass_kg = brick.kind.mass_kg if entry.mass_kg is None else entry.mass_kg
    return math.isclose(brick.part.mass_kg, mass_kg, rel_tol=1e-9)
