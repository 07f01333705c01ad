"""Is it one brick, or two that lie nearly end to end? Their outlines are bent, or one is a little aside.

Flush and in line they count as one, as no picture tells them apart; and packings have no pairs that are nearly so, as
shadows lead the outline of many a half astray. So each brick that was found is halved, its halves are fitted by their
own outlines, and where these are out of line they are drawn, end to end, and weighed: shadows bend outlines, but not
the pixels between them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.model.perception.findings import Brick, Located, Refused
from falsework.perception.locator.aligning import aligned
from falsework.perception.locator.solids import placed
from falsework.perception.locator.supposed import Supposed
from falsework.perception.locator.supposing import Supposing

# How far out of line counts as so many pixels: of 681 bricks that are seen well none came to more than 40.
_PX_A_RAD, _PX_A_PITCH = math.degrees(9.0), 288.0
_SURE_PX = 44.0
_MOST_HIDDEN = 0.1  # of its pixels: outlines of which less is seen lead anywhere

Found = list[tuple[Supposed, Located]]
Unclear = list[tuple[list[Supposed], Refused]]


def refused_as_two(found: Found, refused: Unclear, supposing: Supposing) -> tuple[Found, Unclear]:
    """Bricks that are seen to be two are refused."""
    kept, unclear = [], list(refused)
    for one, told in found:
        two = _two_instead(supposing, one, told.T_base_brick)
        if two is None:
            kept.append((one, told))
            continue
        rivals = tuple(Brick(part.kind, told.color, part.T_base_brick) for part in two)
        why = f"a {one.kind} here, or {' and '.join(str(part.kind) for part in two)} nearly in line"
        x, y = 1e3 * told.middle_m[0], 1e3 * told.middle_m[1]
        decide = f"a nudge at ({x:.0f}, {y:.0f}) mm: what moves together is one brick"
        middle = np.array([*one.middle_m, one.bottom_m])
        own = Brick(one.kind, told.color, told.T_base_brick)
        unclear.append(([one, *two], Refused(why, middle, ((own,), rivals), decide, one.extent)))
    return kept, unclear


def _two_instead(supposing: Supposing, one: Supposed, T: Array) -> tuple[Supposed, Supposed] | None:
    """Two that explain more than one at its pose, and are out of line; None where there are none."""
    if one.hidden > _MOST_HIDDEN * one.total or one.kind.family == "slope":
        return None
    whole = supposing.unmoved(one.kind, T, one.label)
    pitch = one.kind.measures.pitch_m
    for parts in _splits(one.kind, supposing.kinds):
        (turn, aside, first), (its_turn, its_aside, second) = (
            _led(supposing, one, T, kind, middle) for kind, middle in parts
        )
        apart = float(np.linalg.norm(parts[1][1] - parts[0][1]))
        beside = its_aside - aside - apart * math.sin(0.5 * (turn + its_turn)) * _sense(one.kind)
        shown = len(np.union1d(first.shows, second.shows)) - 2.0 * (first.against + second.against)
        gain = shown - whole.worth
        if gain > 0 and gain + _PX_A_RAD * abs(its_turn - turn) + _PX_A_PITCH * abs(beside) / pitch > _SURE_PX:
            return first, second
    return None


def _sense(kind: BrickType) -> float:
    """Which way a turn to the left leads a point farther along a brick: to the side that counts as positive, or not."""
    return 1.0 if kind.length >= kind.width else -1.0


def _splits(kind: BrickType, kinds: list[BrickType]) -> Iterator[list[tuple[BrickType, Array]]]:
    """Pairs of kinds that end to end fill a brick, each with (2,) the middle of its part in that brick's frame (m)."""
    sides = np.array([kind.length, kind.width])
    axis, pitch = int(kind.width > kind.length), kind.measures.pitch_m
    level = [one for one in kinds if one.plates == kind.plates and one.family != "slope"]
    alike = {tuple(sorted((one.length, one.width))): one for one in level}
    for cut in range(1, int(sides[axis])):
        parts = []
        for low, high in ((0, cut), (cut, int(sides[axis]))):
            part, start = sides.copy(), np.zeros(2)
            part[axis], start[axis] = high - low, low
            if (found := alike.get(tuple(sorted(part.tolist())))) is not None:
                parts.append((found, (start + 0.5 * part) * pitch))
        if len(parts) == 2:
            yield parts


def _led(
    supposing: Supposing, one: Supposed, T: Array, kind: BrickType, middle: Array
) -> tuple[float, float, Supposed]:
    """(by how much its own outline turns a part (rad), and puts it aside (m), the part so), not along the brick."""
    yaw = math.atan2(T[1, 0], T[0, 0])
    across = T[:2, 1] if one.kind.length >= one.kind.width else T[:2, 0]
    x, y = T[:2, :2] @ middle + T[:2, 3]
    quarter = 0.0 if (kind.length >= kind.width) == (one.kind.length >= one.kind.width) else math.pi / 2
    lies = aligned(supposing.views, kind, placed(kind, float(x), float(y), one.bottom_m, yaw + quarter), one.label)
    there = (lies.T_base_brick @ (kind.size_m[0] / 2, kind.size_m[1] / 2, 0.0, 1.0))[:2]
    turn = math.atan2(lies.T_base_brick[1, 0], lies.T_base_brick[0, 0]) - yaw
    turn = (turn + math.pi / 4) % (math.pi / 2) - math.pi / 4
    aside = float(across @ (there - (x, y)))
    x, y = (x, y) + aside * across
    in_line = placed(kind, float(x), float(y), one.bottom_m, yaw + quarter + turn)
    return turn, aside, supposing.unmoved(kind, in_line, one.label)
