"""Random models of bricks that reach out over nothing, the farther the harder their clutches work."""

from __future__ import annotations

import numpy as np

from falsework.gallery.bond import Brick
from falsework.gallery.bricklaying import Layout
from falsework.gallery.joining import joined
from falsework.gallery.kind import Kind, Parameter, Truth, always
from falsework.gallery.tiling import laid, sizes
from falsework.model.arrays import Bools
from falsework.model.assembly import Assembly

PILLAR = 4  # bricks below the first that reaches out
RECENT = 5  # the next brick clutches one of so many before it
JOINING_TRIES = 400
TRUNK = 6  # studs a side of the block that carries a figure's arm
WIDE, HIGH = 4, 14  # studs across, layers: the room in which a figure's arm grows


def random_overhang(rng: np.random.Generator, bricks: int) -> Assembly:
    """A pillar, and bricks that climb out of it along x; the first bricks of a larger model are the same."""
    laid_bricks = [Brick(0, 0, layer, 2, 4) for layer in range(PILLAR)]
    taken = {cell for brick in laid_bricks for cell in _cells(brick)}
    while len(laid_bricks) < PILLAR + bricks:
        brick = _next_to(laid_bricks, rng)
        if brick.layer >= 0 and taken.isdisjoint(_cells(brick)):
            laid_bricks.append(brick)
            taken.update(_cells(brick))
    layout = Layout()
    for brick in sorted(laid_bricks, key=lambda one: (one.layer, one.x, one.y)):
        layout.brick(brick.length, brick.width, brick.x, brick.y, brick.layer)
    return layout.on_baseplate()


def _next_to(bricks: list[Brick], rng: np.random.Generator) -> Brick:
    """A brick above or below a recent one, at its outer end; near the ground only above."""
    host = bricks[-1 - int(rng.integers(min(RECENT, len(bricks) - PILLAR + 1)))]
    length, width = sizes()[int(rng.integers(len(sizes())))]
    grip = int(rng.integers(1, min(length, host.length) + 1))
    x = host.x + host.length - grip
    y = int(np.clip(rng.integers(host.y - width + 1, host.y + host.width), -3, 3))
    meets = host.y - width < y < host.y + host.width
    low = host.layer < PILLAR
    return Brick(x, y, host.layer + (1 if low or rng.random() < 0.5 else -1) if meets else -1, length, width)


def _cells(brick: Brick) -> list[tuple[int, int, int]]:
    return [(brick.x + i, brick.y + j, brick.layer) for i in range(brick.length) for j in range(brick.width)]


def voxel_figure(rng: np.random.Generator, reach: int) -> Assembly:
    """A block with a random arm of cells, `reach` studs long, filled with bricks across each other's seams."""
    cells = _figure(rng, reach)
    return joined(laid(cells, rng), rng, JOINING_TRIES).sorted().assembly()


def _figure(rng: np.random.Generator, reach: int) -> Bools:
    """The block, and boxes of cells one after the other that overlap by two studs and two layers at least."""
    cells = np.zeros((TRUNK + reach, WIDE, HIGH), dtype=bool)
    bottom, height = HIGH // 2, 3
    cells[:TRUNK, :, : bottom + height] = True
    end = TRUNK
    while end < TRUNK + reach:
        length = int(rng.integers(4, 11))
        shift = int(rng.integers(-1, 2))
        bottom = int(np.clip(bottom + shift, 2, HIGH - 4))
        height = int(rng.integers(3, 5))
        width = int(rng.integers(2, WIDE + 1))
        front = int(rng.integers(0, WIDE - width + 1))
        cells[end - 2 : end + length, front : front + width, bottom : bottom + height] = True
        end += length
    return cells


_WHY = "random: it is connected, but how much its clutches carry depends on the random seed and on how far it reaches"

KINDS = (
    Kind(
        "random-overhang",
        "random bricks that climb out of a pillar over nothing",
        (Parameter("bricks", 12, "", "bricks beside the pillar", 1, 400),),
        random_overhang,
        always(Truth(None, _WHY)),
        seeded=True,
        knob="bricks",
    ),
    Kind(
        "voxel-figure",
        "a block with a random arm, its cells filled with bricks",
        (Parameter("reach", 20, "studs", "length of the arm", 1, 400),),
        voxel_figure,
        always(Truth(None, _WHY)),
        seeded=True,
        knob="reach",
    ),
)
