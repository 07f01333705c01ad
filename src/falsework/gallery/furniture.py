"""Models of bricks that look like things: a table, a bench, a bookshelf, a guitar."""

from __future__ import annotations

from falsework.gallery.bricklaying import Layout
from falsework.gallery.kind import Kind, Parameter, Truth, always
from falsework.model.assembly import Assembly


def brick_table(height: int) -> Assembly:
    """A top of two layers, crosswise, on four legs of 2x2 bricks."""
    layout = Layout()
    for layer in range(height):
        for x, y in ((0, 0), (6, 0), (0, 6), (6, 6)):
            layout.brick(2, 2, x, y, layer)
    for y in (0, 6):
        layout.brick(8, 2, 0, y, height)
    for x in (0, 2, 4, 6):
        layout.brick(2, 8, x, 0, height + 1)
    return layout.on_baseplate()


def brick_bench(height: int, back: int) -> Assembly:
    """A seat of two layers on two supports, and a back of `back` layers."""
    layout = Layout()
    for layer in range(height):
        for x in (0, 8):
            layout.brick(2, 4, x, 0, layer)
    for y in (0, 2):
        layout.brick(6, 2, 0, y, height)
        layout.brick(4, 2, 6, y, height)
    for y in (0, 2):
        layout.brick(4, 2, 0, y, height + 1)
        layout.brick(6, 2, 4, y, height + 1)
    for layer in range(back):
        lengths = (4, 6) if layer % 2 else (6, 4)
        layout.brick(lengths[0], 1, 0, 3, height + 2 + layer)
        layout.brick(lengths[1], 1, lengths[0], 3, height + 2 + layer)
    return layout.on_baseplate()


def brick_bookshelf(levels: int, clearance: int) -> Assembly:
    """Shelves of two bricks each between two sides, `clearance` layers apart."""
    layout = Layout()
    layer = 0
    for _ in range(levels):
        for _ in range(clearance):
            for x in (0, 6):
                layout.brick(2, 4, x, 0, layer)
            layer += 1
        for y in (0, 2):
            layout.brick(8, 2, 0, y, layer)
        layer += 1
    return layout.on_baseplate()


def brick_guitar(neck: int) -> Assembly:
    """A flat body with a waist, upright on its lower bout, and a neck two studs wide with a head on it."""
    layout = Layout()
    layer = 0
    for left, length in ((2, 6), (1, 8), (1, 8), (2, 6), (2, 6), (1, 8), (2, 6)):
        if length == 8:
            layout.brick(4, 2, left, 0, layer)
            layout.brick(4, 2, left + 4, 0, layer)
        else:
            layout.brick(length, 2, left, 0, layer)
        layer += 1
    for _ in range(neck):
        layout.brick(2, 1, 4, 0, layer)
        layer += 1
    layout.brick(4, 2, 3, 0, layer)
    layout.brick(2, 2, 4, 0, layer + 1)
    return layout.on_baseplate()


_HEIGHT = Parameter("height", 3, "bricks", "height of the legs", 1, 100)
_FROM_BELOW = "layer by layer, every brick is pressed onto bricks that stand"
_STRAIGHT_DOWN = "the weight goes down through legs; the clutches only keep it together"

KINDS = (
    Kind(
        "brick-table",
        "a table of bricks on four legs",
        (_HEIGHT,),
        brick_table,
        always(Truth(True, _STRAIGHT_DOWN, hands=1)),
    ),
    Kind(
        "brick-bench",
        "a bench of bricks with a back",
        (_HEIGHT, Parameter("back", 3, "bricks", "height of the back", 0, 40)),
        brick_bench,
        always(Truth(True, _STRAIGHT_DOWN, hands=1, building=_FROM_BELOW)),
    ),
    Kind(
        "brick-bookshelf",
        "shelves of bricks between two sides",
        (
            Parameter("levels", 4, "", "shelves", 1, 100),
            Parameter("clearance", 3, "bricks", "height between two shelves", 1, 20),
        ),
        brick_bookshelf,
        always(Truth(True, _STRAIGHT_DOWN, hands=1)),
    ),
    Kind(
        "brick-guitar",
        "a guitar-like figure with a thin neck",
        (Parameter("neck", 8, "bricks", "length of the neck", 1, 30),),
        brick_guitar,
        always(
            Truth(
                True,
                "everything stands above the lower bout; the neck is thin, but upright",
                hands=1,
                building=_FROM_BELOW,
            )
        ),
    ),
)
