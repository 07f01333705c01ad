"""Which assemblies the generalist is taught: kinds of the gallery, and packings without their containers.

Packings are taken out of their box or tray and put on a table or a slab, or hung on one of their pieces, and pieces are
left out at random: there they overhang, and need hands.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from falsework.gallery.packings import CELL_M
from falsework.gallery.registry import make
from falsework.gallery.stones import cubes, cuboid
from falsework.geometry.contacts.ground import grounded
from falsework.model.assembly import Assembly, Ground
from falsework.model.part import Part

FIRST_SEED = 100  # of packings; those below are examined
MOST_LEFT_OUT = 0.3  # of the pieces of a packing

_KINDS: tuple[tuple[str, tuple[dict[str, float], ...]], ...] = (
    ("harmonic-tower", ({"bricks": 5}, {"bricks": 9})),
    ("leaning-tower", ({"bricks": 7},)),
    ("diamond-tower", ({"widest": 3},)),
    ("running-bond-wall", ({"columns": 3, "courses": 3},)),
    ("semicircular-arch", ({"stones": 5}, {"stones": 7}, {"stones": 9}, {"stones": 11}, {"stones": 15})),
    ("pointed-arch", ({"stones": 5}, {"stones": 7}, {"stones": 9})),
    ("flat-arch", ({"stones": 5}, {"stones": 7}, {"stones": 11})),
    ("barrel-vault", ({"stones": 5, "rows": 2}, {"stones": 3, "rows": 3})),
    ("dome", ({"rings": 2, "segments": 5}, {"rings": 2, "segments": 6}, {"rings": 3, "segments": 5})),
    ("dome", ({"rings": 1, "segments": 8},)),
    ("hexagonal-shell", ({"rings": 1}, {"rings": 1, "angle": 25.0}, {"rings": 1, "angle": 50.0})),
    ("h-shape", ({},)),
    ("a-shape", ({}, {"angle": 2.0})),
    ("bird-house", ({},)),
    ("mortise-frame", ({"bays": 2}, {"bays": 3})),
)
_LARGE: tuple[tuple[str, tuple[dict[str, float], ...]], ...] = (
    ("semicircular-arch", ({"stones": 19}, {"stones": 23})),
    ("pointed-arch", ({"stones": 13},)),
    ("flat-arch", ({"stones": 15},)),
    ("dome", ({"rings": 3, "segments": 7}, {"rings": 4, "segments": 7}, {"rings": 3, "segments": 9})),
    ("dome", ({"rings": 2, "segments": 9}, {"rings": 5, "segments": 6}, {"rings": 4, "segments": 8})),
    ("hexagonal-shell", ({"rings": 2, "angle": 22.0}, {"rings": 2, "angle": 35.0}, {"rings": 2, "angle": 45.0})),
    ("hexagonal-shell", ({"rings": 3, "angle": 28.0}, {"rings": 3, "angle": 20.0}, {"rings": 3, "angle": 42.0})),
    (
        "barrel-vault",
        ({"stones": 5, "rows": 4}, {"stones": 5, "rows": 6}, {"stones": 9, "rows": 3}, {"stones": 11, "rows": 2}),
    ),
)
_BOXES = ((3, 3, 4), (4, 3, 3), (5, 2, 4), (3, 3, 5), (4, 3, 4))
_TRAYS = ((6, 8), (8, 6))
_SHEETS = ((4, 6), (5, 7), (6, 6), (4, 10), (6, 8), (5, 9), (7, 8))  # columns, rows; one cell deep


def assemblies(seeds: int) -> Iterator[tuple[str, Assembly]]:
    """By name, `seeds` packings of every size."""
    for kind, several in (*_KINDS, *_LARGE):
        for parameters in several:
            yield f"{kind} {parameters}", make(kind, 0, **parameters)
    for columns, rows in _TRAYS:
        for seed in range(FIRST_SEED, FIRST_SEED + max(1, seeds // 4)):
            yield f"tray {columns} {rows} {seed}", make("tetromino-packing", seed, columns=columns, rows=rows)
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        for columns, rows in _SHEETS:
            yield f"sheet {columns} {rows} {seed}", sheet(columns, rows, seed)
        for columns, depth, rows in _BOXES:
            name = f"{columns} {depth} {rows} {seed}"
            yield f"heap {name}", heap(columns, depth, rows, seed)
            yield f"hung {name}", hung(columns, depth, rows, seed)


def sheet(columns: int, rows: int, seed: int) -> Assembly:
    """Tetrominoes upright on a slab that is as wide as they are, nothing beside them, some left out."""
    pieces = make("tetromino-packing", seed, columns=columns, rows=rows).parts[1:]
    slab = cubes("slab", cuboid((0, 0, -1), (columns, 1, 0)), CELL_M)
    return Assembly((slab, *thinned(pieces, seed)), fixed=frozenset(["slab"]))


def heap(columns: int, depth: int, rows: int, seed: int) -> Assembly:
    """Pieces of four cubes on a table, some left out."""
    pieces = make("polycube-packing", seed, columns=columns, depth=depth, rows=rows).parts[1:]
    return grounded(Assembly(thinned(pieces, seed)), Ground("table"))


def hung(columns: int, depth: int, rows: int, seed: int) -> Assembly:
    """Pieces of four cubes, one of which is fixed."""
    pieces = make("polycube-packing", seed, columns=columns, depth=depth, rows=rows).parts[1:]
    return Assembly(pieces, fixed=frozenset([pieces[seed % len(pieces)].name]))


def thinned(pieces: tuple[Part, ...], seed: int) -> tuple[Part, ...]:
    """Without some of the pieces, up to three in ten."""
    rng = np.random.default_rng(seed)
    fewer = len(pieces) - int(rng.integers(int(MOST_LEFT_OUT * len(pieces)) + 1))
    return tuple(pieces[n] for n in np.sort(rng.permutation(len(pieces))[:fewer]))
