"""Burrs of six notched sticks with play between them: one that opens, and one that nothing opens."""

from __future__ import annotations

from falsework.gallery.cad.assembling import on_table, part
from falsework.gallery.cad.declared import Declared, Made, straight
from falsework.gallery.cad.workpieces import Solid, cuboid, cut
from falsework.gallery.puzzles import NAMES, OPENS, crossings, six_sticks
from falsework.gallery.stones import Cell

# As `OPENS`: owners of the cells where sticks cross. Along each axis every stick bars another, all around, so that
# no stick and no group of sticks can begin to slide: found by a search over random owners.
LOCKS = "44412042332244210020332253215555"
OPENING = (  # the only order, but for `left` and `back`
    ("key", (1, 0, 0)),
    ("front", (0, 1, 0)),
    ("across", (0, 0, 1)),
    ("left", (-1, 0, 0)),
    ("back", (-1, 0, 0)),
)


def burr(side: float, play: float, locked: int) -> Made:
    """Sticks of 2 x 2 cells of `side`, each shrunk by half the play all around."""
    owners = dict(zip(sorted(crossings(six_sticks(3))), map(int, LOCKS if locked else OPENS), strict=True))
    sticks = six_sticks(3)
    parts = []
    for number, (name, stick) in enumerate(zip(NAMES, sticks, strict=True)):
        notches = {cell for cell in stick if owners.get(cell, number) != number}
        parts.append(part(name, _notched(stick, notches, side, play / 2)))
    assembly = on_table(parts)
    if locked:
        why = "along every axis each stick bars another, all around; and none can turn"
        return Made(assembly, Declared((), locked=frozenset(NAMES), play_m=play, why=why))
    order = tuple(straight(name, way, 8 * side) for name, way in OPENING)
    return Made(assembly, Declared(order, play_m=play, why="the key must be drawn first"))


def _notched(stick: set[Cell], notches: set[Cell], side: float, inset: float) -> Solid:
    low, high = [min(axis) for axis in zip(*stick, strict=True)], [max(axis) + 1 for axis in zip(*stick, strict=True)]
    whole = cuboid([side * k + inset for k in low], [side * k - inset for k in high])
    return cut(whole, *(_cell(cell, side, inset) for cell in sorted(notches))) if notches else whole


def _cell(cell: Cell, side: float, outset: float) -> Solid:
    return cuboid([side * k - outset for k in cell], [side * (k + 1) + outset for k in cell])
