"""Duplo products of seed 004's four tiers: one brick, a stack, a shape, an interlocking block."""

from __future__ import annotations

from falsework.gallery.bricklaying import Layout
from falsework.gallery.kind import Kind, Parameter, Truth, always
from falsework.model.assembly import Assembly

COLORS = ("red", "blue", "yellow", "green")
LONG, SQUARE = "brick_4x2", "brick_2x2"


class _Product(Layout):
    """Duplo bricks in layers, coloured in turn."""

    def __init__(self) -> None:
        super().__init__("duplo")

    def put(self, name: str, x: int, y: int, layer: int, turns: int = 0) -> None:
        color = COLORS[len(self.parts) % len(COLORS)]
        self.piece(name, x, y, layer * self.measures.plates_per_brick, turns=turns, color=color)


def duplo_single(turns: int) -> Assembly:
    """Tier 1: one 4x2 brick."""
    product = _Product()
    product.put(LONG, 0, 0, 0, turns)
    return product.on_baseplate()


def duplo_stack(bricks: int) -> Assembly:
    """Tier 2: one brick on another, long and square in turn."""
    product = _Product()
    for layer in range(bricks):
        product.put(SQUARE if layer % 2 else LONG, 0, 0, layer)
    return product.on_baseplate()


def duplo_bridge(height: int) -> Assembly:
    """Tier 3: two piers of square bricks and a long brick across."""
    product = _Product()
    for layer in range(height):
        product.put(SQUARE, 0, 0, layer)
        product.put(SQUARE, 4, 0, layer)
    product.put(LONG, 0, 0, height)
    product.put(SQUARE, 4, 0, height)
    product.put(LONG, 2, 0, height + 1)
    return product.on_baseplate()


def duplo_stairs(steps: int) -> Assembly:
    """Tier 3: a solid flight of steps, two studs each."""
    product = _Product()
    for layer in range(steps):
        for x in range(2 * layer, 2 * steps, 2):
            product.put(SQUARE, x, 0, layer)
    return product.on_baseplate()


def duplo_block(layers: int, size: int) -> Assembly:
    """Tier 4: a square block of long bricks, each layer laid across the one below."""
    product = _Product()
    for layer in range(layers):
        for row in range(2 * size):
            for k in range(size):
                x, y = (4 * k, 2 * row) if layer % 2 == 0 else (2 * row, 4 * k)
                product.put(LONG, x, y, layer, turns=layer % 2)
    return product.on_baseplate()


def duplo_cross(layers: int) -> Assembly:
    """Tier 4: long bricks around a square hole, each layer turned, every corner gripped by the next layer."""
    product = _Product()
    for layer in range(layers):
        if layer % 2 == 0:
            spots = ((0, 0, 0), (4, 0, 1), (2, 4, 0), (0, 2, 1))
        else:
            spots = ((2, 0, 0), (4, 2, 1), (0, 4, 0), (0, 0, 1))
        for x, y, turns in spots:
            product.put(LONG, x, y, layer, turns=turns)
    return product.on_baseplate()


_DOWN = "every brick stands over the ones below it"

KINDS = (
    Kind(
        "duplo-single",
        "tier 1: one Duplo brick on its place",
        (Parameter("turns", 0, "quarters", "turn about the vertical", 0, 3),),
        duplo_single,
        always(Truth(True, "one brick on a baseplate", hands=1)),
    ),
    Kind(
        "duplo-stack",
        "tier 2: Duplo bricks on top of each other",
        (Parameter("bricks", 4, "", "bricks", 1, 50),),
        duplo_stack,
        always(Truth(True, _DOWN, hands=1)),
    ),
    Kind(
        "duplo-bridge",
        "tier 3: a Duplo bridge",
        (Parameter("height", 1, "bricks", "height of the piers", 1, 20),),
        duplo_bridge,
        always(Truth(True, "the deck lies on both piers", hands=1)),
    ),
    Kind(
        "duplo-stairs",
        "tier 3: a flight of Duplo steps",
        (Parameter("steps", 3, "", "steps", 1, 30),),
        duplo_stairs,
        always(Truth(True, _DOWN, hands=1)),
    ),
    Kind(
        "duplo-block",
        "tier 4: a dense block of Duplo bricks laid crosswise",
        (
            Parameter("layers", 3, "", "layers", 1, 60),
            Parameter("size", 1, "bricks", "long bricks along a side", 1, 12),
        ),
        duplo_block,
        always(Truth(True, _DOWN, hands=1)),
    ),
    Kind(
        "duplo-cross",
        "tier 4: Duplo bricks interlocking around a hole",
        (Parameter("layers", 3, "", "layers", 1, 60),),
        duplo_cross,
        always(Truth(True, _DOWN, hands=1)),
    ),
)
