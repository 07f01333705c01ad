"""Containers filled to the brim with pieces of four cells that grip into each other.

Such a packing stands whatever its pieces are: let every contact carry the pressure that water would have there.
Then each piece feels the buoyancy of its own volume, which is its weight (Archimedes), and no friction is needed.
"""

from __future__ import annotations

import numpy as np

from falsework.gallery.kind import Kind, Parameter, Truth, always
from falsework.gallery.stones import Cell, cubes, cuboid
from falsework.model.assembly import Assembly

CELL_M = 0.02
PIECE = 4
LARGE = 60  # cells: whether a larger region can be filled shows later
_STEPS = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


def tetromino_packing(rng: np.random.Generator, columns: int, rows: int) -> Assembly:
    """Tetrominoes that fill a tray one cell deep, between its two sides; the front and back are open."""
    pieces = _filled(rng, cuboid((0, 0, 0), (columns, 1, rows)))
    tray = cuboid((-1, 0, -1), (columns + 1, 1, rows)) - cuboid((0, 0, 0), (columns, 1, rows))
    return _in_container("tray", tray, pieces)


def polycube_packing(rng: np.random.Generator, columns: int, depth: int, rows: int) -> Assembly:
    """Pieces of four cubes that fill a box without a lid."""
    inside = cuboid((0, 0, 0), (columns, depth, rows))
    walls = cuboid((-1, -1, -1), (columns + 1, depth + 1, rows)) - inside
    return _in_container("box", walls, _filled(rng, inside))


def _in_container(name: str, walls: set[Cell], pieces: list[set[Cell]]) -> Assembly:
    lowest_first = sorted(pieces, key=lambda piece: (min(z for _, _, z in piece), sorted(piece)))
    parts = [cubes(name, walls, CELL_M)]
    parts += [cubes(f"piece-{k}", piece, CELL_M) for k, piece in enumerate(lowest_first, start=1)]
    return Assembly(tuple(parts), fixed=frozenset([name]))


def _filled(rng: np.random.Generator, cells: set[Cell]) -> list[set[Cell]]:
    """A partition of the cells into connected pieces of four, and one of fewer where the number asks for it.

    Depth first: the free cell with the fewest free neighbours is covered next, by a piece drawn at random, and a
    piece that leaves a region of a size that pieces of four cannot fill is taken back.
    """
    free = set(cells)
    pieces: list[set[Cell]] = []
    rest = len(free) % PIECE
    if rest:
        pieces.append(set(_covers(min(free), free, rest)[0]))
        free -= pieces[0]
    waiting = [_drawn(rng, free)]  # of each piece in turn, the ways that were not tried
    while free:
        while not waiting[-1]:
            waiting.pop()
            free |= pieces.pop()
        piece = waiting[-1].pop()
        if _can_be_filled(free - piece, piece):
            free -= piece
            pieces.append(set(piece))
            waiting.append(_drawn(rng, free) if free else [])
    return pieces


def _drawn(rng: np.random.Generator, free: set[Cell]) -> list[frozenset[Cell]]:
    """The ways to cover the most awkward free cell, in random order."""
    awkward = min(free, key=lambda cell: (len(_beside(cell) & free), cell))
    covers = _covers(awkward, free, PIECE)
    return [covers[k] for k in rng.permutation(len(covers))]


def _covers(cell: Cell, free: set[Cell], size: int) -> list[frozenset[Cell]]:
    """All connected sets of so many free cells that contain this one, in a fixed order."""
    grown = {frozenset([cell])}
    for _ in range(size - 1):
        grown = {piece | {other} for piece in grown for one in piece for other in _beside(one) & free - piece}
    return sorted(grown, key=sorted)


def _can_be_filled(free: set[Cell], piece: frozenset[Cell]) -> bool:
    """Whether every small region that touches the piece just placed has a multiple of four cells."""
    open_cells = {other for cell in piece for other in _beside(cell)} & free
    while open_cells:
        region = {open_cells.pop()}
        edge = list(region)
        while edge and len(region) <= LARGE:
            fresh = _beside(edge.pop()) & free - region
            region |= fresh
            edge.extend(fresh)
        if not edge and len(region) % PIECE:
            return False
        open_cells -= region
    return True


def _beside(cell: Cell) -> set[Cell]:
    x, y, z = cell
    return {(x + dx, y + dy, z + dz) for dx, dy, dz in _STEPS}


_ARCHIMEDES = always(
    Truth(
        True,
        "the pressure of water in the container balances every piece (Archimedes)",
        building="not known beforehand: it depends on how the pieces happen to grip into each other",
    )
)
_COLUMNS = Parameter("columns", 10, "cells", "inner width", 2, 30)
_ROWS = Parameter("rows", 8, "cells", "inner height", 2, 30)

KINDS = (
    Kind(
        "tetromino-packing",
        "interlocking tetrominoes that fill a tray",
        (_COLUMNS, _ROWS),
        tetromino_packing,
        _ARCHIMEDES,
        seeded=True,
    ),
    Kind(
        "polycube-packing",
        "interlocking pieces of four cubes that fill an open box",
        (
            Parameter("columns", 5, "cells", "inner width", 2, 10),
            Parameter("depth", 4, "cells", "inner depth", 2, 10),
            Parameter("rows", 4, "cells", "inner height", 2, 10),
        ),
        polycube_packing,
        _ARCHIMEDES,
        seeded=True,
    ),
)
