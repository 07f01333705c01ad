"""The products of the benchmark's four tiers, drawn at random: what there is to build.

Tiers 1 to 4 are seed 004's. Tier 1 is one brick; tier 2 a stack, all over the same four studs; tier 3 a shape (bridge,
stairs, wall, gate, tee); tier 4 an interlocking block, at least half of which rests on two others. Tier 5 is ours: some
bricks hang from others over nothing, so that pieces must be put together apart. How many bricks there are, and of which
colours, settings say (`usual.toml`). All are Duplo bricks of 2 x 2 and 2 x 4 studs on a baseplate.
Whether one hand can build it is asked of the planner by `tasks.py`; here it has to be connected.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from falsework.execution.tiers.settings import TierSettings, usual_tiers
from falsework.gallery.bricklaying import Layout
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput

Brick = tuple[int, int, int, int, int]  # studs along x and y, least stud x and y, layer

DENSE, HANGING = 4, 5  # the tiers of interlocking blocks, and of products that are put together from pieces
SQUARE, ALONG, ACROSS = (2, 2), (4, 2), (2, 4)
SIZES = (SQUARE, ALONG, ACROSS)
TRIES = 400  # random bricks that are tried for one layer of tier 4
DRAWS = 20_000  # of products, until one has as many bricks as settings say


def product(tier: int, rng: np.random.Generator, settings: TierSettings | None = None) -> Assembly:
    """A product of a tier, of the usual settings unless told.

    >>> len(product(2, np.random.default_rng(3)).parts) in range(3, 6)
    True
    """
    told = settings or usual_tiers()
    least, most = told.bricks[tier]
    for _ in range(DRAWS):
        bricks = _interlocking(rng, (least, most)) if tier == DENSE else _TIERS[tier](rng)
        if bricks is not None and least <= len(bricks) <= most:
            return _laid(bricks, rng, told.colors)
    raise BadInput(f"bricks_{tier}: none of {DRAWS} products of tier {tier} had {least} to {most} bricks")


def rests_on(bricks: list[Brick], number: int) -> int:
    """How many bricks lie right below one."""
    own, below = set(_cells(bricks[number])), bricks[number][4] - 1
    return sum(other[4] == below and any((x, y, below + 1) in own for x, y, _ in _cells(other)) for other in bricks)


def _laid(bricks: list[Brick], rng: np.random.Generator, colors: tuple[str, ...]) -> Assembly:
    """With colours at random, the lowest and leftmost stud at 0, 0."""
    layout = Layout("duplo")
    plates = layout.measures.plates_per_brick
    left, front = min(one[2] for one in bricks), min(one[3] for one in bricks)
    for length, width, x, y, layer in sorted(bricks, key=lambda one: (one[4], one[2], one[3])):
        turns = int(width > length)
        name = "brick_2x2" if length == width else "brick_4x2"
        color = colors[int(rng.integers(len(colors)))]
        layout.piece(name, x - left, y - front, layer * plates, turns=turns, color=color)
    return layout.on_baseplate()


def _one(rng: np.random.Generator) -> list[Brick]:
    return [(*_size(rng), 0, 0, 0)]


def _stack(rng: np.random.Generator) -> list[Brick]:
    """Every brick covers the same 2 x 2 studs; long ones reach out to one side or the other."""
    bricks = []
    for layer in range(int(rng.integers(3, 6))):
        length, width = _size(rng)
        out = int(rng.integers(2)) * 2
        bricks.append((length, width, -out if length == 4 else 0, -out if width == 4 else 0, layer))
    return bricks


def _bridge(rng: np.random.Generator) -> list[Brick]:
    """Two piers, a deck across, perhaps a parapet on it."""
    height, gap = int(rng.integers(1, 3)), 2
    piers = [(2, 2, x, 0, layer) for layer in range(height) for x in (0, 2 + gap)]
    deck = [(4, 2, 0, 0, height), (2, 2, 4, 0, height), (4, 2, 2, 0, height + 1)]
    more: list[Brick] = [(2, 2, 0, 0, height + 1)] if rng.random() < 0.5 else []
    return [*piers, *deck, *more]


def _stairs(rng: np.random.Generator) -> list[Brick]:
    """A solid flight of three steps; treads as wide as the tier's bricks allow."""
    size = SQUARE if rng.random() < 0.5 else ACROSS
    return [(*size, x, 0, layer) for layer in range(3) for x in range(2 * layer, 6, 2)]


def _wall(rng: np.random.Generator) -> list[Brick]:
    """Running bond of long bricks, closed at its ends by square ones."""
    layers, long = int(rng.integers(3, 5)), 2
    bricks: list[Brick] = []
    for layer in range(layers):
        if layer % 2 == 0:
            bricks += [(4, 2, 4 * k, 0, layer) for k in range(long)]
        else:
            bricks += [(2, 2, 0, 0, layer), (4, 2, 2, 0, layer), (2, 2, 6, 0, layer)]
    return bricks


def _gate(rng: np.random.Generator) -> list[Brick]:
    """Two posts of bricks laid crosswise and a lintel that lies on both, weighted at its ends."""
    height = int(rng.integers(2, 4))
    posts = [(2, 2, x, 0, layer) for layer in range(height) for x in (0, 2)]
    lintel = [(4, 2, 0, 0, height)]
    crown = [(2, 2, 1, 0, height + 1)] if rng.random() < 0.5 else [(4, 2, 0, 0, height + 1)]
    return [*posts, *lintel, *crown]


def _tee(rng: np.random.Generator) -> list[Brick]:
    """A trunk of long bricks laid crosswise in turns, with square ones at the ends of its top."""
    height = int(rng.integers(4, 7))
    trunk = [(4, 2, -1, 0, layer) if layer % 2 else (2, 4, 0, -1, layer) for layer in range(height)]
    top: list[Brick]
    if height % 2 == 0:  # the last lies along x
        top = [(2, 2, -1, 0, height), (2, 2, 1, 0, height)]
    else:
        top = [(2, 2, 0, -1, height), (2, 2, 0, 1, height)]
    return [*trunk, *top]


def _shape(rng: np.random.Generator) -> list[Brick]:
    shapes = (_bridge, _stairs, _wall, _gate, _tee)
    return shapes[int(rng.integers(len(shapes)))](rng)


def _interlocking(rng: np.random.Generator, counts: tuple[int, int]) -> list[Brick] | None:
    """Layers of long and square bricks at random over a few studs; most upper ones lie across a joint below."""
    across = [(4, 4), (6, 4), (6, 6)][int(rng.integers(3))]
    count = int(rng.integers(counts[0], counts[1] + 1))
    bricks: list[Brick] = []
    cells: set[tuple[int, int, int]] = set()
    layer = full = 0
    for _ in range(TRIES):
        if len(bricks) == count:
            break
        length, width = _size(rng)
        x, y = int(rng.integers(across[0] - length + 1)), int(rng.integers(across[1] - width + 1))
        brick = (length, width, x, y, layer)
        taken = _cells(brick)
        borne = {(a, b, layer - 1) for a, b, _ in taken} & cells
        if not cells.intersection(taken) and (layer == 0 or len(borne) >= len(taken) // 2):
            bricks.append(brick)
            cells.update(taken)
            full += len(taken)
        if full >= 0.75 * across[0] * across[1] or (full >= 0.5 * across[0] * across[1] and rng.random() < 0.05):
            layer, full = layer + 1, 0
    bonded = sum(rests_on(bricks, number) >= 2 for number in range(len(bricks)))
    return bricks if len(bricks) == count and 2 * bonded >= count and _hang_together(bricks) else None


def _brackets(rng: np.random.Generator) -> list[Brick]:
    """A mast with one or two beams, bricks that hang from their ends, and perhaps something on top."""
    height = int(rng.integers(2, 5))
    bricks: list[Brick] = [(2, 2, 0, 0, layer) for layer in range(height)]
    layer = height
    ways = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    for turn in rng.permutation(len(ways))[: int(rng.integers(1, 3))]:
        x, y = ways[turn]
        size = ALONG if x else ACROSS
        bricks.append((*size, min(0, 2 * x), min(0, 2 * y), layer))
        deep = int(rng.integers(1, min(2, layer - 1) + 1))
        bricks += [(2, 2, 2 * x, 2 * y, layer - 1 - k) for k in range(deep)]
        layer += 1
    if rng.random() < 0.5:
        bricks.append((*_size(rng), 0, 0, layer))
    return bricks


def _hang_together(bricks: list[Brick]) -> bool:
    """Whether every brick is reached from the first through studs that they share; the plate does not count."""
    cells = {cell: number for number, brick in enumerate(bricks) for cell in _cells(brick)}
    reached, fresh = {0}, [0]
    while fresh:
        number = fresh.pop()
        for x, y, z in _cells(bricks[number]):
            for other in (cells.get((x, y, z - 1)), cells.get((x, y, z + 1))):
                if other is not None and other not in reached:
                    reached.add(other)
                    fresh.append(other)
    return len(reached) == len(bricks)


def _size(rng: np.random.Generator) -> tuple[int, int]:
    return SIZES[int(rng.integers(len(SIZES)))]


def _cells(brick: Brick) -> list[tuple[int, int, int]]:
    length, width, x, y, layer = brick
    return [(x + i, y + j, layer) for i in range(length) for j in range(width)]


_TIERS: dict[int, Callable[[np.random.Generator], list[Brick] | None]] = {
    1: _one,
    2: _stack,
    3: _shape,
    HANGING: _brackets,
}
