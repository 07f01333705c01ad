"""Four models of Duplo bricks that are built whole, by one arm and by two: those of `examples/duplo-*.yaml`."""

from __future__ import annotations

from collections.abc import Callable

from falsework.gallery.bricklaying import Layout
from falsework.gallery.duplo import duplo_bridge
from falsework.model.assembly import Assembly

SQUARE, ALONG, ACROSS = (2, 2), (4, 2), (2, 4)
Laid = tuple[tuple[int, int], int, int, int, str]  # studs, least stud x and y, layer, colour


def model(name: str) -> Assembly:
    """By its name.

    >>> {name: len(model(name).parts) for name in MODELS}
    {'bridge': 5, 'viaduct': 23, 'gatehouse': 20, 'lighthouse': 21}
    """
    return MODELS[name]()


def _viaduct() -> Assembly:
    """Four piers, a deck, a course that ties it, and posts."""
    piers = [(SQUARE, x, 0, layer, "yellow" if layer == 1 else "red") for layer in range(3) for x in (0, 4, 8, 12)]
    deck = [*((ALONG, x, 0, 3, "blue") for x in (0, 4, 8)), (SQUARE, 12, 0, 3, "blue")]
    tied = [(SQUARE, 0, 0, 4, "green"), *((ALONG, x, 0, 4, "green") for x in (2, 6, 10))]
    posts = [(SQUARE, 0, 0, 5, "red"), (SQUARE, 6, 0, 5, "yellow"), (SQUARE, 12, 0, 5, "red")]
    return _laid([*piers, *deck, *tied, *posts])


def _gatehouse() -> Assembly:
    """Two towers of bricks laid crosswise, and an arch of beams between them."""
    towers = [_crosswise(x, layer, "red" if layer % 2 == 0 else "yellow") for layer in range(7) for x in (0, 8)]
    arch = [(ALONG, 0, 0, 7, "blue"), (ALONG, 6, 0, 7, "blue"), (SQUARE, 0, 0, 8, "green"), (ALONG, 3, 0, 8, "blue")]
    return _laid([*towers, *arch, (SQUARE, 8, 0, 8, "green"), (SQUARE, 4, 0, 9, "yellow")])


def _lighthouse() -> Assembly:
    """A tower of twelve layers, a lantern, and four bushes around it."""
    bushes = [(SQUARE, x, y, 0, "green") for x, y in ((-4, 0), (0, -5), (0, 5), (4, 0))]
    tower = [_crosswise(0, layer, ("yellow", "red")[(layer + 1) // 2 % 2]) for layer in range(12)]
    lantern = [(SQUARE, -1, 0, 12, "blue"), (SQUARE, 1, 0, 12, "blue"), (ALONG, -1, 0, 13, "blue")]
    top = [(SQUARE, 0, 0, 14, "yellow"), (SQUARE, 0, 0, 15, "red")]
    return _laid([*bushes[:2], tower[0], *bushes[2:], *tower[1:], *lantern, *top])


def _crosswise(x: int, layer: int, color: str) -> Laid:
    return (ACROSS, x, -1, layer, color) if layer % 2 == 0 else (ALONG, x - 1, 0, layer, color)


def _laid(bricks: list[Laid]) -> Assembly:
    layout = Layout("duplo")
    for size, x, y, layer, color in bricks:
        name = "brick_2x2" if size == SQUARE else "brick_4x2"
        layout.piece(name, x, y, layer * layout.measures.plates_per_brick, turns=int(size == ACROSS), color=color)
    return layout.on_baseplate()


MODELS: dict[str, Callable[[], Assembly]] = {
    "bridge": lambda: duplo_bridge(1),
    "viaduct": _viaduct,
    "gatehouse": _gatehouse,
    "lighthouse": _lighthouse,
}
