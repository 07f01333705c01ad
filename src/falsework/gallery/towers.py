"""Towers of loose bricks, after seed 003: they stand by where their weight is, not by what holds them."""

from __future__ import annotations

from falsework.gallery.kind import Kind, Parameter, Truth
from falsework.gallery.stones import block
from falsework.geometry.contacts.ground import grounded
from falsework.model.assembly import Assembly, Ground
from falsework.model.part import Part

SIZE_M = (0.2, 0.1, 0.06)  # of one brick
LARGEST_STANDING_DIAMOND = 4  # rows 1, 2, 3, 4, 3, 2, 1


def harmonic_tower(bricks: int, reach: float) -> Assembly:
    """Bricks on a fixed one; the k-th from the top hangs over by `reach` × 1/(2k) of its length."""
    length, _, height = SIZE_M
    parts = [block("base", SIZE_M, 0.0, 0.0, 0.0)]
    x = 0.0
    for number in range(1, bricks + 1):
        x += reach * length / (2 * (bricks + 1 - number))
        parts.append(block(f"brick-{number}", SIZE_M, x, 0.0, number * height))
    return Assembly(tuple(parts), fixed=frozenset(["base"]))


def leaning_tower(bricks: int, lean: float) -> Assembly:
    """Bricks on a fixed one, each shifted against the one below by the same share of its length."""
    length, _, height = SIZE_M
    parts = [block("base", SIZE_M, 0.0, 0.0, 0.0)]
    parts += [
        block(f"brick-{number}", SIZE_M, number * lean * length, 0.0, number * height)
        for number in range(1, bricks + 1)
    ]
    return Assembly(tuple(parts), fixed=frozenset(["base"]))


def diamond_tower(widest: int) -> Assembly:
    """Rows of 1, 2, …, widest, …, 2, 1 bricks, each shifted by half a brick, without friction (seed 003)."""
    length, _, height = SIZE_M
    rows = [*range(1, widest), *range(widest, 0, -1)]
    parts: list[Part] = []
    for row, count in enumerate(rows):
        for column in range(count):
            x = (column - count / 2) * length
            parts.append(block(f"brick-{len(parts) + 1}", SIZE_M, x, 0.0, row * height))
    return grounded(Assembly(tuple(parts), friction=0.0), Ground("table"))


def _harmonic_truth(bricks: int, reach: float) -> Truth:
    del bricks
    if reach == 1.0:
        return Truth(None, "every joint is exactly at its limit, which no arithmetic with rounding decides")
    if reach < 1.0:
        return Truth(True, "the weight above each joint acts inside the brick below", hands=1)
    return Truth(False, "the top brick's centre of mass lies beyond the edge it rests on")


def _leaning_truth(bricks: int, lean: float) -> Truth:
    limit = 1 / (bricks + 1)  # n bricks above the base have their centre lean (n + 1) / 2 lengths away from it
    if abs(lean - limit) < 1e-3 * limit:
        return Truth(None, "the joint on the base is at its limit, which no arithmetic with rounding decides")
    if lean < limit:
        return Truth(True, f"lean below 1 / (bricks + 1) = {limit:.4g}: all weight acts inside the base", hands=1)
    return Truth(False, f"lean above 1 / (bricks + 1) = {limit:.4g}: the whole tower tips about the base's edge")


def _diamond_truth(widest: int) -> Truth:
    if widest <= LARGEST_STANDING_DIAMOND:
        why = "the upper rows weigh enough on the ends of the widest row to keep it from tipping"
        if widest <= 4:
            return Truth(True, why, hands=1, building="each row can be weighed down in the middle before it grows")
        return Truth(True, why)
    return Truth(False, "the ends of the widest row weigh more than what lies on their inner halves (seed 003)")


KINDS = (
    Kind(
        "harmonic-tower",
        "one brick on another, each as far out as the bricks above allow",
        (
            Parameter("bricks", 8, "", "bricks above the fixed one", 1, 2000),
            Parameter("reach", 0.98, "", "overhang as a share of the greatest possible", 0.0, 2.0),
        ),
        harmonic_tower,
        _harmonic_truth,
    ),
    Kind(
        "leaning-tower",
        "one brick on another, each shifted by the same amount",
        (
            Parameter("bricks", 7, "", "bricks above the fixed one", 1, 2000),
            Parameter("lean", 0.1, "brick lengths", "shift from one brick to the next", 0.0, 0.9),
        ),
        leaning_tower,
        _leaning_truth,
    ),
    Kind(
        "diamond-tower",
        "rows of 1, 2, …, m, …, 2, 1 bricks without friction (seed 003)",
        (Parameter("widest", 4, "bricks", "bricks in the widest row", 1, 40),),
        diamond_tower,
        _diamond_truth,
    ),
)
