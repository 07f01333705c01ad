"""A bird house: plates that stand on a floor, and a roof of two leaning on the gables (seed 002, Fig. 11)."""

from __future__ import annotations

import math

from falsework.gallery.kind import Kind, Parameter, Truth
from falsework.gallery.stones import block, slab
from falsework.model.assembly import Assembly

WIDTH_M, DEPTH_M, WALL_M, EAVES_M = 0.16, 0.14, 0.012, 0.12
OVERHANG_M = 0.02


def bird_house(pitch: float, friction: float) -> Assembly:
    """A floor, two gables between two side walls, two roof plates that meet at the ridge."""
    slope = math.tan(math.radians(pitch))
    half, inner = WIDTH_M / 2, WIDTH_M / 2 - WALL_M
    ridge = EAVES_M + half * slope
    front, back = -DEPTH_M / 2 + WALL_M / 2, DEPTH_M / 2 - WALL_M / 2

    def roof_line(x: float) -> float:
        return ridge - abs(x) * slope

    gable = [(-inner, 0.0), (inner, 0.0), (inner, roof_line(inner)), (0.0, ridge), (-inner, roof_line(inner))]
    side = [(inner, 0.0), (half, 0.0), (half, EAVES_M), (inner, roof_line(inner))]
    floor = (WIDTH_M + 4 * WALL_M, DEPTH_M + 4 * WALL_M, WALL_M)
    eaves = half + OVERHANG_M
    thick = WALL_M / math.cos(math.radians(pitch))
    roof = [(0.0, ridge), (eaves, roof_line(eaves)), (eaves, roof_line(eaves) + thick), (0.0, ridge + thick)]
    parts = (
        block("floor", floor, -floor[0] / 2, -floor[1] / 2, -WALL_M),
        slab("gable-front", gable, WALL_M, front),
        slab("gable-back", gable, WALL_M, back),
        slab("side-left", _mirrored(side), DEPTH_M),
        slab("side-right", side, DEPTH_M),
        slab("roof-left", _mirrored(roof), DEPTH_M),
        slab("roof-right", roof, DEPTH_M),
    )
    return Assembly(parts, fixed=frozenset(["floor"]), friction=friction)


def _mirrored(outline: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(-x, z) for x, z in reversed(outline)]


def _truth(pitch: float, friction: float) -> Truth:
    slope = math.tan(math.radians(pitch))
    if slope < 0.95 * friction:
        return Truth(True, "the roof is less steep than friction holds", hands=1)
    return Truth(None, "steep: the walls take some of the roof's thrust, how much is not known beforehand")


KINDS = (
    Kind(
        "bird-house",
        "a house of plates with a roof that friction holds",
        (
            Parameter("pitch", 25.0, "degrees", "of the roof", 5.0, 60.0),
            Parameter("friction", 0.55, "", "coefficient of friction", 0.0, 2.0),
        ),
        bird_house,
        _truth,
    ),
)
