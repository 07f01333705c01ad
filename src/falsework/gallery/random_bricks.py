"""Random connected models of bricks: each brick clutches one that is there already."""

from __future__ import annotations

import numpy as np

from falsework.gallery.bricklaying import Layout
from falsework.gallery.kind import Kind, Parameter, Truth, always
from falsework.model.assembly import Assembly

SIZES = ((1, 1), (1, 2), (2, 1), (1, 4), (4, 1), (2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (2, 6), (6, 2))
Placed = tuple[int, int, int, int, int]  # length, width, x, y, layer


def random_bricks(rng: np.random.Generator, bricks: int, spread: int) -> Assembly:
    """Bricks within `spread` studs of the middle, the first on the ground, each next one on or under another."""
    placed: list[Placed] = [(4, 2, 0, 0, 0)]
    cells = set(_cells(placed[0]))
    while len(placed) < bricks:
        candidate = _candidate(rng, placed, len(placed), spread)
        taken = _cells(candidate)
        if candidate[4] >= 0 and not cells.intersection(taken):
            placed.append(candidate)
            cells.update(taken)
    layout = Layout()
    for length, width, x, y, layer in sorted(placed, key=lambda one: (one[4], one[2], one[3])):
        layout.brick(length, width, x, y, layer)
    return layout.on_baseplate()


def _candidate(rng: np.random.Generator, placed: list[Placed], count: int, spread: int) -> Placed:
    """A brick that shares at least one stud with a brick chosen at random, above it or, seldom, below."""
    host_length, host_width, host_x, host_y, host_layer = placed[int(rng.integers(count))]
    length, width = SIZES[int(rng.integers(len(SIZES)))]
    x = int(np.clip(rng.integers(host_x - length + 1, host_x + host_length), -spread, spread))
    y = int(np.clip(rng.integers(host_y - width + 1, host_y + host_width), -spread, spread))
    meets = host_x - length < x < host_x + host_length and host_y - width < y < host_y + host_width
    layer = host_layer + (1 if rng.random() < 0.8 else -1)
    return length, width, x, y, layer if meets else -1


def _cells(brick: Placed) -> list[tuple[int, int, int]]:
    length, width, x, y, layer = brick
    return [(x + i, y + j, layer) for i in range(length) for j in range(width)]


KINDS = (
    Kind(
        "random-bricks",
        "bricks of all sizes, each clutched to one before it",
        (
            Parameter("bricks", 30, "", "bricks", 1, 5000),
            Parameter("spread", 8, "studs", "how far out bricks may begin", 2, 200),
        ),
        random_bricks,
        always(Truth(None, "random: it is connected, but how much its clutches carry depends on the random seed")),
        seeded=True,
    ),
)
