"""Arches of voussoirs: wedges between joints, on two fixed springers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from falsework.gallery.kind import Kind, Parameter, Truth
from falsework.gallery.stones import block, slab
from falsework.model.assembly import Assembly
from falsework.model.part import Part

Point = tuple[float, float]  # x, z
Joint = tuple[Point, Point]  # from the inner face of the arch to the outer

SPRINGER_M = 0.3  # height of the fixed blocks under the arch
LEAST_THICKNESS = 0.1075  # of the centre-line radius: thinner semicircles of many stones fall
THIN = 0.085  # below this, twenty stones or more fall
HALF_AN_ARCH = "half an arch falls: one hand holds the last stone while the other brings the next"


def semicircular_arch(stones: int, radius: float, thickness: float, depth: float, friction: float) -> Assembly:
    """Half a ring of equal stones; `radius` is that of the centre line, `thickness` a share of it."""
    inner, outer = radius * (1 - thickness / 2), radius * (1 + thickness / 2)
    joints = []
    for k in range(stones + 1):
        angle = math.pi * k / stones
        cosine, sine = math.cos(angle), math.sin(angle) if 0 < k < stones else 0.0
        joints.append(((inner * cosine, inner * sine), (outer * cosine, outer * sine)))
    return _between_springers(joints, depth, friction)


def pointed_arch(stones: int, span: float, sharpness: float, thickness: float, depth: float) -> Assembly:
    """Two arcs that meet in an upright joint; their centres lie `sharpness` half-spans beyond the middle."""
    beyond = sharpness * span / 2
    inner = span / 2 + beyond
    outer = inner * (1 + thickness)
    crown = math.acos(beyond / inner)
    right = []
    for k in range(stones):
        angle = crown * k / stones
        cosine, sine = math.cos(angle), math.sin(angle)
        right.append(((inner * cosine - beyond, inner * sine), (outer * cosine - beyond, outer * sine)))
    top = ((0.0, math.sqrt(inner**2 - beyond**2)), (0.0, math.sqrt(outer**2 - beyond**2)))
    left = [((-a[0], a[1]), (-b[0], b[1])) for a, b in reversed(right)]
    return _between_springers([*right, top, *left], depth, friction=0.55)


def flat_arch(stones: int, span: float, height: float, lean: float) -> Assembly:
    """A lintel of wedges; the outermost joints lean outwards by `lean` from the vertical."""
    depth = height / 2
    focus = span / 2 / math.tan(math.radians(lean))  # how far below the arch its joints would meet
    joints = []
    for k in range(stones + 1):
        x = span * (0.5 - k / stones)
        joints.append(((x, 0.0), (x * (1 + height / focus), height)))
    (inner, _), (outer, _) = joints[0]
    end = outer + height
    right = slab("right", [(inner, 0.0), (end, 0.0), (end, height), (outer, height)], depth)
    left = slab("left", [(-end, 0.0), (-inner, 0.0), (-outer, height), (-end, height)], depth)
    parts = (right, *_voussoirs(joints, depth), left)
    return Assembly(parts, fixed=frozenset(["left", "right"]))


def _between_springers(joints: Sequence[Joint], depth: float, friction: float) -> Assembly:
    """The arch over joints from right to left, the first and last of which lie in the plane z = 0."""
    (inner, _), (outer, _) = joints[0]
    size = (outer - inner, depth, SPRINGER_M)
    parts = (
        block("right", size, inner, -depth / 2, -SPRINGER_M),
        *_voussoirs(joints, depth),
        block("left", size, -outer, -depth / 2, -SPRINGER_M),
    )
    return Assembly(parts, fixed=frozenset(["left", "right"]), friction=friction)


def _voussoirs(joints: Sequence[Joint], depth: float) -> list[Part]:
    """The stones between joints; the middle one of an odd number is the keystone."""
    count = len(joints) - 1
    stones = []
    for k, (one, other) in enumerate(pairwise(joints), start=1):
        name = "keystone" if 2 * k == count + 1 else f"stone-{k}"
        stones.append(slab(name, [one[0], one[1], other[1], other[0]], depth))
    return stones


def _semicircle_truth(stones: int, radius: float, thickness: float, depth: float, friction: float) -> Truth:
    del radius, depth
    ample = friction >= 0.5 or (friction >= 0.4 and stones >= 8)
    if ample and thickness > LEAST_THICKNESS:
        why = f"a line of thrust fits: thickness / radius is above {LEAST_THICKNESS} (Milankovitch)"
        usual = (thickness, friction) == (0.2, 0.55) and 5 <= stones <= 15
        return Truth(True, why, hands=2, building=HALF_AN_ARCH) if usual else Truth(True, why)
    if stones >= 20 and thickness <= THIN:
        return Truth(False, "no line of thrust fits in so thin a semicircle: it folds at five hinges")
    return Truth(None, "few stones or little friction: between the known cases")


def _pointed_truth(stones: int, span: float, sharpness: float, thickness: float, depth: float) -> Truth:
    del span, depth
    if thickness >= 0.15 and sharpness <= 1.0:
        why = "thick enough for a line of thrust within both arcs"
        usual = (thickness, sharpness) == (0.2, 0.5) and 3 <= stones <= 6
        return Truth(True, why, hands=2, building=HALF_AN_ARCH) if usual else Truth(True, why)
    return Truth(None, "thin or very sharp: not known beforehand")


def _flat_truth(stones: int, span: float, height: float, lean: float) -> Truth:
    if height >= 0.2 * span:
        why = "a flat line of thrust fits in the lintel, and fixed ends take it up"
        usual = (span, height, lean) == (1.0, 0.3, 20.0) and 3 <= stones <= 11
        return Truth(True, why, hands=2, building=HALF_AN_ARCH) if usual else Truth(True, why)
    return Truth(None, "slender: not known beforehand")


_DEPTH = Parameter("depth", 0.3, "m", "depth of the stones", 0.01, 100.0)

KINDS = (
    Kind(
        "semicircular-arch",
        "half a ring of voussoirs on two springers",
        (
            Parameter("stones", 15, "", "stones", 3, 2000),
            Parameter("radius", 1.0, "m", "radius of the centre line", 0.1, 100.0),
            Parameter("thickness", 0.2, "radii", "thickness of the ring", 0.01, 1.0),
            _DEPTH,
            Parameter("friction", 0.55, "", "coefficient of friction", 0.0, 2.0),
        ),
        semicircular_arch,
        _semicircle_truth,
    ),
    Kind(
        "pointed-arch",
        "two arcs that meet in a point, on two springers",
        (
            Parameter("stones", 6, "", "stones in each arc", 2, 1000),
            Parameter("span", 1.5, "m", "clear width", 0.1, 100.0),
            Parameter("sharpness", 0.5, "half spans", "how far the arcs' centres lie beyond the middle", 0.05, 3.0),
            Parameter("thickness", 0.2, "radii", "thickness of the arcs", 0.02, 1.0),
            _DEPTH,
        ),
        pointed_arch,
        _pointed_truth,
    ),
    Kind(
        "flat-arch",
        "a level lintel of wedges between fixed ends",
        (
            Parameter("stones", 7, "", "wedges", 3, 500),
            Parameter("span", 1.0, "m", "clear width at the bottom", 0.1, 100.0),
            Parameter("height", 0.3, "m", "height of the lintel", 0.01, 100.0),
            Parameter("lean", 20.0, "degrees", "lean of the outermost joints from the vertical", 5.0, 40.0),
        ),
        flat_arch,
        _flat_truth,
    ),
)
