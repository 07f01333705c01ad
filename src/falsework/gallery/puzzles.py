"""A burr: six notched sticks in three crossing pairs, held together by a key that must leave first."""

from __future__ import annotations

from falsework.gallery.kind import Kind, Parameter, Truth, always
from falsework.gallery.stones import Cell, cubes, cuboid
from falsework.geometry.contacts.ground import grounded
from falsework.model.assembly import Assembly, Ground

NAMES = ("key", "across", "back", "front", "left", "right")
# Where two or three sticks cross, only one of them can be. The owners of those 32 cells, in sorted order, as the
# number of the stick: found by a search for sticks in one piece each, of which only the key can leave at first.
OPENS = "00440020032233130050032233130055"


def burr(stub: int, side: float) -> Assembly:
    """Six sticks of 2 x 2 cells that reach `stub` cells out of the knot, upright on a table."""
    sticks = six_sticks(2 + stub)
    owned = dict(zip(sorted(crossings(six_sticks(3))), map(int, OPENS), strict=True))
    parts = []
    for number, name in enumerate(NAMES):
        cells = {cell for cell in sticks[number] if owned.get(cell, number) == number}
        parts.append(cubes(name, cells, side))
    return grounded(Assembly(tuple(parts)), Ground("table"))


def six_sticks(half: int) -> tuple[set[Cell], ...]:
    """Two sticks along x, two along y and two along z, before they are notched."""
    return (
        cuboid((-half, -2, -1), (half, 0, 1)),
        cuboid((-half, 0, -1), (half, 2, 1)),
        cuboid((-1, -half, -2), (1, half, 0)),
        cuboid((-1, -half, 0), (1, half, 2)),
        cuboid((-2, -1, -half), (0, 1, half)),
        cuboid((0, -1, -half), (2, 1, half)),
    )


def crossings(sticks: tuple[set[Cell], ...]) -> set[Cell]:
    cells = set().union(*sticks)
    return {cell for cell in cells if sum(cell in stick for stick in sticks) > 1}


KINDS = (
    Kind(
        "burr-puzzle",
        "six notched sticks that hold each other until the key is drawn",
        (
            Parameter("stub", 1, "cells", "how far the sticks reach out of the knot", 1, 10),
            Parameter("side", 0.01, "m", "side of a cell", 0.001, 1.0),
        ),
        burr,
        always(
            Truth(
                True,
                "only the key can move, and only sideways",
                hands=1,
                building="the key comes last; before it every piece has a way out, and lies still on the others",
            )
        ),
    ),
)
